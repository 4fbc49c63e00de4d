#!/usr/bin/env python3
"""Tests "ratingctl backup" and "ratingctl restore" beside running workers. A backup is made while votes arrive. It
is restored into another host's empty database, and into a database that receives votes."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

from fault_sandbox import FaultSandbox  # first because it sets the module path
from voting import Load, Voter, fresh_objects, poll
from mariadb import ServerError

SECONDS = 30


class Site(FaultSandbox):
    def command(self, *words):
        return [self.build_dir / "ratingctl", *self._cms_options(), *self._own_files(), *words]

    def start_ratingctl(self, *words, **options):
        """Starts ratingctl without waiting for its end."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen(self.command(*words), env=self._account("ratingctl"), **{**streams, **options})

    def back_up(self, *words):
        """Makes a backup. Returns standard error. Standard output is empty unless the backup is written there."""
        done = self.start_ratingctl("backup", *words)
        said, _ = done.communicate()
        if done.returncode != 0:
            raise ServerError(said)
        return said

    def replace_workers(self):
        """Replaces the workers as a reload does."""
        for worker in self.workers():
            self.restart_worker(worker)

    @property
    def secret(self):
        return self.run_dir / "secret"

    def content(self):
        """Returns a checksum of each table that a restore replaces."""
        names = ["votes", "voters", "totals", "daily", "site_daily", "reach", "settings", "rollup_state"]
        return self.sql("CHECKSUM TABLE " + ", ".join(f"wp_ratingd_{name}" for name in names))


site, other = Site(), Site("-other")


def setUpModule():
    for each in (site, other):
        unittest.addModuleCleanup(each.stop_cleanly)
        each.start()


class BackupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "site.backup"

    def voters(self, count):
        """Returns voters that have voted. Every second voter has only a cookie."""
        voters = [Voter(site.service, f"{self.id()} {i}", has_token=i % 2 == 0) for i in range(count)]
        for voter in voters:
            self.addCleanup(voter.close)
            for object_id in fresh_objects(3):
                self.assertEqual(200, voter.vote(object_id, 800).status)
        return voters

    def load(self):
        load = Load(site.service, 16, fresh_objects(20))
        self.addCleanup(load.close)
        return load

    def refusal(self, box, *words):
        with self.assertRaises(ServerError) as caught:
            box.ratingctl(*words)
        return str(caught.exception)


class AnotherHost(BackupTest):
    def test_has_the_votes_and_knows_the_voters(self):
        voters = self.voters(10)
        site.ratingctl("settings", "set", "voter_cookie_days=77")
        self.addCleanup(site.ratingctl, "settings", "reset", "voter_cookie_days")
        with self.load() as load:
            load.wait_for_votes(200)
            said = site.back_up("--with-secret", str(self.file))
            load.wait_for_votes(200)
        self.assertEqual([], load.failures)
        self.assertRegex(said, r"site\.backup has \d+ votes, 0 aggregates, 1 setting and 0 templates of 20\S+Z,"
                               r" and the secret /")
        own_secret = other.secret.read_text()

        self.assertIn("--with-secret", self.refusal(other, "restore", str(self.file)))
        self.assertEqual("0", other.sql("SELECT COUNT(*) FROM wp_ratingd_votes").strip())
        other.ratingctl("restore", "--keep-secret", str(self.file))
        self.assertEqual(own_secret, other.secret.read_text())
        said = other.ratingctl("restore", "--replace", "--with-secret", str(self.file))

        self.assertRegex(said, r"Data that was erased after 20\S+Z is there again")
        self.assertEqual(site.secret.read_text(), other.secret.read_text())
        [kept] = other.run_dir.glob("secret.2*")
        self.assertEqual(own_secret, kept.read_text())
        other.verify()
        other.replace_workers()
        for voter in voters:
            voter.service = other.service
            there = Voter(other.service, voter.name, has_token=voter.has_token)
            self.addCleanup(there.close)
            there.cookie, there._device = voter.cookie, voter._device
            self.assertEqual(voter.rated, there.own_ratings(), voter.name)
        self.assertIn("77", other.ratingctl("settings", "get", "voter_cookie_days"))


