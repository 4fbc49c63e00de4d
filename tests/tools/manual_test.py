#!/usr/bin/env python3
"""Checks that the programs' help fits a screen, and that the manual pages agree with it and are well formed.

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


def help_of(program, *words):
    return output(BUILD / program, *words, "--help")


def commands():
    """Returns the commands in the list of ratingctl, such as "settings get"."""
    text = help_of("ratingctl").partition("Options for all commands:")[0]
    return re.findall(r"^  ([a-z][a-z-]*(?: [a-z-]+)*) {2,}", text, re.MULTILINE)


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
        return re.findall(r"^ {7}([^ ]\S*)(?: \S+)?(?:  .*)?$", self._body(section), re.MULTILINE)

    def headings(self, section):
        """Returns the headings within a section, in their order."""
        return re.findall(r"^ {3}(\S.*)$", self._body(section), re.MULTILINE)

    def _body(self, section):
        return re.search(rf"^{section}\n(.*?)^\S", self.text, re.MULTILINE | re.DOTALL)[1]


class HelpTest(unittest.TestCase):
    def test_fits_a_screen(self):
        helps = {("ratingd",): 24, ("ratingctl",): 50,
                 **{("ratingctl", *command.split()): 32 for command in commands()}}
        for words, height in helps.items():
            text = help_of(*words)
            with self.subTest(words):
                self.assertLessEqual(text.count("\n"), height, text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_of_a_command_begins_with_its_purpose_and_an_example(self):
        for command in commands():
            purpose, example, usage = help_of("ratingctl", *command.split()).split("\n\n")[:3]
            with self.subTest(command):
                self.assertTrue(purpose.endswith("."), purpose)
                for line in example.splitlines():
                    self.assertRegex(line, "^  sudo ")
                self.assertIn(f"sudo ratingctl {command}", example)
                self.assertTrue(usage.startswith(f"Usage: ratingctl {command}"), usage)

    def test_of_ratingd_names_options_that_exist(self):
        named = re.findall(r"^  --([a-z-]+)", help_of("ratingd"), re.MULTILINE)
        self.assertGreater(len(named), 8)
        known = re.findall(r"^  --([a-z-]+)", help_of("ratingd", "options"), re.MULTILINE)
        self.assertLessEqual(set(named), {*known, "help"})

    def test_of_the_options_is_the_same_in_both_programs(self):
        text = help_of("ratingd", "options")
        self.assertEqual(text, help_of("ratingctl", "options"))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)


class ManualTest(unittest.TestCase):
    def test_has_the_options_of_the_programs(self):
        options = re.findall(r"^  --([a-z-]+) \S+$", help_of("ratingd", "options"), re.MULTILINE)
        self.assertGreater(len(options), 20)
        self.assertEqual(options, Page("ratingd.conf.5").terms("OPTIONS"))

    def test_has_the_secrets_of_the_programs(self):
        secrets = re.findall(r"^  (RATINGD_\w+)$", help_of("ratingd", "options"), re.MULTILINE)
        self.assertGreater(len(secrets), 5)
        self.assertEqual(secrets, Page("ratingd.conf.5").terms("SECRETS"))

    def test_has_the_commands_of_ratingctl(self):
        self.assertGreater(len(commands()), 20)
        self.assertEqual(commands(), Page("ratingctl.8").headings("COMMANDS"))

    def test_has_the_flags_of_each_command(self):
        text = Page("ratingctl.8").text
        for command in commands():
            section = re.search(rf"^   {command}\n(.*?)^ {{0,3}}\S", text, re.MULTILINE | re.DOTALL)[1]
            help_text = help_of("ratingctl", *command.split())
            for flag in re.findall(r"^  (--\S+)", help_text, re.MULTILINE):
                self.assertIn(f"\n       {flag}", section, command)

    def test_is_well_formed(self):
        for page in sorted((BUILD / "man").iterdir()):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True)
            self.assertEqual("", done.stderr, page)


if __name__ == "__main__":
    unittest.main()
