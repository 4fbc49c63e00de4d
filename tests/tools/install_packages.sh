#!/usr/bin/env bash
# Installs the missing Debian packages of the named groups in packages.txt. The script needs root or sudo
# only if a package is missing.
#
# Usage: install_packages.sh GROUP...
set -euo pipefail

list=$(dirname "$0")/packages.txt
policy=/usr/sbin/policy-rc.d

# A package also counts as installed if another package provides it. For example, some packages of Node.js also provide
# npm.
is_installed() {
  dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides},\n' |
    grep -E "^installed (.*, )?${1//+/\\+}( \(.*\))?," >/dev/null
}

missing_packages() {
  local group package
  while read -r group package _; do
    if [[ " $* " == *" $group "* ]] && ! is_installed "$package"; then
      echo "$package"
    fi
  done <"$list"
}

# Prevents the services of newly installed packages from starting, because the sandbox ("make run") starts its own
# servers.
forbid_services() {
  [[ -e $policy ]] && return
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
}

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: install what $list names by hand." >&2
  exit 1
fi

# If several make targets need packages at the same time, they install the packages one after the other.
exec 9<"$list"
flock 9
mapfile -t missing < <(missing_packages "$@")
((${#missing[@]} == 0)) && exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages, and neither root nor sudo to install them. As root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing Debian packages: ${missing[*]}"
forbid_services
"${as_root[@]}" apt-get update -q </dev/null
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
