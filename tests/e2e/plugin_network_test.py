#!/usr/bin/env python3
"""Tests the plugin in a network of WordPress sites. A site without ratingd's tables behaves as without the plugin,
and a site with tables has ratings. Also tests the page in the network's admin (in a browser with
web/network.test.cjs), the tables that are dropped with a site, and all sites with one worker pool."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import unittest

from fault_sandbox import REPOSITORY, wait_until  # first because it sets the module path
from browser import API, Browser
import network_test
from plugin_sandbox import Site
from wordpress_stack import ADMINISTRATOR, PLUGIN

CALLS = """<?php
function test_publish( $site, $content ) {
	switch_to_blog( $site );
	update_option( 'ratingd_placement', array( 'post' => array( 'where' => 'after' ) ) );
	$post = array( 'post_title' => 'Rated', 'post_content' => $content, 'post_status' => 'publish' );
	return wp_insert_post( $post );
}

function test_delete_user( $id ) {
	require_once ABSPATH . 'wp-admin/includes/ms.php';
	return wpmu_delete_user( $id );
}

function test_on_site( $site, $function, ...$arguments ) {
	switch_to_blog( $site );
	return $function( ...$arguments );
}
add_action( 'wp_footer', function () {
	echo '<!-- theme: ' . ratingd_widget( array( 'id' => 1 ) ) . ' -->';
} );
"""

# WordPress's Arabic translation is not installed, so a plugin sets the text direction.
RIGHT_TO_LEFT = """<?php
add_action( 'init', function () {
	$GLOBALS['wp_locale']->text_direction = 'ar' === get_user_locale() ? 'rtl' : 'ltr';
} );
"""
BROWSER_TEST = REPOSITORY / "web/network.test.cjs"

CONTENT = """Words. <em>[ratingd]</em><em>[ratingd_top]</em>
<!-- wp:ratingd/rating /-->
<!-- wp:ratingd/top /-->"""


class Network(Site):
    """The other site uses another name of this host, so that no URL needs to be rewritten. Scripts without a
    request belong to the site that ratingd serves."""

    def _create_site(self):
        super()._create_site()
        self.must_use("calls", network_test.CALLS)
        self.must_use("plugin_calls", CALLS)
        self.call("test_make_network", f"127.0.0.1:{self.port}")
        network = network_test.NETWORK.replace("@PORT@", str(self.port))
        self.wp_config.write_text(self.wp_config.read_text().replace("\nrequire_once", f"{network}\nrequire_once"))
        self.other = self.call("wp_insert_site", {"domain": "localhost", "path": "/", "user_id": 1})
        # WordPress's function wp_insert_site() does not accept a port, so the port is added with SQL.
        self.sql(f"UPDATE wp_blogs SET domain = 'localhost:{self.port}' WHERE blog_id = {self.other};"
                 f"UPDATE wp_{self.other}_options SET option_value = 'http://localhost:{self.port}'"
                 " WHERE option_name IN ('home', 'siteurl')")

    def make_tables(self, blog):
        """Makes the tables with WordPress's account. ratingd's own accounts have no permissions for them, and
        "doctor" does not complain."""
        command = [self.build_dir / "ratingctl", *self._cms_options(), *self._own_files(),
                   f"--blog-id={blog}", "migrate"]
        subprocess.run(command, check=True, env=self._account("wordpress"), stdout=subprocess.DEVNULL)

    def tables(self, blog):
        """Returns ratingd's tables of a site other than the first one."""
        return self.sql(f"SHOW TABLES LIKE 'wp\\_{blog}\\_ratingd\\_%'").split()

    def drop_tables(self, blog):
        tables = self.tables(blog)
        views = [name for name in tables if "_ratingd_post_" in name]
        self.sql(f"DROP VIEW {','.join(views)}; DROP TABLE {','.join(set(tables) - set(views))}")


site = Network("plugin_network")


def setUpModule():
    site.start()
    unittest.addModuleCleanup(site.stop_cleanly)
    site.install_plugin()


