#!/usr/bin/env python3
"""Tests an upgrade of the tables while workers run, and what workers report about tables from other versions.
Starts its own sandbox."""

import random
import unittest

from fault_sandbox import FaultSandbox, wait_until
from voting import Load, Voter

# Workers check the version of the tables every second, but running requests or a busy machine can delay the
# reaction.
END_SECONDS = 10


class UpgradedSandbox(FaultSandbox):
    def __init__(self):
        super().__init__()
        self.children = []

    def _start_worker(self, *options):
        self.children.append(super()._start_worker(*options))
        return self.children[-1]

    def version(self):
        return int(self.sql("SELECT MAX(version) FROM wp_ratingd_schema"))

    def migrate(self):
        """Migrates as the next version would. The migration is invented. Like all migrations, it only adds tables
        and columns."""
        version = self.version() + 1
        self.sql(f"""
            CREATE TABLE wp_ratingd_further_{version} (id INT NOT NULL PRIMARY KEY) ENGINE=InnoDB;
            ALTER TABLE wp_ratingd_votes ADD COLUMN further_{version} INT NOT NULL DEFAULT 0;
            ALTER TABLE wp_ratingd_totals ADD COLUMN further_{version} INT NOT NULL DEFAULT 0;
            INSERT INTO wp_ratingd_schema VALUES ({version}, UTC_TIMESTAMP());""")

    def start_workers(self):
        for _ in range(2):
            self._start_worker()

    def started_in_vain(self):
        """Starts a worker that must end. Returns its exit status and its last message."""
        status = self._start_worker().wait(END_SECONDS)
        return status, (self.log_dir / "ratingd.log").read_text().splitlines()[-1]


class Upgrade(unittest.TestCase):
    """The tests run in the order of their names. Each begins with the tables of the test before."""

    @classmethod
    def setUpClass(cls):
        cls.box = UpgradedSandbox()
        cls.addClassCleanup(cls.box.stop_cleanly)
        cls.box.start()
        cls.own_version = cls.box.version()

    def new_load(self):
        first = random.randrange(10**17, 9 * 10**17)
        load = Load(self.box.service, 16, list(range(first, first + 20)))
        self.addCleanup(load.close)
        return load

    def check_nothing_lost(self, load):
        for voter in load.voters:
            self.assertEqual(voter.rated, voter.own_ratings(), voter.name)
        self.box.verify()

    def test_1_tables_of_the_next_version_are_borne_without_a_gap(self):
        with self.new_load() as load:
            load.wait_for_votes(300)
            self.box.migrate()
            load.wait_for_votes(300)
            for worker in self.box.workers():
                self.box.restart_worker(worker)
                load.wait_for_votes(100)
        self.assertEqual([], load.failures)
        self.check_nothing_lost(load)

    def test_2_tables_two_versions_newer_end_the_workers(self):
        advice = (f"ratingd: The tables have version {self.own_version + 2}, but this program requires"
                  f" version {self.own_version}. Install the newer version of ratingd.")
        box = self.box
        running = [child for child in box.children if child.poll() is None]
        with self.new_load() as load:
            load.wait_for_votes(300)
            with box.workers_waiting_for_lists():
                box.migrate()
                self.assertEqual([1, 1], [child.wait(END_SECONDS) for child in running])
            log = (box.log_dir / "ratingd.log").read_text().splitlines()
            self.assertEqual([advice, advice], [line for line in log if line == advice])
            self.assertEqual((1, advice), box.started_in_vain())
            # Simulate an upgrade of the workers by removing the newer versions from the schema table.
            box.sql(f"DELETE FROM wp_ratingd_schema WHERE version > {self.own_version}")
            box.start_workers()
            load.wait_for_votes(300)
        self.check_nothing_lost(load)

    def test_3_older_tables_are_for_ratingctl(self):
        box = self.box
        for worker in box.workers():
            worker.stop(END_SECONDS)
        box.sql("DELETE FROM wp_ratingd_schema WHERE version > 1")
        box.sql("DROP TABLE wp_ratingd_visitors")
        status, said = box.started_in_vain()
        self.assertEqual(1, status)
        self.assertTrue(said.endswith("Run ratingctl setup, or ratingctl migrate if you manage the database "
                                      "accounts yourself."), said)
        # Version 0.1 used the ratingd_fingerprints table to recognize voters.
        box.sql("INSERT INTO wp_ratingd_fingerprints VALUES (REPEAT('f', 16), 1, UTC_TIMESTAMP())")
        box.ratingctl("migrate")
        self.assertEqual("0", box.sql("SELECT COUNT(*) FROM wp_ratingd_fingerprints").strip())
        box.start_workers()
        voter = Voter(box.service, "voter")
        self.addCleanup(voter.close)
        self.assertTrue(wait_until(lambda: voter.ask("GET", "/health").status == 200, END_SECONDS))

    def test_4_tables_that_are_dropped_end_the_workers(self):
        box = self.box
        running = [child for child in box.children if child.poll() is None]
        box.sql(f"DROP TABLE wp_ratingd_further_{self.own_version + 1},"
                f" wp_ratingd_further_{self.own_version + 2}")
        before = set(box.sql("SHOW TABLES").split())
        self.assertIn("Nothing was removed", box.ratingctl("drop"))
        self.assertIn("Removed all", box.ratingctl("drop", "--confirm"))
        self.assertEqual([1, 1], [child.wait(END_SECONDS) for child in running])
        after = set(box.sql("SHOW TABLES").split())
        self.assertEqual({name for name in before if not name.startswith("wp_ratingd_")}, after)


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore", failfast=True)
