#!/usr/bin/env python3
"""Tests all sites in a WordPress network behind one worker pool: at the network's own URL, in a folder, and at
a separate host. Ratings belong to one site, but logins are shared."""

import concurrent.futures
import contextlib
import itertools
import json
import os
import subprocess
import tempfile
import threading
import unittest

from fault_sandbox import wait_until  # first because it sets the module path
import exposition
from browser import API, Browser
from plugin_sandbox import Site
from voting import poll
from wordpress_stack import ADMINISTRATOR

NETWORK = """
define( 'MULTISITE', true );
define( 'SUBDOMAIN_INSTALL', true );
define( 'DOMAIN_CURRENT_SITE', '127.0.0.1:@PORT@' );
define( 'PATH_CURRENT_SITE', '/' );
define( 'SITE_ID_CURRENT_SITE', 1 );
define( 'BLOG_ID_CURRENT_SITE', 1 );
define( 'COOKIE_DOMAIN', '' );
define( 'COOKIEHASH', 'network' );
$_SERVER['HTTP_HOST'] = $_SERVER['HTTP_HOST'] ?? DOMAIN_CURRENT_SITE;
"""

CALLS = """<?php
// What wp-admin/network.php does.
function test_make_network( $domain ) {
	define( 'WP_INSTALLING_NETWORK', true );
	foreach ( $GLOBALS['wpdb']->tables( 'ms_global' ) as $table => $name ) {
		$GLOBALS['wpdb']->$table = $name;
	}
	require_once ABSPATH . 'wp-admin/includes/upgrade.php';
	make_db_current_silent( 'global' );
	return populate_network( 1, $domain, 'admin@example.org', 'Network', '/', false );
}

function test_add_site( $domain, $path ) {
	$site = wp_insert_site( array( 'domain' => 'new.example.org', 'path' => $path, 'user_id' => 1 ) );
	// WordPress takes no port here.
	$GLOBALS['wpdb']->update( $GLOBALS['wpdb']->blogs, array( 'domain' => $domain ), array( 'blog_id' => $site ) );
	switch_to_blog( $site );
	update_option( 'home', "http://$domain" . rtrim( $path, '/' ) );
	update_option( 'siteurl', "http://$domain" . rtrim( $path, '/' ) );
	update_option( 'permalink_structure', '/%postname%/' );
	return $site;
}

function test_add_user( $site, $login, $role ) {
	$user = wp_create_user( $login, $login, "$login@example.org" );
	remove_user_from_blog( $user, 1 );
	add_user_to_blog( $site, $user, $role );
	return $user;
}
"""


class Network(Site):
    def _create_site(self):
        super()._create_site()
        self.must_use("calls", CALLS)
        self.call("test_make_network", f"127.0.0.1:{self.port}")
        network = NETWORK.replace("@PORT@", str(self.port))
        self.wp_config.write_text(self.wp_config.read_text().replace("\nrequire_once", f"{network}\nrequire_once"))
        self.in_folder = self.call("test_add_site", f"127.0.0.1:{self.port}", "/two/")
        self.at_host = self.call("test_add_site", f"localhost:{self.port}", "/")

    def _prepare_site(self):
        self._create_database()
        self._make_secret()
        self.mariadb().execute(self.ratingctl("grants"))  # permission to read the list of sites
        self.make_tables()
        # Raise the limits, because all votes in the tests come from one address.
        self.ratingctl("settings", "set", "--all-sites", "rate_limit_write=100000",
                       "max_new_voters_per_address_per_object=100000")

    def make_tables(self):
        """Makes the tables of sites without tables, as the timer does."""
        self.mariadb().execute(self.ratingctl("grants", "--all-sites"))
        self._make_tables()
        self.ratingctl("migrate", "--all-sites")

    def _account(self, name):
        return {**super()._account(name), "RATINGD_ALL_SITES": "yes"}

    def _site_locations(self):
        # The rewrite rule recommended by WordPress's documentation for networks with sites in folders.
        return "rewrite ^/[^/]+(/wp-.*) $1 last;\n" + super()._site_locations()


site = Network("network")


def setUpModule():
    site.start()
    unittest.addModuleCleanup(site.stop_cleanly)


class NetworkTest(unittest.TestCase):
    # The host name and the path of each site.
    PLACES = (("127.0.0.1", ""), ("127.0.0.1", "/two"), ("localhost", ""))

    def browsers(self):
        return [Browser(f"http://{host}:{site.port}{path}") for host, path in self.PLACES]

    @staticmethod
    def read(browser, path, **headers):
        answer = browser.ask("GET", API + path, **headers)
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status} {answer.body}")
        return json.loads(answer.body)

    @staticmethod
    def wait_for(status, browser, method, path):
        """Returns the response as soon as it has this status. Each worker notices changes to sites at a different
        time."""
        def answer():
            found = browser.ask(method, API + path)
            return found if found.status == status else None

        return poll(answer, f"{method} {path} is answered with {status}", 20)

    def total(self, browser, object_id):
        return self.read(browser, f"/stats/{object_id}")["stats"]["binary"]["total"]


