#!/usr/bin/env bash
# Fails if a folder includes one of its own level or a higher one, if a foreign library is included
# outside its one place, or if code outside the adapters names a CMS.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A level=(
  [base]=0
  [model]=1 [http]=1 [config]=1
  [db]=2 [json]=2 [limit]=2 [templates]=2
  [cms]=3
  [wordpress]=4 [store]=4
  [adapters]=5 [identity]=5 [rollups]=5
  [votes]=6 [analytics]=6 [setup]=6 [checks]=6
  [transfer]=7
  [imports]=8 [api]=8
  [admin]=9
  [fcgi]=10
)

# What an #include of the library begins with, and the files that may have it.
declare -A home_of=(
  [fcgi]='fcgi/exchange.*'
  [rapidjson/]='lib/json/*'
  [cppconn/]='lib/db/*'
  [mysql]='lib/db/*'
  [openssl/]='lib/base/crypto.*'
  [cjose/]='lib/identity/ticket.*'
  [crypt.h]='lib/wordpress/password.*'
  [spdlog/]='lib/base/log.*'
  [fmt/]='lib/admin/*'
  [boost/program_options]='lib/config/*'
  [date/]='lib/base/zone.*'
  [curl/]='lib/admin/web_request.*'
  [ctemplate/]='lib/templates/render.*'
  [gumbo.h]='lib/templates/html_check.*'
)

failed=0
complain() {
  echo "$*" >&2
  failed=1
}

# check_folder FILE LINE FOLDER INCLUDED
check_folder() {
  local file=$1 line=$2 folder=$3 included=$4
  if [[ -z ${level[$folder]:-} ]]; then
    complain "$file: folder $folder has no level in tests/tools/layers.sh"
  elif [[ $included != "$folder" ]] && ((level[$included] >= level[$folder])); then
    complain "$file:$line: $folder (level ${level[$folder]}) includes $included" \
      "(level ${level[$included]})"
  fi
}

# check_library FILE LINE HEADER
check_library() {
  local file=$1 line=$2 header=$3 library
  for library in "${!home_of[@]}"; do
    # shellcheck disable=SC2053  # the right side is a pattern
    if [[ $header == "$library"* && $file != ${home_of[$library]} ]]; then
      complain "$file:$line: <$header> belongs into ${home_of[$library]}"
    fi
  done
}

while IFS=: read -r file line include; do
  [[ $include =~ ^#include\ ([\<\"])([^\>\"]+) ]] || continue
  header=${BASH_REMATCH[2]}
  folder=${file#lib/}
  folder=${folder%%/*}
  included=${header%%/*}
  if [[ ${BASH_REMATCH[1]} == '"' && -n ${level[$included]:-} ]]; then
    check_folder "$file" "$line" "$folder" "$included"
  else
    check_library "$file" "$line" "$header"
  fi
done < <(grep -rn --include='*.h' --include='*.cpp' '^#include' lib fcgi)

# A CMS is named only by its adapter, its options, the set-up, and the imports from its plugins; elsewhere
# by the names of headers and the base path alone. Comments may name it, as the source of an algorithm.
named_in='^(lib/(wordpress|adapters|config|imports|setup)/|lib/admin/(setup|import_plugins|commands)|fcgi/exchange)'
while IFS= read -r file; do
  [[ $file =~ $named_in ]] && continue
  while IFS=: read -r line text; do
    complain "$file:$line: names a CMS, which only its adapter may: $text"
  done < <(sed -E 's#//.*##; s#X-WP-[A-Za-z]+##g; s#wp_nonce##g; s#/wp-json/##g' "$file" | grep -inE 'wordpress|wp[_-]')
done < <(find lib fcgi -name '*.h' -o -name '*.cpp')

exit $failed
