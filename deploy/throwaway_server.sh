#!/usr/bin/env bash
# A database server to try things on: fast, without durability, reachable on loopback only.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: throwaway_server.sh start [--tls] [--owner PID] [--set NAME=VALUE]…
                            postgresql|mariadb DIR [PORT]
       throwaway_server.sh stop DIR

start makes a server in DIR (new or empty) and prints, for `eval` or a parser:
  port=…  pid=…  password=…  socket_dir=…
Its database is sbtest, its user sbtest, who may do everything. PORT is a free one unless given.
On a DIR that an earlier start made, the stopped server is started again with its port and password.
--tls lets it speak TLS, with a certificate signed by itself.
--set gives a new server a setting of its configuration file.
--owner has the server stopped and DIR removed soon after that process has ended.
stop ends the server and waits for its end. DIR stays; it holds nothing that is still needed.
Root starts the server as the user postgres or mysql (nobody where there is none).
USAGE
}

fail() {
  echo "throwaway_server.sh: $*" >&2
  if [[ -n ${dir:-} && -s $dir/server.log ]]; then
    echo "the end of $dir/server.log:" >&2
    tail -n15 "$dir/server.log" >&2
  fi
  exit 1
}

# The user that the server runs as: the caller, or somebody harmless in root's place.
server_user() {
  if [[ $(id -u) != 0 ]]; then
    id -un
  elif id -u "$1" >/dev/null 2>&1; then
    echo "$1"
  else
    echo nobody
  fi
}

# Below the range that the kernel gives to outgoing connections.
random_port() { echo $((10000 + (RANDOM * 32768 + RANDOM) % 22000)); }

# The last of the arguments that can be executed.
newest_program() {
  local candidate found=
  for candidate in "$@"; do
    if [[ -x $candidate ]]; then found=$candidate; fi
  done
  [[ -n $found ]] || return 1
  echo "$found"
}

make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
    -subj /CN=localhost -keyout "$dir/server.key" -out "$dir/server.crt" 2>/dev/null ||
    fail "openssl could not make a certificate"
  chown "$user" "$dir/server.key" "$dir/server.crt"
}

# In a session of its own, so that Ctrl-C on a terminal is not for it; keeps no pipe of ours open.
launch_in_background() {
  (cd / && exec setsid "$@") </dev/null >>"$dir/server.log" 2>&1 &
  launched=$!
}

make_postgresql() {
  printf '%s\n' "$password" >"$dir/password"
  chown "$user" "$dir/password"
  "${as_user[@]}" "$bin/initdb" --pgdata="$dir/data" --username=sbtest --pwfile="$dir/password" \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions \
    >"$dir/server.log" 2>&1 || fail "initdb failed"
  rm "$dir/password"
  printf '127.0.0.1:*:*:sbtest:%s\n' "$password" >"$dir/pgpass"
  cat >>"$dir/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$dir'
max_connections = 2000
shared_buffers = 256MB
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 4GB
CONF
  printf '%s\n' "${settings[@]}" >>"$dir/data/postgresql.conf"
  if [[ $tls == on ]]; then
    make_certificate
    printf "ssl = on\nssl_cert_file = '%s'\nssl_key_file = '%s'\n" \
      "$dir/server.crt" "$dir/server.key" >>"$dir/data/postgresql.conf"
  fi
}

launch_postgresql() {
  launch_in_background "${as_user[@]}" "$bin/postgres" -D "$dir/data" -p "$port" \
    -c external_pid_file="$dir/server.pid"
}

ready_postgresql() {
  PGPASSFILE=$dir/pgpass "$bin/psql" -X -q -h 127.0.0.1 -p "$port" -U sbtest -d postgres \
    -c 'SELECT 1' >/dev/null 2>&1
}

finish_postgresql() {
  PGPASSFILE=$dir/pgpass "$bin/createdb" -h 127.0.0.1 -p "$port" -U sbtest sbtest
}

make_mariadb() {
  mkdir "$dir/data"
  chown "$user" "$dir/data"
  mariadb-install-db --no-defaults --datadir="$dir/data" --user="$user" --skip-test-db \
    --auth-root-authentication-method=socket --innodb-flush-log-at-trx-commit=0 \
    >"$dir/server.log" 2>&1 || fail "mariadb-install-db failed"
  cat >"$dir/init.sql" <<SQL
CREATE DATABASE IF NOT EXISTS sbtest;
CREATE USER IF NOT EXISTS sbtest@'%' IDENTIFIED BY '$password';
GRANT ALL PRIVILEGES ON *.* TO sbtest@'%' WITH GRANT OPTION;
SQL
  cat >"$dir/client.cnf" <<CONF
[client]
host = 127.0.0.1
user = sbtest
password = $password
CONF
  cat >"$dir/server.cnf" <<CONF
[mariadbd]
datadir = $dir/data
socket = $dir/mariadb.sock
pid_file = $dir/server.pid
init_file = $dir/init.sql
bind_address = 127.0.0.1
skip_name_resolve
connect_timeout = 60
character_set_server = utf8mb4
max_connections = 2000
max_prepared_stmt_count = 1000000
performance_schema = off
skip_log_bin
innodb_buffer_pool_size = 256M
innodb_log_file_size = 512M
innodb_flush_log_at_trx_commit = 0
innodb_flush_method = nosync
innodb_doublewrite = 0
innodb_fast_shutdown = 2
local_infile = on
CONF
  printf '%s\n' "${settings[@]}" >>"$dir/server.cnf"
  if [[ $tls == on ]]; then
    make_certificate
    printf 'ssl_cert = %s\nssl_key = %s\n' "$dir/server.crt" "$dir/server.key" >>"$dir/server.cnf"
  fi
  chown "$user" "$dir/init.sql" "$dir/server.cnf"
}

