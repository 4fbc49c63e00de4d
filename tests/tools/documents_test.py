#!/usr/bin/env python3
"""Checks that all files and names in the documents exist. tests/e2e/commands_test.py and tests/e2e/package_test.py
run the commands in the documents."""

import pathlib
import re
import unittest

from documents import blocks_of

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent

DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")])
CACHE_PROTOCOL = REPOSITORY / "lib/runtime/shared_cache.md"
FOLDERS = "cmake|debian|docs|etc|fcgi|lib|man|nginx|sql|systemd|tests|web"


def named_files(path):
    """Returns the texts between backquotes that look like files of the repository, without patterns."""
    return re.findall(rf"`((?:{FOLDERS})/[\w./@-]+)`", path.read_text())


class DocumentsTest(unittest.TestCase):
    def test_name_files_that_are_there(self):
        for path in DOCUMENTS:
            for name in named_files(path):
                # A document may name a file without its extension, or a file in lib without the folder "lib".
                found = [REPOSITORY / name, *REPOSITORY.glob(f"{name}.*"),
                         *REPOSITORY.glob(f"lib/{name}.*")]
                self.assertTrue(any(file.exists() for file in found), f"{path.name}: {name}")

    def test_remove_all_that_they_installed(self):
        documents = [REPOSITORY / "docs" / name for name in ("install.md", "operations.md", "sizing.md")]
        blocks = [block for path in documents for block in blocks_of(path)]
        removal = "".join(block.text for block in blocks if block.heading == "Removing")
        others = "".join(block.text for block in blocks if block.heading != "Removing")
        files = [f"{folder}/{pathlib.Path(name).name}" for folder, name in
                 re.findall(r"sudo install .*-t (/\S+) (/\S+)", others)]
        files += re.findall(r"sudo install .*/dev/stdin (/\S*ratingd\S*)", others)
        self.assertGreater(len(files), 3)
        removed = re.findall(r" (/\S+)", " ".join(re.findall(r"sudo rm .*", removal)))
        # "ratingctl setup --remove" removes the files that "ratingctl setup" has created
        # (tests/e2e/package_test.py).
        self.assertIn("sudo ratingctl setup --yes --remove\n", removal)
        files += re.findall(r"sudo cp -r \S+ (/\S+)", others)
        removed += ["/var/lib/wordpress/wp-content/mu-plugins"]
        for file in files:
            self.assertTrue(any(file == path or file.startswith(path + "/") for path in removed), file)
        accounts = set(re.findall(r"CREATE USER (rating\S+)", others))
        self.assertEqual({"ratingd@localhost", "ratingctl@localhost"}, accounts)  # it drops these
        # "ratingctl drop" must run before "ratingctl setup" removes ratingctl's database account. "apt purge" must
        # be last, because it removes ratingctl.
        places = [removal.rindex(command) for command in (" drop --confirm", " setup --yes --remove", "apt purge")]
        self.assertEqual(sorted(places), places)

    def test_delete_what_the_uninstalled_plugin_would(self):
        uninstall = (REPOSITORY / "web/wordpress/ratingd/uninstall.php").read_text()
        [lists] = re.findall(r"foreach \( array\(([^)]*)\) as \$start", uninstall)
        [transients] = re.findall(r"foreach \( array\(([^)]*)\) as \$name", uninstall)
        names = [*re.findall(r"delete_option\( '(\w+)'", uninstall), *re.findall(r"'(\w+)'", lists),
                 *(f"_transient_{name}" for name in re.findall(r"'(\w+)'", transients)),
                 *re.findall(r"delete_post_meta_by_key\( '(\w+)'", uninstall)]
        self.assertGreater(len(names), 9)
        [statements] = [block.text for block in blocks_of(REPOSITORY / "docs/install.md")
                        if block.heading == "Removing" and "DELETE FROM" in block.text]
        starts = [start.replace("\\_", "_") for start in re.findall(r"LIKE '([^']+)%'", statements)]
        for name in names:
            self.assertTrue(f"'{name}'" in statements or name.startswith(tuple(starts)), name)

    def test_guard_each_of_owasps_ten_by_a_test(self):
        parts = re.split(r"^\*\*API(\d+), ", (REPOSITORY / "SECURITY.md").read_text(),
                         flags=re.MULTILINE)
        self.assertEqual([str(number) for number in range(1, 11)], parts[1::2])
        for number, text in zip(parts[1::2], parts[2::2], strict=True):
            self.assertRegex(text, r"`tests/[\w./]+`", f"API{number}")

    def test_test_each_row_of_the_cache_protocol(self):
        tests = {f"{fixture}.{name}" for path in (REPOSITORY / "tests/runtime").glob("shared_cache*_test.cpp")
                 for fixture, name in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", path.read_text(), re.MULTILINE)}
        rows = [line for line in CACHE_PROTOCOL.read_text().splitlines() if line.startswith("| ")][1:]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertIn(row.rstrip("| ").rpartition("| ")[2].strip("`"), tests)

    def test_vote_with_plain_curl(self):
        """New users can type the command, because it needs no token and no other header."""
        votes = [line for path in DOCUMENTS for block in blocks_of(path)
                 for line in block.text.replace("\\\n", " ").splitlines() if re.search(r"curl .*/rate\b", line)]
        self.assertGreater(len(votes), 1)
        for vote in votes:
            self.assertNotRegex(vote, r" (-H|--header|-b|--cookie) ")

    def test_have_commands_that_are_run_or_say_why_not(self):
        self.assertTrue([blocks_of(path) for path in DOCUMENTS])  # throws at another mark


if __name__ == "__main__":
    unittest.main()
