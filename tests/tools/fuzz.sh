#!/usr/bin/env bash
# Runs each fuzz target for some seconds, from the seeds of the repository.
#
#   fuzz.sh BUILD_DIR SECONDS
#
# What it finds stays in BUILD_DIR: new inputs in corpus/, failing ones in findings/.
set -euo pipefail

build=$1
seconds=$2
fuzz_dir=$(cd "$(dirname "$0")/../fuzz" && pwd)

for source in "$fuzz_dir"/*_fuzz.cpp; do
  name=$(basename "$source" .cpp)
  seeds=$fuzz_dir/corpus/${name%_fuzz}
  found=$build/corpus/$name
  mkdir -p "$found" "$build/findings"
  echo "$name, $seconds s"
  # No input is so large that a parser needs much memory for it.
  if ! "$build/tests/$name" "$found" "$seeds" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 \
    -artifact_prefix="$build/findings/$name-" >"$build/$name.log" 2>&1; then
    tail -n 40 "$build/$name.log" >&2
    exit 1
  fi
  tail -n 1 "$build/$name.log"
done
