#!/usr/bin/env python3
"""Tests what joined.py reports, in a small folder."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import joined


class JoinedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        self.addCleanup(folder.cleanup)
        self.repository = pathlib.Path(folder.name)
        tools = self.repository / "tests/tools"
        tools.mkdir(parents=True)
        shutil.copy(joined.__file__, tools)
        (self.repository / ".clang-tidy").write_text("Checks: '-*,bugprone-*'\nWarningsAsErrors: '*'\n"
                                                     "HeaderFilterRegex: lib\n")
        self.write("json.h", "namespace json {\ninline constexpr int kMaxDepth = 32;\nint depth();\n"
                             "}  // namespace json\n")
        self.write("codec.cpp", '#include "json.h"\nnamespace json {\nnamespace {\n'
                                "int most() { return kMaxDepth; }\n}  // namespace\n"
                                "int depth() { return most(); }\n}  // namespace json\n")

    def write(self, name, text):
        file = self.repository / "lib/json" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def complaints(self, *words):
        flags = "-std=c++20 -Wall -Wshadow -Werror"
        commands = [{"file": str(file), "command": f"/usr/bin/c++ {flags} -o json.dir/x.o -c {file}"}
                    for file in self.repository.glob("lib/json/*.cpp")]
        (self.repository / "compile_commands.json").write_text(json.dumps(commands))
        done = subprocess.run([sys.executable, self.repository / "tests/tools/joined.py", *words], check=False,
                              capture_output=True, text=True)
        self.assertEqual(bool(done.stderr), done.returncode != 0)
        return done.stderr

    def test_has_none_about_files_that_can_be_joined(self):
        for words in (["names", self.repository], ["joined", self.repository],
                      ["alone", self.repository]):
            self.assertEqual("", self.complaints(*words))

    def test_names_what_would_hide_a_headers_name(self):
        """The compiler would say nothing, and code behind this file would silently use this name."""
        for declaration in ("constexpr int kMaxDepth = 8;", "int kMaxDepth() { return 8; }", "struct kMaxDepth {",
                            "using kMaxDepth = int;", "std::map<int, int> kMaxDepth{",
                            "const char* kMaxDepth[] = {"):
            self.write("archive.cpp", f"namespace json {{\nnamespace {{\n{declaration}\n")
            self.assertIn("archive.cpp: kMaxDepth hides that of json.h", self.complaints("names", self.repository))

    def test_shows_names_that_two_files_repeat(self):
        self.write("archive.cpp", "namespace json {\nnamespace {\nint most() { return 8; }\n}\n"
                                  "int all() { return most(); }\n}\n")
        complaints = self.complaints("joined", self.repository)
        self.assertIn("clang-tidy ", complaints)
        self.assertIn("redefinition", complaints)

    def test_shows_what_clang_tidy_finds(self):
        self.write("archive.cpp", "namespace json {\nlong all(int most) { return most * 2; }\n}\n")
        self.assertIn("bugprone-implicit-widening-of-multiplication-result",
                      self.complaints("joined", self.repository))

    def test_shows_files_that_live_on_includes_of_others(self):
        self.write("depth.cpp", 'namespace json {\nint twice() { return 2 * kMaxDepth; }\n}\n')
        self.assertEqual("", self.complaints("joined", self.repository))
        self.assertIn("kMaxDepth", self.complaints("alone", self.repository))

    def test_lets_no_file_live_on_standard_headers_of_others(self):
        """Precompiled headers give a file no names that it does not include."""
        for name in ("all", "some"):
            self.write(f"{name}.cpp", f"#include <string>\n#include <vector>\nstd::vector<std::string> {name};\n")
        self.assertEqual("", self.complaints("alone", self.repository))
        self.write("none.cpp", "#include <string>\nstd::vector<std::string> none;\n")
        complaints = self.complaints("alone", self.repository)
        self.assertIn("no template named 'vector'", complaints)
        self.assertIn("none.cpp", complaints)


if __name__ == "__main__":
    unittest.main()
