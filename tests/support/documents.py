"""The commands of docs/*.md, as a reader would type them.

    ```sh                      is run
    ```sh no-test: REASON      is not
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


def blocks_of(path):
    """In their order. Each block for a shell is run, or says why it is not."""
    blocks, heading = [], ""
    for match in BLOCK.finditer(path.read_text()):
        heading = match["heading"] or heading
        kind, _, rest = (match["info"] or "").partition(" ")
        if kind != "sh":
            continue
        if rest and not rest.startswith(NOT_RUN):
            raise ValueError(f"{path.name}: {match['info']}")
        blocks.append(Block(heading, match["text"], rest.removeprefix(NOT_RUN)))
    return blocks
