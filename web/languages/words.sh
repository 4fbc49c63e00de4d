#!/usr/bin/env bash
# Updates the translation template (ratingd.pot) and the translations (ratingd-*.po) from the texts of the plugin,
# the page and the settings.
#
# The command "words.sh" writes the files. The command "words.sh --check" fails if a file is not up to date, or if
# the German translation is not complete. Texts without a translation are shown in English.
set -euo pipefail

cd "$(dirname "$0")/../.."
languages=web/languages
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

# "extract LANGUAGE FILES KEYWORD..." prints the texts in FILES that are passed to one of the functions KEYWORD. Without
# keywords, prints all texts. Line numbers are left out, because they change more often than the texts.
extract() {
  local language=$1 files options=("--keyword")
  read -ra files <<<"$2"
  shift 2
  (($# == 0)) && options=(--extract-all)
  git ls-files -co --exclude-standard "${files[@]}" | sort |
    xgettext --files-from=- --language="$language" --from-code=UTF-8 "${options[@]}" "${@/#/--keyword=}" \
      --add-location=file --add-comments=translators: --output=- |
    sed '1,/^$/d' | cat "$new/header.po" -
}

header() {
  printf '%s\n' 'msgid ""' 'msgstr ""' '"Project-Id-Version: ratingd\n"' '"MIME-Version: 1.0\n"' \
    '"Content-Type: text/plain; charset=UTF-8\n"' '"Content-Transfer-Encoding: 8bit\n"' \
    '"Plural-Forms: nplurals=2; plural=(n != 1);\n"' '"X-Domain: ratingd\n"' ''
}

# Prints the new translation template. In C++ files that do not mark texts with keywords, patterns select the
# texts: setting titles and descriptions, phrases about setting formats, template names, and error messages.
# Messages about setting values and the findings of checks are base::Message literals, which need no pattern.
template() {
  header >"$new/header.po"
  extract PHP 'web/wordpress/*.php' __ _e esc_html__ esc_html_e esc_attr__ esc_attr_e _x:1,2c esc_html_x:1,2c \
    _n:1,2 _nx:1,2,4c _n_noop:1,2 >"$new/plugin.po"
  extract JavaScript 'web/wordpress/*.js' __ _n:1,2 _x:1,2c _nx:1,2,4c >"$new/scripts.po"
  git ls-files -co --exclude-standard 'web/wordpress/*/block.json' | sort |
    xargs web/languages/block_texts.py | cat "$new/header.po" - >"$new/blocks.po"
  extract JavaScript 'web/admin/*.js' t tn:1,2 >"$new/page.po"
  extract C++ 'lib/model/settings_table.cpp lib/model/setting_values.h' | msggrep --msgid -e '^[A-Z]' >"$new/settings.po"
  extract C++ 'lib/model/setting_values.cpp' | msggrep --msgid -e ' ' >"$new/forms.po"
  extract C++ 'lib/templates/builtin_templates.cpp' | msggrep --msgid -e '^[A-Z][^.]*$' >"$new/templates.po"
  extract C++ 'lib/api/errors.cpp' | msggrep --msgid -e '\.$' >"$new/errors.po"
  extract C++ 'lib/*.h lib/*.cpp' Message because Reason >"$new/messages.po"
  msgcat --add-location=file --no-wrap --sort-by-file \
    "$new"/{plugin,scripts,blocks,page,settings,forms,templates,errors,messages}.po
}

# "merge TRANSLATION" prints the file TRANSLATION with the texts of the new translation template.
merge() {
  msgmerge --quiet --no-fuzzy-matching --no-wrap --add-location=file --sort-by-file "$1" "$new/ratingd.pot" \
    --output-file=- | msgattrib --no-obsolete --no-wrap --add-location=file
}

template >"$new/ratingd.pot"
for translation in "$languages"/ratingd-*.po; do
  merge "$translation" >"$new/$(basename "$translation")"
done

failed=0
for file in "$new"/ratingd.pot "$new"/ratingd-*.po; do
  kept=$languages/$(basename "$file")
  # Keep the timestamp of a file that is up to date, so that programs that depend on the file are not rebuilt.
  cmp -s "$file" "$kept" && continue
  if [[ ${1-} == --check ]]; then
    echo "$kept is not up to date; run: make words" >&2
    failed=1
  else
    cp "$file" "$kept"
  fi
done
[[ ${1-} == --check ]] || exit 0
for translation in "$languages"/ratingd-*.po; do
  msgfmt --check-format --output-file=/dev/null "$translation" || failed=1
done
missing=$(msgattrib --untranslated --no-wrap "$languages/ratingd-de_DE.po"
  msgattrib --only-fuzzy --no-wrap "$languages/ratingd-de_DE.po")
if [[ -n $missing ]]; then
  printf 'ratingd-de_DE.po: without a translation:\n%s\n' "$missing" >&2
  failed=1
fi
exit $failed
