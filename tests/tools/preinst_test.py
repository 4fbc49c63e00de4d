#!/usr/bin/env python3
"""Which upgrades debian/preinst refuses."""

import pathlib
import subprocess
import unittest

PREINST = pathlib.Path(__file__).resolve().parent.parent.parent / "debian/preinst"


def run(*words):
    return subprocess.run(["sh", PREINST, *words], check=False, capture_output=True, text=True)


class PreinstTest(unittest.TestCase):
    def test_upgrades_from_before_0_3_are_refused_and_say_what_to_do(self):
        for version in ("0.1.0", "0.2.0", "0.2.1", "0.2.1~bpo12+1"):
            refused = run("upgrade", version)
            self.assertEqual(1, refused.returncode, version)
            self.assertIn("Install ratingd 0.3 first.", refused.stderr)

    def test_other_upgrades_are_not_refused(self):
        for words in (("upgrade", "0.3.0"), ("upgrade", "0.3.0~rc1"), ("upgrade", "0.4.0"),
                      ("abort-upgrade", "0.2.1")):
            self.assertEqual(0, run(*words).returncode, words)


if __name__ == "__main__":
    unittest.main()
