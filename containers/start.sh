#!/bin/bash
# Starts or upgrades the site described in compose.yaml. Creates missing files in the "secrets" folder
# (docs/containers.md).
#
# start.sh passes its options to "docker compose up". ENGINE="podman" selects Podman.
set -euo pipefail

cd "$(dirname "$0")"
engine=${ENGINE:-docker}
required=2.17

# Older versions of Docker Compose do not support "--wait" and "depends_on: restart". Since Podman 4.7, "podman
# compose" calls Docker Compose. The separate podman-compose program supports neither "--wait" nor "depends_on:
# restart".
found=$($engine compose version --short 2>/dev/null) || found=
found=${found#v}
if [[ ! $found =~ ^[0-9]+\.[0-9]+ ]] || ! printf '%s\n' "$required" "$found" | sort --check=quiet --version-sort; then
  echo "start.sh needs Docker Compose $required or later; \"$engine compose version\" says: ${found:-nothing}." >&2
  echo "Podman needs version 4.7 or later, with Docker Compose installed beside it (docs/containers.md)." >&2
  exit 1
fi

# Only the owner can enter the "secrets" folder. The files in "secrets" are readable by all users, because
# processes in the containers run as other users.
install -d -m 0700 secrets

for name in db-root db-wordpress db-ratingd db-ratingctl wordpress-admin; do
  [[ -s secrets/$name ]] || openssl rand -hex 24 | install -m 0444 /dev/stdin "secrets/$name"
done
[[ -s secrets/wp-config.php ]] || {
  echo "<?php"
  echo "define( 'DB_NAME', 'wordpress' );"
  echo "define( 'DB_USER', 'wordpress' );"
  echo "define( 'DB_PASSWORD', '$(cat secrets/db-wordpress)' );"
  echo "define( 'DB_HOST', 'db' );"
  for key in AUTH SECURE_AUTH LOGGED_IN NONCE; do
    echo "define( '${key}_KEY', '$(openssl rand -hex 32)' );"
    echo "define( '${key}_SALT', '$(openssl rand -hex 32)' );"
  done
  echo "\$table_prefix = 'wp_';"
  echo "require_once ABSPATH . 'wp-settings.php';"
} | install -m 0444 /dev/stdin secrets/wp-config.php

exec $engine compose up --build --detach --wait "$@"
