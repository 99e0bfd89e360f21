#!/usr/bin/env bash
# From a fresh clone to a table: installs, builds, and runs deploy/plans/quickstart.yaml with two
# agents against a throw-away database server on this machine. Leaves nothing running.
#   deploy/quickstart.sh [--mysql] [--keep]
# --mysql: MariaDB in place of PostgreSQL. --keep: the temporary folder (server's data, logs) stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

server=postgresql
server_name=PostgreSQL
driver=postgresql
keep=no
for argument in "$@"; do
  case "$argument" in
    --mysql) server=mariadb server_name=MariaDB driver=mysql ;;
    --keep) keep=yes ;;
    *)
      echo "usage: deploy/quickstart.sh [--mysql] [--keep]" >&2
      exit 2
      ;;
  esac
done

work="$(mktemp -d "${TMPDIR:-/tmp}/sysfleet-quickstart.XXXXXX")"
chmod 711 "$work"  # A server that root starts runs as another user and must pass through.
coordinator=
agents=()
server_start=

# Everything that stays running has a session of its own (setsid), so that Ctrl-C reaches this
# script alone. It ends them in order: first the load, then the agents, the database last.
clean_up() {
  local status=$?
  trap '' INT TERM HUP
  if [ -n "$coordinator" ]; then end_process INT "$coordinator"; fi
  for agent in "${agents[@]}"; do end_process TERM "$agent"; done
  if [ -n "$server_start" ]; then
    wait "$server_start" 2> /dev/null || true
    deploy/throwaway_server.sh stop "$work/server"
  fi
  if [ "$keep" = yes ]; then
    echo "kept       $work"
  else
    rm -rf "$work"
  fi
  exit "$status"
}

# Asks a process to end, and insists after 10 s.
end_process() {
  local signal="$1" pid="$2"
  for _ in $(seq 100); do
    kill "-$signal" "$pid" 2> /dev/null || return 0
    signal=0
    sleep 0.1
  done
  kill -KILL "$pid" 2> /dev/null || true
}

trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

say() { printf '%-10s %s\n' "$1" "$2"; }

# fail TEXT FILE: tells what failed, with the end of its output, and ends.
fail() {
  echo "$1:" >&2
  tail -n 40 "$2" | sed 's/^/  /' >&2
  exit 1
}

quietly() {
  local name="$1"
  shift
  "$@" > "$work/$name.log" 2>&1 || fail "$name failed" "$work/$name.log"
}

# The value of NAME in the server's lines "NAME=value".
server_value() { sed -n "s/^$1=//p" "$work/server.log"; }

start_server() {
  (umask 077 && : > "$work/server.log")  # A password will be in it.
  setsid deploy/throwaway_server.sh start "$server" "$work/server" > "$work/server.log" 2>&1 &
  server_start=$!
  wait "$server_start" || fail "$server_name did not start" "$work/server.log"
}

# Sets agent_address.
start_agent() {
  local name="agent-$1"
  setsid build/release/agent/agent --listen 127.0.0.1:0 --announce "$work/$name.address" \
    > "$work/$name.log" 2>&1 &
  agents+=($!)
  for _ in $(seq 100); do
    if [ -s "$work/$name.address" ]; then
      agent_address="$(< "$work/$name.address")"
      return
    fi
    kill -0 "${agents[-1]}" 2> /dev/null || break
    sleep 0.1
  done
  fail "$name did not start" "$work/$name.log"
}

say packages "from deploy/packages.txt (a first time takes some minutes)"
quietly packages deploy/install_packages.sh

say build "agent and coordinator (a first time takes some minutes)"
quietly build deploy/build.sh release agent coordinator

start_server
SYSFLEET_DB_NODE="127.0.0.1:$(server_value port)"
SYSFLEET_DB_PASSWORD="$(server_value password)"
SYSFLEET_DB_DRIVER="$driver"
export SYSFLEET_DB_NODE SYSFLEET_DB_PASSWORD SYSFLEET_DB_DRIVER
say server "a throw-away $server_name on $SYSFLEET_DB_NODE"

start_agent 1
export SYSFLEET_AGENT_1="$agent_address"
start_agent 2
export SYSFLEET_AGENT_2="$agent_address"
say agents "$SYSFLEET_AGENT_1, $SYSFLEET_AGENT_2"
echo

# A shell's background processes ignore Ctrl-C's signal, which is how this one is to be ended.
env --default-signal=INT setsid build/release/coordinator/coordinator run \
  deploy/plans/quickstart.yaml &
coordinator=$!
status=0
wait "$coordinator" || status=$?
exit "$status"
