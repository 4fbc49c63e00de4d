#!/usr/bin/env python3
"""Tests setup, doctor, backup and removal with a server that stores all names of tables in lower case
(lower_case_table_names = 1). A site and a network have capitals in the names of their databases and tables."""

import pathlib
import re
import unittest

from fault_sandbox import wait_until  # first because it sets the module path
from network_sandbox import NETWORK_TABLES, new_site, row_of_site
from setup_machine import (
    CONFIG, ETC, SECONDS, SITE_FILE, SetupTest, machine, run_tests, set_up_module, state
)

API = "/wp-json/ratingd/v1"
NETWORK = pathlib.Path("/var/www/network/wp-config.php")
OF_NETWORK = ("--site=network", "--all-sites")


def setUpModule():
    if machine.mariadb.software.is_mysql:
        raise unittest.SkipTest("MySQL takes this option only when its data folder is made")
    machine.mariadb.options.append("--lower-case-table-names=1")
    set_up_module()
    use_capitals(CONFIG, "wordpress", "WordPress")


def use_capitals(config, database, same_database):
    text = config.read_text().replace(f"'DB_NAME', '{database}'", f"'DB_NAME', '{same_database}'")
    config.write_text(text.replace("'wp_'", "'WP_'"))


class Names(SetupTest):
    def findings(self, subject, *words, expected=0):
        """Returns what doctor reports about a subject."""
        lines = re.findall(rf"^\w+ +{subject}  .*$", self.doctor(*words, expected=expected), re.MULTILINE)
        return [re.sub(" +", " ", line) for line in lines]

    def change(self, statement, back):
        """Changes the database until the test ends."""
        self.addCleanup(machine.mariadb.execute, back)
        machine.mariadb.execute(statement)


class NamesOfASite(Names):
    def test_1_first_vote(self):
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--yes")
        self.assertIn("create the tables WP_ratingd_... in the database WordPress", said)
        machine.start_worker(ETC / "ratingd.conf", pathlib.Path("/run/ratingd/ratingd.sock"))
        self.assertTrue(wait_until(lambda: "ok" in machine.curl(f"{API}/health"), SECONDS))
        self.assertEqual(1, self.vote(API, 1))
        self.check_rates_published_only(API)

    def test_2_repeated_setup_changes_nothing(self):
        before = state()
        self.assertIn("There is nothing to do.", self.setup("--nginx", SITE_FILE, "--yes"))
        self.check_unchanged(before)

    def test_2_doctor_finds_no_fault(self):
        self.assertEqual(["ok excess the account has no unneeded privileges"], self.findings("excess"))
        self.assertEqual(["ok rights the account has the privileges that the workers require"],
                         self.findings("rights"))
        self.assertEqual(["ok engine all tables support transactions"], self.findings("engine"))

    def test_2_doctor_names_a_right_that_is_not_needed(self):
        grant = "INSERT ON wordpress.wp_posts"
        self.change(f"GRANT {grant} TO ratingd@localhost", f"REVOKE {grant} FROM ratingd@localhost")
        [said] = self.findings("excess")
        self.assertIn("the account has more privileges than the workers require: "
                      "INSERT on wordpress.wp_posts.", said)

    def test_2_doctor_names_a_missing_right(self):
        right = "DELETE ON wordpress.wp_ratingd_votes"
        self.change(f"REVOKE {right} FROM ratingd@localhost", f"GRANT {right} TO ratingd@localhost")
        [said] = self.findings("rights", expected=1)
        self.assertIn("the account lacks the privilege DELETE on WordPress.WP_ratingd_votes.", said)
        self.assertIn("grant them what \"ratingctl grants\" prints", self.setup("--dry-run"))

    def test_2_doctor_names_another_engine(self):
        table = "ALTER TABLE wordpress.wp_ratingd_reasons ENGINE = "
        self.change(f"{table} MyISAM", f"{table} InnoDB")
        [said] = self.findings("engine", expected=1)
        self.assertIn("wp_ratingd_reasons table does not support transactions", said)

    def test_3_backup_is_restored(self):
        backup = ETC / "votes.backup"
        self.addCleanup(backup.unlink)
        self.ratingctl("backup", backup)
        self.assertEqual(2, self.vote(API, 1) + self.vote(API, 2))  # the first vote replaces the earlier one
        self.ratingctl("restore", "--replace", backup)
        self.assertTrue(wait_until(lambda: self.votes(f"{API}/stats/2") == 0, SECONDS))
        self.assertEqual(1, self.votes(f"{API}/stats/1"))
        self.assertEqual("all sums match the votes\n", self.ratingctl("verify"))

    def test_3_votes_of_a_plugin_are_read(self):
        self.change("CREATE TABLE wordpress.wp_postmeta (meta_id BIGINT PRIMARY KEY, post_id BIGINT,"
                    " meta_key VARCHAR(255), meta_value LONGTEXT); INSERT INTO wordpress.wp_postmeta VALUES"
                    " (1, 1, '_kksr_casts', '3'), (2, 1, '_kksr_ratings', '12'), (3, 1, '_kksr_avg', '4')",
                    "DROP TABLE wordpress.wp_postmeta")
        machine.mariadb.execute(self.ratingctl("grants", "--from", "kk-star-ratings"))
        said = self.ratingctl("import", "--from", "kk-star-ratings", "--dry-run")
        self.assertIn("sums: of 1 object, with 3 votes", said)

    def test_4_drop_finds_all_tables(self):
        self.ratingctl("drop", "--confirm")
        self.assertEqual("", machine.mariadb.execute("SHOW TABLES FROM wordpress LIKE '%ratingd%'"))

    def test_5_removal_is_complete(self):
        said = self.setup("--remove", "--yes")
        self.assertIn("drop the database accounts ratingd@localhost", said)
        accounts = "SELECT COUNT(*) FROM mysql.user WHERE user LIKE 'rating%'"
        self.assertEqual("0\n", machine.mariadb.execute(accounts))


