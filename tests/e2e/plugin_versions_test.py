#!/usr/bin/env python3
"""Tests the plugin with a service of another version: this plugin with the last release's service, the last
release's plugin with this service, and this plugin with the responses from an imaginary newer service.

RATINGD_RELEASED names the last release's package. Without it, the plugin of that release is taken from the
repository's history, and its service is left out. There is no newer service yet, so unknown members are added to
the responses that PHP receives."""

import datetime
import re
import subprocess
import unittest

from fault_sandbox import BUILD_DIR, REPOSITORY, wait_until  # first because it sets the module path
from browser import API, Browser
from plugin_sandbox import PluginTest, site
from released import RELEASED, THIS_SERVICE, empty_folder, released_files, released_service, use
from wordpress_stack import PLUGIN

RELEASE = "2518d1d7aa0f61cee9e75e1617d8bdf77a7f87d6"  # version 0.3.0
THIS_PLUGIN = (PLUGIN, BUILD_DIR / "plugin")
VERSION_OF_PLUGIN = r"(?m)^ \* Version: (\S+)$"

# Adds unknown members and a higher version number to responses, like a future version of the service.
NEWER = r"""<?php
function test_newer( $value ) {
	if ( is_object( $value ) ) {
		foreach ( get_object_vars( $value ) as $name => $member ) {
			$value->$name = test_newer( $member );
		}
		$value->further = (object) array( 'further' => array( 1, null ) );
		if ( isset( $value->version ) ) {
			$value->version = '9.9.9';
		}
	}
	return is_array( $value ) ? array_map( 'test_newer', $value ) : $value;
}
add_filter( 'http_response', function ( $response, $arguments, $url ) {
	$data = strpos( $url, '/ratingd/v1/' ) ? json_decode( $response['body'] ) : null;
	if ( is_object( $data ) ) {
		$response['body'] = wp_json_encode( test_newer( $data ) );
	}
	return $response;
}, 10, 3 );
"""


def released_plugin():
    """Returns the folder of the released plugin, from the package. Without the package, generated files are
    missing."""
    if RELEASED:
        return released_files() / "usr/share/ratingd/wordpress"
    command = ["git", "-C", REPOSITORY, "archive", RELEASE, "web/wordpress"]
    archive = subprocess.run(command, check=False, capture_output=True)
    if archive.returncode != 0:
        reason = archive.stderr.decode().strip()
        raise unittest.SkipTest(f"neither RATINGD_RELEASED nor the history of the last release is there: {reason}")
    folder = empty_folder("released-plugin")
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder / "web/wordpress"