class SiteWithRatingd(unittest.TestCase):
    def test_warns_of_nothing_before_the_first_vote(self):
        self.assertNotRegex(site.doctor(), r"(?m)^(warn|fail)")
        health = site.call("Ratingd\\request", "GET", "/health")
        self.assertIn("app passwords", {finding["subject"] for finding in health["findings"]})
        self.assertEqual([], [finding for finding in health["findings"] if finding["health"] != "ok"])
        self.assertEqual("good", site.call("Ratingd\\site_health_result")["status"])


class SiteWithoutRatingd(unittest.TestCase):
    def setUp(self):
        self.url = f"http://localhost:{site.port}"
        self.browser = Browser(self.url)

    def tearDown(self):
        self.assertEqual([], site.complaints())

    @staticmethod
    def traces(page):
        """Returns the traces of the plugin in a page. The editor knows its shortcodes, which show nothing."""
        return re.findall(r"\S*ratingd\S*", re.sub(r'"shortcodes":\[.*?\]', "", page))

    def test_shows_visitors_nothing(self):
        served, other = (site.call("test_publish", one, CONTENT) for one in (1, site.other))
        page = Browser(site.url).ask("GET", f"/?p={served}").body.decode()
        of_block = 'class="wp-block-ratingd-rating"><ratingd-rating'
        self.assertLessEqual({"<ratingd-rating", of_block}, set(self.traces(page)))
        answer = self.browser.ask("GET", f"/?p={other}")
        self.assertEqual(200, answer.status)
        page = answer.body.decode()
        self.assertEqual(1, page.count("Words. <em></em><em></em>"))
        self.assertEqual(1, page.count("<!-- theme:  -->"))
        self.assertEqual([], self.traces(page))

    def test_offers_editors_nothing(self):
        other = site.call("test_publish", site.other, CONTENT)
        self.browser.log_in(ADMINISTRATOR, ADMINISTRATOR)
        for path in ("", "edit.php", "post-new.php", "site-health.php"):
            answer = self.browser.ask("GET", f"/wp-admin/{path}")
            self.assertEqual(200, answer.status, path)
            self.assertEqual([], self.traces(answer.body.decode()), path)
        page = self.browser.ask("GET", f"/?p={other}").body.decode()
        self.assertNotIn("No ratings yet", page)
        answer = self.browser.ask("GET", "/wp-json/wp/v2/block-types", X_WP_Nonce=self.browser.nonce())
        blocks = {block["name"] for block in answer.json()}
        self.assertLess({"core/paragraph"}, blocks)
        self.assertEqual(set(), {name for name in blocks if name.startswith("ratingd/")})


