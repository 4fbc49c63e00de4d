#!/usr/bin/env python3
"""Fills a manual page with the entries in a program's own help, so that the page and the help cannot differ.

    fill.py PROGRAM TEMPLATE >PAGE
"""

import pathlib
import re
import subprocess
import sys

# Matches a line of the help that begins an entry. The line contains the entry's name and placeholders for its
# values. The description follows on the same line or on the lines below.
ENTRIES = {
    "COMMANDS": re.compile(r"  (?P<name>[a-z].*?)(?:  +(?P<text>\S.*))?$"),
    "OPTIONS": re.compile(r"  --(?P<name>[a-z-]+ \S+) +(?P<text>\S.*)$"),
    "VARIABLES": re.compile(r"  (?P<name>RATINGD_\w+) +(?P<text>\S.*)$"),
}
CONTINUATION = re.compile(r" {20,}(?P<text>\S.*)$")


def entries(help_text, pattern):
    """Returns (name, meaning) for each entry, in order."""
    found = []
    for line in help_text.splitlines():
        more = CONTINUATION.match(line)
        entry = None if more else pattern.match(line)
        if entry:
            found.append((entry["name"], [entry["text"] or ""]))
        elif more and found:
            found[-1][1].append(more["text"])
    return [(name, " ".join(words.strip() for words in lines).strip()) for name, lines in found]


def escaped(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def in_roff(found):
    return "\n".join(f'.TP\n.B "{escaped(name)}"\n{escaped(meaning)}' for name, meaning in found)


def paragraph(help_text, kind):
    """Returns the text below the heading that begins with this word."""
    return re.search(rf"^{kind}\b.*:\n((?:.+\n)+)", help_text, re.MULTILINE | re.IGNORECASE)[1]


def main():
    program, template = sys.argv[1:]
    help_text = subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout
    page = pathlib.Path(template).read_text()
    for kind, pattern in ENTRIES.items():
        if f"@{kind}@" in page:
            page = page.replace(f"@{kind}@", in_roff(entries(paragraph(help_text, kind), pattern)))
    print(page, end="")


main()