# The account comes from the init file, so that nothing has to log in as root.
launch_mariadb() {
  launch_in_background "$bin" --defaults-file="$dir/server.cnf" --user="$user" --port="$port"
}

ready_mariadb() {
  mariadb --defaults-file="$dir/client.cnf" --port="$port" -e 'SELECT 1' sbtest >/dev/null 2>&1
}

finish_mariadb() { :; }

# The running server's process id, where it is this folder's.
running_pid() {
  local pid
  pid=$(head -n 1 "$dir/server.pid" 2>/dev/null) && [[ -n $pid ]] || return 1
  tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$dir/" || return 1
  echo "$pid"
}

# Fails where the server could not have its port: it says so in its log, from byte $1, and ends.
wait_until_ready() {
  local deadline=$((SECONDS + 60))
  while ((SECONDS < deadline)); do
    if "ready_$family"; then return 0; fi
    if ! kill -0 "$launched" 2>/dev/null; then
      tail -c "+$1" "$dir/server.log" | grep -qi 'address already in use' && return 1
      fail "the server ended while it started"
    fi
    sleep 0.05
  done
  kill -KILL "$(running_pid)" 2>/dev/null || true
  fail "the server was not ready after 60 s"
}

launch() {
  local attempt log_start
  for attempt in 1 2 3 4 5 6 7 8; do
    : >>"$dir/server.log"
    log_start=$(($(stat -c %s "$dir/server.log") + 1))
    rm -f "$dir/server.pid"
    "launch_$family"
    if wait_until_ready "$log_start"; then return 0; fi
    if [[ $port_is_fixed == yes ]]; then fail "port $port is in use"; fi
    port=$(random_port)
  done
  fail "found no free port in $attempt attempts"
}

find_programs() {
  if [[ $family == postgresql ]]; then
    bin=$(newest_program /usr/lib/postgresql/*/bin/postgres) || fail "PostgreSQL is not installed"
    bin=$(dirname "$bin")
    user=$(server_user postgres)
  else
    bin=$(newest_program /usr/sbin/mariadbd /usr/bin/mariadbd) || fail "MariaDB is not installed"
    user=$(server_user mysql)
  fi
  as_user=()
  if [[ $(id -un) != "$user" ]]; then as_user=(runuser -u "$user" --); fi
}

write_state() {
  cat >"$dir/server.env" <<STATE
family=$family
port=$port
password=$password
STATE
}

start() {
  local tls=off owner='' port_is_fixed=no settings=()
  while [[ ${1:-} == --* ]]; do
    case $1 in
      --tls) tls=on && shift ;;
      --owner) owner=${2:-} && shift 2 ;;
      --set) settings+=("${2:-}") && shift 2 ;;
      *) usage >&2 && exit 2 ;;
    esac
  done
  if (($# < 2 || $# > 3)) || [[ $1 != postgresql && $1 != mariadb ]]; then
    usage >&2
    exit 2
  fi
  family=$1 dir=$(realpath -m "$2")
  # A socket's path has 107 characters at most.
  if ((${#dir} > 85)); then fail "$dir: too long a path for a socket; choose a shorter one"; fi
  ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
  umask 077
  find_programs
  if [[ -s $dir/server.env ]]; then
    # shellcheck disable=SC1091
    source "$dir/server.env"
    if running_pid >/dev/null; then fail "$dir: its server is running"; fi
    port_is_fixed=yes
    launch
  else
    mkdir -p "$dir"
    if [[ -n $(ls -A "$dir") ]]; then fail "$dir: not empty"; fi
    chown "$user" "$dir"
    password=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
    port=${3:-$(random_port)}
    if [[ -n ${3:-} ]]; then port_is_fixed=yes; fi
    "make_$family"
    launch
    "finish_$family"
    write_state
  fi
  if [[ -n $owner ]]; then
    setsid "${BASH_SOURCE[0]}" guard "$dir" "$owner" </dev/null >/dev/null 2>&1 &
  fi
  printf 'port=%s\npid=%s\npassword=%s\nsocket_dir=%s\n' \
    "$port" "$(running_pid)" "$password" "$dir"
}

stop() {
  local pid deadline=$((SECONDS + 15))
  dir=$(realpath -m "$1")
  pid=$(running_pid) || return 0
  # PostgreSQL's fast shutdown: an immediate one would lose the last commits, which are not yet
  # written where synchronous_commit is off. MariaDB's is quick by its settings.
  if [[ -d $dir/data/base ]]; then kill -INT "$pid"; else kill -TERM "$pid"; fi
  while kill -0 "$pid" 2>/dev/null && running_pid >/dev/null; do
    if ((SECONDS > deadline)); then kill -KILL "$pid" 2>/dev/null || true; fi
    sleep 0.05
  done
}

# Until the server is stopped, or its owner has ended: whatever ended it, nothing stays behind.
guard() {
  dir=$1
  while running_pid >/dev/null; do
    if ! kill -0 "$2" 2>/dev/null; then
      stop "$dir"
      rm -rf "$dir"
    fi
    sleep 1
  done
}

case ${1:-} in
  guard)
    guard "$2" "$3"
    ;;
  start)
    shift
    start "$@"
    ;;
  stop)
    if (($# != 2)); then
      usage >&2
      exit 2
    fi
    stop "$2"
    ;;
  -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
