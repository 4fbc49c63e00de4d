#!/usr/bin/env python3
"""Checks that the files of a folder can be compiled as one, however many, and each alone. Joined files see each
other's names.

    joined.py names REPOSITORY          no name of an unnamed namespace is also one of a header of the folder: in
                                        the files that are joined behind it, it would silently hide that one
    joined.py joined BUILD_DIR          all files of each target compile as one, with both compilers
    joined.py alone BUILD_DIR FOLDERS   each file compiles, but for those in FOLDERS, a regular expression

BUILD_DIR is configured with -DCMAKE_UNITY_BUILD=OFF.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
# Of both compilers; the second has a warning of its own.
COMPILERS = {"g++": [], "clang++": ["-Wthread-safety"]}

# At the beginning of a line, as clang-format has it: what declares a name in a namespace.
DECLARATION = re.compile(r"(?:(?:class|struct|enum class) (?P<type>\w+)(?: final)?(?: :.*)?(?: \{.*|;)?$"
                         r"|using (?P<alias>\w+) ="
                         r"|(?!using |namespace |template )[\w\[][^()=]*?[\w>*&\]] [*&]*(?P<other>\w+)"
                         r"(?:\(|\{|;| =|\[))")


def declared(file):
    """Names in namespaces, each with whether only its file has it."""
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


def sources(build, folders):
    """What is compiled of these folders: target, file, and flags."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if re.match(rf"{REPOSITORY}/({folders})/", entry["file"]):
            words = shlex.split(entry["command"])
            compiler = next(index for index, word in enumerate(words) if word.endswith("++"))
            output = words.index("-o")
            yield words[output + 1].partition(".dir/")[0], file, words[compiler + 1:output]


def compile_all(commands):
    """Says whether all of them succeed."""
    def run(words):
        done = subprocess.run([*words, "-fsyntax-only"], check=False, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(f"{words[0]} {words[-1]}:\n{done.stderr}", file=sys.stderr)
        return done.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        return all(list(threads.map(run, commands)))


def precompiled(folder, words):
    """What each compiler takes instead of the standard library's headers, read once for all targets."""
    headers = re.search(r"set\(standard_headers ([^)]*)\)", (REPOSITORY / "CMakeLists.txt").read_text())[1]
    for compiler in COMPILERS:
        (folder / compiler).mkdir(parents=True, exist_ok=True)
        header = folder / compiler / "standard.h"
        header.write_text("".join(f"#include {name}\n" for name in headers.split()))
        subprocess.run([compiler, *words, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return {compiler: ["-include", folder / compiler / "standard.h"] for compiler in COMPILERS}


def check_joined(build):
    files, flags = collections.defaultdict(list), {}
    for target, file, words in sources(build, "lib|fcgi|tests"):
        files[target].append(file)
        # How code is made means nothing here, and would make other headers.
        flags[target] = [word for word in words if not re.match("-(O|g|f)", word)]
    folder = build / "joined"
    standard = precompiled(folder, [word for word in next(iter(flags.values()))
                                    if all(word in other for other in flags.values())])
    commands = []
    for target in sorted(files, key=lambda target: -len(files[target])):  # the longest first
        source = folder / f"{pathlib.Path(target).name}.cpp"
        source.write_text("".join(f'#include "{file}"\n' for file in sorted(files[target])))
        commands += [[compiler, *flags[target], *own, *standard[compiler], source]
                     for compiler, own in COMPILERS.items()]
    return compile_all(commands)


def check_alone(build, others):
    return compile_all([["clang++", *words, file] for _, file, words in sources(build, "lib|fcgi|tests")
                        if not re.match(rf"{REPOSITORY}/({others})/", str(file))])


def main():
    match sys.argv[1:]:
        case ["names", repository]:
            is_good = check_names(pathlib.Path(repository))
        case ["joined", build]:
            is_good = check_joined(pathlib.Path(build))
        case ["alone", build, others]:
            is_good = check_alone(pathlib.Path(build), others)
        case _:
            print(__doc__.strip(), file=sys.stderr)
            return 2
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
