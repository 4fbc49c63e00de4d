#!/usr/bin/env python3
"""Prints the package's bill of materials as SPDX 2.3 in JSON, for the machine that builds the package. The bill
lists the shared libraries that the programs load, the headers that were compiled into the programs, and two tools:
the compiler, and esbuild, which writes the widgets' script.

    sbom.py TREE    TREE is the folder with the content of the package
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

BUILD = "build/release"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def own_package():
    names = ("Source", "Version", "Maintainer")
    return {name: output("dpkg-parsechangelog", "-S", name).strip() for name in names}


def libraries(programs):
    """Returns the files of all shared libraries that the programs load."""
    return set(re.findall(r"(/\S+) \(0x", output("ldd", *map(str, programs))))


def headers():
    """Returns the headers from other packages with which the programs, but not their tests, were compiled."""
    found, of_program = set(), False
    for line in output("ninja", "-C", BUILD, "-t", "deps").splitlines():
        if line.startswith("    "):
            if of_program and line.strip().startswith("/usr/"):
                found.add(os.path.normpath(line.strip()))
        elif line:
            of_program = line.startswith("CMakeFiles/")
    return found


def tools():
    """Returns the compiler and esbuild, as CMake found them."""
    cache = pathlib.Path(BUILD, "CMakeCache.txt").read_text()
    names = ("CMAKE_CXX_COMPILER", "ESBUILD")
    return {os.path.realpath(re.search(rf"^{name}:\w+=(.+)$", cache, re.MULTILINE)[1])
            for name in names}


def packages_of(files):
    """Returns the Debian packages that contain these files. dpkg lists some files without /usr."""
    paths = files | {path.removeprefix("/usr") for path in files} | {"/usr" + path for path in files}
    done = subprocess.run(["dpkg-query", "--search", *sorted(paths)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    owners = [line.split(": ")[0] for line in done.stdout.splitlines()
              if not line.startswith("diversion ")]
    return sorted({name for owner in owners for name in owner.split(", ")})


def described(name):
    form = "${Package}\t${Version}\t${Architecture}\t${Homepage}\t${Maintainer}"
    package, version, architecture, homepage, maintainer = output(
        "dpkg-query", "--show", "-f", form, name).split("\t")
    locator = f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}"
    return {
        "SPDXID": spdx_id(name),
        "name": package,
        "versionInfo": version,
        "supplier": "Organization: " + maintainer.replace("<", "(").replace(">", ")"),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        **({"homepage": homepage} if homepage else {}),
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": locator}],
    }


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def main():
    programs = sorted((pathlib.Path(sys.argv[1]) / "usr/bin").iterdir())
    own = own_package()
    loaded, compiled = packages_of(libraries(programs)), packages_of(headers())
    used = packages_of(tools())
    if len(used) != len(tools()):
        raise SystemExit(f"sbom: a tool is of no package: {tools()}")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in programs)).hexdigest()
    # Debian's build tools set SOURCE_DATE_EPOCH to the date of the latest changelog entry, so that the same
    # sources always produce the same package.
    now = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
    created = datetime.datetime.fromtimestamp(now, datetime.UTC)
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{own['Source']}-{own['Version']}",
        "documentNamespace": f"urn:sha256:{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: debian/sbom.py"]},
        "packages": [{"SPDXID": "SPDXRef-Package", "name": own["Source"],
                      "versionInfo": own["Version"], "downloadLocation": "NOASSERTION",
                      "filesAnalyzed": False, "licenseDeclared": "MIT"},
                     *map(described, sorted({*loaded, *compiled, *used}))],
        "relationships": [
            relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package"),
            *(relation("SPDXRef-Package", "DYNAMIC_LINK", spdx_id(name)) for name in loaded),
            *(relation(spdx_id(name), "BUILD_DEPENDENCY_OF", "SPDXRef-Package")
              for name in compiled),
            *(relation(spdx_id(name), "BUILD_TOOL_OF", "SPDXRef-Package") for name in used)],
    }
    print(json.dumps(document, indent=1))


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


main()
