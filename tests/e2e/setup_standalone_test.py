#!/usr/bin/env python3
"""Tests two sites without WordPress on one host, from "ratingctl setup --cms none" to the first vote with a
ticket.
"""

import json
import pathlib
import re
import shlex
import subprocess

from fault_sandbox import wait_until  # first because it sets the module path
from setup_machine import (
    ETC, PLUGIN, SECONDS, SHOP, SITE_FILE, SetupTest, machine, run_tests, set_up_module, state
)
from ticket import claims_of, sign

NEW = ("--site=toys", "--cms=none", "--yes")


def setUpModule():
    set_up_module()


class Refused(SetupTest):
    """A refused setup changes nothing."""

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_contradictions(self):
        for words, says in [
                (["--cms=none"], "--cms require --site NAME"),
                (["--cms=drupal", "--site=toys"], '--cms can only be "none".'),
                (["--db-name=toys", "--site=toys"], "--db-name requires --cms none"),
                (["--time-zone=UTC"], "--time-zone requires --cms none"),
                ([*NEW, "--wp-config", SHOP], "--wp-config is only for a site with WordPress"),
                ([*NEW, "--blog-id=2"], "--blog-id is only for a site with WordPress"),
                ([*NEW, "--remove"], "--cms cannot be combined"),
                (NEW, "site-address is required with cms = none"),
                ([*NEW, "--site-address=example.org"], "--site-address must be an address"),
                ([*NEW, f"--site-address={machine.url()}/a b"], "Choose a path with --base-path"),
                ([*NEW, f"--site-address={machine.url()}", "--base-path=x"], "--base-path must be a path"),
                ([*NEW, f"--site-address={machine.url()}", "--time-zone=Mars"], "--time-zone must be a time"),
                ([*NEW, f"--site-address={machine.url()}", "--table-prefix=a-b"], "--table-prefix must be 1")]:
            self.assertIn(says, self.setup(*words, expected=1))

    def test_dry_run_shows_all(self):
        said = self.setup(*NEW, f"--site-address={machine.url()}", f"--nginx={SITE_FILE}", "--dry-run")
        self.assertIn(f"{machine.url()} (without WordPress, database ratingd_toys)", said)
        for action in ["write /etc/ratingd/sites/toys.conf", "create the database ratingd_toys",
                       "create the database accounts ratingd_toys@localhost", "create the secret",
                       "add the ticket key toys", "write /etc/ratingd/sites/toys/ticket-key (0600)",
                       "create the tables toys_ratingd_", f"add to {SITE_FILE}"]:
            self.assertIn(action, said)
        for part in ["wp-config", "plugin", "prove", "checked-site"]:
            self.assertNotIn(part, said)

    def test_all_is_undone_after_a_failure(self):
        broken = pathlib.Path("/etc/nginx/conf.d/broken.conf")
        broken.write_text("no_such_directive;\n")
        self.addCleanup(broken.unlink)
        said = self.setup(*NEW, f"--site-address={machine.url()}", f"--nginx={SITE_FILE}", expected=1)
        self.assertIn("All steps were undone.", said)
        self.assertEqual("", machine.mariadb.execute("SHOW DATABASES LIKE 'ratingd%'"))


class WithoutRoot(SetupTest):
    """The server refuses root, so an administrator also creates the database."""

    def test_statements_are_left_for_an_administrator(self):
        before = state()
        words = ["--site=alone", "--cms=none", f"--site-address={machine.url()}", "--yes"]
        with machine.without_root() as administrator:
            self.assertIn("sites/alone/accounts.sql", self.setup(*words, expected=1))
            self.assertFalse((ETC / "sites/alone/ticket-key").exists())
            sql = (ETC / "sites/alone/accounts.sql").read_text()
            subprocess.run(administrator, input=sql, text=True, check=True)
            self.assertIn("Move /etc/ratingd/sites/alone/ticket-key to", self.setup(*words))
        self.setup("--site=alone", "--remove", "--yes")
        machine.mariadb.execute("DROP DATABASE ratingd_alone")
        for name in ("secret", "ticket-key"):
            (ETC / "sites/alone" / name).unlink()
        subprocess.run(["rmdir", "--parents", "--ignore-fail-on-non-empty", ETC / "sites/alone"], check=True)
        self.check_unchanged(before)


