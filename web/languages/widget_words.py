#!/usr/bin/env python3
"""Prints a script with the widgets' words in another language. Pages load the script before ratingd-widget.js. The
site's own words take precedence.

usage: widget_words.py ratingd-de_DE.po   (the English words are in the scripts of ENGLISH)
"""

import gettext
import io
import json
import pathlib
import re
import subprocess
import sys

SCRIPTS = ("words.js", "more-stars.js", "reason.js", "refused.js")
# criteria.js contains only the text "Not saved yet", and derives the texts "Overall" and "Save" from the keys
# "overall" and "save".
OF_CRITERIA = [("overall", "Overall"), ("save", "Save"), ("unsaved", "Not saved yet")]
ENGLISH = [pathlib.Path(__file__).parent.parent / "widget" / name for name in SCRIPTS]
WORD = re.compile(r"^  (\w+): '(.+)',$", re.MULTILINE)
# Contains gettext contexts, which distinguish a widget's text, such as "Change", from the same text with another
# meaning.
CONTEXTS = {"one's rating", "1 star", "2 stars", "3 stars", "4 stars", "5 stars"}
# Maps each plural category to an example number. Arabic has all six categories, and other languages have fewer.
# Only the browser can determine which plural category a language uses for a number.
PLURALS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}


def texts_of(catalog):
    """Maps each English text to its translation, and each pair of a text and a number to its plural form. The keys
    do not contain contexts. A text with a context in CONTEXTS takes precedence over the same text without a
    context."""
    texts = {}
    ours = {}
    for key, text in catalog._catalog.items():  # no public API lists its entries
        english, *form = key if isinstance(key, tuple) else [key]
        *context, english = english.split("\x04")
        if context and context[0] in CONTEXTS:
            ours[(english, *form)] = text
        elif not context or (english, *form) not in texts:
            texts[(english, *form)] = text
    return {**texts, **ours}


def words_of(catalog):
    texts = texts_of(catalog)
    found = [word for file in ENGLISH for word in WORD.findall(file.read_text())] + OF_CRITERIA
    words = {name: texts[(english,)] for name, english in found if (english,) in texts}
    if ("vote", 0) in texts:
        words["votes"] = {form: texts[("vote", catalog.plural(n))] for form, n in PLURALS.items()}
    return words


compiled = subprocess.run(["msgfmt", "--output-file=-", sys.argv[1]], check=True, capture_output=True).stdout
words = words_of(gettext.GNUTranslations(io.BytesIO(compiled)))
text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
print(f"window.ratingdWords={{...{text},...window.ratingdWords}};")
