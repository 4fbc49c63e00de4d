#!/usr/bin/env bash
# Makes and compiles a client of another generator, @hey-api/openapi-ts, in OUT_DIR/dist: openapi.json must not be for
# the generator of the npm package alone.
#
#   generate.sh BUILD_DIR OUT_DIR
#
# BUILD_DIR has openapi.json, as the service gives it. web/node_modules must be there; nothing is asked of the network.
set -euo pipefail

build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/.."

# The generator reads the names of modules from it.
cp npm/tsconfig.json "$out"
echo '{"type": "module"}' >"$out/package.json"
cat >"$out/openapi-ts.config.mjs" <<END
export default {
  input: "$build/openapi.json",
  output: {path: "$out/src", tsConfigPath: "$out/tsconfig.json"},
  plugins: ["@hey-api/client-fetch"],
};
END
npx --no-install openapi-ts --file "$out/openapi-ts.config.mjs" --no-log-file --silent
npx --no-install tsc -p "$out" --lib ES2022,DOM,DOM.Iterable
