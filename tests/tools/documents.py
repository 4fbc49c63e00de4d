"""Finds the commands that a reader of the documents would type.

    ```sh                      a test runs the commands
    ```sh no-test: REASON      no test runs the commands
    ```sql, ```ini             the test for this document uses the text, even if other words follow on the line

tests/e2e/package_test.py runs the commands in the documents OF_AN_INSTALLATION in a booted Debian.
tests/e2e/commands_test.py runs all other commands next to a sandbox.
"""

import dataclasses
import re

BLOCK = re.compile(r"^## (?P<heading>.*)$|^```(?P<info>.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)
NOT_RUN = "no-test: "
# The documents that assume an installation on a machine with systemd.
OF_AN_INSTALLATION = {"install.md", "monitoring.md", "operations.md", "other-cms.md", "proxies.md", "sizing.md"}
# A line in a document is a command if it begins with a word in PROGRAMS.
PROGRAMS = ("apt", "cmake", "ctest", "curl", "git", "install", "journalctl", "make", "mariadb", "ratingctl",
            "ratingd --", "sed", "sudo", "systemctl", "tests/")


@dataclasses.dataclass(frozen=True)
class Block:
    heading: str
    text: str
    reason: str  # why the block is not run; empty if it is run


def texts_of(path, heading, kind):
    """Returns the blocks of one kind below a heading, in document order."""
    return [text for found, info, text in _all_of(path)
            if (found, info.partition(" ")[0]) == (heading, kind)]


def blocks_of(path):
    """Returns the shell blocks in document order. Each block is run, or gives a reason why it is not run."""
    blocks = []
    for heading, info, text in _all_of(path):
        kind, _, rest = info.partition(" ")
        if kind != "sh":
            continue
        if rest and not rest.startswith(NOT_RUN):
            raise ValueError(f"{path.name}: {info}")
        blocks.append(Block(heading, text, rest.removeprefix(NOT_RUN)))
    return blocks


def unmarked_commands(path):
    """Returns lines that look like commands and are indented or in a block without a kind."""
    text = path.read_text()
    lines = re.findall(r"^ {4,}(\S.*)$", re.sub(BLOCK, "", text), re.MULTILINE)
    lines += [line for _, info, block in _all_of(path) if not info for line in block.splitlines()]
    return [line for line in lines if line.startswith(PROGRAMS) and not re.match(r"\S+/ {2}", line)]


def commands_in_sentences(path, program):
    """Returns the commands between backquotes that begin with this program, with or without sudo. Line breaks
    become spaces."""
    text = re.sub(BLOCK, "", path.read_text())
    found = re.findall(rf"`(?:sudo )?({program} [^`]+)`", text)
    return [" ".join(command.split()) for command in found]


def examples_of_manual(path):
    """Returns the commands in the examples of a manual page."""
    examples = re.findall(r"^\.RS\n((?:[^.].*\n)+)\.RE$", path.read_text(), re.MULTILINE)
    return [line.replace("\\-", "-") for text in examples for line in text.splitlines()]


def _all_of(path):
    heading = ""
    for match in BLOCK.finditer(path.read_text()):
        heading = match["heading"] or heading
        if match["info"] is not None:
            yield heading, match["info"], match["text"]
