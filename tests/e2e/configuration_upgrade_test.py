#!/usr/bin/env python3
"""Tests what dpkg and the package's scripts do with the files in /etc/ratingd. An upgrade without a terminal must
never stop, and no upgrade may lose an operator's change. The tests build real packages from these files and from
the package's own scripts, and install them with dpkg in a separate mount namespace. Needs root."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
OLD_FILES = REPOSITORY / "tests/fixtures/etc-0.3"
ETC = pathlib.Path("/etc/ratingd")
NAMES = ["ratingd.conf", "ratingctl.conf"]
NGINX = ["ratingd.conf", "ratingd-upstream.conf", "private.conf"]
SKIPPED = 77

# Changes by an operator: a different number of threads, a removed line, and a database server on another host.
CHANGES = {"#threads = 64": "threads = 128", "db-user = ratingd\n": "",
           "#db-tls = verify": "db-host = db.example.org"}


def build(folder, version, files, scripts=()):
    """Builds a package of these files, whose contents are given by path. If the package has this tree's scripts,
    it also has the folders for the operator's files."""
    root = folder / f"ratingd_{version}"
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    control = root / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(f"Package: ratingd\nVersion: {version}\nArchitecture: all\n"
                                     "Maintainer: The ratingd authors <root@localhost>\nDescription: a test\n")
    for name in NAMES if scripts else []:
        (root / f"etc/ratingd/{name}.d").mkdir(parents=True)
    conffiles = [path for path in files if path.startswith("etc/")]
    (control / "conffiles").write_text("".join(f"/{path}\n" for path in conffiles))
    for name in scripts:
        script = control / name
        script.write_text((REPOSITORY / "debian" / name).read_text().replace("#DEBHELPER#", ""))
        script.chmod(0o755)
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, folder], check=True,
                   capture_output=True)
    return folder / f"ratingd_{version}_all.deb"


def released(folder):
    """Builds a package like version 0.3. Its files for nginx are invented."""
    files = {f"etc/ratingd/{name}": (OLD_FILES / name).read_text() for name in NAMES}
    files |= {f"etc/ratingd/nginx/{name}": f"# {name} of 0.3\n" for name in NGINX}
    return build(folder, "0.3.0", files)


def of_this_tree(folder, version, change=""):
    """Builds a package of this tree, with a change in each file."""
    files = {name: (REPOSITORY / "etc" / name).read_text() for name in NAMES}
    files |= {f"nginx/{name}": (REPOSITORY / "nginx" / name).read_text() for name in NGINX}
    return build(folder, version, {f"usr/share/ratingd/etc/{name}": text + change for name, text in files.items()},
                 ["preinst", "postinst", "prerm", "postrm"])


