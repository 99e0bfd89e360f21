#!/usr/bin/env bash
# Installs, builds with warnings as errors, and runs all tests.
#   deploy/test.sh [--fast]
# --fast runs the unit tests alone: no database server, no program of ours.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

selection=()
case "${1:-}" in
  '') ;;
  --fast) selection=(--label-regex '^unit$') ;;
  *)
    echo "usage: deploy/test.sh [--fast]" >&2
    exit 2
    ;;
esac

# part NAME COMMAND…: runs it and prints how long it took.
part() {
  local name="$1" begin=$SECONDS status=0
  shift
  "$@" || status=$?
  echo "-- $name: $((SECONDS - begin)) s"
  return "$status"
}

# The slowest tests of the last run, from CTest's own record ("name runs seconds" a line).
slowest_tests() {
  echo "-- slowest tests"
  sed '/^---$/,$d' build/release/Testing/Temporary/CTestCostData.txt | sort -k3,3nr | head -n 5 |
    awk '{printf "%10.1f s  %s\n", $3, $1}'
}

part packages deploy/install_packages.sh
part build deploy/build.sh release
rm -f build/release/Testing/Temporary/CTestCostData.txt
status=0
# One after another: servers and load tests on the same cores would disturb each other's figures.
part tests ctest --test-dir build/release --output-on-failure --no-tests=error "${selection[@]}" ||
  status=$?
slowest_tests
exit "$status"
