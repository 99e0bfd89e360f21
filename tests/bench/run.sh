#!/usr/bin/env bash
# Builds what the measurements need and runs one of them: run.sh SCRIPT.py [ARGUMENT…]
# With SYSFLEET_BUILD, the programs of that build folder are taken as they are.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
script="$1"
shift
if [[ " $* " != *" --help "* && -z "${SYSFLEET_BUILD:-}" ]]; then
  "$here/../../deploy/build.sh" >/dev/null
fi
ulimit -n "$(ulimit -Hn)"
exec python3 "$here/$script" "$@"
