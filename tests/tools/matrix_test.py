#!/usr/bin/env python3
"""Tests how "make matrix" counts the results of ctest."""

import pathlib
import tempfile
import unittest

import matrix


class Count(unittest.TestCase):
    def count(self, *programs, is_good=True):
        """Returns the counts for programs that wrote this output and passed ("run") or failed ("fail")."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("<testsuite>" + "".join(
                f'<testcase name="some" status="{status}"><system-out>{said}</system-out></testcase>'
                for said, status in programs) + "</testsuite>")
            file.flush()
            return matrix.count(pathlib.Path(file.name), is_good)

    def test_tests_of_programs(self):
        self.assertEqual((44, 1, 0), self.count(
            ("[  PASSED  ] 44 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Some.Test", "fail"),
            is_good=False))
        self.assertEqual((419, 2, 0), self.count(("419 passed, 2 failed", "fail"), is_good=False))
        self.assertEqual((10, 3, 0), self.count(
            ("Ran 13 tests in 1.0s\n\nFAILED (failures=1, errors=2)", "fail"), is_good=False))
        self.assertEqual((21, 0, 0), self.count(
            ("[  PASSED  ] 8 tests.", "run"), ("Ran 13 tests in 1.0s\n\nOK", "run")))

    def test_program_without_tests_is_one(self):
        self.assertEqual((1, 0, 0), self.count(("4711", "run")))
        self.assertEqual((1, 1, 0), self.count(("4711", "run"), ("4711", "fail"), is_good=False))

    def test_program_that_crashes_is_a_failure(self):
        self.assertEqual((0, 1, 0), self.count(("[ RUN      ] Some.Test", "fail"), is_good=False))

    def test_skipped_is_neither(self):
        self.assertEqual((20, 0, 5), self.count(
            ("[  PASSED  ] 8 tests.\n[  SKIPPED ] 2 tests, listed below:", "run"),
            ("Ran 15 tests in 1.0s\n\nOK (skipped=3)", "run")))
        self.assertEqual((0, 0, 1), self.count(('skipped</system-out><skipped message="SKIP_RETURN_CODE=77"/>'
                                                "<system-out>", "notrun")))
        self.assertEqual((0, 1, 0), self.count(('</system-out><skipped message="Unable to find executable"/>'
                                                "<system-out>", "notrun"), is_good=False))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual((0, 1, 0), matrix.count(pathlib.Path("/nowhere"), False))


if __name__ == "__main__":
    unittest.main()
