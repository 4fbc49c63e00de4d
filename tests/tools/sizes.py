#!/usr/bin/env python3
"""Prints the size of the code: its files, its lines without comments and empty lines, its longest file and its longest
function. Fails if a file or a function is too long, or if headers include each other in a circle.

    sizes.py [REPOSITORY]

The limits hold for lib and fcgi. Functions are found by the indentation that the formatters of this project make.
"""

import collections
import dataclasses
import pathlib
import re
import subprocess
import sys

FOLDERS = ("lib", "fcgi", "tests", "web")
LIMITED = ("lib", "fcgi")
MOST_LINES_OF_FILE = 400
MOST_LINES_OF_FUNCTION = 60
COMMENTS = {
    ".cpp": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL),
    ".py": re.compile(r"(?m)^\s*#[^\n]*|^\s*\"\"\".*?\"\"\"\s*$", re.DOTALL | re.MULTILINE),
    ".sh": re.compile(r"(?m)^\s*#[^\n]*"),
}
STYLE_OF = {".h": ".cpp", ".cpp": ".cpp", ".js": ".cpp", ".cjs": ".cpp", ".ts": ".cpp", ".php": ".cpp", ".css": ".cpp",
            ".py": ".py", ".sh": ".sh"}
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
# The first line of a function, or a later line of its parameters: it ends with a brace after a parenthesis.
OPENING = re.compile(r"^(?P<indent> *)(?!(?:if|for|while|switch|else|\} else|do|namespace|struct|class|enum|union)\b)"
                     r"\S.*\)[\w :,&<>*()-]*\{$")


@dataclasses.dataclass
class Function:
    file: pathlib.Path
    line: int
    name: str
    length: int

    def __str__(self):
        return f"{self.file}:{self.line}: {self.name} ({self.length} lines)"


def tracked_files(repository, folder):
    names = subprocess.run(["git", "-C", repository, "ls-files", "-z", folder], check=True, capture_output=True, text=True)
    return [pathlib.Path(name) for name in names.stdout.split("\0") if pathlib.Path(name).suffix in STYLE_OF]


def lines_of_code(text, suffix):
    """Returns the number of lines that have more than comments. A "//" in a string is no comment."""
    without_strings = STRING.sub('""', text) if STYLE_OF[suffix] == ".cpp" else text
    without_comments = COMMENTS[STYLE_OF[suffix]].sub("", without_strings)
    return sum(1 for line in without_comments.splitlines() if line.strip())


def functions_of(file, text):
    """Yields the functions of C++, JavaScript or PHP, without lambdas in expressions."""
    lines = text.splitlines()
    begin = None
    for number, line in enumerate(lines):
        if begin is None:
            opening = OPENING.match(line)
            if opening:
                begin = number
                # The name may be on an earlier line than the end of the parameters or of the initializers.
                while begin > 0 and lines[begin - 1].strip() and not lines[begin - 1].endswith((";", "{", "}", ":")) \
                        and not lines[begin - 1].lstrip().startswith(("#", "//", "*", "template")):
                    begin -= 1
                indent = lines[begin][:len(lines[begin]) - len(lines[begin].lstrip())]
                if lines[begin].lstrip()[0] in "{(\"":  # a row of a table
                    begin = None
        elif re.match(re.escape(indent) + r"[})]", line):
            yield Function(file, begin + 1, lines[begin].strip(), number - begin + 1)
            begin = None


def include_circle(includes):
    """Returns headers that include each other in a circle; an empty list if there are none."""
    state = {}
    path = []

    def visit(file):
        state[file] = "open"
        path.append(file)
        for included in includes.get(file, ()):
            if state.get(included) == "open":
                return path[path.index(included):]
            if included not in state and (circle := visit(included)):
                return circle
        path.pop()
        state[file] = "closed"
        return []

    for file in includes:
        if file not in state and (circle := visit(file)):
            return circle
    return []


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent.parent)
    problems = []
    includes = collections.defaultdict(list)
    print(f"{'':6} {'files':>6} {'lines':>7}   longest file, longest function")
    for folder in FOLDERS:
        files = tracked_files(repository, folder)
        sizes = {}
        functions = []
        for file in files:
            text = (repository / file).read_text()
            sizes[file] = lines_of_code(text, file.suffix)
            if STYLE_OF[file.suffix] == ".cpp" and file.suffix != ".css":
                functions += functions_of(file, text)
            if folder in LIMITED:
                if sizes[file] > MOST_LINES_OF_FILE:
                    problems.append(f"{file}: {sizes[file]} lines of code; at most {MOST_LINES_OF_FILE}")
                if file.suffix == ".h":
                    includes[str(file.relative_to("lib") if folder == "lib" else file)] = INCLUDE.findall(text)
        if folder in LIMITED:
            problems += [f"{each}; at most {MOST_LINES_OF_FUNCTION}" for each in functions
                         if each.length > MOST_LINES_OF_FUNCTION]
        longest = max(sizes, key=sizes.get)
        print(f"{folder:6} {len(files):6} {sum(sizes.values()):7}   {longest} ({sizes[longest]}),"
              f" {max(functions, key=lambda each: each.length)}")
    if circle := include_circle(includes):
        problems.append("headers include each other in a circle: " + " -> ".join([*circle, circle[0]]))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
