#!/usr/bin/env python3
"""Prints the translations of the administration page as JSON. The JSON contains the joined hashes of the English
texts, and a list of their translations or plural forms. With the English texts instead of the hashes, the file
would be too large.

usage: page_words.py ratingd-de_DE.po
"""

import gettext
import io
import json
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
# The source files with texts that the administration page never shows, because the page casts no votes, sends no
# forms, and does not use these routes and parameters.
NOT_OF_PAGE = ("handlers/votes.cpp", "handlers/vote_fields.cpp", "handlers/vote_rules.cpp", "handlers/stats.cpp",
               "handlers/service.cpp", "handlers/analytics_top.cpp", "handlers/analytics_ratings.cpp",
               "handlers/analytics_site.cpp", "imports/plugin_request.cpp", "api/fields.cpp", "dispatch/serve.cpp")
SOURCES = ["web/admin/*", "web/admin/views/*",
           *(str(file.relative_to(REPOSITORY)) for file in sorted(REPOSITORY.glob("lib/*/*"))
             if not str(file).endswith(NOT_OF_PAGE))]


def compiled(path):
    """Returns the translations of the page's texts as a compiled catalog."""
    select = ["msggrep", *(f"--location={source}" for source in SOURCES), path]
    texts = subprocess.run(select, check=True, capture_output=True).stdout
    return subprocess.run(["msgfmt", "--output-file=-", "-"], check=True, capture_output=True, input=texts).stdout


def hash_of(text):
    """Returns the first 20 bits of the FNV-1a hash of the code points in base 36. web/admin/words.js computes the
    same hash."""
    value = 0x811C9DC5
    for character in text:
        value = (value ^ ord(character)) * 0x01000193 & 0xFFFFFFFF
    value >>= 12
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits.rjust(4, "0")


def words_of(path):
    catalog = gettext.GNUTranslations(io.BytesIO(compiled(path)))._catalog  # no public API lists its entries
    words = {}
    english = {}
    for key, text in sorted(catalog.items(), key=str):
        if not key:
            continue
        source, *form = key if isinstance(key, tuple) else [key]
        name = hash_of(source)
        if english.setdefault(name, source) != source:
            sys.exit(f"page_words.py: two texts have one hash; change one: {source!r}, {english[name]!r}")
        words[name] = [*words.get(name, []), text] if form else text
    return words


words = words_of(sys.argv[1])
packed = {"keys": "".join(words), "texts": list(words.values())}
json.dump(packed, sys.stdout, ensure_ascii=False, separators=(",", ":"))