class SiteWithTables(unittest.TestCase):
    """The other site with its own tables. Their votes look as if ratingd had stored them."""

    @classmethod
    def setUpClass(cls):
        site.make_tables(site.other)
        cls.addClassCleanup(site.drop_tables, site.other)

    def setUp(self):
        self.url = f"http://localhost:{site.port}"
        self.browser = Browser(self.url)

    def tearDown(self):
        self.assertEqual([], site.complaints())

    def new_post(self, content="[ratingd]"):
        """Adds a post with three likes and two dislikes to the other site."""
        post = site.call("test_publish", site.other, content)
        bins = ",".join(f"bin{i}" for i in range(11))
        site.sql(f"INSERT INTO wp_{site.other}_ratingd_totals"
                 f" (object_id, object_type, category, sum, {bins}, last_rated_at, version)"
                 f" VALUES ({post}, 'post', 1, 1000, 2,0,0,0,0,0,0,0,0,0,3, NOW(), 1)")
        return post

    def on_site(self, blog, function, *arguments):
        return site.call("test_on_site", blog, f"Ratingd\\{function}", *arguments)

    def test_shows_visitors_its_ratings(self):
        post = self.new_post('[ratingd template="simple/thumbs"]')
        page = self.browser.ask("GET", f"/?p={post}").body.decode()
        self.assertRegex(page, f'<ratingd-rating[^>]* object-id="{post}"[^>]*><bdi>Score: \\+1</bdi>')
        self.assertRegex(page, f"<script[^>]* src=['\"]{self.url}/wp-json/ratingd/v1/ratingd-widget.js")
        post = self.new_post('[ratingd_top category="bipolar"]')
        page = self.browser.ask("GET", f"/?p={post}").body.decode()
        self.assertIn("Score: +1 (5 votes)", page)

    def test_shows_editors_its_ratings(self):
        post = self.new_post()
        self.browser.log_in(ADMINISTRATOR, ADMINISTRATOR)
        posts = self.browser.ask("GET", "/wp-admin/edit.php").body.decode()
        self.assertRegex(posts, f'id="post-{post}"(?s:.)*?<span aria-hidden="true">\\+1 \\(5\\)</span>')
        self.assertIn(f'{self.url}/wp-admin/admin.php?page=ratingd#/content/post/{post}"', posts)
        ratings = self.browser.ask("GET", "/wp-admin/admin.php?page=ratingd").body.decode()
        self.assertIn(f'data-base="{self.url}/wp-json/ratingd/v1"', ratings)
        answer = self.browser.ask("GET", "/wp-json/wp/v2/block-types", X_WP_Nonce=self.browser.nonce())
        self.assertLess({"ratingd/rating", "ratingd/top"}, {block["name"] for block in answer.json()})

    def test_has_a_mail_of_its_own(self):
        user = site.call("wp_insert_user", {"user_login": "author", "user_pass": "x", "role": "administrator",
                                            "user_email": "author@example.org"})
        site.call("update_option", "ratingd_mail", {"every": "week", "users": [user]})
        self.addCleanup(site.call, "delete_option", "ratingd_mail")
        self.assertEqual("", self.on_site(site.other, "mail_settings")["every"])
        self.assertEqual(1, len(site.call("Ratingd\\mail_recipients", [user])))
        self.assertEqual([], self.on_site(site.other, "mail_recipients", [user]))
        links = [site.call("Ratingd\\mail_stop_url", user), self.on_site(site.other, "mail_stop_url", user)]
        self.assertTrue(links[1].startswith(self.url + "/?"))
        self.assertNotEqual(*(link.split("=")[1] for link in links))

    def test_shows_its_figures_in_pages_of_another_site(self):
        post = self.new_post()
        widget = {"id": post, "template": "simple/thumbs"}
        own = site.call("Ratingd\\widget", widget)
        self.assertIn("<ratingd-rating", own)
        self.assertNotIn("+1", own)
        # The post belongs to the network's first site. On a page of the second site, the plugin shows the post's
        # figures as text, because a widget there would send votes for the post to the second site.
        self.assertEqual("<bdi>Score: +1</bdi>", self.on_site(site.other, "widget", widget))
        self.assertEqual("", self.on_site(site.other, "widget", {**widget, "reactions": "love"}))
        self.assertEqual("", self.on_site(site.other, "my_ratings"))
        self.assertEqual(own, self.on_site(1, "widget", widget))

    def test_has_its_own_settings_and_held_votes(self):
        site.sql(f"INSERT INTO wp_{site.other}_ratingd_settings (name, value) VALUES ('require_login', 'true');"
                 f"INSERT INTO wp_{site.other}_ratingd_held VALUES (1, 'post', 0, 1, 1, NOW())")
        for blog, value, held in ((1, False, 0), (site.other, True, 1)):
            self.assertEqual(value, self.on_site(blog, "setting", "require_login", False))
            self.assertEqual(held, self.on_site(blog, "held_votes"))


