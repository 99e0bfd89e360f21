#!/usr/bin/env bash
# What one client core can drive, beside sysbench, pgbench and the bare socket: see --help.
exec "$(dirname "${BASH_SOURCE[0]}")/run.sh" client_cost.py "$@"
