#!/usr/bin/env bash
# Runs each fuzz target for a few seconds, starting from the seeds in the repository. Runs as many targets in
# parallel as there are processors. The script stores new inputs in BUILD_DIR/corpus/ and failing inputs in
# BUILD_DIR/findings/.
#
# Usage: fuzz.sh BUILD_DIR SECONDS
set -euo pipefail

export build=$1 seconds=$2
fuzz_dir=$(cd "$(dirname "$0")/../fuzz" && pwd)
export fuzz_dir

fuzz() {
  local name=$1 found=$build/corpus/$1 log=$build/$1.log
  mkdir -p "$found"
  if ! "$build/tests/$name" "$found" "$fuzz_dir/corpus/${name%_fuzz}" -max_total_time="$seconds" -timeout=30 \
    -rss_limit_mb=1024 -artifact_prefix="$build/findings/$name-" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    return 1
  fi
  echo "$name: $(grep "^Done" "$log")"
}
export -f fuzz

mkdir -p "$build/findings"
find "$fuzz_dir" -maxdepth 1 -name '*_fuzz.cpp' -printf '%f\n' | sort | sed 's/\.cpp$//' |
  xargs -P "$(nproc)" -I {} bash -c 'fuzz {}'
