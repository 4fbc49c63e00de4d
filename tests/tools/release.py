#!/usr/bin/env python3
"""Writes all parts of a release into BUILD_DIR/dist: the sources, the Debian packages, the WordPress plugin, the
npm package, the bill of materials (SPDX) and their checksums. "make deb" must have built the package for this
machine's Debian. Packages for other Debians are included if "make matrix" built them from the same commit.
BUILD_DIR/release contains openapi.json.

    release.py BUILD_DIR [twice]

With "twice", the release is also built in a clone of the commit, and both releases must be identical byte for
byte.
"""

import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zipfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGED = REPOSITORY / "debian/ratingd/usr/share"


class ReleaseError(Exception):
    """An error whose message also says how to correct it."""


def output(*command):
    return subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def version():
    """Returns the version in CMakeLists.txt. All other places must have the same version."""
    places = [("CMakeLists.txt", r"^project\(ratingd VERSION (\S+)"),
              ("debian/changelog", r"\Aratingd \((\S+)\)"),
              ("web/wordpress/ratingd/ratingd.php", r"^ \* Version: (\S+)"),
              ("web/wordpress/ratingd/ratingd.php", r"^const VERSION = '(\S+)';")]
    versions = [re.search(pattern, (REPOSITORY / file).read_text(), re.MULTILINE)[1] for file, pattern in places]
    if len(set(versions)) > 1:
        raise ReleaseError("The versions differ: " + ", ".join(
            f"{version} in {file}" for version, (file, _) in zip(versions, places, strict=True)))
    return versions[0]


def write_sources(folder, name):
    """Writes the sources of the last commit, with the time of the commit, like "git archive"."""
    with (folder / f"{name}.tar.gz").open("wb") as file:
        command = ["git", "archive", "--format=tar", f"--prefix={name}/", "HEAD"]
        archive = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE)
        subprocess.run(["gzip", "-9", "--no-name"], stdin=archive.stdout, stdout=file, check=True)
        if archive.wait() != 0:
            raise ReleaseError("git archive failed.")


def write_plugin(file):
    """Writes the folder that WordPress unpacks below wp-content/plugins. All files have the same time and mode."""
    moment = time.gmtime(int(output("dpkg-parsechangelog", "-S", "Timestamp")))[:6]
    tree = PACKAGED / "ratingd/wordpress/ratingd"
    files = {path.relative_to(tree.parent): path for path in tree.rglob("*") if path.is_file()}
    files[pathlib.Path("ratingd/LICENSE")] = REPOSITORY / "LICENSE"
    with zipfile.ZipFile(file, "w") as plugin:
        for name, path in sorted(files.items()):
            entry = zipfile.ZipInfo(str(name), moment)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            plugin.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def own_debian():
    return output("sh", "-c", '. /etc/os-release && echo "debian-$VERSION_ID"')


def packages(build):
    """Returns the package folders by the name of the Debian release."""
    commit = output("git", "rev-parse", "HEAD")
    for folder in build.glob("matrix/debian-*/build/deb"):
        built = folder / "commit"
        if built.exists() and built.read_text() == commit:
            yield folder.parent.parent.name, folder
    yield own_debian(), build / "deb"


def write_release(build):
    if changed := output("git", "status", "--porcelain"):
        raise ReleaseError(f"A release is made of a commit; these files are not in it:\n{changed}")
    name = f"ratingd-{version()}"
    folder = build / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_sources(folder, name)
    write_plugin(folder / f"{name.replace('-', '-wordpress-')}.zip")
    output("web/npm/pack.sh", build / "release", folder)
    output("web/npm/generate.sh", build / "release", build / "other-clients")
    shutil.copy(PACKAGED / "doc/ratingd/ratingd.spdx.json", folder / f"{name}.spdx.json")
    for debian, debs in dict(packages(build)).items():
        (folder / debian).mkdir()
        for file in debs.glob("*.deb"):
            shutil.copy(file, folder / debian)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
                   for path in sorted(folder.rglob("*")) if path.is_file())
    (folder / "SHA256SUMS").write_text(sums)
    return sums


def check_again(sums):
    """Builds the release again in a clone, and compares the checksums."""
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder, "elsewhere")
        subprocess.run(["git", "clone", "--quiet", REPOSITORY, clone], check=True)
        # Remove the variables that the calling make command has exported, such as TWICE.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFL"))}
        subprocess.run(["make", "release", "TWICE="], cwd=clone, check=True, env=environment)
        again = (clone / "build/dist/SHA256SUMS").read_text().splitlines()
    others = re.compile(rf".*  debian-(?!{own_debian().removeprefix('debian-')}/)")  # they are not made again
    if different := {line for line in sums.splitlines() if not others.match(line)} ^ set(again):
        raise ReleaseError("These were different when they were made again:\n" + "\n".join(different))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    try:
        sums = write_release(build)
        if sys.argv[2:] == ["twice"]:
            check_again(sums)
    except ReleaseError as error:
        raise SystemExit(f"release: {error}") from None
    print(f"{build / 'dist'}:\n{sums}", end="")


if __name__ == "__main__":
    main()
