#!/usr/bin/env bash
# Checks the dependencies between the folders of the code. The script fails in these cases:
#   - A file includes a header from a folder on which its own folder does not depend according to LINKS in
#     CMakeLists.txt.
#   - LINKS contains a folder that is declared further down in CMakeLists.txt.
#   - The README lists a folder above another folder that depends on it.
#   - A file includes a third-party header that only other files may include.
#   - Code outside the adapters names a CMS.
#
# Usage: layers.sh [REPOSITORY]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

failed=0
complain() {
  echo "$*" >&2
  failed=1
}

# Maps each folder to the names of all folders on which it depends directly or indirectly. Each value contains a
# space before and after each folder name. The programs may depend on all folders.
declare -A reached=()
while read -r folder links; do
  reached[$folder]=' '
  for link in $links; do
    if [[ -n ${reached[$link]:-} ]]; then
      reached[$folder]+="$link${reached[$link]}"
    elif [[ -d lib/$link ]]; then
      complain "CMakeLists.txt: $folder links $link, which is declared further down"
    fi
  done
done < <(tr -s ' \n' ' ' <CMakeLists.txt | grep -oP 'ratingd_library\(\K\w+ LINKS [^)]*' | sed 's/ LINKS//')
reached[fcgi]=" ${!reached[*]} "

# The README lists the folders from the top layer (the programs) to the bottom layer. A folder may depend only on
# folders that the README lists after it.
above=' '
while read -r folder; do
  for link in ${reached[$folder]:-}; do
    [[ $above == *" $link "* ]] && complain "README.md: $folder reaches $link, which is listed above it"
  done
  above+="$folder "
done < <(sed -n '/^## Layout/,/^## /s,^    \(lib/\)\?\([a-z]*\)/.*,\2,p' README.md)
for folder in "${!reached[@]}"; do
  grep -q "[ /]$folder/" README.md || complain "README.md: the layout lacks the folder $folder"
done

# Maps the prefix of each third-party header to the files that may include the header.
declare -A home_of=(
  [fcgi]='fcgi/exchange.*'
  [rapidjson/]='lib/json/*'
  [cppconn/]='lib/db/*'
  [mysql]='lib/db/*'
  [openssl/]='lib/base/crypto.*'
  [cjose/]='lib/identity/ticket_key.cpp'
  [crypt.h]='lib/wordpress/password.*'
  [spdlog/]='lib/runtime/log.*'
  [fmt/]='lib/admin/*'
  [boost/program_options]='lib/config/*'
  [date/]='lib/base/zone.*'
  [curl/]='lib/admin/web_request.*'
  [ctemplate/]='lib/templates/render.*'
  [gumbo.h]='lib/templates/html_check.*'
)

# check_folder FILE LINE FOLDER INCLUDED
check_folder() {
  local file=$1 line=$2 folder=$3 included=$4
  if [[ -z ${reached[$folder]:-} ]]; then
    complain "$file: folder $folder is not in CMakeLists.txt"
  elif [[ $included != "$folder" && ${reached[$folder]} != *" $included "* ]]; then
    complain "$file:$line: $folder includes $included, which its LINKS in CMakeLists.txt do not reach"
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
  if [[ ${BASH_REMATCH[1]} == '"' && -n ${reached[$included]:-} ]]; then
    check_folder "$file" "$line" "$folder" "$included"
  else
    check_library "$file" "$line" "$header"
  fi
done < <(grep -rn --include='*.h' --include='*.cpp' '^#include' lib fcgi)

# Only code that is specific to a CMS may contain the name of the CMS. In other files, only HTTP header names and the
# base path may contain the name of the CMS. Comments may name the CMS as the source of an algorithm.
named_in='^(lib/(wordpress|adapters|config|imports|setup)/|lib/admin/(setup|import_plugins|commands)|fcgi/exchange)'
while IFS= read -r file; do
  [[ $file =~ $named_in ]] && continue
  while IFS=: read -r line text; do
    complain "$file:$line: names a CMS, which only its adapter may: $text"
  done < <(sed -E 's#//.*##; s#X-WP-[A-Za-z]+##g; s#wp_nonce##g; s#/wp-json/##g' "$file" | grep -inE 'wordpress|wp[_-]')
done < <(find lib fcgi -name '*.h' -o -name '*.cpp')

exit $failed