class NamesOfANetwork(Names):
    @classmethod
    def setUpClass(cls):
        machine.add_site("network", NETWORK, machine.url())
        (NETWORK.parent / "wp-content").mkdir()
        use_capitals(NETWORK, "network", "Network")
        NETWORK.write_text(NETWORK.read_text() +
                           "define( 'MULTISITE', true );\ndefine( 'SITE_ID_CURRENT_SITE', 1 );\n")
        host = f"example.org:{machine.port}"
        machine.mariadb.execute(f"USE network; {NETWORK_TABLES} {row_of_site(1, host, '/')}"
                                f" {new_site(2, host, '/two/')}")

    def test_1_first_vote(self):
        self.setup(*OF_NETWORK, "--wp-config", NETWORK, "--nginx", SITE_FILE, "--yes")
        machine.start_worker(ETC / "sites/network.conf", pathlib.Path("/run/ratingd/sites/network.sock"))
        self.assertTrue(wait_until(lambda: "ok" in machine.curl(f"{API}/health"), SECONDS))
        self.assertTrue(wait_until(lambda: machine.status(f"/two{API}/stats/1") == "200", SECONDS))
        self.assertEqual(1, self.vote(f"/two{API}", 1))

    def test_2_repeated_setup_changes_nothing(self):
        before = state()
        said = self.setup(*OF_NETWORK, "--wp-config", NETWORK, "--nginx", SITE_FILE, "--yes")
        self.assertIn("There is nothing to do.", said)
        self.check_unchanged(before)

    def test_2_doctor_finds_no_fault(self):
        said = self.doctor(*OF_NETWORK)
        for subject in ("excess", "rights", "engine", "schema"):
            self.assertNotIn(f" {subject} ", said)
        self.assertEqual(["ok network 2 sites have tables"], self.findings("network", "--site=network"))

    def test_2_doctor_names_a_right_that_is_not_needed(self):
        grant = "INSERT ON network.wp_2_posts"
        account = "ratingd_network@localhost"
        self.change(f"GRANT {grant} TO {account}", f"REVOKE {grant} FROM {account}")
        [said] = self.findings("excess", *OF_NETWORK)
        self.assertIn("more privileges than the workers require: INSERT on network.wp_2_posts.", said)

    def test_3_removal_is_complete(self):
        self.setup("--site=network", "--remove", "--yes")
        accounts = "SELECT COUNT(*) FROM mysql.user WHERE user LIKE 'rating%'"
        self.assertEqual("0\n", machine.mariadb.execute(accounts))


if __name__ == "__main__":
    run_tests()