class RunningSite(BackupTest):
    def test_votes_wait_for_a_restore_and_none_is_lost_after_it(self):
        voters = self.voters(3)
        site.ratingctl("backup", str(self.file))
        with self.load() as load:
            load.wait_for_votes(300)
            self.assertIn("The tables hold votes.", self.refusal(site, "restore", str(self.file)))
            site.ratingctl("restore", "--replace", str(self.file))
            confirmed = [dict(voter.rated) for voter in load.voters]
            load.wait_for_votes(300)
        self.assertLessEqual({answer.status for answer in load.failures}, {503})
        site.verify()
        for voter in voters:
            self.assertEqual(voter.rated, voter.own_ratings())
        for voter, early in zip(load.voters, confirmed, strict=True):
            own = voter.own_ratings()
            for object_id, value in voter.rated.items():
                if early.get(object_id) != value:  # confirmed after the restore
                    self.assertEqual(value, own.get(object_id), voter.name)

    def test_a_killed_restore_changes_nothing(self):
        self.voters(3)
        site.ratingctl("backup", str(self.file))
        self.voters(3)
        before = site.content()
        with site.session() as session:
            session.run("BEGIN; INSERT INTO wp_ratingd_state VALUES ('locked', '');")
            restoring = site.start_ratingctl("restore", "--replace", str(self.file))
            self.addCleanup(restoring.stdout.close)
            poll(lambda: site.row_lock_waits() > 0, "the restore waits", SECONDS)
            restoring.kill()
            restoring.wait()
        poll(lambda: not site.sessions("ratingctl"), "its session has ended", SECONDS)
        self.assertEqual(before, site.content())
        site.verify()


class GreatestObject(BackupTest):
    """Anybody can vote on the object with the greatest id, so no command may treat this id as the end of the
    ids."""

    ID = 2**63 - 1

    def setUp(self):
        super().setUp()
        self.voter = Voter(site.service, self.id())
        self.addCleanup(self.voter.close)
        self.assertEqual(200, self.voter.vote(self.ID, 800).status)
        self.before = self.rows(self.ID)
        self.assertNotEqual("", self.before)

    @staticmethod
    def rows(object_id):
        return site.sql(f"SELECT voter, value, rated_at FROM wp_ratingd_votes WHERE object_id = {object_id}"
                        " ORDER BY voter")

    def test_is_verified_and_rebuilt(self):
        site.verify()
        site.ratingctl("rebuild")
        site.verify()
        self.assertEqual(200, self.voter.vote(self.ID, 400).status)
        site.verify()

    def test_is_in_backups_and_exports(self):
        exported = self.folder / "all.ndjson"
        site.ratingctl("backup", str(self.file))
        site.ratingctl("export", str(exported))
        site.ratingctl("clean", "ratings", f"--object={self.ID}", "--confirm")
        self.assertEqual("", self.rows(self.ID))
        site.verify()  # its totals are zero
        site.ratingctl("import", str(exported))
        self.assertEqual(self.before, self.rows(self.ID))
        site.verify()
        site.ratingctl("restore", "--replace", str(self.file))
        self.assertEqual(self.before, self.rows(self.ID))
        site.verify()

    def test_is_merged_and_maintained(self):
        pairs = self.folder / "pairs"
        [other] = fresh_objects(1)
        for from_id, into_id in ((self.ID, other), (other, self.ID)):
            pairs.write_text(f"{from_id},{into_id}\n")
            site.ratingctl("merge", str(pairs))
            self.assertEqual(("", self.before), (self.rows(from_id), self.rows(into_id)))
            site.verify()
        site.ratingctl("maintain")
        site.ratingctl("maintain", "--orphans=remove")
        self.assertEqual("", self.rows(self.ID))
        site.verify()


class Output(BackupTest):
    def test_that_cannot_be_written_is_a_failure(self):
        for words in [("settings", "get"), ("doctor",), ("--version",)]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = site.start_ratingctl(*words, stdout=full, stderr=subprocess.PIPE)
                _, said = done.communicate()
            self.assertEqual(1, done.returncode, words)
            self.assertIn("ratingctl: standard output: No space left on device", said)

    def test_for_people_may_get_lost(self):
        self.voters(1)
        for lose in (lambda: os.close(2), lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 2)):
            with self.assertRaises(FileNotFoundError):
                self.file.stat()
            for words in [("export", str(self.file)), ("import", str(self.file)),
                          ("clean", "addresses", "--all", "--confirm")]:
                done = site.start_ratingctl(*words, stderr=None, preexec_fn=lose)
                said, _ = done.communicate()
                self.assertEqual(0, done.returncode, (words, said))
            self.file.unlink()

    def test_and_input_that_are_closed_are_not_replaced_by_the_databases_session(self):
        done = site.start_ratingctl("import", "-", preexec_fn=lambda: os.close(0))
        self.addCleanup(done.kill)
        said, _ = done.communicate(timeout=SECONDS)
        self.assertEqual(1, done.returncode)
        self.assertIn("standard input: Bad file descriptor", said)


