#!/usr/bin/env python3
"""Checks that any number of files in a folder can be compiled together as one file, and that each file compiles
alone. When files are compiled together, each file sees the names in the other files.

    joined.py names REPOSITORY          fails if a name in an unnamed namespace is also in a header of the folder,
                                        because the name would silently hide the header's name in later files
    joined.py joined BUILD_DIR          checks all files of each target together with clang-tidy, which is
                                        much faster like this and finds names that are defined twice. (An
                                        ordinary build makes several groups.)
    joined.py alone BUILD_DIR           compiles each file alone

BUILD_DIR is configured with -DCMAKE_UNITY_BUILD=OFF.
"""

import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE_PATH = [REPOSITORY / "lib", REPOSITORY / "tests", REPOSITORY]
GOOGLETEST = "gtest/gtest.h"  # tests may rely on the headers that it includes, because all tests have it
# Matches frequently included headers: standard library headers and tl/expected.hpp.
PRECOMPILED = re.compile(r"\w+|tl/expected\.hpp")
# Matches a declaration in a namespace. clang-format puts such a declaration at the beginning of a line.
DECLARATION = re.compile(r"(?:(?:class|struct|enum class) (?P<type>\w+)(?: final)?(?: :.*)?(?: \{.*|;)?$"
                         r"|using (?P<alias>\w+) ="
                         r"|(?!using |namespace |template )[\w\[][^()=]*?[\w>*&\]] [*&]*(?P<other>\w+)"
                         r"(?:\(|\{|;| =|\[))")


def declared(file):
    """Returns the names in namespaces, and whether each name is local to its file."""
    unnamed = False
    for line in file.read_text().splitlines():
        if line.startswith(("namespace ", "}  // namespace")):
            unnamed = line == "namespace {"
        elif found := DECLARATION.match(line):
            yield found[found.lastgroup], unnamed or line.startswith("static ")


def check_names(repository):
    is_good = True
    for folder in [*repository.glob("lib/*"), repository / "fcgi"]:
        shared = {name: file for file in folder.glob("*.h") for name, is_local in declared(file) if not is_local}
        for file in folder.glob("*.cpp"):
            for name in {name for name, is_local in declared(file) if is_local} & shared.keys():
                print(f"{file}: {name} hides that of {shared[name].name} where files are joined: "
                      "give it another name", file=sys.stderr)
                is_good = False
    return is_good


def sources(build):
    """Returns the target, the path and the compiler flags of each compiled file."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if re.match(rf"{REPOSITORY}/(lib|fcgi|tests)/", entry["file"]):
            words = shlex.split(entry["command"])
            compiler = next(index for index, word in enumerate(words) if word.endswith("++"))
            output = words.index("-o")
            yield words[output + 1].partition(".dir/")[0], file, words[compiler + 1:output]


def all_succeed(commands):
    def run(words):
        done = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(f"{' '.join(map(str, words))}:\n{done.stdout}", file=sys.stderr)
        return done.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        return all(list(threads.map(run, commands)))


def groups(files, least=60):
    """Returns the targets. The folders in lib/ share targets, so that headers are read only once. This is possible
    because each folder has its own namespace. The longest groups are first."""
    found, current = [], []
    for target in sorted(files, key=lambda target: -len(files[target])):
        if not all(file.is_relative_to(REPOSITORY / "lib") for file in files[target]):
            found.append([target])
            continue
        current.append(target)
        if sum(len(files[one]) for one in current) >= least:
            found.append(current)
            current = []
    if current:
        found.append(current)
    return sorted(found, key=lambda group: -sum(len(files[target]) for target in group))


def check_joined(build):
    # Clang's static analyzer overlooks all faults in joined source files, so "make lint" runs the analyzer on each
    # source file alone.
    tidy = ["clang-tidy", "-quiet", f"--config-file={REPOSITORY}/.clang-tidy",
            "-checks=-bugprone-suspicious-include,-clang-analyzer-*"]
    files, flags = collections.defaultdict(list), {}
    for target, file, words in sources(build):
        files[target].append(file)
        flags[target] = words
    folder = build / "joined"
    folder.mkdir(exist_ok=True)

    def joined(targets):
        source = folder / ("+".join(pathlib.Path(target).name for target in targets) + ".cpp")
        source.write_text("".join(f'#include "{file}"\n' for target in targets for file in sorted(files[target])))
        return source

    return all_succeed(
        [*tidy, joined(group), "--", *max((flags[target] for target in group), key=len), "-Wthread-safety"]
        for group in groups(files))


@functools.cache
def standard_headers(file):
    """Returns the standard headers that a file includes, directly or through the project's headers."""
    found = {GOOGLETEST} if file.is_relative_to(REPOSITORY / "tests") else set()
    for bracket, name in re.findall(r'^#include ([<"])(.+)[>"]', file.read_text(), re.MULTILINE):
        if bracket == "<" and PRECOMPILED.fullmatch(name):
            found.add(name)
        elif bracket == '"':
            found |= standard_headers(next(path for folder in (file.parent, *INCLUDE_PATH)
                                           if (path := folder / name).exists()))
    return frozenset(found)


def headers_to_precompile(files, count=16):
    """Returns, for each file, a set of headers that the file includes anyway. Precompiling these headers adds no
    new names to the file. There are at most "count" different sets: the sets that save the most time."""
    known = {file: standard_headers(file) for file in files}
    best = dict.fromkeys(files, frozenset())
    for _ in range(min(count, len(files))):
        chosen = max(dict.fromkeys(known.values()), key=lambda headers: sum(
            max(0, len(headers) - len(best[file])) for file in files if headers <= known[file]))
        best.update((file, chosen) for file in files if chosen <= known[file] and len(best[file]) < len(chosen))
    return best


def check_alone(build):
    # Skip targets with a single source file, because the normal build already compiles this file alone.
    targets = collections.Counter(target for target, *_ in sources(build))
    files = {file: words for target, file, words in sources(build) if targets[target] > 1}
    headers = headers_to_precompile(files)
    paths = {chosen: build / f"alone_{number}.h" for number, chosen in enumerate(set(headers.values()))}
    for chosen, path in paths.items():
        path.write_text("".join(f"#include <{name}>\n" for name in sorted(chosen)))
    return (all_succeed(["clang++", "-std=c++20", "-D_GLIBCXX_ASSERTIONS", "-DNDEBUG",
                         *(["-DGTEST_HAS_PTHREAD=1"] if GOOGLETEST in chosen else []),
                         "-fpch-instantiate-templates", "-x", "c++-header", path, "-o", f"{path}.pch"]
                        for chosen, path in paths.items()) and
            all_succeed(["clang++", *(word for word in words if not word.startswith(("-O", "-f"))),
                         "-include", paths[headers[file]], file, "-fsyntax-only"]
                        for file, words in files.items()))


def main():
    match sys.argv[1:]:
        case ["names", repository]:
            is_good = check_names(pathlib.Path(repository))
        case ["joined", build]:
            is_good = check_joined(pathlib.Path(build))
        case ["alone", build]:
            is_good = check_alone(pathlib.Path(build))
        case _:
            print(__doc__.strip(), file=sys.stderr)
            return 2
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
