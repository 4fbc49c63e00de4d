#!/usr/bin/env python3
"""Runs the commands in the documents that need no installed service, exactly as they are written, beside a
sandbox. An installation's paths, addresses and accounts are replaced with the sandbox's."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from fault_sandbox import REPOSITORY, FaultSandbox  # first because it sets the module path
from documents import (OF_AN_INSTALLATION, blocks_of, commands_in_sentences, examples_of_manual,
                       unmarked_commands)
from voting import Voter

DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")])
PLUGINS = REPOSITORY / "tests/imports/plugins"
# The Makefile targets that are run only by hand, not by .ci/run or .ci/release.
BY_HAND = {"package-test", "matrix", "galera", "bench-galera"}
# The commands that tests/e2e/package_test.py runs.
OF_THE_PACKAGE = {"sudo apt install ./build/deb/ratingd_*.deb", "sudo ratingctl setup"}
# The values for the placeholders in commands that the documents quote.
PLACEHOLDERS = {"NAME": "yasr", "FILE": "all.ndjson", "ID": "7", "WHAT": "addresses", "N": "10", "M": "5",
                "D": "3", "S": "1"}

sandbox = FaultSandbox()


def setUpModule():
    unittest.addModuleCleanup(sandbox.stop_cleanly)
    sandbox.start()
    # Create the tables of the YASR plugin, and WordPress's wp_postmeta table, which the sandbox lacks.
    [postmeta] = re.findall(r"CREATE TABLE wp_postmeta [^;]*;", (PLUGINS / "site.sql").read_text())
    sandbox.sql(postmeta + (PLUGINS / "yasr.sql").read_text())


def is_for_the_sandbox(path):
    return path.name not in OF_AN_INSTALLATION


class Reader:
    """A person at a shell. The new current folder contains the files that an installation has in other places.

    Scripts replace sudo, mariadb and curl, so that nobody has to enter a password.
    """

    def __init__(self, folder):
        self.home = pathlib.Path(folder)
        self.etc = self.home / "etc"
        self._make_configuration()
        self._make_programs()
        (self.home / "tests").symlink_to(REPOSITORY / "tests")
        (self.home / "share").symlink_to(REPOSITORY / "web")
        (self.home / "containers").mkdir()

    def types(self, text):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", self._of_the_sandbox(text)],
                              check=False, cwd=self.home, env=self._environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def _make_configuration(self):
        (self.etc / "nginx").mkdir(parents=True)
        (self.etc / "nginx/ratingd.conf").write_bytes((REPOSITORY / "nginx/ratingd.conf").read_bytes())
        for account in ["ratingd", "ratingctl"]:
            text = (REPOSITORY / f"etc/{account}.conf").read_text()
            text = re.sub(r"^db-password-file = .*$", f"db-password-file = {self.etc / account}", text,
                          flags=re.MULTILINE)
            text = text.replace("/etc/ratingd/wp-config.php", str(sandbox.wp_config))
            text += f"secret-file = {sandbox.run_dir / 'secret'}\n"
            (self.etc / f"{account}.conf").write_text(text)
            (self.etc / account).write_text(f"{account}\n")

    def _make_programs(self):
        programs = self.home / "bin"
        programs.mkdir()
        curl = """for word; do
  test "$word" = admin && word=admin:admin  # it asks for the password then
  set -- "$@" "$word" && shift
done
exec /usr/bin/curl "$@\""""
        # This script imitates the command "docker compose exec [-T] SERVICE COMMAND". Without the option -T, the
        # command runs in a terminal.
        docker = """test "$1 $2" = "compose exec" || exit 64
shift 2
if test "$1" = -T; then
  shift 2
  exec "$@"
fi
shift
exec script --quiet --return --command "$*" /dev/null"""
        for name, script in {
                "docker": docker,
                "ratingd-container": 'test "$*" = reload',
                "sudo": 'exec "$@"',
                # Callers that specify a database server pass --no-defaults as the first option.
                "mariadb": 'test "$1" = --no-defaults || '
                           f'set -- --no-defaults --socket={sandbox.mariadb().socket} --user=root "$@"\n'
                           'exec /usr/bin/mariadb "$@"',
                "curl": curl,
                "ratingctl": f'exec {sandbox.build_dir / "ratingctl"} "$@"',
        }.items():
            program = programs / name
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)

    def _environment(self):
        path = f"{self.home / 'bin'}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "HOME": str(self.home),
                "RATINGD_CONFIG": str(self.etc / "ratingctl.conf")}

    def _of_the_sandbox(self, text):
        for path, own in {"/etc/ratingd": self.etc, "/usr/share/ratingd": self.home / "share",
                          "/var/lib/wordpress": self.home / "wordpress",
                          "build/release": sandbox.build_dir, "https://example.org": sandbox.url,
                          "http://127.0.0.1:8080": sandbox.url}.items():
            text = text.replace(path, str(own))
        return text


class CommandsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        self.addCleanup(folder.cleanup)
        self.reader = Reader(folder.name)

    def types(self, text):
        done = self.reader.types(text)
        self.assertEqual(0, done.returncode, f"{text}\n{done.stdout}")
        return done.stdout


class Documents(CommandsTest):
    def test_have_no_commands_that_are_not_marked_as_such(self):
        for path in DOCUMENTS:
            self.assertEqual([], unmarked_commands(path), path.name)

    def test_commands_run(self):
        for path in filter(is_for_the_sandbox, DOCUMENTS):
            for block in blocks_of(path):
                if block.reason or self.is_run_elsewhere(block.text):
                    continue
                with self.subTest(path.name, heading=block.heading):
                    said = self.types(block.text)
                    self.assertNotIn('"code":', said, block.text)  # curl without --fail reports no error

    def is_run_elsewhere(self, text):
        lines = {re.sub(r"\s+#.*", "", line) for line in text.splitlines()}
        targets = {line.removeprefix("make ") for line in lines if line.startswith("make ")}
        if not targets:
            return False
        self.assertLessEqual(lines - {f"make {target}" for target in targets}, OF_THE_PACKAGE)
        names = {target.split()[0] for target in targets}  # without variables
        self.assertLessEqual(names, targets_of_ci() | BY_HAND)
        return True

    def test_ci_runs_each_target_of_the_makefile(self):
        self.assertEqual(targets_of_the_makefile(), targets_of_ci() | BY_HAND)


class Sentences(CommandsTest):
    def test_name_commands_that_ratingctl_has(self):
        """Removes optional parts in brackets and replaces placeholders with values."""
        self.types("ratingctl export all.ndjson")
        commands = {command: path.name for path in DOCUMENTS
                    for command in commands_in_sentences(path, "ratingctl")}
        self.assertGreater(len(commands), 20)
        for command, name in sorted(commands.items()):
            with self.subTest(name, command=command):
                if "demo-data" in command:  # demo-data is for a site without votes
                    for table in ["votes", "balances", "totals", "voters"]:
                        sandbox.sql(f"DELETE FROM wp_ratingd_{table}")
                done = self.reader.types(complete(command))
                # Exit status 2 means that the arguments are invalid. Exit status 1 means that the command has
                # found a problem.
                self.assertIn(done.returncode, (0, 1), done.stdout)
                self.assertNotIn("no such option", done.stdout)


    def test_name_targets_that_the_makefile_has(self):
        named = {command.split()[1] for path in DOCUMENTS
                 for command in commands_in_sentences(path, "make")}
        self.assertIn("bench", named)
        self.assertLessEqual(named, targets_of_the_makefile())

    def test_name_tests_that_there_are(self):
        for command in commands_in_sentences(REPOSITORY / "CONTRIBUTING.md", "ctest"):
            with self.subTest(command=command):
                listed = self.types(command.replace("<folder>", "store") + " --show-only")
                self.assertNotIn("Total Tests: 0", listed)


def targets_of_the_makefile():
    return set(re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))


def targets_of_ci():
    run, release, smoke = ((REPOSITORY / name).read_text()
                           for name in (".ci/run", ".ci/release", "tests/tools/smoke.sh"))
    return {"all", "deb",  # other targets need these
            *re.findall(r"^(?:aside )?make ([a-z0-9-]+)(?: |$)", run + release, re.MULTILINE),
            *re.findall(r"^ *(?:\S+=\S+ )?step ([a-z0-9-]+) ", smoke, re.MULTILINE)}


def complete(command):
    command = re.sub(r" ?\[[^]]*\]", "", command)
    words = [PLACEHOLDERS.get(word, word) for word in command.split() if word != "…"]
    if {"drop", "free-memory", "setup", "--site"} & set(words):
        words.append("--help")  # the sandbox and the machine are still needed
    defaults = {"import": ["all.ndjson"], "export": ["all.ndjson"], "clean": ["addresses", "--all", "--confirm"],
                "settings": ["get"], "demo-data": ["--votes", "10"], "backup": ["-"], "restore": ["-"]}
    if words[1:] == ["settings", "set"]:
        words.append("revote=replace")
    if len(words) == 2:
        words += defaults.get(words[1], [])
    return " ".join(f"'{word}'" for word in words)