class Together(PluginTest):
    """Tests a site with a plugin and a service."""

    plugin_version = service_version = ""
    average = "4.00"  # the average in the list of posts

    @classmethod
    def begin(cls, plugin, service=THIS_SERVICE):
        """"plugin" are the folders that contain parts of the plugin."""
        before = (site.build_dir, site.nginx_files)
        cls.addClassCleanup(use, site, before)
        use(site, service)
        site.start()
        cls.addClassCleanup(site.stop_cleanly)
        site.install_plugin(plugin)
        main = (plugin[0] / "ratingd/ratingd.php").read_text()
        cls.plugin_version = re.search(VERSION_OF_PLUGIN, main)[1]
        said = subprocess.check_output([site.build_dir / "ratingd", "--version"], text=True)
        cls.service_version = said.split()[1]

    def test_site_health_names_both_versions(self):
        fields = site.call("Ratingd\\site_health_fields")
        versions = [fields[name]["value"] for name in ("plugin", "version")]
        self.assertEqual([self.plugin_version, self.service_version], versions)
        result = site.call("Ratingd\\site_health_result")
        self.assertNotEqual("critical", result["status"], result["description"])
        self.assertIn(self.service_version, site.cli("status"))

    def test_votes_are_shown_where_posts_are(self):
        post = self.new_post(post_content="[ratingd][ratingd_top category='scale' number='50']")
        for user, value in ((4001, 1), (4002, 0.6)):
            site.vote(user, post, value=value, category="scale")
        page = self.page(post)
        self.assertRegex(page, rf'<ratingd-rating object-id="{post}" object-type="post"')
        script = re.search(r'src=[\'"]([^\'"]*/ratingd-widget\.js[^\'"]*)', page)[1]
        self.assertEqual(200, Browser(site.url).ask("GET", script.removeprefix(site.url)).status)
        self.assertIn(site.call("get_the_title", post), page.partition("wp-block-ratingd-top")[2])
        rest = Browser(site.url).ask("GET", f"/wp-json/wp/v2/posts/{post}?_fields=ratingd").json()
        self.assertEqual({"scale": {"total": 2, "average": 0.8}}, rest["ratingd"])
        self.assertIn(f"{self.average} (2)", self.log_in().ask("GET", "/wp-admin/edit.php").body.decode())

    def test_pages_of_wp_admin_have_their_scripts(self):
        browser = self.log_in()
        address = rf"{re.escape(site.url)}([^'\"]*/ratingd[^'\"]*\.(?:js|css)[^'\"]*)"
        ours = re.compile(f"(?:src|href)=.{address}")
        for path in ("index.php", "admin.php?page=ratingd", "admin.php?page=ratingd-placement"):
            scripts = ours.findall(browser.ask("GET", f"/wp-admin/{path}").body.decode())
            self.assertTrue(scripts, path)
            for script in scripts:
                self.assertEqual(200, browser.ask("GET", script.replace("&#038;", "&")).status, script)

    def test_personal_data_is_exported_and_erased(self):
        user, login = self.new_user()
        post = self.new_post(post_title="Tea")
        site.vote(user, post, value=0.7, category="scale")
        [item] = site.call("Ratingd\\export_personal_data", f"{login}@example.org", 1)["data"]
        fields = {field["name"]: field["value"] for field in item["data"]}
        today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
        self.assertEqual(["Tea", "3.5 of 5"], [fields["Rated"], fields["Rating"]])
        self.assertEqual(today, fields["Last changed"][:10])
        erased = site.call("Ratingd\\erase_personal_data", f"{login}@example.org", 1)
        self.assertEqual((True, True), (erased["items_removed"], erased["done"]))
        self.assertEqual([], self.votes_of(user))

    def test_deleted_users_and_posts_take_their_votes_along(self):
        self.set(on_user_deleted="erase", on_object_deleted="remove")
        (user, _), (other, _) = self.new_user(), self.new_user()
        gone, kept = self.new_post(), self.new_post()
        for voter, post in ((user, kept), (other, kept), (other, gone)):
            site.vote(voter, post)
        site.call("wp_delete_user", user)
        site.call("wp_delete_post", gone, True)
        self.assertEqual([[], [other]], [self.voters_of(post) for post in (gone, kept)])
        self.check_sums()

    def test_deletions_wait_for_the_service(self):
        self.set(on_user_deleted="erase")
        user, _ = self.new_user()
        post = self.new_post()
        site.vote(user, post)
        self.without_ratingd()
        site.call("wp_delete_user", user)
        self.ratingd_is_back()
        site.call("Ratingd\\run_deletions")
        self.assertTrue(wait_until(lambda: not self.voters_of(post), 10))

    def test_commands_of_wp_cli_work(self):
        user, _ = self.new_user()
        site.vote(user, 71)
        path = site.run_dir / "votes.ndjson"
        site.cli("export", path, f"--user-id={user}")
        self.assertIn("Deleted 1 ratings.", site.cli("clean", "ratings", f"--user-id={user}", "--yes"))
        self.assertIn("1 read, 1 new", site.cli("import", path))
        self.assertEqual(1, len(self.votes_of(user)))
        site.cli("settings", "set", "revote=never")
        self.addCleanup(site.ratingctl, "settings", "reset", "revote")
        self.assertEqual("never\n", site.cli("settings", "get", "revote"))

    def test_visitors_vote_and_read_their_vote(self):
        post = self.new_post()
        browser = Browser(site.url)
        self.assertEqual(200, browser.rate(post, 1).status)
        own = browser.ask("GET", f"{API}/stats/{post}").json()["user_ratings"]["binary"]["value"]
        self.assertEqual(1, own)


class PluginOfTheLastRelease(Together):
    average = "4.0"

    @classmethod
    def setUpClass(cls):
        cls.begin([released_plugin()])


class ServiceOfTheLastRelease(Together):
    @classmethod
    def setUpClass(cls):
        cls.begin(THIS_PLUGIN, released_service())


class ServiceOfTheNextRelease(Together):
    @classmethod
    def setUpClass(cls):
        cls.begin(THIS_PLUGIN)
        site.must_use("newer", NEWER)
        cls.service_version = "9.9.9"


def load_tests(loader, _tests, _pattern):
    """Leaves out the common base class."""
    cases = [PluginOfTheLastRelease, ServiceOfTheLastRelease, ServiceOfTheNextRelease]
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
