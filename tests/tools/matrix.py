#!/usr/bin/env python3
"""Runs tests with other versions of the database server, WordPress and Debian than this machine has. Prints
a table of the results.

    matrix.py BUILD_DIR [NAME...]

With each server, the tests that use a database and the HTTP cases run with the programs in BUILD_DIR/release.
RATINGD_MATRIX_TESTS is a regular expression that names other tests. With each WordPress, its tests run with this
machine's PHP and browser. On each Debian, "make run stop test deb" builds and tests everything there, which needs
root.

Each server, WordPress or Debian is a folder in BUILD_DIR/matrix. mmdebstrap creates the folder once, from packages
in the archive that this machine's apt uses. To get newer packages, remove the folder. The table is also written to
BUILD_DIR/matrix/table.md.
"""

import argparse
import collections
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "sandbox"))

import server_software
from debian_archive import mirror

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
SERVERS = {
    "mariadb-10.11": ("bookworm", "mariadb-server-core"),
    "mariadb-11.8": ("trixie", "mariadb-server-core"),
    "mysql": ("sid", "mysql-server-core"),
}
# Maps the name of each WordPress version to the Debian suite that contains the version.
WORDPRESSES = {"wordpress-trixie": "trixie", "wordpress-sid": "sid"}
DEBIANS = {"debian-12": "bookworm", "debian-13": "trixie"}

# Keep the end of each test's output, which contains the test counts.
CTEST = ["ctest", "--output-on-failure", "--no-tests=error", "--test-output-truncation", "head",
         "--test-output-size-passed", "10000"]

Row = collections.namedtuple("Row", "name version passed failed skipped minutes")


class MatrixError(Exception):
    """Reports a failure and the file with its details."""


@dataclasses.dataclass
class Root:
    """Manages a folder with unpacked packages from a suite."""

    folder: pathlib.Path
    suite: str
    packages: list
    variant: str  # as mmdebstrap has it: "extract" installs nothing and runs nothing

    @property
    def path(self):
        return self.folder / "root"

    def make(self):
        """Creates the folder unless it already exists."""
        complete = self.folder / "complete"
        contents = f"{self.suite} {self.variant} {' '.join(self.packages)}\n"
        if complete.exists() and complete.read_text() == contents:
            return
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.path.mkdir(parents=True)
        archive = self.folder / "root.tar"
        address = mirror()
        # A snapshot mirror may have an expired index, so the expiry date is not checked.
        self._run("mmdebstrap", f"--variant={self.variant}", f"--include={','.join(self.packages)}",
                  "--aptopt=Acquire::Check-Valid-Until false", self.suite, archive,
                  *([address] if address else []))
        # File owners are preserved only if tar runs as root.
        self._run("tar", "--extract", f"--file={archive}", f"--directory={self.path}", "--exclude=./dev/*")
        archive.unlink()
        complete.write_text(contents)

    def _run(self, *command):
        log = self.folder / "log"
        with log.open("ab") as output:
            done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            if done.returncode != 0:
                raise MatrixError(f"{command[0]} failed: {log}")


def test_with_server(name, build):
    suite, package = SERVERS[name]
    root = Root(build / "matrix" / name, suite, [package], "extract")
    root.make()
    named = os.environ.get("RATINGD_MATRIX_TESTS")
    selection = ["-R", named] if named else ["-L", "^(db|cases)$"]
    results = root.folder / "tests.xml"
    results.unlink(missing_ok=True)
    is_good = call([*CTEST, "--output-junit", results, "--test-dir", build / "release", "-j", str(os.cpu_count()),
                    *selection], root.folder / "tests.log", {"RATINGD_SERVER": str(root.path)})
    return server_software.ServerSoftware(root.path).version(), *count(results, is_good)


def test_with_wordpress(name, build):
    root = Root(build / "matrix" / name, WORDPRESSES[name],
                ["wordpress", "wordpress-theme-twentytwentythree", "wordpress-theme-twentytwentyfive"], "extract")
    root.make()
    folder = root.path / "usr/share/wordpress"
    results = root.folder / "tests.xml"
    results.unlink(missing_ok=True)
    selection = os.environ.get("RATINGD_MATRIX_TESTS", "^e2e_(wordpress|widget|walk|admin.*|blocks|plugin.*)$")
    options = ["-R", selection, "-j", str(os.cpu_count() + 1)]  # browsers wait half of the time
    is_good = call([*CTEST, "--output-junit", results, "--test-dir", build / "release", *options],
                   root.folder / "tests.log", {"RATINGD_WORDPRESS": str(folder)})
    version = re.search(r"wp_version = '([^']+)'", (folder / "wp-includes/version.php").read_text())[1]
    return f"WordPress {version}", *count(results, is_good)


