#!/usr/bin/env python3
"""Tests all steps from "ratingctl setup --all-sites" in a network to the first vote on a site in a folder, and
sites that are added later."""

import pathlib
import re
import subprocess

from fault_sandbox import wait_until  # first because it sets the module path
from network_sandbox import NETWORK_TABLES, new_site, row_of_site
from setup_machine import ETC, RATINGCTL, SECONDS, SITE_FILE, SetupTest, machine, run_tests, set_up_module, state

CONFIG = pathlib.Path("/var/www/network/wp-config.php")
WORDS = ["--site=network", "--all-sites", "--wp-config", CONFIG]
API = "/wp-json/ratingd/v1"


def setUpModule():
    set_up_module()
    machine.add_site("network", CONFIG, machine.url())
    (CONFIG.parent / "wp-content").mkdir()
    CONFIG.write_text(CONFIG.read_text() + "define( 'MULTISITE', true );\ndefine( 'SITE_ID_CURRENT_SITE', 1 );\n")
    add("example.org", 2, "/two/", first=True)


def add(host, number, path, first=False):
    host = f"{host}:{machine.port}"
    tables = NETWORK_TABLES + row_of_site(1, host, "/") if first else ""
    machine.mariadb.execute(f"USE network; {tables} {new_site(number, host, path)}")