class NetworkAdmin(unittest.TestCase):
    PAGE = "/wp-admin/network/admin.php?page=ratingd"
    COMMAND = "<code>sudo ratingctl migrate --all-sites</code>"

    def setUp(self):
        self.browser = Browser(site.url)
        self.browser.log_in(ADMINISTRATOR, ADMINISTRATOR)

    def tearDown(self):
        self.assertEqual([], site.complaints())

    def page(self, query=""):
        answer = self.browser.ask("GET", self.PAGE + query)
        self.assertEqual(200, answer.status)
        return answer.body.decode()

    @staticmethod
    def rows(page):
        """Returns the cells for each site."""
        table = re.search('<tbody id="the-list"(.*?)</tbody>', page, re.DOTALL)[1]
        return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in table.split("<tr")[1:]]

    def test_lists_all_sites_with_their_figures(self):
        bins = ",".join(f"bin{i}" for i in range(11))
        site.sql("INSERT INTO wp_ratingd_votes"
                 " (object_id, object_type, category, voter, value, created_at, rated_at)"
                 " VALUES (9, 'post', 0, 9, 1000, NOW(), '2026-03-04 05:06:07');"
                 f"INSERT INTO wp_ratingd_site_daily (object_type, category, day, slot, sum, {bins})"
                 " VALUES ('post', 0, '2026-03-04', 0, 1, 0,0,0,0,0,0,0,0,0,0,1200), "
                 "('post', 2, '2026-03-04', 0, 1, 7,0,0,0,0,0,0,0,0,0,27)")
        self.addCleanup(site.sql, "DELETE FROM wp_ratingd_votes; DELETE FROM wp_ratingd_site_daily")
        page = self.page()
        first, other = self.rows(page)
        self.assertIn(f'<a class="row-title" href="{site.url}/wp-admin/admin.php?page=ratingd">', first[0])
        self.assertIn(f"<br>127.0.0.1:{site.port}", first[0])
        self.assertEqual(["1,234", "March 4, 2026 5:06 am"], first[1:])
        self.assertNotIn("page=ratingd", other[0])
        self.assertIn("No tables yet", other[0])
        self.assertIn("No ratings", other[1])
        self.assertIn(self.COMMAND, page)

        site.make_tables(site.other)
        self.addCleanup(site.drop_tables, site.other)
        page = self.page()
        ratings = f"http://localhost:{site.port}/wp-admin/admin.php?page=ratingd"
        self.assertIn(f'href="{ratings}"', self.rows(page)[1][0])
        self.assertEqual("0", self.rows(page)[1][1])
        self.assertNotIn(self.COMMAND, page)

    def test_finds_sites_and_shows_twenty_at_once(self):
        blogs = range(101, 125)
        for blog in blogs:
            site.sql(f"CREATE TABLE wp_{blog}_options LIKE wp_options;"
                     f"INSERT INTO wp_{blog}_options SELECT * FROM wp_options;"
                     "INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated) VALUES"
                     f" ({blog}, 1, 'site{blog}.example', '/', NOW(), NOW())")
            self.addCleanup(site.sql, f"DROP TABLE wp_{blog}_options; DELETE FROM wp_blogs WHERE blog_id = {blog}")
        site.sql("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 123;"
                 "UPDATE wp_blogs SET spam = 1 WHERE blog_id = 124;"
                 "UPDATE wp_101_options SET option_value = '<i>A&B' WHERE option_name = 'blogname'")
        first, second = (self.page(f"&paged={number}") for number in (1, 2))
        self.assertEqual([20, 4], [len(self.rows(page)) for page in (first, second)])
        self.assertIn("24 items", first)
        self.assertIn("&lt;i&gt;A&amp;B", first)
        self.assertNotIn("<i>A", first)
        self.assertIn("site122.example", second)
        [found] = self.rows(self.page("&s=site10%2A"))[:1]
        self.assertIn("site101.example", found[0])
        self.assertIn("No sites found.", self.page("&s=nothing.example%22%3E%3Ci%3E"))

    def test_is_for_administrators_of_the_network_alone(self):
        fields = {"user_login": "owner", "user_pass": "owner", "user_email": "owner@example.org",
                  "role": "administrator"}
        site.call("wp_insert_user", fields)
        owner = Browser(site.url)

        owner.log_in("owner", "owner")
        self.assertIn(b"page=ratingd", owner.ask("GET", "/wp-admin/").body)
        self.assertEqual(403, owner.ask("GET", self.PAGE).status)