def dpkg(*arguments, programs=None):
    """Runs dpkg. Its scripts look for programs in the folder `programs` first."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if programs:
        environment["PATH"] = f"{programs}:{environment['PATH']}"
    done = subprocess.run(["dpkg", *arguments], check=False, stdin=subprocess.DEVNULL, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"dpkg {arguments}: {done.stdout}")
    return done.stdout


class ConfigurationUpgrade(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(shutil.rmtree, ETC, ignore_errors=True)
        self.addCleanup(dpkg, "--purge", "ratingd")

    def text(self, name="ratingd.conf"):
        return (ETC / name).read_text()

    def packaged(self, name="ratingd.conf"):
        return (REPOSITORY / ("etc" if name in NAMES else "") / name).read_text()

    def change(self):
        text = self.text()
        for old, new in CHANGES.items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        (ETC / "ratingd.conf").write_text(text)
        return text

    def test_new_installation_has_the_packaged_files(self):
        dpkg("--install", of_this_tree(self.folder, "0.4.0"))
        for name in NAMES:
            self.assertEqual(self.packaged(name), self.text(name))
            self.assertEqual(0o100644, (ETC / name).stat().st_mode)

    def test_changed_file_stays_as_it_is_without_a_question(self):
        dpkg("--install", released(self.folder))
        changed = self.change()
        dpkg("--install", of_this_tree(self.folder, "0.4.0"))
        self.assertEqual(changed, self.text())
        self.assertEqual(self.packaged("ratingctl.conf"), self.text("ratingctl.conf"))
        dpkg("--install", of_this_tree(self.folder, "0.5.0", change="#further = 1\n"))
        self.assertEqual(changed, self.text())

    def test_unchanged_file_is_replaced_and_the_operator_s_file_stays(self):
        dpkg("--install", released(self.folder))
        further = ETC / "ratingd.conf.d/local.conf"
        further.parent.mkdir()
        further.write_text("threads = 128\n")
        dpkg("--install", of_this_tree(self.folder, "0.4.0"))
        self.assertEqual(self.packaged(), self.text())
        dpkg("--install", of_this_tree(self.folder, "0.5.0", change="#further = 1\n"))
        self.assertEqual(self.packaged() + "#further = 1\n", self.text())
        self.assertEqual("threads = 128\n", further.read_text())

    def test_release_before_finds_its_values_after_a_downgrade(self):
        dpkg("--install", released(self.folder))
        changed = self.change()
        dpkg("--install", of_this_tree(self.folder, "0.4.0"))
        dpkg("--install", self.folder / "ratingd_0.3.0_all.deb")
        self.assertEqual(changed, self.text())
        self.assertIn("db-password-file = ", self.text("ratingctl.conf"))

    def test_purge_removes_the_files_and_keeps_the_operator_s(self):
        dpkg("--install", of_this_tree(self.folder, "0.4.0"))
        further = ETC / "ratingd.conf.d/local.conf"
        further.write_text("threads = 128\n")
        dpkg("--purge", "ratingd")
        self.assertEqual([further.parent], list(ETC.iterdir()))
        self.assertEqual("threads = 128\n", further.read_text())

    def test_changed_file_of_nginx_keeps_those_that_belong_to_it(self):
        dpkg("--install", released(self.folder))
        changed = ETC / "nginx/ratingd.conf"
        changed.write_text("# changed\n")
        said = dpkg("--install", of_this_tree(self.folder, "0.4.0"))
        self.assertEqual("# changed\n", changed.read_text())
        self.assertEqual("# ratingd-upstream.conf of 0.3\n", self.text("nginx/ratingd-upstream.conf"))
        self.assertEqual(self.packaged("nginx/private.conf"), self.text("nginx/private.conf"))
        for name in ["nginx/ratingd.conf", "nginx/ratingd-upstream.conf"]:
            self.assertEqual(self.packaged(name), self.text(f"{name}.dpkg-dist"))
            file = f"/etc/ratingd/{name}"
            self.assertIn(f"{file} stays as it is. The new one is {file}.dpkg-dist", said)
        # If a file is identical in the installed and the new package, dpkg does not mention the file again.
        self.assertNotIn("stays as it is", dpkg("--install", of_this_tree(self.folder, "0.4.1")))
        self.assertEqual(self.packaged("nginx/ratingd.conf"), self.text("nginx/ratingd.conf.dpkg-dist"))
        for name in ["nginx/ratingd.conf", "nginx/ratingd-upstream.conf"]:
            (ETC / name).write_text(self.packaged(name))  # the operator adopts the packaged files
        self.assertNotIn("stays as it is", dpkg("--install", of_this_tree(self.folder, "0.5.0", "# newer\n")))
        self.assertTrue(self.text("nginx/ratingd.conf").endswith("# newer\n"))
        self.assertFalse((ETC / "nginx/ratingd.conf.dpkg-dist").exists())

    def full_disk_at(self, name):
        """Returns a folder with an `install` program that fails for one file in /etc/ratingd."""
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        program = programs / "install"
        program.write_text(f'#!/bin/sh\ncase "$*" in *{ETC}/{name}*) exit 1 ;; esac\nexec /usr/bin/install "$@"\n')
        program.chmod(0o755)
        return programs

    def test_interrupted_upgrade_is_completed_by_the_next_run(self):
        dpkg("--install", released(self.folder))
        for version, change in [("0.4.0", ""), ("0.5.0", "# newer\n")]:
            old = self.text("nginx/ratingd.conf")
            package = of_this_tree(self.folder, version, change)
            with self.assertRaises(AssertionError):
                dpkg("--install", package, programs=self.full_disk_at("nginx/ratingd.conf"))
            upstream = "nginx/ratingd-upstream.conf"
            self.assertEqual(self.packaged(upstream) + change, self.text(upstream), "it was replaced first")
            self.assertEqual(old, self.text("nginx/ratingd.conf"))
            self.assertNotIn("stays as it is", dpkg("--configure", "ratingd"))
            for name in [*NAMES, *(f"nginx/{name}" for name in NGINX)]:
                self.assertEqual(self.packaged(name) + change, self.text(name), name)
            self.assertEqual([], list(ETC.glob("**/*.dpkg-dist")) + list(ETC.glob("**/*.new")))

    def test_unchanged_files_are_those_of_the_release_before_after_a_downgrade(self):
        old = released(self.folder)
        for first in [old, None]:
            if first:
                dpkg("--install", first)
            dpkg("--install", of_this_tree(self.folder, "0.4.0" if first else "0.4.1"))
            self.assertEqual(self.packaged("nginx/ratingd.conf"), self.text("nginx/ratingd.conf"))
            dpkg("--install", old)
            self.assertEqual("# ratingd.conf of 0.3\n", self.text("nginx/ratingd.conf"))
            self.assertEqual((OLD_FILES / "ratingctl.conf").read_text(), self.text("ratingctl.conf"))
            dpkg("--purge", "ratingd")


def enter_namespace():
    """Runs this program again in a namespace in which it may change the folders that dpkg changes."""
    if os.geteuid() != 0:
        print("This test needs root.", file=sys.stderr)
        sys.exit(SKIPPED)
    if os.environ.get("RATINGD_NAMESPACE") != "own":
        os.environ["RATINGD_NAMESPACE"] = "own"
        os.execvp("unshare", ["unshare", "--mount", "--propagation=private", sys.executable, *sys.argv])
    layers = pathlib.Path(tempfile.mkdtemp(prefix="ratingd-layers-"))
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", layers], check=True)
    for folder in ["etc", "usr", "var"]:
        upper, work = layers / folder / "upper", layers / folder / "work"
        upper.mkdir(parents=True)
        work.mkdir()
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                        f"lowerdir=/{folder},upperdir={upper},workdir={work}", f"/{folder}"], check=True)


if __name__ == "__main__":
    enter_namespace()
    unittest.main()