class Sites(NetworkTest):
    def test_count_their_own_votes(self):
        for number, place in enumerate(self.browsers()):
            for _ in range(number):
                self.assertEqual(200, place.another().rate(101, 1).status)
        self.assertEqual([0, 1, 2], [self.total(browser, 101) for browser in self.browsers()])
        site.ratingctl("verify", "--all-sites")

    def test_are_counted_in_the_metrics(self):
        def votes():
            families = exposition.parse(self.browsers()[0].ask("GET", API + "/metrics").body.decode())
            samples = families["ratingd_site_votes_total"].samples
            return {dict(labels)["site"]: number for (_, labels), number in samples.items()}

        before = votes()
        self.assertEqual(200, self.browsers()[1].rate(103, 1).status)
        after = votes()
        in_folder = str(site.in_folder)
        self.assertEqual(before.get(in_folder, 0) + 1, after.pop(in_folder))
        before.pop(in_folder, None)
        self.assertEqual(before, after)

    def test_know_a_device_as_voters_of_their_own(self):
        device = {"X_Ratingd_Device": "the-same-device-on-all-sites"}
        for browser in self.browsers():
            self.assertEqual(200, browser.rate(102, 1, **device).status)
            self.assertEqual(1, self.total(browser, 102))
        voters = site.rows("SELECT voter FROM wp_ratingd_votes WHERE object_id = 102 UNION SELECT voter FROM "
                           f"wp_{site.in_folder}_ratingd_votes WHERE object_id = 102 UNION SELECT voter FROM "
                           f"wp_{site.at_host}_ratingd_votes WHERE object_id = 102")
        self.assertEqual(3, len(voters))

    def test_answer_404_to_other_addresses(self):
        for host, path in (("127.0.0.1", "/three"), ("localhost", "/two"), ("example.org", "")):
            browser = Browser(f"http://127.0.0.1:{site.port}{path}")
            answer = browser.ask("GET", f"{API}/stats/1", Host=host)
            self.assertEqual(404, answer.status, (host, path))

    def test_have_scripts_and_pages(self):
        for browser in self.browsers():
            for path in ("/ratingd-widget.js", "/admin/", "/admin/ratingd-admin.js"):
                self.assertEqual(200, browser.ask("GET", API + path).status, path)

    def test_new_one_is_served_without_a_restart(self):
        blog_id = site.call("test_add_site", f"127.0.0.1:{site.port}", "/new/")
        browser = Browser(f"{site.url}/new")
        answer = self.wait_for(503, browser, "GET", "/stats/1")
        self.assertIn("ratingctl migrate --all-sites", json.loads(answer.body)["message"])
        site.make_tables()
        self.assertTrue(wait_until(lambda: browser.rate(1, 1).status == 200, 20))
        self.assertIn(b'"total":1', self.wait_for(200, browser, "GET", "/stats/1").body)

        site.call("update_blog_status", blog_id, "archived", "1")
        for method, path in (("GET", "/stats/1"), ("POST", "/rate"), ("GET", "/public/stats/1")):
            answer = self.wait_for(410, browser, method, path)
            self.assertEqual("ratingd_site_closed", json.loads(answer.body)["code"], path)
        self.assertEqual(410, browser.ask("GET", "/").status)  # WordPress does the same
        closed = f"{site.url}/new{API}/stats/1"
        done = subprocess.run(["curl", "-si", closed], check=True, capture_output=True, text=True)
        self.assertEqual("HTTP/1.1 410 Gone", done.stdout.splitlines()[0])

        site.call("update_blog_status", blog_id, "archived", "0")
        self.assertIn(b'"total":1', self.wait_for(200, browser, "GET", "/stats/1").body)


class Backup(NetworkTest):
    def test_of_all_sites_brings_everything_back_after_a_drop(self):
        """Runs the commands in docs/networks.md."""
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="ratingd-"))
        for browser, votes in zip(self.browsers(), (1, 2, 3), strict=True):
            for _ in range(votes):
                self.assertEqual(200, browser.another().rate(501, 1).status)
        site.ratingctl("backup", "--all-sites", "--with-secret", folder)
        self.assertEqual({f"site-{blog_id}.backup" for blog_id in (1, site.in_folder, site.at_host)},
                         set(os.listdir(folder)))
        site.stop_workers()
        try:
            site.ratingctl("drop", "--all-sites", "--confirm")
            self.assertEqual([], site.rows("SHOW TABLES LIKE '%ratingd%'"))
            site.ratingctl("migrate", "--all-sites")
            site.ratingctl("restore", "--all-sites", folder)
        finally:
            site.start_workers()
        for browser, votes in zip(self.browsers(), (1, 2, 3), strict=True):
            self.wait_for(200, browser, "GET", "/stats/501")
            self.assertEqual(votes, self.total(browser, 501))
            self.assertEqual(200, browser.rate(501, 1).status)
        site.ratingctl("verify", "--all-sites")