class DeletedSite(unittest.TestCase):
    def setUp(self):
        self.blog = site.call("wp_insert_site", {"domain": "third.example", "path": "/", "user_id": 1})
        site.make_tables(self.blog)

    def tearDown(self):
        self.assertEqual([], site.complaints())

    def test_takes_its_tables_and_views_along(self):
        self.assertLessEqual({f"wp_{self.blog}_ratingd_votes", f"wp_{self.blog}_ratingd_post_stats",
                              f"wp_{self.blog}_ratingd_post_daily"}, set(site.tables(self.blog)))
        of_others = f"wp_{self.blog}5_ratingd_votes", f"wp_{self.blog}_ratingdx", f"wp_{self.blog}xratingd_votes"
        for name in of_others:
            site.sql(f"CREATE TABLE {name} (id INT)")
            self.addCleanup(site.sql, f"DROP TABLE {name}")
        count = site.sql("SHOW TABLES LIKE 'wp\\_ratingd\\_%'")
        site.call("wp_delete_site", self.blog)
        self.assertEqual([], site.tables(self.blog))
        self.assertEqual([], site.sql(f"SHOW TABLES LIKE 'wp\\_{self.blog}\\_posts'").split())
        for name in of_others:
            self.assertEqual([name], site.sql(f"SHOW TABLES LIKE '{name}'").split())
        self.assertEqual(count, site.sql("SHOW TABLES LIKE 'wp\\_ratingd\\_%'"))

    def test_leaves_all_that_another_plugin_keeps(self):
        keeper = site.must_use("keeper", "<?php add_filter( 'wpmu_drop_tables', '__return_empty_array', 99 );")
        self.addCleanup(keeper.unlink)
        before = site.tables(self.blog)
        site.call("wp_delete_site", self.blog)
        self.assertEqual(before, site.tables(self.blog))
        self.addCleanup(site.drop_tables, self.blog)
        self.assertNotIn(self.blog, site.call("Ratingd\\served_sites"))


class ServedSites(unittest.TestCase):
    def test_are_those_with_tables(self):
        names = [f"wp_{site.other}_ratingd_settings", "wp_99_ratingd_settings", "wp_x_ratingd_settings",
                 "other_ratingd_settings"]
        for name in names:
            site.sql(f"CREATE TABLE {name} LIKE wp_ratingd_settings")
            self.addCleanup(site.sql, f"DROP TABLE {name}")
        self.assertEqual([1, site.other], sorted(site.call("Ratingd\\served_sites")))

    def test_are_asked_for_what_a_deleted_user_left(self):
        site.make_tables(site.other)
        self.addCleanup(site.drop_tables, site.other)
        rows = {1: "(5, 'author', 0, 71, 1000, 0, NOW(), NOW())",
                site.other: "(71, 'post', 0, 5, 0, 0, NOW(), NOW()),"
                            " (72, 'author:taste', 0, 5, 0, 0, NOW(), NOW())"}
        for blog, prefix in ((1, "wp"), (site.other, f"wp_{site.other}")):
            votes = f"{prefix}_ratingd_votes"
            columns = "(object_id, object_type, category, voter, value, held, created_at, rated_at)"
            site.sql(f"INSERT INTO {votes} {columns} VALUES {rows[blog]}")
            self.addCleanup(site.sql, f"DELETE FROM {votes}")
        site.sql(f"INSERT INTO wp_{site.other}_ratingd_voters (voter, last_day) VALUES (73, '2026-01-01')")
        asked = {user: site.call("Ratingd\\sites_of_user", user) for user in (5, 71, 72, 73, 74)}
        self.assertEqual({5: [1, site.other], 71: [1], 72: [site.other], 73: [site.other], 74: []}, asked)
        site.sql(f"DROP TABLE wp_{site.other}_ratingd_voters")  # the tables are being made
        self.assertEqual([1, site.other], site.call("Ratingd\\sites_of_user", 74))
        site.sql(f"CREATE TABLE wp_{site.other}_ratingd_voters (voter INT)")
        self.assertEqual([], site.complaints())


