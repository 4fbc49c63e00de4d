#!/usr/bin/env python3
"""Tests what test_names.py reports, in a small repository."""

import pathlib
import tempfile
import unittest

import test_names


class TestNamesTest(unittest.TestCase):
    def problems(self, tests):
        sources = ("lib/votes/decisions.h", "lib/votes/demo.cpp", "lib/handlers/analytics_top.cpp",
                   "fcgi/worker.h")
        with tempfile.TemporaryDirectory(prefix="ratingd-") as folder:
            for name, text in {**dict.fromkeys(sources, ""), **tests}.items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return list(test_names.problems_of(pathlib.Path(folder)))

    def test_none_about_tests_with_the_name_of_a_file(self):
        for name in ["votes/decisions", "votes/demo", "fcgi/worker"]:
            self.assertEqual([], self.problems({f"tests/{name}_test.cpp": "#include <gtest/gtest.h>\n"}), name)

    def test_none_about_tests_that_name_files_or_folders(self):
        for comment in ["// Tests lib/votes/decisions.h.", "// Tests facets\n// in lib/votes/decisions.h.",
                        "// Tests lib/handlers/analytics_*.cpp: each response.", "// Tests all of lib/votes."]:
            self.assertEqual([], self.problems({"tests/votes/facets_test.cpp": f"{comment}\n\n"}), comment)

    def test_are_about_tests_that_do_not_name_a_file(self):
        for text in ["", "// Tests facets.\n", "#include <a>\n// Tests lib/votes/decisions.h.\n"]:
            (problem,) = self.problems({"tests/votes/facets_test.cpp": text})
            self.assertIn("tests/votes/facets_test.cpp: no file in lib or fcgi has this name", problem)
        self.assertEqual(1, len(self.problems({"tests/votes/worker_test.cpp": ""})))

    def test_are_about_paths_that_do_not_exist(self):
        for name in ["facets", "decisions"]:
            (problem,) = self.problems({f"tests/votes/{name}_test.cpp": "// Tests lib/votes/parts.h.\n"})
            self.assertEqual(f"tests/votes/{name}_test.cpp: lib/votes/parts.h does not exist", problem)


if __name__ == "__main__":
    unittest.main()