def test_on_debian(name, build):
    if os.geteuid() != 0:
        raise MatrixError("only root can run a Debian in a folder")
    packages = [line.split()[1] for line in (REPOSITORY / "tests/tools/packages.txt").read_text().splitlines()
                if re.match("(build|run|test|package) ", line)]
    root = Root(build / "matrix" / name, DEBIANS[name], [*packages, "ccache"], "apt")
    root.make()
    own_build = root.folder / "build"
    own_build.mkdir(exist_ok=True)
    results = own_build / "tests.xml"
    results.unlink(missing_ok=True)
    ctest = " ".join([*CTEST, "--output-junit", "/ratingd/build/tests.xml", "--test-dir"])
    # The container's network has only the loopback interface, so the tests cannot reach this machine's servers.
    # The overlay discards all changes to the source folder, except in the build folder.
    is_good = call(["systemd-nspawn", "--quiet", "--pipe", "--register=no", "--keep-unit", "--as-pid2",
                    "--private-network", f"--directory={root.path}", f"--overlay={REPOSITORY}::/ratingd",
                    f"--bind={own_build}:/ratingd/build", "--setenv=CCACHE_DIR=/ratingd/build/ccache",
                    "--chdir=/ratingd", "make", f"ctest={ctest}", "run", "stop", "test", "deb"],
                   root.folder / "tests.log", {})
    note_commit(own_build / "deb")
    version = (root.path / "etc/debian_version").read_text().strip()
    return f"Debian {version}", *count(results, is_good)


def note_commit(folder):
    """If the packages were built from a commit, writes the commit's id next to the packages. release.py reads this
    file."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout

    if folder.exists() and not git("status", "--porcelain"):
        (folder / "commit").write_text(git("rev-parse", "HEAD").strip())


def call(words, log, environment):
    """Runs a command, and writes its output to "log". Returns whether the command succeeded."""
    with log.open("wb") as output:
        return subprocess.run(words, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                              env={**os.environ, **environment}).returncode == 0


def count(results, is_good):
    """Returns the numbers of passed, failed and skipped tests in ctest's result file. If a program does not print
    its tests, the program counts as one test."""
    programs = xml.etree.ElementTree.parse(results).iter("testcase") if results.exists() else []
    passed = failed = skipped = 0
    for program in programs:
        reason = program.find("skipped")  # a missing program has a reason, too
        if reason is not None and reason.get("message", "").startswith("SKIP_"):
            skipped += 1
            continue
        has_passed = program.get("status") == "run"
        said = program.findtext("system-out", "")
        left_out = _sum(r"^\[  SKIPPED \] (\d+) tests?, listed", said)  # GoogleTest
        left_out_by_unittest = _sum(r"\bskipped=(\d+)", said)
        bad = _sum(r"^\[  FAILED  \] (\d+) tests?, listed", said)  # GoogleTest
        bad += _sum(r"^\d+ passed, (\d+) failed$", said)  # run_cases.py
        bad += _sum(r"\b(?:failures|errors)=(\d+)", said)  # unittest
        good = _sum(r"^\[  PASSED  \] (\d+) test", said) + _sum(r"^(\d+) passed, \d+ failed$", said)
        good += max(_sum(r"^Ran (\d+) tests? in", said) - bad - left_out_by_unittest, 0)
        skipped += left_out + left_out_by_unittest
        passed += max(good, int(has_passed and not left_out + left_out_by_unittest))
        failed += max(bad, int(not has_passed))
    return passed, max(failed, int(not is_good)), skipped


def _sum(pattern, text):
    return sum(map(int, re.findall(pattern, text, re.MULTILINE)))


def table_of(rows):
    lines = ["| with | version | passed | failed | skipped | minutes |", "|---|---|---|---|---|---|"]
    lines += [f"| {row.name} | {row.version} | {row.passed} | {row.failed} | {row.skipped} | {row.minutes:.0f} |"
              for row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_DIR")
    runs = dict.fromkeys(SERVERS, test_with_server)
    runs |= dict.fromkeys(WORDPRESSES, test_with_wordpress)
    runs |= dict.fromkeys(DEBIANS, test_on_debian)
    parser.add_argument("names", nargs="*", choices=list(runs), default=list(runs), metavar="NAME",
                        help=f"one of {', '.join(runs)}; all, if none is named")
    options = parser.parse_args()
    build = options.build.absolute()

    rows = []
    for name in options.names:
        start = time.monotonic()
        try:
            rows.append(Row(name, *runs[name](name, build), (time.monotonic() - start) / 60))
        except MatrixError as error:
            print(f"{name}: {error}", file=sys.stderr)
            rows.append(Row(name, "not run", 0, 1, 0, 0))
        print(f"{name}: {rows[-1].passed} passed, {rows[-1].failed} failed, {rows[-1].skipped} skipped",
              flush=True)
    table = table_of(rows)
    (build / "matrix/table.md").write_text(table)
    print(table, end="")
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
