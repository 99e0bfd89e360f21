#!/usr/bin/env bash
# Configures and builds into build/PRESET, with warnings as errors.
#   deploy/build.sh [PRESET] [-DOPTION=VALUE…] [TARGET…]
# PRESET is release (default), dev, asan or tsan; without a TARGET everything is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release
case "${1:-}" in
  release | dev | asan | tsan)
    preset="$1"
    shift
    ;;
esac
options=()
targets=()
for argument in "$@"; do
  case "$argument" in
    -D*) options+=("$argument") ;;
    -*)
      echo "build.sh: unknown option '$argument'; see the head of deploy/build.sh" >&2
      exit 2
      ;;
    *) targets+=(--target "$argument") ;;
  esac
done

# A compiler at work on gRPC's headers takes up to 1 GiB.
memory_gib="$(awk '/^MemTotal:/ {print int($2 / 1048576) + 1}' /proc/meminfo)"
jobs="$(nproc)"
if [ "$jobs" -gt "$memory_gib" ]; then jobs="$memory_gib"; fi

# The compiler is Debian 12's, whose warnings are known. In every build, so that no script makes
# another's build over.
cmake --preset "$preset" -DSYSFLEET_WARNINGS_AS_ERRORS=ON "${options[@]}"
cmake --build --preset "$preset" --parallel "$jobs" "${targets[@]}"
