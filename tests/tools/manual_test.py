#!/usr/bin/env python3
"""Checks that the manual pages agree with the programs' own help, and that they are well formed.

usage: manual_test.py BUILD_DIR
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop())


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def help_of(program):
    return output(BUILD / program, "--help")


class Page:
    def __init__(self, name):
        self.path = BUILD / "man" / name
        environment = {**os.environ, "MANWIDTH": "300", "LC_ALL": "C.UTF-8", "MANROFFOPT": ""}
        done = subprocess.run(["man", "--local-file", "--no-hyphenation", "--no-justification",
                               self.path], capture_output=True, text=True, env=environment,
                              check=True)
        self.text = re.sub(".\b", "", done.stdout)

    def terms(self, section):
        """Returns the terms with which the entries of a section begin, in their order."""
        body = re.search(rf"^{section}\n(.*?)^\S", self.text, re.MULTILINE | re.DOTALL)[1]
        return re.findall(r"^ {7}([^ ]\S*)", body, re.MULTILINE)


class ManualTest(unittest.TestCase):
    def test_has_the_options_of_the_programs(self):
        pages = Page("ratingd.conf.5").terms("OPTIONS")
        for program in ["ratingd", "ratingctl"]:
            options = re.findall(r"^  --([a-z-]+)", help_of(program), re.MULTILINE)
            self.assertGreater(len(options), 20)
            self.assertEqual(options, [*pages, "version"], program)

    def test_has_the_secrets_of_the_programs(self):
        secrets = re.findall(r"^  (RATINGD_\w+)", help_of("ratingd"), re.MULTILINE)
        pages = Page("ratingd.conf.5").terms("SECRETS")
        self.assertEqual(secrets, [term for term in pages if term.isupper()])

    def test_has_the_commands_of_ratingctl(self):
        commands = help_of("ratingctl").split("Commands:\n")[1].split("\n\n")[0]
        names = re.findall(r"^  ([a-z]\S*)", commands, re.MULTILINE)
        self.assertGreater(len(names), 10)
        self.assertEqual(names, Page("ratingctl.8").terms("COMMANDS"))

    def test_is_well_formed(self):
        for page in sorted((BUILD / "man").iterdir()):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True)
            self.assertEqual("", done.stderr, page)


if __name__ == "__main__":
    unittest.main()