class Settings(NetworkTest):
    def test_that_the_network_fixes_are_those_of_each_site(self):
        def all_votes_are(status):
            return wait_until(lambda: {browser.another().rate(104, 1).status
                                       for browser in self.browsers() for _ in range(20)} == {status}, 20)

        site.ratingctl("settings", "set", "--all-sites", "enabled=false", "max_ratings_per_voter_per_day=77")
        self.addCleanup(lambda: self.assertTrue(all_votes_are(200)))
        self.addCleanup(site.ratingctl, "settings", "reset", "--all-sites", "enabled",
                        "max_ratings_per_voter_per_day")
        self.assertTrue(all_votes_are(403))
        for browser in self.browsers():
            browser.log_in(ADMINISTRATOR, ADMINISTRATOR)

            def send(method, fields=None):
                answer = browser.ask(method, f"{API}/settings", fields, X_WP_Nonce=browser.nonce())  # noqa: B023
                return answer.status, json.loads(answer.body)

            _, answer = send("GET")
            self.assertEqual(77, answer["data"]["max_ratings_per_voter_per_day"])
            self.assertTrue(answer["meta"]["schema"]["max_ratings_per_voter_per_day"]["readOnly"])
            status, answer = send("PUT", {"max_ratings_per_voter_per_day": 78})
            details = answer["data"]["details"]["max_ratings_per_voter_per_day"]
            self.assertEqual((400, "ratingd_fixed"), (status, details["code"]))
            same = {"max_ratings_per_voter_per_day": 77, "retention_months": 30}
            self.assertEqual(200, send("PUT", same)[0])


class SettingsForAllSites(NetworkTest):
    def send(self, browser, method, fields=None):
        answer = browser.ask(method, f"{API}/settings/network", fields, X_WP_Nonce=browser.nonce())
        return answer.status, json.loads(answer.body)

    def log_in(self, login):
        browsers = self.browsers()
        for browser in browsers:
            browser.log_in(login, login)
        return browsers

    def test_are_fixed_and_freed_by_a_super_administrator(self):
        browsers = self.log_in(ADMINISTRATOR)

        def on_each_site(value, is_read_only):
            expected = {(value, is_read_only)}

            def read(browser):
                answer = self.read(browser, "/settings", X_WP_Nonce=browser.nonce())
                schema = answer["meta"]["schema"]["cooldown_seconds"]
                return answer["data"]["cooldown_seconds"], schema.get("readOnly", False)

            return wait_until(lambda: {read(browser) for browser in browsers for _ in range(5)} == expected, 10)

        status, answer = self.send(browsers[0], "PATCH", {"data": {"cooldown_seconds": 7}})
        self.addCleanup(site.ratingctl, "settings", "reset", "--all-sites", "cooldown_seconds")
        self.assertEqual((200, 7, None), (status, answer["data"]["cooldown_seconds"], answer["data"]["enabled"]))
        self.assertIn("cooldown_seconds=7\n", site.ratingctl("settings", "get", "--all-sites"))
        self.assertTrue(on_each_site(7, True))
        status, answer = self.send(browsers[0], "PATCH", {"data": {"cooldown_seconds": 3601, "nothere": 1}})
        self.assertEqual((400, {"cooldown_seconds", "nothere"}), (status, set(answer["data"]["params"])))
        status, answer = self.send(browsers[0], "PATCH", {"data": {"cooldown_seconds": None}})
        self.assertEqual((200, None), (status, answer["data"]["cooldown_seconds"]))
        self.assertTrue(on_each_site(0, False))

    def test_are_those_of_the_first_site(self):
        for browser in self.log_in(ADMINISTRATOR)[1:]:
            for method, fields in (("GET", None), ("PATCH", {"data": {"enabled": False}})):
                status, answer = self.send(browser, method, fields)
                self.assertEqual((403, "ratingd_not_for_all_sites"), (status, answer["code"]))

    def test_are_not_for_the_administrator_of_a_site(self):
        site.call("test_add_user", 1, "first", "administrator")
        first = self.log_in("first")[0]
        self.read(first, "/settings", X_WP_Nonce=first.nonce())
        for method, fields in (("GET", None), ("PATCH", {"data": {"enabled": False}})):
            status, answer = self.send(first, method, fields)
            self.assertEqual((403, "rest_forbidden"), (status, answer["code"]))