class Network(SetupTest):
    @staticmethod
    def run_unit():
        """Does what ratingd-network-sites.service does, with its capabilities."""
        unit = pathlib.Path("/etc/systemd/system/ratingd-network-sites.service").read_text()
        words = re.search(r"^ExecStart=\S+/ratingctl (.*)$", unit, re.MULTILINE)[1].split()
        [capability] = re.findall(r"^CapabilityBoundingSet=CAP_(\w+)$", unit, re.MULTILINE)
        done = subprocess.run(["setpriv", "--no-new-privs", "--inh-caps=-all",
                               f"--bounding-set=-all,+{capability.lower()}", RATINGCTL, *words],
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        return done.stdout

    @staticmethod
    def run_client(client, statements):
        subprocess.run(client, input=statements, check=True, text=True)

    def test_0_setup_of_one_site_names_the_option_for_all(self):
        words = ["--site=network", "--wp-config", CONFIG, "--nginx", SITE_FILE, "--dry-run"]
        said = self.setup(*words)
        self.assertIn("WordPress is a network of sites (MULTISITE), and this setup serves only its first", said)
        self.assertIn("repeat the command with --all-sites", said)
        for choice in ["--all-sites", "--blog-id=1"]:
            self.assertNotIn("MULTISITE", self.setup(*words, choice))

    def test_1_is_set_up_with_all_sites(self):
        said = self.setup(*WORDS, "--nginx", SITE_FILE, "--yes")
        self.assertIn("create or update the tables of the other sites of the network", said)
        for file in [ETC / "sites/network.conf", ETC / "sites/network/ratingctl.conf"]:
            self.assertIn("\nall-sites = yes\n", file.read_text())
        self.assertIn("migrate --all-sites --new\n",
                      pathlib.Path("/etc/systemd/system/ratingd-network-sites.service").read_text())
        machine.start_worker(ETC / "sites/network.conf", pathlib.Path("/run/ratingd/sites/network.sock"))
        self.assertTrue(wait_until(lambda: "ok" in machine.curl(f"{API}/health"), SECONDS))
        self.assertTrue(wait_until(lambda: machine.status(f"/two{API}/stats/1") == "200", SECONDS))
        self.assertEqual(1, self.vote(f"/two{API}", 1))
        self.assertEqual(0, self.votes(f"{API}/stats/1"))

    def test_2_repeated_changes_nothing(self):
        before = state()
        self.assertIn("There is nothing to do.", self.setup(*WORDS, "--nginx", SITE_FILE, "--yes"))
        self.assertIn("There is nothing to do.", self.setup("--site=network"))
        self.check_unchanged(before)

    def test_2_is_examined_by_site(self):
        said = self.doctor("--site=network", "--all-sites")
        self.assertNotIn("web server", said)
        self.assertNotRegex(said, "(?m)^ok ")
        self.assertRegex(said, r"(?m)^2 sites: \d ok, \d with warnings only, 0 with failures$")

    def test_2_closed_site_is_no_failure(self):
        machine.mariadb.execute("UPDATE network.wp_blogs SET archived = 1 WHERE blog_id = 2")
        self.addCleanup(machine.mariadb.execute, "UPDATE network.wp_blogs SET archived = 0 WHERE blog_id = 2")
        self.assertTrue(wait_until(lambda: machine.status(f"/two{API}/health") == "410", SECONDS))
        self.assertNotIn("web server", self.doctor("--site=network", "--all-sites"))

    def test_2_flags_that_make_no_sense_are_refused(self):
        self.assertIn("require --site NAME", self.setup("--all-sites", expected=1))
        self.assertIn("--blog-id and --all-sites", self.setup(*WORDS, "--blog-id=2", expected=1))
        said = self.setup("--site=network", "--all-sites", "--remove", expected=1)
        self.assertIn("--all-sites cannot be combined with --remove", said)

    def test_3_new_site_gets_rights_and_tables(self):
        add("example.org", 3, "/three/")
        self.assertTrue(wait_until(lambda: machine.status(f"/three{API}/stats/1") == "503", SECONDS))
        self.assertIn("run: ratingctl migrate --all-sites --site network", machine.curl(f"/three{API}/stats/1"))
        self.assertIn("site 3, example.org/three:\napplied", self.run_unit())
        self.assertEqual("", self.run_unit())
        self.assertTrue(wait_until(lambda: machine.status(f"/three{API}/stats/1") == "200", SECONDS))
        self.assertEqual(1, self.vote(f"/three{API}", 1))
        self.check_rates_published_only(f"/three{API}")

    def test_3_setup_makes_tables_of_a_new_site_too(self):
        add("example.org", 4, "/four/")
        self.assertIn("create or update the tables of the other sites", self.setup("--site=network", "--yes"))
        self.assertTrue(wait_until(lambda: machine.status(f"/four{API}/stats/1") == "200", SECONDS))

    def test_3_site_without_its_tables_is_no_success(self):
        add("example.org", 6, "/six/")
        machine.mariadb.execute("RENAME TABLE network.wp_6_posts TO network.posts_of_six")
        said = self.setup("--site=network", "--yes", expected=1)
        self.assertIn("The service is at ", said)
        self.assertIn("run: ratingctl migrate --all-sites --site network", said)
        machine.mariadb.execute("RENAME TABLE network.posts_of_six TO network.wp_6_posts")
        said = self.ratingctl("migrate", "--all-sites", "--site=network")
        self.assertIn("site 6, example.org/six:\napplied", said)
        self.assertIn("There is nothing to do.", self.setup("--site=network"))

    def test_4_administrator_gives_rights_where_root_cannot(self):
        with machine.without_root() as client:
            host = f"example.org:{machine.port}"
            self.run_client(client, f"USE network; {new_site(5, host, '/five/')}")
            words = ["--site=network", "migrate", "--all-sites", "--new"]
            done = subprocess.run([RATINGCTL, *words], check=False, capture_output=True, text=True)
            self.assertEqual(1, done.returncode)
            said = done.stderr
            self.assertIn("on the tables of site 5, and setup could not grant them: root cannot use", said)
            self.assertIn("run: ratingctl grants --all-sites --site network | mariadb", said)
            self.run_client(client, self.ratingctl("grants", "--all-sites", "--site=network"))
            self.assertIn("site 5, example.org/five:\napplied", self.ratingctl(*words))

    def test_5_is_removed(self):
        self.assertIn("Removal of", self.setup("--site=network", "--remove", "--yes"))
        self.assertFalse(pathlib.Path("/etc/systemd/system/ratingd-network-sites.timer").exists())


if __name__ == "__main__":
    run_tests()
