#!/usr/bin/env python3
"""Checks that the scripts in visitors' pages use only syntax that all supported browsers know. docs/widgets.md
lists the browsers.

usage: browsers_test.py BUILD_DIR
"""

import pathlib
import re
import subprocess
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD_DIR = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else REPOSITORY / "build/release")
PLUGIN = REPOSITORY / "web/wordpress/ratingd/js"


def supported_browsers():
    """Returns the browsers by esbuild's names, with their first version."""
    text = (REPOSITORY / "docs/widgets.md").read_text()
    [table] = re.findall(r"^## Browsers\n\n((?:\|.*\n)+)", text, re.MULTILINE)
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    return [name.strip().lower() + version for names, version in rows
            for name in re.sub(r" also.*", "", names).split(",") if name.strip()]


def printed_for(script, target):
    """Returns the script as esbuild writes it for browsers, with older syntax if they need it."""
    command = ["esbuild", f"--target={target}", "--log-level=warning", "--log-limit=0", "--charset=utf8"]
    done = subprocess.run(command, input=script, check=True, capture_output=True, text=True)
    return done.stdout, done.stderr


class BrowsersTest(unittest.TestCase):
    def test_list_names_browsers_with_versions(self):
        self.assertEqual(["chrome", "edge", "firefox", "safari"],
                         [re.sub(r"[0-9.]+$", "", name) for name in supported_browsers()])

    def test_list_would_find_newer_syntax(self):
        newer = "class A { static { document.title = String(/(?<=a)b/.exec('ab')); } }\n"
        old = ",".join(supported_browsers())
        self.assertNotEqual(printed_for(newer, "esnext"), printed_for(newer, old))

    def test_scripts_have_no_newer_syntax(self):
        built = [*BUILD_DIR.glob("ratingd-*.js"), *(BUILD_DIR / "plugin/ratingd/js").glob("*.js")]
        scripts = [*built, PLUGIN / "my-ratings.js"]
        self.assertGreater(len(scripts), 8)
        for path in scripts:
            with self.subTest(path.name):
                text = path.read_text()
                self.assertEqual(printed_for(text, "esnext"), printed_for(text, ",".join(supported_browsers())))


if __name__ == "__main__":
    unittest.main()