class NetworkActivation(unittest.TestCase):
    """The plugin is active in all sites in the network."""

    def setUp(self):
        self.content = site.run_dir / "wordpress/wp-content"
        folder = self.content / "plugins/ratingd"
        shutil.copytree(PLUGIN / "ratingd", folder)
        self.addCleanup(shutil.rmtree, folder)
        site.call("activate_plugin", "ratingd/ratingd.php", "", True)
        self.addCleanup(site.call, "deactivate_plugins", "ratingd/ratingd.php", True, True)

    def tearDown(self):
        self.assertEqual([], site.complaints())

    @contextlib.contextmanager
    def without_loader(self):
        loader = self.content / "mu-plugins/ratingd-mu-loader.php"
        kept = loader.rename(site.run_dir / loader.name)
        try:
            yield
        finally:
            kept.rename(loader)

    def test_works_on_each_site_with_tables(self):
        site.make_tables(site.other)
        self.addCleanup(site.drop_tables, site.other)
        posts = [site.call("test_publish", blog, "[ratingd]") for blog in (1, site.other)]
        pages = list(zip((site.url, f"http://localhost:{site.port}"), posts, strict=True))
        with self.without_loader():
            for url, post in pages:
                page = Browser(url).ask("GET", f"/?p={post}").body.decode()
                self.assertRegex(page, f'<ratingd-rating object-id="{post}"')
            browser = Browser(site.url)
            browser.log_in(ADMINISTRATOR, ADMINISTRATOR)
            plugins = browser.ask("GET", "/wp-admin/network/plugins.php").body.decode()
            self.assertRegex(plugins, '<tr class="active[^>]* data-plugin="ratingd/ratingd.php"')
            self.assertIn("page=ratingd", plugins)

    def test_is_used_instead_of_the_must_use_plugin(self):
        browser = Browser(site.url)
        browser.log_in(ADMINISTRATOR, ADMINISTRATOR)
        page = browser.ask("GET", "/wp-admin/admin.php?page=ratingd").body.decode()
        self.assertEqual(["plugins"], re.findall("wp-content/([a-z-]+)/ratingd/js/admin-page.js", page))


