#!/usr/bin/env python3
"""Prints the size of the code. For each folder, it prints the files, the lines without comments and empty lines,
the longest file and the longest function. Fails if a file or a function of the programs is too long, or if headers
include each other in a circle.

    sizes.py [REPOSITORY]

The script finds functions in C++, JavaScript and PHP by their indentation.
"""

import dataclasses
import graphlib
import pathlib
import re
import subprocess
import sys

FOLDERS = ("lib", "fcgi", "tests", "web")
PROGRAMS = ("lib", "fcgi")  # for which the limits hold
MOST_LINES_OF_FILE = 400
MOST_LINES_OF_FUNCTION = 60

WITH_BRACES = (".h", ".cpp", ".js", ".cjs", ".mjs", ".ts", ".php")
SUFFIXES = (*WITH_BRACES, ".css", ".py", ".sh")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
COMMENT_OF_SCRIPT = re.compile(r'^\s*#[^\n]*|^\s*""".*?"""\s*$', re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
# Matches the line that contains the opening brace of a function definition.
OPENING = re.compile(r"^ *(?!(?:if|for|while|switch|else|\} else|do|namespace|struct|class|enum|union)\b)"
                     r"\S.*\)[\w :,&<>*()-]*\{$")
END_OF_STATEMENT = (";", "{", "}", ":")
NO_CODE = ("#", "//", "*", "template")


@dataclasses.dataclass
class Function:
    file: pathlib.Path
    line: int
    name: str
    length: int

    def __str__(self):
        return f"{self.file}:{self.line}: {self.name} ({self.length} lines)"


@dataclasses.dataclass
class File:
    path: pathlib.Path
    lines: int  # without comments and empty lines
    functions: list
    includes: list


def lines_of_code(text, suffix):
    # Remove strings first, because a "//" in a string does not begin a comment.
    code = COMMENT_OF_SCRIPT.sub("", text) if suffix in (".py", ".sh") else COMMENT.sub("", STRING.sub('""', text))
    return sum(1 for line in code.splitlines() if line.strip())


def first_line_of(lines, opening):
    """Returns the index of the line with the function's name. Parameters may be on later lines."""
    first = opening
    while first > 0 and (line := lines[first - 1].strip()) \
            and not line.endswith(END_OF_STATEMENT) and not line.startswith(NO_CODE):
        first -= 1
    return first


def functions_of(path, text):
    lines = text.splitlines()
    begin = None
    indent = ""
    for number, line in enumerate(lines):
        if begin is not None:
            if line.startswith((indent + "}", indent + ")")):
                yield Function(path, begin + 1, lines[begin].strip(), number - begin + 1)
                begin = None
        elif OPENING.match(line):
            first = first_line_of(lines, number)
            name = lines[first].lstrip()
            if not name.startswith(("{", "(", '"')):  # a row of a table
                begin, indent = first, lines[first][:-len(name)]


def read_folder(repository, folder):
    command = ["git", "-C", repository, "ls-files", "-z", folder]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    for path in map(pathlib.Path, listed.stdout.split("\0")):
        if path.suffix in SUFFIXES:
            text = (repository / path).read_text()
            functions = list(functions_of(path, text)) if path.suffix in WITH_BRACES else []
            yield File(path, lines_of_code(text, path.suffix), functions, INCLUDE.findall(text))


def problems_of(files):
    """Yields a message for each file or function that is too long, and for each circle of includes."""
    for file in files:
        if file.lines > MOST_LINES_OF_FILE:
            yield f"{file.path}: {file.lines} lines of code; at most {MOST_LINES_OF_FILE}"
        for function in file.functions:
            if function.length > MOST_LINES_OF_FUNCTION:
                yield f"{function}; at most {MOST_LINES_OF_FUNCTION}"
    headers = {str(file.path).removeprefix("lib/"): file.includes for file in files if file.path.suffix == ".h"}
    try:
        graphlib.TopologicalSorter(headers).prepare()
    except graphlib.CycleError as error:
        yield "headers include each other in a circle: " + " -> ".join(reversed(error.args[1]))


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent.parent)
    folders = {folder: list(read_folder(repository, folder)) for folder in FOLDERS}
    print(f"{'':6} {'files':>6} {'lines':>7}   longest file, longest function")
    for folder, files in folders.items():
        functions = [function for file in files for function in file.functions]
        longest = max(files, key=lambda file: file.lines)
        longest_function = max(functions, key=lambda function: function.length)
        lines = sum(file.lines for file in files)
        print(f"{folder:6} {len(files):6} {lines:7}   {longest.path} ({longest.lines}), {longest_function}")
    problems = list(problems_of([file for folder in PROGRAMS for file in folders[folder]]))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
