#!/usr/bin/env bash
# Checks that the generators @hey-api/openapi-ts and orval understand openapi.json. The script uses both generators
# to generate API clients, and compiles the clients to OUT_DIR/dist/hey-api and OUT_DIR/dist/orval. ratingd's npm
# package does not contain these clients.
#
#   generate.sh BUILD_DIR OUT_DIR [BASE_URL]
#
# BUILD_DIR must contain openapi.json, as the service returns it. The orval client sends its requests to BASE_URL.
# web/node_modules must exist. The script does not use the network.
set -euo pipefail

build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
base_url=${3-}
cd "$(dirname "$0")/.."

# The generators read the TypeScript module settings in tsconfig.json.
cp npm/tsconfig.json "$out"
echo '{"type": "module"}' >"$out/package.json"
cat >"$out/openapi-ts.config.mjs" <<END
export default {
  input: "$build/openapi.json",
  output: {path: "$out/src/hey-api", tsConfigPath: "$out/tsconfig.json"},
  plugins: ["@hey-api/client-fetch"],
};
END
cat >"$out/orval.config.cjs" <<END
module.exports = {
  ratingd: {
    input: "$build/openapi.json",
    output: {target: "$out/src/orval/index.ts", client: "fetch", baseUrl: "$base_url"},
  },
};
END
npx --no-install openapi-ts --file "$out/openapi-ts.config.mjs" --no-log-file --silent
npx --no-install orval --config "$out/orval.config.cjs" >"$out/orval.log" 2>&1 || { cat "$out/orval.log" >&2; exit 1; }
npx --no-install tsc -p "$out" --lib ES2022,DOM,DOM.Iterable