class File(BackupTest):
    def test_is_for_its_owner_alone_and_replaces_no_other(self):
        old_mask = os.umask(0)
        self.addCleanup(os.umask, old_mask)
        said = site.back_up(str(self.file))
        self.assertIn(f"the secret {site.secret}, which identifies voters", said)
        self.assertEqual(0o600, self.file.stat().st_mode & 0o7777)
        self.assertNotIn(site.secret.read_text().split()[0], self.file.read_text())
        self.assertIn("has no secret", self.refusal(site, "restore", "--replace", "--with-secret", str(self.file)))
        self.assertIn(f"The backup has no secret. If {site.secret} has changed since the backup, all",
                      site.ratingctl("restore", "--replace", str(self.file)))
        text = self.file.read_bytes()
        self.assertIn("never overwrites a file", self.refusal(site, "backup", str(self.file)))
        (self.folder / "link").symlink_to(self.folder / "nothing")
        self.assertIn("never overwrites a file", self.refusal(site, "backup", str(self.folder / "link")))
        self.assertEqual(text, self.file.read_bytes())
        self.assertEqual({"site.backup", "link"}, set(os.listdir(self.folder)))

    def test_is_not_there_if_the_disk_is_full(self):
        self.voters(1)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

        done = site.start_ratingctl("backup", str(self.file), preexec_fn=limit, restore_signals=False)
        said, _ = done.communicate()
        self.assertEqual(1, done.returncode, said)
        self.assertIn("File too large", said)
        self.assertEqual([], os.listdir(self.folder))

    def test_is_not_there_if_the_backup_was_interrupted(self):
        with site.session() as session:
            session.run("LOCK TABLES wp_ratingd_users WRITE;")
            backing_up = site.start_ratingctl("backup", str(self.file))
            poll(lambda: any(path.stat().st_size for path in self.folder.iterdir()), "it has begun", SECONDS)
            backing_up.send_signal(signal.SIGTERM)
            session.run("UNLOCK TABLES;")
            said, _ = backing_up.communicate()
        self.assertEqual(1, backing_up.returncode, said)
        self.assertIn("interrupted", said)
        self.assertEqual([], os.listdir(self.folder))

    def pipe_of(self, file):
        reader = subprocess.Popen(["cat", file], stdout=subprocess.PIPE)
        self.addCleanup(reader.wait)
        return reader.stdout

    def test_may_be_standard_output_and_standard_input(self):
        self.voters(2)
        before = site.content()
        with self.file.open("w") as file:
            done = site.start_ratingctl("backup", "-", stdout=file, stderr=subprocess.PIPE)
            _, said = done.communicate()
        self.assertEqual(0, done.returncode, said)
        self.assertIn("The backup has ", said)
        for source in (self.file.open(), self.pipe_of(self.file)):
            self.voters(1)
            with source:
                done = site.start_ratingctl("restore", "--replace", "-", stdin=source)
                said, _ = done.communicate()
            self.assertEqual(0, done.returncode, said)
            self.assertEqual(before.split("wp_ratingd_totals")[0], site.content().split("wp_ratingd_totals")[0])
            site.verify()

    def test_that_is_no_backup_is_refused_with_its_line(self):
        site.ratingctl("backup", str(self.file))
        damaged = self.folder / "damaged"
        shutil.copy(self.file, damaged)
        text = damaged.read_bytes()
        damaged.write_bytes(text.replace(b'"table":"totals"', b'"table":"totalS"'))
        self.assertRegex(self.refusal(site, "restore", "--replace", str(damaged)),
                         r"line \d+: The checksum is wrong")
        self.assertIn("is not a file", self.refusal(site, "restore", "/dev/zero"))


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
