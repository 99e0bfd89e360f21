#!/usr/bin/env bash
# How exactly a client times a statement: see --help.
exec "$(dirname "${BASH_SOURCE[0]}")/run.sh" timing_accuracy.py "$@"