class AllSites(unittest.TestCase):
    """One worker pool serves all sites."""

    @classmethod
    def setUpClass(cls):
        cls.site = network_test.Network("plugin_all_sites")
        cls.site.start()
        cls.addClassCleanup(cls.site.stop_cleanly)
        cls.site.install_plugin()
        cls.site.must_use("plugin_calls", CALLS)
        cls.places = {1: cls.site.url, cls.site.in_folder: f"{cls.site.url}/two",
                      cls.site.at_host: f"http://localhost:{cls.site.port}"}

    def tearDown(self):
        self.assertEqual([], self.site.complaints())

    def each(self):
        """Yields blog ids with browsers."""
        return [(blog, Browser(url)) for blog, url in self.places.items()]

    def publish(self, content):
        """Publishes a post on each site."""
        return {blog: self.site.call("test_publish", blog, content) for blog in self.places}

    def on_site(self, blog, function, *arguments):
        return self.site.call("test_on_site", blog, function, *arguments)

    def set(self, blog, **settings):
        self.site.ratingctl(f"--blog-id={blog}", "settings", "set", *(f"{k}={v}" for k, v in settings.items()))

    def vote_of_user(self, browser, login, post):
        browser.log_in(login, login)
        answer = browser.rate(post, 1, X_WP_Nonce=browser.nonce())
        self.assertEqual(200, answer.status, answer.body)

    def voters(self, blog, post):
        prefix = "wp_" if blog == 1 else f"wp_{blog}_"
        return self.site.sql(f"SELECT voter FROM {prefix}ratingd_votes WHERE object_id = {post}").split()

    def test_have_widgets_and_columns_with_their_own_votes(self):
        posts = self.publish('[ratingd template="simple/heart"]')
        for number, (blog, browser) in enumerate(self.each(), 1):
            for _ in range(number):
                page = browser.ask("GET", f"/?p={posts[blog]}").body.decode()
                [script] = re.findall(r"src=['\"]([^'\"]*)/ratingd-widget.js", page)
                self.assertEqual(self.places[blog] + API, script)
                self.assertEqual(200, browser.another().rate(posts[blog], 1).status)
        for number, (blog, browser) in enumerate(self.each(), 1):
            page = browser.ask("GET", f"/?p={posts[blog]}").body.decode()
            self.assertRegex(page, f'object-id="{posts[blog]}"[^>]*><bdi>Likes: {number}</bdi>')
            browser.log_in(ADMINISTRATOR, ADMINISTRATOR)
            posts_of_site = browser.ask("GET", "/wp-admin/edit.php").body.decode()
            column = f'id="post-{posts[blog]}"(?s:.)*?<span aria-hidden="true">100% \\({number}\\)</span>'
            self.assertRegex(posts_of_site, column)
            answer = browser.ask("GET", API + "/analytics/stats", X_WP_Nonce=browser.nonce())
            self.assertEqual(200, answer.status, answer.body)

    def test_have_the_settings_that_the_network_fixes(self):
        def read():
            return [self.on_site(blog, "Ratingd\\setting", "bayesian_prior_weight", 10) for blog in self.places]

        self.set(self.site.in_folder, bayesian_prior_weight=12)
        self.assertEqual([10, 12, 10], read())
        self.site.ratingctl("settings", "set", "--all-sites", "bayesian_prior_weight=11")
        self.assertEqual([11, 11, 11], read())
        self.site.ratingctl("settings", "reset", "--all-sites", "bayesian_prior_weight")
        self.assertEqual([10, 12, 10], read())

    def test_have_what_a_super_administrator_fixes_on_the_network_s_page(self):
        self.site.must_use("right_to_left", RIGHT_TO_LEFT)
        self.site.call("update_option", "show_avatars", 0)  # avatars come from another host
        arab = self.site.call("test_add_user", 1, "arab", "subscriber")
        self.site.call("grant_super_admin", arab)
        self.site.call("update_user_meta", arab, "locale", "ar")
        description = {"url": self.site.url, "second": self.places[self.site.in_folder], "arab": "arab",
                       "administrator": ADMINISTRATOR, "socket": str(self.site.mariadb().socket)}
        environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
        done = subprocess.run(["node", "--test", BROWSER_TEST], check=False, env=environment)
        self.assertEqual(0, done.returncode)

    def test_are_healthy(self):
        for _, browser in self.each():
            browser.log_in(ADMINISTRATOR, ADMINISTRATOR)
            answer = browser.ask("GET", "/wp-json/ratingd-plugin/v1/site-health", X_WP_Nonce=browser.nonce())
            self.assertEqual(200, answer.status, answer.body)
            self.assertEqual("good", answer.json()["status"], answer.body)

    def test_export_and_erase_what_a_user_rated_there(self):
        user = self.site.call("test_add_user", 1, "exported", "subscriber")
        posts = self.publish("Words.")
        for blog, browser in self.each():
            self.vote_of_user(browser, "exported", posts[blog])
        for blog, _ in self.each():
            exported = self.on_site(blog, "Ratingd\\export_personal_data", "exported@example.org")
            found = [item["item_id"] for item in exported["data"]]
            self.assertEqual([f"ratingd-post-{posts[blog]}-binary"], found)
        self.on_site(self.site.in_folder, "Ratingd\\erase_personal_data", "exported@example.org")
        left = {blog: self.voters(blog, post) for blog, post in posts.items()}
        self.assertEqual({1: [str(user)], self.site.in_folder: [], self.site.at_host: [str(user)]}, left)

    def test_decide_what_becomes_of_a_deleted_user(self):
        user = self.site.call("test_add_user", 1, "deleted", "subscriber")
        posts = self.publish("Words.")
        for blog, browser in self.each():
            self.vote_of_user(browser, "deleted", posts[blog])
        for blog in (self.site.in_folder, self.site.at_host):
            self.set(blog, on_user_deleted="erase")
        self.site.call("remove_user_from_blog", user, self.site.at_host)
        self.assertEqual([str(user)], self.voters(self.site.at_host, posts[self.site.at_host]))
        self.site.call("test_delete_user", user)
        left = {blog: self.voters(blog, post) for blog, post in posts.items()}
        self.assertEqual({1: [str(user)], self.site.in_folder: [], self.site.at_host: []}, left)

    def test_come_and_go_while_workers_run(self):
        new = self.site.call("test_add_site", f"127.0.0.1:{self.site.port}", "/new/")
        browser = Browser(f"{self.site.url}/new")
        post = self.site.call("test_publish", new, "[ratingd]")
        self.assertNotIn(b"<ratingd-rating", browser.ask("GET", f"/?p={post}").body)
        self.site.make_tables()
        self.assertIn(b"<ratingd-rating", browser.ask("GET", f"/?p={post}").body)
        self.assertTrue(wait_until(lambda: browser.rate(post, 1).status == 200, 20))
        self.site.call("wp_delete_site", new)
        self.assertEqual("", self.site.sql(f"SHOW TABLES LIKE 'wp\\_{new}\\_%'"))
        self.assertTrue(wait_until(lambda: browser.ask("GET", API + "/stats/1").status == 404, 20))
        self.assertEqual("", self.site.sql(f"SHOW TABLES LIKE 'wp\\_{new}\\_%'"))


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
