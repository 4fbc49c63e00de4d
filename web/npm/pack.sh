#!/usr/bin/env bash
# Builds the npm package of the API client, OUT_DIR/ratingd-client-VERSION.tgz. The build is reproducible byte for byte.
#
#   pack.sh BUILD_DIR OUT_DIR
#
# BUILD_DIR must contain openapi.json, as the service returns it. The script generates the package's types and version
# from openapi.json. web/node_modules must exist. The script does not use the network.
set -euo pipefail

build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/.."

umask 022
package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
cp -r npm/package.json npm/tsconfig.json npm/README.md npm/src ../LICENSE "$package"
npx --no-install openapi-typescript "$build/openapi.json" -o "$package/src/openapi.ts" >"$build/openapi.log" 2>&1 ||
  { cat "$build/openapi.log" >&2; exit 1; }
npx --no-install tsc -p "$package"
version=$(node -p 'require(process.argv[1]).info.version' "$build/openapi.json")
cd "$package"
npm pkg set "version=$version"
chmod -R u=rwX,go=rX .
npm pack --offline --ignore-scripts --silent --pack-destination "$out"
