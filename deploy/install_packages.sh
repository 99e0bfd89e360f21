#!/usr/bin/env bash
# Installs what deploy/packages.txt lists and this machine lacks. Asks for root by sudo, and only
# where something is missing. No database server is started or enabled: sysfleet starts throw-away
# ones of its own.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

mapfile -t wanted < <(sed 's/#.*//' "$here/packages.txt" | awk 'NF {print $1}')
states="$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2> /dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package installed" <<< "$states" || missing+=("$package")
done

if [ "${#missing[@]}" -eq 0 ]; then
  echo "${#wanted[@]} packages, all installed"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "install_packages.sh: needs root to install: ${missing[*]}" >&2
    echo "  Run it as root once, or install sudo." >&2
    exit 1
  fi
  exec sudo -- "$here/install_packages.sh"
fi

temporary=()
trap 'rm -f "${temporary[@]}"' EXIT

# Debian would start every server as it is installed, and make a PostgreSQL cluster for the machine.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  temporary+=(/usr/sbin/policy-rc.d)
  printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
fi
no_cluster=/etc/postgresql-common/createcluster.d/sysfleet.conf
temporary+=("$no_cluster")
mkdir -p "$(dirname "$no_cluster")"
echo 'create_main_cluster = false' > "$no_cluster"

export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 -q update
apt-get -o DPkg::Lock::Timeout=300 -q install -y --no-install-recommends "${missing[@]}"

if [[ " ${missing[*]} " == *" mariadb-server "* ]] && command -v systemctl > /dev/null; then
  systemctl --quiet disable mariadb || true
fi
echo "${#missing[@]} packages installed: ${missing[*]}"
