#!/usr/bin/env bash
# Runs all checks that do not execute ratingd's programs. Runs as many checks in parallel as there are processors.
# If no check is named, all checks run. BUILD_DIR must contain the service's openapi.json.
#
# Usage: lint.sh BUILD_DIR [CHECK...]
set -euo pipefail

build=$(realpath "$1")
shift
export build
cd "$(dirname "$0")/../.."

check_format() {
  find lib fcgi tests '(' -name '*.h' -o -name '*.cpp' ')' -exec clang-format --dry-run -Werror {} +
}

check_sql() {
  # Each regular expression matches SQL syntax that MariaDB or MySQL rejects. The comment next to each expression
  # names the server that accepts the syntax, and a portable replacement.
  local one_dialect=(
    '\bRETURNING\b'                            # MariaDB; select before, under a lock
    '\bAS new\b'                               # MySQL; VALUES(column)
    '\bVALUE\([a-z]'                           # MariaDB; VALUES(column)
    '\bON CONFLICT\b'                          # neither; ON DUPLICATE KEY UPDATE
    '\bFOR SHARE\b'                            # MySQL; LOCK IN SHARE MODE
    '\bLATERAL\b'                              # MySQL; a join
    '\b(INTERSECT|EXCEPT)\b'                   # MySQL only since 8.0.31; a join
    '\bVALUES ROW\('                           # MySQL; SELECT … UNION ALL SELECT …
    "[-]>>? *'\\$"                             # MySQL; JSON_EXTRACT
    '\bCREATE OR REPLACE TABLE\b'              # MariaDB; a new table
    '\b(CREATE|NEXT VALUE FOR) SEQUENCE\b'     # MariaDB; AUTO_INCREMENT
    '\b(ADD|DROP|MODIFY|CHANGE)( (COLUMN|INDEX|KEY))? IF (NOT )?EXISTS\b'  # MariaDB; a migration
    '\bSET STATEMENT\b'                        # MariaDB; the session's read timeout
    # Only MariaDB has max_statement_time. To limit a statement's run time on MariaDB and MySQL, set
    # db::Endpoint::is_bounded.
    '\bmax_statement_time\b(?!.*// MariaDB; else the next)'
    '\bMAX_EXECUTION_TIME\b'                   # MySQL; the session's read timeout
    '\b(GET_LOCK|CONCAT|SELECT)\b.*\b(MD5|SHA1?)\('  # not in MySQL 9; SHA2(text, 256)
    '\butf8mb4_(0900|uca1400)'                 # one each; utf8mb4_unicode_520_ci
  )
  local pattern found=0
  for pattern in "${one_dialect[@]}"; do
    grep -rnP --include='*.sql' --include='*.cpp' --include='*.h' -- "$pattern" \
      sql lib && found=1
  done
  return "$found"
}

check_shell() {
  git grep -lIE '^#!.*sh( |$)' -- ':!*.case' ':!tests/fuzz/corpus' | xargs shellcheck
}

check_python() {
  git ls-files '*.py' | xargs node web/ruff.cjs
}

# phpcs finds its configuration file, phpcs.xml, automatically.
check_php() {
  local file failed=0
  while read -r file; do
    php -l "$file" >"$build/php.log" || { cat "$build/php.log" >&2; failed=1; }
  done < <(git ls-files '*.php' '*.php.in')
  git ls-files '*.php' | xargs phpcs -q -s || failed=1
  return "$failed"
}

# The test for joined.py needs Clang, so it is not part of "make test".
check_names() {
  tests/tools/joined_test.py && tests/tools/joined.py names .
}

check_joined() {
  tests/tools/joined.py joined "$build"
}

check_alone() {
  tests/tools/joined.py alone "$build"
}

# clang-tidy's static analyzer takes by far the longest.
check_analyzer() {
  run-clang-tidy -quiet -checks='-*,clang-analyzer-*' -p "$build" "$PWD/(lib|fcgi|tests)/" >"$build/analyzer.log" 2>&1 && return
  grep -A4 -E '(warning|error): ' "$build/analyzer.log" >&2
  return 1
}

# cppcheck takes about 15 seconds and finds problems that clang-tidy misses.
check_cppcheck() {
  cppcheck --enable=warning,performance,portability --std=c++20 --quiet -j "$(nproc)" -Ilib -I. \
    --suppressions-list=.cppcheck --error-exitcode=1 lib fcgi
}

check_script() {
  (cd web && npx --no-install eslint . &&
    npx --no-install eslint --stdin --stdin-filename front_end.mjs <../docs/examples/front_end.mjs)
}

check_openapi() {
  (cd web && npx --no-install spectral lint --quiet --fail-severity hint --ruleset ../.spectral.yaml \
    "$build/openapi.json")
}

# Builds the npm package twice and compares the results. Then tests TypeScript, React and Vue programs that use the
# package, and tests API clients that other code generators create.
check_client() {
  local folder=$build/client
  local modules=$folder/node_modules
  rm -rf "$folder" && mkdir -p "$modules/ratingd-client" &&
    web/npm/pack.sh "$build" "$folder/first" && (umask 077 && web/npm/pack.sh "$build" "$folder/second") &&
    cmp "$folder"/{first,second}/*.tgz &&
    web/npm/generate.sh "$build" "$folder/others" &&
    tar -xzf "$folder"/first/*.tgz -C "$modules/ratingd-client" --strip-components=1 &&
    ln -s "$PWD"/web/node_modules/{@types,vue} "$modules" &&
    cp web/client.test.ts docs/examples/rating.{tsx,vue} "$folder" &&
    awk '/^```/ { is_code = /ts$/; next } is_code' web/npm/README.md >"$folder/readme.ts" &&
    cp web/npm/tsconfig.examples.json "$folder/tsconfig.json" &&
    (cd web && npx --no-install vue-tsc -p "$folder")
}

# packages.txt must list the same build dependencies as the Debian package.
check_build_depends() {
  diff <(awk '$1 == "build" { print $2 }' tests/tools/packages.txt | grep -vxE 'make|git' | sort) \
    <(sed -n '/^Build-Depends:/,/^$/p' debian/control | tr -d ' ,' | sed 's/^Build-Depends://; /debhelper/d; /^$/d' | sort)
}

check_words() {
  web/languages/words.sh --check
}

check_layers() {
  tests/tools/layers.sh
}

check_test_names() {
  tests/tools/test_names.py
}

check_sizes() {
  tests/tools/sizes.py
}

check() {
  local log=$build/$1.out start=$SECONDS
  if ! "check_$1" >"$log" 2>&1; then
    cat "$log" >&2
    echo "lint: $1 failed" >&2
    return 1
  fi
  printf 'lint: %-14s %4d s\n' "$1" $((SECONDS - start))
}

# The slowest checks start first, so that no slow check runs alone at the end.
checks=(joined alone analyzer php cppcheck script client openapi words python shell format sql layers sizes names
  test_names build_depends)
for name in "${checks[@]}"; do export -f "check_${name?}"; done
export -f check
(($# > 0)) || set -- "${checks[@]}"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I {} bash -c 'check {}'
