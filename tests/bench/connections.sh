#!/usr/bin/env bash
# 10 000 connections from one agent: see --help.
exec "$(dirname "${BASH_SOURCE[0]}")/run.sh" connections.py "$@"
