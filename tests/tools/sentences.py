#!/usr/bin/env python3
"""Draws random sentences from comments, documents and messages, so that they can be read without their context.

    sentences.py NUMBER SEED [REPOSITORY]

The same seed draws the same sentences from the same files. Half of them are from comments.
"""

import pathlib
import random
import re
import subprocess
import sys

SHARES = (("comments", 2), ("documents", 1), ("messages", 1))
COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*\n)+", re.MULTILINE)
COMMENT_OF_SCRIPT = re.compile(r"(?:^[ \t]*#(?!!)[^\n]*\n)+", re.MULTILINE)
MESSAGE = re.compile(r'^msgid (".*"(?:\n".*")*)', re.MULTILINE)
BLOCK = re.compile(r"^ *```.*?^ *```|^    .*?$|^\|.*?$|^#.*?$", re.DOTALL | re.MULTILINE)
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“*`])")
FEWEST_WORDS = 4


def tracked(repository, *patterns):
    # Fixtures are copies of files from other releases.
    command = ["git", "-C", repository, "ls-files", "-z", *patterns, ":!tests/fixtures"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    return [pathlib.Path(name) for name in listed.stdout.split("\0") if name]


def sentences_in(text):
    for sentence in END.split(" ".join(text.split())):
        if len(sentence.split()) >= FEWEST_WORDS:
            yield sentence


def comments(repository):
    for pattern, marker, names in ((COMMENT, "//", ("*.h", "*.cpp", "*.js", "*.cjs", "*.php")),
                                   (COMMENT_OF_SCRIPT, "#", ("*.py", "*.sh"))):
        for path in tracked(repository, *names):
            for comment in pattern.findall((repository / path).read_text()):
                text = " ".join(line.strip().removeprefix(marker) for line in comment.splitlines())
                yield from ((path, sentence) for sentence in sentences_in(text))


def documents(repository):
    for path in tracked(repository, "README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md"):
        text = BLOCK.sub("", (repository / path).read_text())
        for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:- |\d+\. ))", text):
            yield from ((path, sentence) for sentence in sentences_in(re.sub(r"^\s*(?:- |\d+\. )", "", paragraph)))


def messages(repository):
    path = pathlib.Path("web/languages/ratingd.pot")
    for quoted in MESSAGE.findall((repository / path).read_text()):
        text = "".join(line[1:-1] for line in quoted.splitlines())
        yield from ((path, sentence) for sentence in sentences_in(text))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    number, seed = int(sys.argv[1]), int(sys.argv[2])
    repository = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).parent.parent.parent)
    dice = random.Random(seed)
    parts = sum(share for _, share in SHARES)
    for name, share in SHARES:
        for path, sentence in dice.sample(sorted(globals()[name](repository)), number * share // parts):
            print(f"{name[:-1]:8} {path}: {sentence}")


if __name__ == "__main__":
    main()
