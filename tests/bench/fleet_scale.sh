#!/usr/bin/env bash
# How many agents one coordinator can follow: see --help.
exec "$(dirname "${BASH_SOURCE[0]}")/run.sh" fleet_scale.py "$@"
