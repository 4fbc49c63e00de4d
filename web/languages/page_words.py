#!/usr/bin/env python3
"""Prints the translations of the owner's page as JSON: each English text with its translation, or with the
list of its plural forms, in the order of the file.

usage: page_words.py ratingd-de_DE.po
"""

import gettext
import io
import json
import subprocess
import sys

# Where the page's texts come from; the other texts are the plugin's.
SOURCES = ["web/admin/*", "web/admin/views/*", "lib/model/*", "lib/templates/*", "lib/api/*"]


def compiled(path):
    """The translations of the page's texts, as a compiled catalog."""
    select = ["msggrep", *(f"--location={source}" for source in SOURCES), path]
    texts = subprocess.run(select, check=True, capture_output=True).stdout
    return subprocess.run(["msgfmt", "--output-file=-", "-"], check=True, capture_output=True, input=texts).stdout


def words_of(path):
    catalog = gettext.GNUTranslations(io.BytesIO(compiled(path)))._catalog  # no public name lists its entries
    words = {}
    for key, text in sorted(catalog.items(), key=str):
        if isinstance(key, tuple):
            words.setdefault(key[0], []).append(text)
        elif key:
            words[key] = text
    return words


json.dump(words_of(sys.argv[1]), sys.stdout, ensure_ascii=False, separators=(",", ":"))