class TwoSites(SetupTest):
    """A site with all options in an existing database, beside one with the defaults."""

    def options(self, site):
        """Returns the workers' configuration of the site."""
        return dict(re.findall(r"^([\w-]+) = (.*)$", (ETC / f"sites/{site}.conf").read_text(), re.MULTILINE))

    def vote_with_ticket(self, said, visitor):
        """Votes as a back end with the variables that setup shows."""
        shown = dict(word.split("=", 1) for word in shlex.split(said.splitlines()[-1]))
        key = pathlib.Path(shown["RATINGD_KEY_FILE"])
        self.assertEqual(0o600, key.stat().st_mode & 0o777)
        self.assertEqual((machine.url(), True), (shown["ORIGIN"], shown["PORT"].isdigit()))
        claims = claims_of(shown["RATINGD_KEY_NAME"], visitor, shown["RATINGD_SITE"], address="192.0.2.7")
        headers = ["-H", f"X-Ratingd-Ticket: {sign(key.read_text().strip(), claims)}"]
        path = shown["RATINGD_URL"].removeprefix(machine.url())
        self.assertTrue(wait_until(lambda: '"ok"' in machine.curl(path + "/health"), SECONDS))
        body = json.dumps({"object_id": 7, "object_type": "toy", "category": "binary", "value": 1})
        answer = json.loads(machine.curl(f"{path}/rate", *headers, "-d", body))
        return answer["stats"]["binary"]["total"]

    def test_1_first_vote_of_a_site_with_all_options(self):
        machine.mariadb.execute("CREATE DATABASE catalog")
        said = self.setup(*NEW, f"--site-address={machine.url()}", "--base-path=/ratings/v1",
                          "--time-zone=Europe/Berlin", "--db-name=catalog", "--table-prefix=x_",
                          f"--nginx={SITE_FILE}")
        self.assertIn("days counted in Europe/Berlin", said)
        self.assertFalse(any(ETC.rglob("wp-config.php")))
        self.assertFalse(PLUGIN.exists())
        machine.start_worker(ETC / "sites/toys.conf", pathlib.Path("/run/ratingd/sites/toys.sock"))
        self.assertEqual(1, self.vote_with_ticket(said, "anna"))
        self.assertEqual(1, self.vote_with_ticket(said, "anna"))
        self.assertEqual(2, self.vote_with_ticket(said, "berta"))
        self.assertEqual("2\n", machine.mariadb.execute("SELECT COUNT(*) FROM catalog.x_ratingd_votes"))

    def test_2_repeated_changes_nothing(self):
        before = state()
        words = ["--site=toys", "--db-name=catalog", f"--site-address={machine.url()}", "--yes"]
        self.assertIn("There is nothing to do.", self.setup(*words, "--cms=none"))
        self.assertIn("There is nothing to do.", self.setup("--site=toys", "--base-path=/ratings/v1"))
        said = self.setup("--site=toys", "--time-zone=UTC", expected=1)
        self.assertIn("the site is set up with time-zone = Europe/Berlin", said)
        self.check_unchanged(before)

    def test_3_second_site_beside_it(self):
        other = ["--cms=none", f"--site-address={machine.url()}/forum", f"--nginx={SITE_FILE}", "--yes"]
        said = self.setup("--site=again", "--db-name=catalog", "--table-prefix=x_", *other, expected=1)
        self.assertIn("this site is already set up (/etc/ratingd/sites/toys.conf)", said)
        said = self.setup("--site=forum", *other)
        expected = {"cms": "none", "db-name": "ratingd_forum", "table-prefix": "forum_", "time-zone": "UTC",
                    "base-path": "/forum/wp-json/ratingd/v1"}
        self.assertLessEqual(expected.items(), self.options("forum").items())
        machine.start_worker(ETC / "sites/forum.conf", pathlib.Path("/run/ratingd/sites/forum.sock"))
        self.assertEqual(1, self.vote_with_ticket(said, "anna"))
        self.assertEqual("2\n", machine.mariadb.execute("SELECT COUNT(*) FROM catalog.x_ratingd_votes"))
        self.doctor("--site=toys", expected=0)
        self.assertIn(f"--wp-config {SHOP}", self.setup("--yes", expected=1))  # WordPress sites are still found

    def test_4_units_need_no_wordpress(self):
        units = sorted(pathlib.Path("/etc/systemd/system").glob("ratingd-toys*"))
        for unit in units:
            self.assertNotRegex(unit.read_text(), r"(?i)wp.config")
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], check=False, capture_output=True,
                              text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        before = state()
        units[0].unlink()
        self.setup("--site=toys", "--units")  # an upgrade does this
        self.check_unchanged(before)

    def test_5_a_removed_site_leaves_the_other_and_its_votes(self):
        said = self.setup("--site=toys", "--remove", "--yes")
        self.assertIn("tables x_ratingd_... of the database catalog", said)
        self.assertEqual({"secret", "ticket-key"}, {path.name for path in (ETC / "sites/toys").iterdir()})
        self.assertEqual("", machine.mariadb.execute("SELECT user FROM mysql.user WHERE user LIKE '%_toys'"))
        self.assertEqual("2\n", machine.mariadb.execute("SELECT COUNT(*) FROM catalog.x_ratingd_votes"))
        self.assertIn('"ok"', machine.curl("/forum/wp-json/ratingd/v1/health"))
        # After the removal of a site, its secret and ticket key still exist. A new setup can use the ticket key of
        # a removed site only together with the site's secret.
        said = self.setup(*NEW, f"--site-address={machine.url()}", "--db-name=catalog", "--table-prefix=x_")
        self.assertIn("Move /etc/ratingd/sites/toys/ticket-key to", said)
        self.assertIn("toys", self.ratingctl("--site=toys", "ticket-key", "list"))


if __name__ == "__main__":
    run_tests()
