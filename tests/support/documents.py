"""The commands of docs/*.md, as a reader would type them.

    ```sh                      is run
    ```sh no-test: REASON      is not
    ```sql, ```ini             is for the test that the document is of, whatever the words behind it
"""

import dataclasses
import re

BLOCK = re.compile(r"^## (?P<heading>.*)$|^```(?P<info>.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)
NOT_RUN = "no-test: "


@dataclasses.dataclass(frozen=True)
class Block:
    heading: str
    text: str
    reason: str  # why it is not run; empty if it is


def texts_of(path, heading, kind):
    """Those of one kind below a heading, in their order."""
    return [text for found, info, text in _all_of(path)
            if (found, info.partition(" ")[0]) == (heading, kind)]


def blocks_of(path):
    """In their order. Each block for a shell is run, or says why it is not."""
    blocks = []
    for heading, info, text in _all_of(path):
        kind, _, rest = info.partition(" ")
        if kind != "sh":
            continue
        if rest and not rest.startswith(NOT_RUN):
            raise ValueError(f"{path.name}: {info}")
        blocks.append(Block(heading, text, rest.removeprefix(NOT_RUN)))
    return blocks


def _all_of(path):
    heading = ""
    for match in BLOCK.finditer(path.read_text()):
        heading = match["heading"] or heading
        if match["info"] is not None:
            yield heading, match["info"], match["text"]
