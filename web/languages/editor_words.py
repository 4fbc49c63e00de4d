#!/usr/bin/env python3
"""Prints the translations of the editor's scripts as JSON, in the form that WordPress's wp.i18n takes (JED).

usage: editor_words.py ratingd-de_DE.po
"""

import gettext
import io
import json
import subprocess
import sys

SOURCE = "web/wordpress/ratingd/js/*"


def compiled(path):
    """Returns the translations of the scripts' texts as a compiled catalog."""
    texts = subprocess.run(["msggrep", f"--location={SOURCE}", path], check=True, capture_output=True).stdout
    return subprocess.run(["msgfmt", "--output-file=-", "-"], check=True, capture_output=True, input=texts).stdout


def words_of(path):
    """Returns lists of plural forms by their English texts. The empty text has the information for wp.i18n."""
    catalog = gettext.GNUTranslations(io.BytesIO(compiled(path)))
    info = catalog.info()
    words = {"": {"lang": info["language"], "plural-forms": info["plural-forms"]}}
    for key, text in sorted(catalog._catalog.items(), key=str):  # no public name lists its entries
        if key:
            words.setdefault(key[0] if isinstance(key, tuple) else key, []).append(text)
    return {"domain": "ratingd", "locale_data": {"ratingd": words}}


json.dump(words_of(sys.argv[1]), sys.stdout, ensure_ascii=False, separators=(",", ":"))