class SlowSite(NetworkTest):
    CLIENTS = 80  # more than a worker has threads

    @contextlib.contextmanager
    def locked(self, table):
        """Locks a table during the block, so that its readers wait."""
        client = ["mariadb", "--no-defaults", f"--socket={site.mariadb().socket}", "--user=root", "--unbuffered",
                  "wordpress"]
        with subprocess.Popen(client, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as locker:
            locker.stdin.write(f"LOCK TABLES {table} WRITE; SELECT 'locked';\n")
            locker.stdin.flush()
            while "locked" not in locker.stdout.readline():
                self.assertIsNone(locker.poll())
            yield

    def test_does_not_stop_the_others(self):
        first, second, _ = self.browsers()
        is_over = threading.Event()

        def read_again_and_again():
            statuses = set()
            browser = second.another()
            for object_id in itertools.count(1):
                statuses.add(browser.ask("GET", f"{API}/stats/{object_id}").status)
                if is_over.is_set():
                    break
            return statuses

        with (self.locked(f"wp_{site.in_folder}_ratingd_totals"),
              concurrent.futures.ThreadPoolExecutor(self.CLIENTS) as pool):
            slow = [pool.submit(read_again_and_again) for _ in range(self.CLIENTS)]
            try:
                self.assertEqual(503, second.ask("GET", f"{API}/stats/1000001").status)
                statuses = [first.ask("GET", f"{API}/stats/{2000000 + number}").status for number in range(50)]
                statuses += [first.another().rate(401, 1).status for _ in range(10)]
            finally:
                is_over.set()
        self.assertEqual({200}, set(statuses))
        self.assertEqual({503}, set.union(*(one.result() for one in slow)))
        self.assertTrue(wait_until(lambda: second.ask("GET", f"{API}/stats/1").status == 200, 10))


class People(NetworkTest):
    def ask(self, browser, method, path, fields=None):
        return browser.ask(method, API + path, fields, X_WP_Nonce=browser.nonce())

    def log_in(self, browser, login):
        browser.log_in(login, login)
        return browser

    def test_are_known_on_all_sites(self):
        user = site.call("test_add_user", site.in_folder, "everywhere", "subscriber")
        for browser in self.browsers():
            self.log_in(browser, "everywhere")
            answer = browser.rate(201, 1, X_WP_Nonce=browser.nonce())
            self.assertEqual(200, answer.status, answer.body)
        for prefix in ("wp_", f"wp_{site.in_folder}_", f"wp_{site.at_host}_"):
            rows = site.rows(f"SELECT voter FROM {prefix}ratingd_votes WHERE object_id = 201")
            self.assertEqual([[str(user)]], rows)

    def test_administer_their_own_site(self):
        site.call("test_add_user", site.in_folder, "second", "administrator")
        first, second, third = (self.log_in(browser, "second") for browser in self.browsers())
        self.assertEqual(200, self.ask(second, "GET", "/settings").status)
        for browser in (first, third):
            self.assertEqual(403, self.ask(browser, "GET", "/settings").status)
            self.assertEqual(403, self.ask(browser, "GET", "/data/export").status)
        # Because of the X-Forwarded-For header, the service treats the request as a forwarded request. Without the
        # X-Forwarded-For header, a request from the local host could read all metrics.
        answer = second.ask("GET", f"{API}/metrics", X_WP_Nonce=second.nonce(), X_Forwarded_For="192.0.2.1")
        samples = exposition.parse(answer.body.decode())["ratingd_site_requests_total"].samples
        self.assertEqual([{"site": str(site.in_folder)}], [dict(labels) for _, labels in samples])

    def test_administer_all_sites_if_they_are_super_administrators(self):
        for number, browser in enumerate(self.browsers()):
            self.log_in(browser, ADMINISTRATOR)
            answer = self.ask(browser, "PATCH", "/settings", {"max_ratings_per_address": 500 + number})
            self.assertEqual(200, answer.status, answer.body)
        for number, browser in enumerate(self.browsers()):
            self.log_in(browser, ADMINISTRATOR)
            settings = json.loads(self.ask(browser, "GET", "/settings").body)
            self.assertEqual(500 + number, settings["data"]["max_ratings_per_address"])

    def test_export_what_is_their_site_s(self):
        first, second, third = self.browsers()
        self.assertEqual(200, second.another().rate(301, 1).status)
        for browser, is_there in ((first, False), (second, True), (third, False)):
            self.log_in(browser, ADMINISTRATOR)
            exported = self.ask(browser, "GET", "/data/export").body.decode()
            self.assertEqual(is_there, '"object_id":301' in exported)


if __name__ == "__main__":
    unittest.main()
