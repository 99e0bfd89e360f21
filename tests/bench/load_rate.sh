#!/usr/bin/env bash
# How fast tables are filled, beside sysbench and the database's own client: see --help.
exec "$(dirname "${BASH_SOURCE[0]}")/run.sh" load_rate.py "$@"
