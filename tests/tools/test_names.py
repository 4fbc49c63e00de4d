#!/usr/bin/env python3
"""Checks that each C++ test says which file it tests. tests/<folder>/<name>_test.cpp tests lib/<folder>/<name>.h
or .cpp, and tests/fcgi/<name>_test.cpp tests fcgi/<name>.h or .cpp. A test file with another name begins with a
comment that names the files or folders that it tests, such as lib/votes/vote_writer.h.

    test_names.py [REPOSITORY]
"""

import pathlib
import re
import sys

SUFFIX = "_test.cpp"
FIRST_COMMENT = re.compile(r"(?://.*\n)+")
PATH = re.compile(r"\b(?:lib|fcgi|sql)/[\w./*-]*\w")


def has_file_of_its_name(repository, test):
    folder, name = test.parent.name, test.name.removesuffix(SUFFIX)
    place = repository / ("fcgi" if folder == "fcgi" else f"lib/{folder}")
    return any((place / f"{name}{suffix}").exists() for suffix in (".h", ".cpp"))


def problems_of(repository):
    """Yields each test that does not say what it tests, and each path that a first comment names but that does not
    exist."""
    for test in sorted(repository.glob(f"tests/*/*{SUFFIX}")):
        comment = FIRST_COMMENT.match(test.read_text(encoding="utf-8"))
        paths = PATH.findall(comment[0]) if comment else []
        for path in paths:
            if not any(repository.glob(path)):
                yield f"{test.relative_to(repository)}: {path} does not exist"
        if not paths and not has_file_of_its_name(repository, test):
            yield (f"{test.relative_to(repository)}: no file in lib or fcgi has this name: "
                   "begin the test with a comment that names the files that it tests")


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent.parent)
    problems = list(problems_of(repository.resolve()))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
