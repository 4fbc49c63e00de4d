#!/usr/bin/env python3
"""What sizes.py finds in small texts."""

import pathlib
import unittest

import sizes

FUNCTION = """\
int sum(const std::vector<int>& numbers,
        int first) {
{body}
  return first;
}
"""


def file_of(text, name="lib/json/codec.cpp"):
    path = pathlib.Path(name)
    return sizes.File(path, sizes.lines_of_code(text, path.suffix), list(sizes.functions_of(path, text)),
                      sizes.INCLUDE.findall(text))


class SizesTest(unittest.TestCase):
    def test_lines_without_comments_and_empty_lines_count(self):
        code = '// one\nint a;\n\n/* two\n three */\nauto b = "http://x";\n'
        self.assertEqual(2, sizes.lines_of_code(code, ".cpp"))
        self.assertEqual(2, sizes.lines_of_code('# one\na = 1\n"""Two\nthree."""\nb = "#"\n', ".py"))

    def test_function_begins_with_its_name(self):
        (function,) = sizes.functions_of(pathlib.Path("a.cpp"), FUNCTION.replace("{body}", "  ++first;"))
        self.assertEqual((1, 5), (function.line, function.length))
        text = "  explicit Table(int size)\n      : size_(size) {\n    fill();\n  }\n  int next;\n"
        (constructor,) = sizes.functions_of(pathlib.Path("a.cpp"), text)
        self.assertEqual((1, 4), (constructor.line, constructor.length))

    def test_long_files_and_functions_are_problems(self):
        self.assertEqual([], list(sizes.problems_of([file_of(FUNCTION.replace("{body}", "  ++first;\n" * 50))])))
        (problem,) = sizes.problems_of([file_of(FUNCTION.replace("{body}", "  ++first;\n" * 60))])
        self.assertIn("lib/json/codec.cpp:1: int sum", problem)
        (problem,) = sizes.problems_of([file_of("int a;\n" * 401)])
        self.assertEqual("lib/json/codec.cpp: 401 lines of code; at most 400", problem)

    def test_headers_in_a_circle_are_a_problem(self):
        includes = {"a/a.h": "b/b.h", "b/b.h": "c/c.h", "c/c.h": "a/a.h", "d/d.h": "a/a.h"}
        files = [file_of(f'#include "{included}"\n', f"lib/{name}") for name, included in includes.items()]
        (problem,) = sizes.problems_of(files)
        circle = problem.split(": ")[1].split(" -> ")
        self.assertEqual(circle[0], circle[-1])
        self.assertEqual({"a/a.h", "b/b.h", "c/c.h"}, set(circle))
        self.assertEqual(circle[1:], [includes[name] for name in circle[:-1]])


if __name__ == "__main__":
    unittest.main()
