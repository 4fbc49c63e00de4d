#!/usr/bin/env python3
"""Prints the texts of block.json files that WordPress translates, in the format of xgettext's template.

usage: block_texts.py block.json...
"""

import json
import sys

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        block = json.load(file)
    texts = [("title", block["title"]), ("description", block["description"])]
    texts += [("keyword", keyword) for keyword in block.get("keywords", [])]
    for kind, text in texts:
        # JSON strings are also valid strings in gettext files.
        print(f'#: {path}\nmsgctxt "block {kind}"\nmsgid {json.dumps(text, ensure_ascii=False)}\nmsgstr ""\n')
