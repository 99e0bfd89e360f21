#!/usr/bin/env bash
# A private CA for a laboratory, and the certificates of a fleet: one for each agent, bound to its
# name, and one for the coordinator.
#   deploy/certs.sh [--folder DIR] [--days N] ca
#   deploy/certs.sh [--folder DIR] [--days N] agent NAME [NAME|ADDRESS…]
#   deploy/certs.sh [--folder DIR] [--days N] coordinator
# NAME is the host as plans write it; further names and addresses of the same machine may follow.
# Files go to DIR (default: certs): ca.crt, ca.key, NAME.crt, NAME.key, coordinator.crt,
# coordinator.key. An agent's machine needs ca.crt and its own pair, the coordinator's ca.crt and
# coordinator.*; ca.key stays where it is. What is there is not overwritten, except for a
# certificate that is made anew for the key that there is.
set -euo pipefail

folder=certs
days=397

usage() {
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '$d'
}

fail() {
  echo "certs.sh: $1" >&2
  exit "${2:-1}"
}

# new_key FILE: made for its owner alone; one that is there is kept.
new_key() {
  [ -e "$1" ] && return
  (umask 077 && openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1")
}

make_ca() {
  [ ! -e "$folder/ca.crt" ] || fail "there is a CA in $folder already"
  mkdir -p "$folder"
  new_key "$folder/ca.key"
  openssl req -x509 -new -key "$folder/ca.key" -sha256 -days 3650 \
    -subj '/CN=sysfleet laboratory CA' \
    -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$folder/ca.crt"
  echo "$folder/ca.crt"
}

# issue NAME USAGE SUBJECT_ALTERNATIVE_NAMES
issue() {
  local name="$1" usage="$2" names="$3"
  [ -e "$folder/ca.key" ] || fail "there is no CA in $folder; make one: deploy/certs.sh ca"
  new_key "$folder/$name.key"
  openssl req -new -key "$folder/$name.key" -subj "/CN=${name:0:64}" |
    openssl x509 -req -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -sha256 -days "$days" \
      -set_serial "0x$(openssl rand -hex 16)" -out "$folder/$name.crt.new" -extfile <(
        echo 'basicConstraints=critical,CA:FALSE'
        echo 'keyUsage=critical,digitalSignature'
        echo "extendedKeyUsage=$usage"
        echo "subjectAltName=$names"
      ) 2> /dev/null
  # Whoever reads it meanwhile sees the old or the new one.
  mv "$folder/$name.crt.new" "$folder/$name.crt"
  echo "$folder/$name.crt"
}

# alternative_name NAME|ADDRESS
alternative_name() {
  if [[ "$1" =~ ^[0-9]+(\.[0-9]+){3}$ || "$1" == *:* ]]; then
    echo "IP:$1"
  elif [[ "$1" =~ ^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$ ]]; then
    echo "DNS:$1"
  else
    fail "'$1' is neither a host name nor an address" 2
  fi
}

make_agent() {
  [ $# -gt 0 ] || fail "agent: which one? give its name as plans write it" 2
  local names=() name joined
  for name in "$@"; do names+=("$(alternative_name "$name")"); done
  joined="$(IFS=,; echo "${names[*]}")"
  issue "$1" serverAuth "$joined"
}

while [ $# -gt 0 ]; do
  case "$1" in
    --folder) folder="${2:?--folder needs a value}" && shift 2 ;;
    --days) days="${2:?--days needs a value}" && shift 2 ;;
    -h | --help) usage && exit 0 ;;
    *) break ;;
  esac
done

command -v openssl > /dev/null || fail "needs openssl"
case "${1:-}" in
  ca) make_ca ;;
  agent) shift && make_agent "$@" ;;
  coordinator) issue coordinator clientAuth 'URI:sysfleet://coordinator' ;;
  *) usage >&2 && exit 2 ;;
esac
