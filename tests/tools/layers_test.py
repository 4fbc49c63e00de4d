#!/usr/bin/env python3
"""Tests what layers.sh reports, in a small repository."""

import pathlib
import subprocess
import tempfile
import unittest

LAYERS = pathlib.Path(__file__).resolve().parent / "layers.sh"
GOOD = {
    "CMakeLists.txt": "ratingd_library(base LINKS OpenSSL::Crypto)\nratingd_library(db LINKS base)\n"
                      "ratingd_library(http LINKS base)\nratingd_library(api LINKS db\n                   http)\n",
    "README.md": "## Layout\n\n    fcgi/           programs\n    lib/api/   face\n    lib/db/    sessions\n"
                 "    lib/http/  parsers\n    lib/base/  bytes\n\n## Licence\n",
    "lib/base/bytes.h": "#include <string>\n",
    "lib/db/session.h": '#include "base/bytes.h"\n#include "db/row.h"\n',
    "lib/http/url.h": '#include "base/bytes.h"\n',
    "lib/api/serve.h": '#include "base/bytes.h"\n#include "db/session.h"\n',
    "fcgi/ratingd.cpp": '#include "api/serve.h"\n#include "http/url.h"\n',
}


class LayersTest(unittest.TestCase):
    def complaints(self, changed=None):
        with tempfile.TemporaryDirectory(prefix="ratingd-") as folder:
            for name, text in {**GOOD, **(changed or {})}.items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            done = subprocess.run([LAYERS, folder], check=False, capture_output=True, text=True)
        self.assertEqual(bool(done.stderr), done.returncode != 0)
        return done.stderr

    def test_has_none_about_folders_that_links_reach(self):
        self.assertEqual("", self.complaints())

    def test_are_about_includes_that_no_link_reaches(self):
        self.assertIn("lib/http/url.h:1: http includes db,",
                      self.complaints({"lib/http/url.h": '#include "db/row.h"\n'}))
        self.assertIn("lib/base/bytes.h:1: base includes api,",
                      self.complaints({"lib/base/bytes.h": '#include "api/serve.h"\n'}))

    def test_are_about_links_to_later_lines(self):
        text = GOOD["CMakeLists.txt"].replace("db LINKS base", "db LINKS base api")
        self.assertIn("db links api, which is declared further down", self.complaints({"CMakeLists.txt": text}))

    def test_are_about_folders_that_are_not_declared_or_not_listed(self):
        text = GOOD["CMakeLists.txt"].replace("ratingd_library(http LINKS base)", "")
        self.assertIn("folder http is not in CMakeLists.txt", self.complaints({"CMakeLists.txt": text}))
        text = GOOD["README.md"].replace("    lib/http/  parsers\n", "")
        self.assertIn("README.md: the layout lacks the folder http", self.complaints({"README.md": text}))

    def test_are_about_another_order_in_the_readme(self):
        text = GOOD["README.md"].replace("lib/api/ ", "lib/base/").replace("lib/base/  bytes", "lib/api/")
        self.assertIn("README.md: db reaches base, which is listed above it", self.complaints({"README.md": text}))

    def test_are_about_libraries_and_cms_outside_their_place(self):
        complaints = self.complaints({"lib/api/serve.h": "#include <openssl/evp.h>\nint wp_posts;\n"})
        self.assertIn("lib/api/serve.h:1: <openssl/evp.h> belongs into", complaints)
        self.assertIn("lib/api/serve.h:2: names a CMS", complaints)


if __name__ == "__main__":
    unittest.main()
