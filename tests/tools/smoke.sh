#!/usr/bin/env bash
# Runs the Makefile targets that .ci/run and .ci/release do not run, to find broken targets. The benchmarks are
# tiny, so their figures are meaningless. The package-test and matrix targets are omitted, because they need root
# privileges, another Debian release and several minutes. The test
# tests/e2e/commands_test.py fails if no script runs a target.
#
# Usage: smoke.sh BUILD_DIR
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath "$1")/smoke

# Each benchmark script documents its own environment variables.
export RATINGD_SOAK_SECONDS=5 RATINGD_SOAK_REQUESTS=60000 RATINGD_SOAK_ROUNDS=1 RATINGD_SOAK_ROUND_SECONDS=2
# Relax the limits, because two seconds of load are too short to measure the goodput and to fill the caches of new
# workers.
export RATINGD_SOAK_GOODPUT=0 RATINGD_SOAK_GROWTH=8192
export RATINGD_BENCH_SECONDS=1 RATINGD_BENCH_ROUNDS=1
export RATINGD_BENCH_VOTES='1000 5000' RATINGD_BENCH_OBJECTS=100 RATINGD_BENCH_DAYS=30 RATINGD_BENCH_REQUESTS=1
export RATINGD_BENCH_MEMORY=64M
export RATINGD_BULK_VOTES=2000 RATINGD_BULK_OBJECTS=100 RATINGD_BULK_DAYS=30 RATINGD_BULK_SECONDS=1
export RATINGD_SIZING_VOTES=2000 RATINGD_SIZING_POOLS=1 RATINGD_SIZING_SECONDS=1

# "step NAME COMMAND..." runs the command and prints its duration. If the command fails, its output is also
# printed.
step() {
  local name=$1 log start=$SECONDS
  log=$folder/$name.log
  shift
  # The command runs in the background, because "set -e" has no effect on a command in a condition.
  "$@" >"$log" 2>&1 &
  if ! wait $!; then
    tail -n 60 "$log" >&2
    echo "make $name failed; all of it: $log" >&2
    exit 1
  fi
  printf 'make %-16s %4d s\n' "$name" $((SECONDS - start))
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

run_and_vote() {
  make run
  curl -fsS "http://127.0.0.1:$RATINGD_HTTP_PORT/wp-json/ratingd/v1/stats/4" | grep '"total":'
}

stop_and_ask() {
  make stop
  if curl -sS --max-time 2 "http://127.0.0.1:$RATINGD_HTTP_PORT/"; then return 1; fi
}

# Runs "make install" with another prefix and checks that the systemd units and the nginx configuration contain the
# prefix.
install_and_ask() {
  local root=$folder/root file
  make install DESTDIR="$root" PREFIX=/opt/ratingd UNIT_DIR=/etc/systemd/system
  "$root/opt/ratingd/bin/ratingd" --version
  "$root/opt/ratingd/bin/ratingctl" --version
  for file in opt/ratingd/share/{ratingd/ratingd-widget.js,man/man8/ratingd.8} \
    opt/ratingd/share/ratingd/admin/{index.html,ratingd-admin.js,ratingd-admin.css} \
    opt/ratingd/share/ratingd/wordpress/{ratingd-mu-loader.php,ratingd/ratingd.php} \
    opt/ratingd/lib/sysusers.d/ratingd.conf etc/ratingd/{ratingd.conf,ratingctl.conf,nginx/ratingd.conf}; do
    test -s "$root/$file"
  done
  # The installation must contain CHANGELOG.md, which debian/changelog mentions, and all files that the README
  # links to.
  for file in CHANGELOG.md $(grep -oE '\]\([^):#]+' README.md | cut -c3-); do
    test -s "$root/opt/ratingd/share/doc/ratingd/$file"
  done
  test -z "$(find "$root" -type f -not -path '*/bin/*' -not -perm 644)"
  grep '^ExecStart=/opt/ratingd/bin/ratingd ' "$root/etc/systemd/system/ratingd@.service"
  if grep -r /usr/bin/rating "$root/etc"; then return 1; fi
  # Installing must not replace files that an operator has changed.
  echo changed >"$root/etc/ratingd/ratingd.conf"
  make install DESTDIR="$root" PREFIX=/opt/ratingd UNIT_DIR=/etc/systemd/system
  grep -x changed "$root/etc/ratingd/ratingd.conf"
}

# Checks that WordPress can unpack the plugin, and that the checksums are correct.
release_and_check() {
  local plugin=$folder/plugin
  make release
  (cd build/dist && sha256sum --check SHA256SUMS)
  python3 -m zipfile -e build/dist/ratingd-wordpress-*.zip "$plugin"
  rm "$plugin/ratingd/LICENSE"
  diff -r "$plugin/ratingd" debian/ratingd/usr/share/ratingd/wordpress/ratingd
  tar -tzf build/dist/ratingd-*.tar.gz | grep '/\.ci/run$'
}

# "make words" must not change the timestamps of up-to-date files, because a new timestamp would make a later build
# relink the programs while the soak test runs them.
words_keep_files() {
  local stamp=$folder/before-words changed
  touch "$stamp"
  make words
  changed=$(git diff --name-only web/languages)
  [[ -n $changed ]] || test -z "$(find web/languages -newer "$stamp" -name 'ratingd*')"
}

clean_elsewhere() {
  mkdir -p "$folder/build/release"
  make clean BUILD="$folder/build"
  test ! -e "$folder/build"
}

help_has_all() {
  diff <(sed -nE 's/^([a-z0-9-]+):.*/\1/p' Makefile | sort) <(make -s help | cut -d' ' -f1 | sort)
}

rm -rf "$folder"
mkdir -p "$folder"
RATINGD_HTTP_PORT=$(free_port)
export RATINGD_HTTP_PORT
export RATINGD_RUN_DIR=$folder/run
trap 'make -s stop >"$folder/stop.log" 2>&1 || true; wait' EXIT

step help help_has_all
step run run_and_vote
step stop stop_and_ask
step install install_and_ask
step clean clean_elsewhere
# Run the next steps during the soak test, because the soak test mostly waits. Each step uses its own port.
step soak env -u RATINGD_HTTP_PORT make soak &
soak=$!
step words words_keep_files
if [[ $(git status --porcelain) ]]; then
  echo "make release: left out, for it is made of a commit"
else
  step release release_and_check
fi
# The benchmark programs are already built, so "make bench" can run at the same time as other steps.
RATINGD_RUN_DIR=$folder/bench step bench env -u RATINGD_HTTP_PORT make bench &
bench=$!
RATINGD_RUN_DIR=$folder/bench-analytics step bench-analytics make bench-analytics
RATINGD_RUN_DIR=$folder/bench-bulk step bench-bulk make bench-bulk
RATINGD_RUN_DIR=$folder/bench-sizing step bench-sizing make bench-sizing
wait $bench
wait $soak
