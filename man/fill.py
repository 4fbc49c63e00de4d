#!/usr/bin/env python3
"""Fills a manual page with what a program's own help says, so that the two cannot differ.

    fill.py PROGRAM TEMPLATE >PAGE
"""

import pathlib
import re
import subprocess
import sys

# Matches a line in a list of commands, which consists of a command's name and its description.
COMMAND = re.compile(r"  (?P<name>[a-z][a-z-]*(?: [a-z-]+)*) {2,}\S")
FLAG = re.compile(r"  (?P<name>--\S+(?: [A-Za-z]\S*)?) +(?P<text>\S.*)")


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def escaped(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE)


def entry(name, meaning):
    return f'.TP\n.B "{escaped(name)}"\n{escaped(meaning)}'


def flags_in_roff(lines):
    """Lines such as "  --name VALUE  meaning", whose meaning may continue in the lines below."""
    found = []
    for line in lines:
        flag = FLAG.fullmatch(line)
        if flag:
            found.append((flag["name"], [flag["text"]]))
        else:
            found[-1][1].append(line.strip())
    return "\n".join(entry(name, " ".join(meaning)) for name, meaning in found)


def block_in_roff(block):
    """One paragraph of a command's help."""
    lines = block.splitlines()
    if lines[0].startswith("Usage:"):
        return ".PP\n" + "\n.br\n".join(f'.B "{escaped(line[7:])}"' for line in lines)
    if lines[0].endswith(":") and len(lines) > 1 and FLAG.fullmatch(lines[1]):
        return f".PP\n{escaped(lines[0])}\n{flags_in_roff(lines[1:])}"
    if FLAG.fullmatch(lines[0]):
        return flags_in_roff(lines)
    if lines[0].startswith("  "):
        return "\n".join([".PP", ".RS", ".nf", *(escaped(line.strip()) for line in lines), ".fi", ".RE"])
    return ".PP\n" + escaped(" ".join(lines))


def commands_in_roff(program):
    """A section for each command, with the command's help except its last paragraph, which is a pointer."""
    names = [match["name"] for line in help_of(program).splitlines() if (match := COMMAND.match(line))]
    sections = []
    for name in names:
        blocks = help_of(program, *name.split()).strip("\n").split("\n\n")[:-1]
        sections.append("\n".join([f'.SS "{escaped(name)}"', *map(block_in_roff, blocks)]))
    return "\n".join(sections)


def entries_in_roff(text, name):
    """The entries of "--help options": a name, and below it what the name means."""
    found = re.findall(rf"^  {name}\n((?: {{6}}.*\n)+)", text, re.MULTILINE)
    return "\n".join(entry(term, " ".join(meaning.split())) for term, meaning in found)


def main():
    program, template = sys.argv[1:]
    page = pathlib.Path(template).read_text()
    if "@COMMANDS@" in page:
        page = page.replace("@COMMANDS@", commands_in_roff(program))
    if "@OPTIONS@" in page:
        options = help_of(program, "options")
        page = page.replace("@OPTIONS@", entries_in_roff(options, r"--([a-z-]+ \S+)"))
        page = page.replace("@VARIABLES@", entries_in_roff(options, r"(RATINGD_\w+)"))
    print(page, end="")


main()
