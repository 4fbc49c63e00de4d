#!/usr/bin/env python3
"""What "make matrix" counts in ctest's log."""

import pathlib
import tempfile
import unittest

import matrix


class Count(unittest.TestCase):
    def count(self, *programs, is_good=True):
        """Of a log in which these programs wrote this, and passed or not."""
        with tempfile.TemporaryDirectory() as folder:
            log = matrix.results(pathlib.Path(folder))
            log.parent.mkdir(parents=True)
            log.write_text("Start testing: Nov 22 18:00 UTC\n" + "".join(
                f"{number}/{len(programs)} Testing: some\nOutput:\n{said}\n<end of output>\nTest {result}.\n"
                for number, (said, result) in enumerate(programs, 1)))
            return matrix.count(pathlib.Path(folder), is_good)

    def test_tests_of_programs(self):
        self.assertEqual((44, 1), self.count(
            ("[  PASSED  ] 44 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Some.Test", "Failed"),
            is_good=False))
        self.assertEqual((419, 2), self.count(("419 passed, 2 failed", "Failed"), is_good=False))
        self.assertEqual((10, 3), self.count(
            ("Ran 13 tests in 1.0s\n\nFAILED (failures=1, errors=2)", "Failed"), is_good=False))
        self.assertEqual((21, 0), self.count(
            ("[  PASSED  ] 8 tests.", "Passed"), ("Ran 13 tests in 1.0s\n\nOK", "Passed")))

    def test_program_without_tests_is_one(self):
        self.assertEqual((1, 0), self.count(("4711", "Passed")))
        self.assertEqual((1, 1), self.count(("4711", "Passed"), ("4711", "Failed"), is_good=False))

    def test_program_that_crashes_is_a_failure(self):
        self.assertEqual((0, 1), self.count(("[ RUN      ] Some.Test", "Failed"), is_good=False))

    def test_nothing_run_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual((0, 1), matrix.count(pathlib.Path(folder), False))


if __name__ == "__main__":
    unittest.main()
