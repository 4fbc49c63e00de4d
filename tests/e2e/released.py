"""The last release, from its package. RATINGD_RELEASED names the package."""

import os
import pathlib
import shutil
import subprocess
import unittest

from fault_sandbox import BUILD_DIR, REPOSITORY, run_dir

RELEASED = os.environ.get("RATINGD_RELEASED", "")
# The folder with the programs and with the files that nginx serves, and the folder with the nginx configuration.
THIS_SERVICE = (BUILD_DIR, REPOSITORY / "nginx")


def empty_folder(name):
    folder = pathlib.Path(f"{run_dir('e2e')}-{name}")  # beside the folders of the sandboxes
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def released_files():
    """Returns the files that the released package installs."""
    if not RELEASED:
        raise unittest.SkipTest("RATINGD_RELEASED names no package of the last release")
    folder = empty_folder("released-package")
    subprocess.run(["dpkg-deb", "--extract", RELEASED, folder], check=True)
    return folder


def released_service():
    """Returns the same folders as THIS_SERVICE."""
    files = released_files()
    build = empty_folder("released-build")
    shutil.copytree(files / "usr/share/ratingd", build, dirs_exist_ok=True)
    for program in ("ratingd", "ratingctl"):
        shutil.copy(files / "usr/bin" / program, build)
    return build, files / "etc/ratingd/nginx"


def use(sandbox, service):
    """The sandbox starts the programs of this service from now on."""
    sandbox.build_dir, sandbox.nginx_files = service
