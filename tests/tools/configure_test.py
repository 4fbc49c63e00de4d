#!/usr/bin/env python3
"""Tests what CMake requires when it configures the build."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent


class ConfigureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)

    def configure(self, *options):
        """Returns whether CMake succeeded, and its output in one line."""
        done = subprocess.run(["cmake", "-S", REPOSITORY, "-B", self.build, "-G", "Ninja", *options], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode == 0, " ".join(done.stdout.split())

    def commands(self, folders):
        """Returns the commands that compile files in these folders."""
        text = (self.build / "compile_commands.json").read_text()
        return {command["command"] for command in json.loads(text)
                if re.match(rf"{REPOSITORY}/({folders})/", command["file"])}

    def test_tests_are_an_option_that_leaves_the_programs_as_they_are(self):
        without = "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"
        self.assertTrue(*self.configure(without, "-DCMAKE_UNITY_BUILD=OFF"))
        programs = self.commands("lib|fcgi")
        self.assertGreater(len(programs), 100)
        self.assertEqual(set(), self.commands("tests"))

        succeeded, said = self.configure(without, "-DRATINGD_TESTS=ON")
        self.assertFalse(succeeded)
        self.assertIn("Debian's package: libgtest-dev", said)

        self.assertTrue(*self.configure("-DCMAKE_DISABLE_FIND_PACKAGE_GTest=OFF"))
        self.assertEqual(set(), programs - self.commands("lib|fcgi"))
        self.assertNotEqual(set(), self.commands("tests"))

    def test_what_is_missing_is_named_with_its_package(self):
        succeeded, said = self.configure("-DESBUILD=OFF", "-DMSGFMT=OFF")
        self.assertFalse(succeeded)
        self.assertIn("Debian's package: esbuild", said)
        self.assertIn("Debian's package: gettext", said)

    def test_configuration_is_where_the_programs_read_it(self):
        succeeded, said = self.configure("-DCMAKE_INSTALL_SYSCONFDIR=/usr/local/etc")
        self.assertFalse(succeeded)
        self.assertIn("must be /etc", said)


if __name__ == "__main__":
    unittest.main()