class Containers(CommandsTest):
    """Runs the commands in docs/containers.md with a stand-in for the container engine."""

    def commands_of(self, heading):
        blocks = [block.text for block in blocks_of(REPOSITORY / "docs/containers.md") if block.heading == heading]
        self.assertTrue(blocks, heading)
        return blocks

    def setUp(self):
        super().setUp()
        voter = Voter(sandbox.service, self.id())
        self.addCleanup(voter.close)
        self.assertEqual(200, voter.vote(1, 800).status)
        self.votes = self.count_votes()
        self.types("ratingctl settings set voter_cookie_days=77")
        self.addCleanup(sandbox.ratingctl, "settings", "reset", "voter_cookie_days")

    @staticmethod
    def count_votes():
        return sandbox.sql("SELECT COUNT(*) FROM wp_ratingd_votes").strip()

    def test_restore_what_they_have_saved(self):
        [back_up], [restore, repair] = self.commands_of("Backup"), self.commands_of("Restore")
        self.assertRegex(self.types(back_up), rf"The backup has {self.votes} votes?, .* and the secret /")
        file = self.reader.home / "ratingd.backup"
        self.assertEqual(0o600, file.stat().st_mode & 0o777)
        for begin in ("", "/tmp/backup has 3 votes, 0 aggregates and more\n"):  # of 0.3
            file.write_text(begin + file.read_text())
            if begin:
                self.assertNotEqual(0, self.reader.types(restore).returncode)
                self.types(repair)
            sandbox.sql("DELETE FROM wp_ratingd_votes; DELETE FROM wp_ratingd_settings;")
            self.assertIn("all sums match the votes", self.types(restore))
            self.assertEqual(self.votes, self.count_votes())
            self.assertEqual("77\n", self.types("ratingctl settings get voter_cookie_days"))

    def test_write_no_backup_to_a_terminal(self):
        [back_up] = self.commands_of("Backup")
        self.assertIn(" -T ", back_up)
        done = self.reader.types(back_up.replace(" -T ", " "))
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn("Standard output is a terminal", (self.reader.home / "ratingd.backup").read_text())

    def test_of_the_daily_work_run(self):
        [commands] = self.commands_of("Work")
        self.addCleanup(sandbox.ratingctl, "ticket-key", "remove", "shop")
        for line in commands.splitlines():
            with self.subTest(line):
                done = self.reader.types(line)
                # If the doctor command finds problems in the sandbox, its exit status is 1.
                self.assertIn(done.returncode, (0, 1) if "doctor" in line else (0,), done.stdout)
                self.assertNotIn("no such", done.stdout)


class Manual(CommandsTest):
    def test_examples_run(self):
        examples = [line for path in sorted(REPOSITORY.glob("man/*.in")) for line in examples_of_manual(path)]
        self.assertIn("sudo ratingctl status", examples)
        for line in examples:
            self.types(line)


class Ratingctl(CommandsTest):
    def test_adds_rotates_and_removes_a_ticket_key(self):
        """Uses a copy of the secret file, and types the arguments as an operator does."""
        secret = self.reader.etc / "secret"
        secret.write_bytes((sandbox.run_dir / "secret").read_bytes())

        def ticket_key(words):
            return self.types(f"ratingctl --secret-file={secret} ticket-key {words} 2>{self.reader.etc}/advice")

        first = ticket_key("add shop --rights administer,see_persons --may-forward")
        self.assertRegex(first, r"^[A-Za-z0-9_-]{43}\n$")
        second = ticket_key("add shop")
        self.assertNotEqual(first, second)
        advice = (self.reader.etc / "advice").read_text()
        self.assertRegex(advice, r"^Added shop \(HS256; administer,see_persons, may-forward, "
                                 r"sent by a server\) to .* Reload the")
        listed = ticket_key("list")
        self.assertEqual(2, listed.count("shop"), listed)
        self.assertNotIn(first.strip(), listed)
        ticket_key("remove shop --older")
        self.assertNotIn(first, secret.read_text())
        self.assertIn(second, secret.read_text())
        ticket_key("remove shop")
        self.assertNotIn("ticket-key shop hs256", secret.read_text())
        self.assertIn("removed-ticket-key shop\n", secret.read_text())

    def test_says_that_its_files_are_for_root(self):
        password = self.reader.etc / "ratingctl"
        password.chmod(0)
        command = "ratingctl status"
        if os.geteuid() == 0:
            # Run the command without the Linux capabilities that allow root to read every file.
            lost = "-dac_override,-dac_read_search"
            command = f"setpriv --inh-caps={lost} --bounding-set={lost} {command}"
        done = self.reader.types(command)
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertRegex(done.stdout, r"ratingctl: .*ratingctl\.conf:\d+: db-password-file .*"
                                      r": Permission denied\nRun it with sudo\.\n$")


if __name__ == "__main__":
    unittest.main()
