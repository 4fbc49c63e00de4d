#!/usr/bin/env python3
"""Tests that the plugin does not disturb a real WordPress, even while ratingd is unavailable. Also tests its
column in the lists of posts and its activation, and runs web/plugin.test.cjs in a browser."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from fault_sandbox import REPOSITORY, TESTS  # first because it sets the module path
from browser import API, Browser
from plugin_sandbox import PluginTest, StatementLog, import_votes, set_up_module, site
from wordpress_stack import ADMINISTRATOR, PLUGIN

setUpModule = set_up_module
PHP_FILES = sorted(PLUGIN.glob("**/*.php"))
BROWSER_TEST = REPOSITORY / "web/plugin.test.cjs"
NONCE_LIFE = """<?php
add_filter( 'nonce_life', function () {
	return 2 * DAY_IN_SECONDS;
}, PHP_INT_MAX );
"""
CLASSIC_TYPE = """<?php
add_action( 'init', function () {
	register_post_type( 'recipe', array( 'public' => true, 'label' => 'Recipes' ) );
} );
"""
CORE_DATA = """<?php
add_action( 'admin_enqueue_scripts', function () {
	wp_enqueue_script( 'wp-core-data' );
} );
"""
# WordPress itself does not read the X-Forwarded-Proto header. Site owners add this code to wp-config.php.
BEHIND_TLS_PROXY = """<?php
if ( 'https' === ( $_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '' ) ) {
	$_SERVER['HTTPS'] = 'on';
	add_filter( 'redirect_canonical', '__return_false' );
}
"""
LISTED_TYPES = """<?php
add_action( 'init', function () {
	register_post_type( 'opinion', array( 'public' => true, 'label' => 'Opinions' ) );
	register_post_type( 'invoice', array( 'public' => false, 'show_ui' => true, 'label' => 'Invoices' ) );
} );
"""


class SourceTest(unittest.TestCase):
    def check_syntax(self, *paths):
        command = ["php", TESTS / "tools/php_7_4.php", *paths]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    def test_php_7_4_knows_all_that_is_used(self):
        done = self.check_syntax(*PHP_FILES)
        self.assertEqual("", done.stdout + done.stderr)
        self.assertEqual(0, done.returncode)

    def test_php_7_4_is_not_taken_for_a_newer_one(self):
        newer = ["f( a: 1 );", "function f( int|string $x ) {}", "function f( $x, ) {}", "$x = $y?->z;",
                 "class A { function __construct( private $x ) {} }", "$x = $y ?? throw new E();",
                 "$x = f( ... );", "try {} catch ( E ) {}", "function f( mixed $x ) {}",
                 "function f(): static {}", "#[A] function f() {}", "$x = match ( 1 ) { 1 => 2 };",
                 "$x = array_is_list( $y );", "enum E {}", "$x = $y::class;", "class A { readonly int $x; }",
                 "function f( $x = new A() ) {}"]
        path = site.run_dir / "newer.php"
        self.addCleanup(path.unlink)
        for source in newer:
            path.write_text(f"<?php\n{source}\n")
            self.assertEqual(1, self.check_syntax(path).returncode, source)

    def test_defaults_of_settings_are_ratingds(self):
        uses = re.findall(r"\bsetting\( '(\w+)', ('\w*'|\d+) \)", "".join(path.read_text() for path in PHP_FILES))
        self.assertTrue(uses)
        schema = site.call("Ratingd\\request", "GET", "/settings")["meta"]["schema"]
        for name, default in uses:
            self.assertEqual(str(schema[name]["default"]), default.strip("'"), name)


class PagesTest(PluginTest):
    """Effects of the plugin on WordPress's own pages."""

    def setUp(self):
        _, self.editor = self.new_user("editor")
        self.post = self.new_post(post_content='[ratingd template="simple/stars"]')

    def admin_pages(self):
        return ["/wp-admin/", "/wp-admin/edit.php", "/wp-admin/edit.php?orderby=ratingd&order=desc",
                f"/wp-admin/post.php?post={self.post}&action=edit", "/wp-admin/admin.php?page=ratingd",
                "/wp-admin/site-health.php", "/wp-admin/site-health.php?tab=debug",
                "/wp-admin/options-privacy.php?tab=policyguide"]

    def visitor_pages(self):
        return ["/", f"/?p={self.post}", "/hello-world/"]

    def check_pages(self, browser, pages):
        for path in pages:
            answer = browser.ask("GET", path)
            self.assertEqual(200, answer.status, path)
            self.assertIn(b"</html>", answer.body, path)

    def test_visitors_pages_ask_ratingd_nothing(self):
        before = site.requests_to_ratingd()
        visitor = Browser(site.url)
        self.check_pages(visitor, self.visitor_pages())
        self.assertIn(b"<ratingd-rating", visitor.ask("GET", f"/?p={self.post}").body)
        self.assertEqual(before, site.requests_to_ratingd())

    def test_are_there_without_ratingd(self):
        browser = self.log_in()
        self.check_pages(browser, self.admin_pages())
        self.without_ratingd()
        self.check_pages(browser, self.admin_pages())
        self.check_pages(Browser(site.url), self.visitor_pages())

    def test_wait_once_for_a_ratingd_that_hangs(self):
        browser = self.log_in()
        before = site.requests_to_ratingd()
        self.addCleanup(site.forget_failure)
        workers = site.workers()
        for worker in workers:
            worker.signal(signal.SIGSTOP)
            self.addCleanup(worker.signal, signal.SIGCONT)
        try:
            self.check_pages(browser, self.admin_pages())
            self.check_pages(Browser(site.url), self.visitor_pages())
            self.assertEqual(before + 1, site.requests_to_ratingd())
        finally:
            for worker in workers:
                worker.signal(signal.SIGCONT)

    def test_are_there_without_tables(self):
        site.sql("RENAME TABLE wp_ratingd_settings TO hidden_settings, wp_ratingd_totals TO hidden_totals")
        browser = self.log_in()
        try:
            self.check_pages(browser, self.admin_pages())
        finally:
            site.sql("RENAME TABLE hidden_settings TO wp_ratingd_settings, hidden_totals TO wp_ratingd_totals")

    def test_by_https_load_the_plugins_files_by_https(self):
        self.must_use(BEHIND_TLS_PROXY)
        post = self.new_post(post_content="[ratingd_mine]")
        for scheme in ("https", "http"):
            page = Browser(site.url).ask("GET", f"/?p={post}", X_Forwarded_Proto=scheme).body.decode()
            [address] = re.findall(r"https?://[^'\"]*/mu-plugins/ratingd/js/my-ratings.js", page)
            self.assertTrue(address.startswith(f"{scheme}://"), address)

    def test_have_valid_nonces_if_a_filter_changes_their_life(self):
        self.must_use(NONCE_LIFE)
        browser = self.log_in()
        nonces = [browser.ask("GET", "/?ratingd-nonce").body.decode()]
        for path in ("/wp-admin/", "/wp-admin/admin.php?page=ratingd"):
            page = browser.ask("GET", path).body.decode()
            nonces += re.findall(r'<div id="ratingd-[^>]* data-nonce="(\w+)"', page)
        self.assertEqual(3, len(nonces))
        for nonce in nonces:
            self.assertEqual(200, browser.ask("GET", f"{API}/analytics/stats?_wpnonce={nonce}").status)

    def test_show_nothing_to_who_may_not_see_it(self):
        _, login = self.new_user("subscriber")
        browser = self.log_in(login)
        self.assertNotIn(b"page=ratingd", browser.ask("GET", "/wp-admin/profile.php").body)
        self.assertEqual(403, browser.ask("GET", "/wp-admin/admin.php?page=ratingd").status)
        nonce = browser.nonce()
        for path in ["/analytics/stats", "/settings", "/data/export", "/data/held", "/analytics/users"]:
            self.assertEqual(403, browser.ask("GET", API + path, X_WP_Nonce=nonce).status, path)
        editor = self.log_in(self.editor)
        self.assertNotIn(b'id="ratingd-admin"', editor.ask("GET", "/wp-admin/admin.php?page=ratingd").body)
        self.assertNotIn(b'id="ratingd-week"', editor.ask("GET", "/wp-admin/").body)


class ListTest(PluginTest):
    """The column in the lists of posts. Its figures come from the database."""

    def test_signs_are_on_the_left_in_right_to_left_text(self):
        self.assertEqual(["+33", "-8", "-0.50"], [site.call("Ratingd\\signed", *number)
                                                  for number in ([33], [-8], [-0.5, 2])])
        self.must_use("<?php add_action( 'init', fn() => $GLOBALS['wp_locale']->text_direction = 'rtl' );")
        self.assertEqual("\u200e-8", site.call("Ratingd\\signed", -8))

    @classmethod
    def setUpClass(cls):
        cls.statements = StatementLog()
        cls.addClassCleanup(cls.statements.close)
        cls.pages = [cls.new_post(post_type="page") for _ in range(15)]
        for number, page in enumerate(cls.pages[:-3]):
            for voter in range(number % 4 + 1):
                site.vote(1000 + voter, page, value=((7 * number + voter) % 11) / 10, category="scale")
        site.vote(1000, cls.pages[0], value=0)

    def list(self, browser, query=""):
        self.statements.clear()
        html = browser.ask("GET", f"/wp-admin/edit.php?post_type=page{query}").body.decode()
        rows = re.findall(r'<tr id="post-(\d+)"(.*?)</tr>', html, re.DOTALL)
        return {int(id_): re.findall(r'ratingd-scale [^"]*" title="([^"]*)"', row) for id_, row in rows}

    def expected(self):
        rows = site.rows("SELECT object_id, COUNT(*), AVG(value) / 1000 FROM wp_ratingd_votes WHERE category = 2"
                         f" AND object_type = 'post' AND object_id IN ({','.join(map(str, self.pages))})"
                         " GROUP BY object_id")
        return {int(id_): (int(count), float(average)) for id_, count, average in rows}

    def test_has_the_figures_of_the_votes(self):
        listed = self.list(self.log_in())
        expected = self.expected()
        self.assertEqual(12, len(expected))
        for page in self.pages:
            if page not in expected:
                self.assertEqual([], listed[page])
                continue
            count, average = expected[page]
            [text] = listed[page]
            shown, of = re.fullmatch(r"Average: ([\d.]+) of 5 \((\d+) votes?\)", text).groups()
            self.assertEqual(count, int(of), text)
            self.assertAlmostEqual(5 * average, float(shown), delta=0.0501)

    def test_rounds_as_the_administration_page(self):
        page = self.new_post(post_type="page")
        site.vote(1000, page, value=0.819, category="scale")
        self.assertEqual(["Average: 4.10 of 5 (1 vote)"], self.list(self.log_in())[page])

    def test_needs_one_statement_for_all_rows(self):
        _, login = self.new_user("editor")
        for browser in (self.log_in(), self.log_in(login)):
            self.list(browser)  # fills the caches
            self.assertGreaterEqual(len(self.list(browser)), 15)
            queries = self.statements.read("ratingd_")
            self.assertEqual(1, sum("ratingd_post_stats WHERE" in query for query in queries), queries)
            self.assertLess(len(queries), 10, queries)

    def test_sorts_as_sql_does(self):
        expected = self.expected()
        for order, sign in (("desc", -1), ("asc", 1)):
            rows = self.list(self.log_in(), f"&orderby=ratingd&order={order}")
            listed = [id_ for id_ in rows if id_ in self.pages]
            self.assertEqual(len(self.pages), len(listed))
            averages = [round(expected[id_][1], 4) for id_ in listed if id_ in expected]
            self.assertEqual(sorted(averages, key=lambda average, sign=sign: sign * average), averages)
            self.assertEqual(set(self.pages[-3:]), set(listed[-3:]))  # without votes

    def test_names_the_figure_that_it_sorts_by(self):
        browser = self.log_in()
        few, many = self.pages[-1], self.pages[-2]
        for voter, value in enumerate([1, 1, 1, -1]):
            site.vote(1000 + voter, many, value=value, category="bipolar")
        site.vote(1000, few, value=1, category="bipolar")
        self.addCleanup(site.call, "delete_transient", "ratingd_categories")
        for totals, title in (({"bipolar": 9, "scale": 5}, "Rating (score)"), ({"scale": 5}, "Rating")):
            kept = {category: {"total": total, "mean": 0} for category, total in totals.items()}
            site.call("set_transient", "ratingd_categories", kept, 60)
            query = "&orderby=ratingd&order=desc"
            html = browser.ask("GET", f"/wp-admin/edit.php?post_type=page{query}").body.decode()
            named = rf"<span>{re.escape(title)}</span>"
            self.assertRegex(html, rf"<th[^>]* id=.ratingd.[^>]*>(<a[^>]*>)?{named}")
            self.assertNotIn("weighted average", html)  # the column sorts by the figures that it shows
            if "bipolar" in totals:
                self.assertEqual([many, few], list(self.list(browser, query))[:2])

    def test_is_there_for_other_types_alone_if_they_are_public(self):
        types = site.run_dir / "wordpress/wp-content/mu-plugins/listed.php"
        types.write_text(LISTED_TYPES)
        self.addCleanup(types.unlink)
        browser = self.log_in()
        for type_, is_public in (("opinion", True), ("invoice", False), ("page", True)):
            html = browser.ask("GET", f"/wp-admin/edit.php?post_type={type_}").body
            ids = re.findall(rb"<th[^>]* id=['\"](\w+)", html)
            self.assertIn(b"title", ids, type_)
            self.assertEqual(is_public, b"ratingd" in ids, type_)


class ActivationTest(PluginTest):
    """The plugin as a normal plugin, without the loader."""

    def folders(self):
        content = site.run_dir / "wordpress/wp-content"
        return content / "mu-plugins", content / "plugins"

    def use_as_plugin(self):
        must_use, plugins = self.folders()
        shutil.copytree(PLUGIN / "ratingd", plugins / "ratingd")
        self.addCleanup(shutil.rmtree, plugins / "ratingd")
        self.assertIsNone(site.call("activate_plugin", "ratingd/ratingd.php"))
        self.addCleanup(site.call, "deactivate_plugins", "ratingd/ratingd.php")
        return must_use

    def check_works(self):
        post = self.new_post(post_content="[ratingd]")
        self.assertIn(b"<ratingd-rating", Browser(site.url).ask("GET", f"/?p={post}").body)
        browser = self.log_in()
        self.assertIn(b'id="ratingd-admin"', browser.ask("GET", "/wp-admin/admin.php?page=ratingd").body)
        plugins = browser.ask("GET", "/wp-admin/plugins.php")
        self.assertEqual(200, plugins.status)
        return plugins.body.decode()

    def test_works_as_a_plugin(self):
        must_use = self.use_as_plugin()
        loader = must_use / "ratingd-mu-loader.php"
        loader.rename(site.run_dir / loader.name)
        try:
            plugins = self.check_works()
            [row] = re.findall(r'<tr [^>]*data-plugin="ratingd/ratingd.php".*?</tr>', plugins, re.DOTALL)
            self.assertIn("<strong>Ratings</strong>", row)
            self.assertRegex(row, r'<a href="[^"]*page=ratingd-placement">Settings</a>')
        finally:
            (site.run_dir / loader.name).rename(loader)

    def test_works_if_it_is_there_twice(self):
        self.use_as_plugin()
        self.check_works()

    def test_works_as_a_must_use_plugin(self):
        self.check_works()

    @staticmethod
    def leave_traces():
        site.call("update_option", "ratingd_deletions_x", {"orders": [{"user_id": 99}]})
        site.call("update_option", "ratingd_placement", {"post": {"where": "after"}})
        site.call("update_option", "ratingd_mail", {"every": "week", "users": [1]})
        site.call("update_option", "ratingd_mail_lease_2026-11-29_week", "{}")
        site.call("update_option", "ratingd_welcome", 1)
        site.call("set_transient", "ratingd_away", 1, 30)
        site.call("set_transient", "ratingd_top_x", {"until": 0, "rows": []}, 30)
        site.call("update_post_meta", 1, "_ratingd_without_rating", True)
        site.call("wp_schedule_single_event", int(time.time()) + 3600, "ratingd_run_deletions")

    @staticmethod
    def traces():
        names = site.rows("SELECT option_name FROM wp_options WHERE option_name LIKE '%ratingd%' UNION ALL"
                          " SELECT meta_key FROM wp_postmeta WHERE meta_key LIKE '%ratingd%'")
        return [name for [name] in names], bool(site.call("wp_next_scheduled", "ratingd_run_deletions"))

    def test_is_deleted_without_a_trace(self):
        self.use_as_plugin()
        must_use, _ = self.folders()
        loader = must_use / "ratingd-mu-loader.php"
        loader.rename(site.run_dir / loader.name)
        try:
            self.check_works()
            self.leave_traces()
            site.call("deactivate_plugins", "ratingd/ratingd.php")
            post = self.new_post(post_content="[ratingd]")
            page = Browser(site.url).ask("GET", f"/?p={post}")
            self.assertEqual(200, page.status)
            for trace in (b"ratingd-rating", b"ratingd-widget", b"plugins/ratingd"):
                self.assertNotIn(trace, page.body)
            self.assertNotIn(b"page=ratingd", self.log_in().ask("GET", "/wp-admin/").body)
            site.call("uninstall_plugin", "ratingd/ratingd.php")
            self.assertEqual(([], False), self.traces())
        finally:
            (site.run_dir / loader.name).rename(loader)

    def test_leaves_what_the_must_use_plugin_needs(self):
        self.use_as_plugin()
        self.leave_traces()
        self.addCleanup(site.call, "delete_option", "ratingd_deletions_x")
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        self.addCleanup(site.call, "delete_option", "ratingd_mail")
        self.addCleanup(site.call, "delete_option", "ratingd_mail_lease_2026-11-29_week")
        self.addCleanup(site.call, "delete_option", "ratingd_welcome")
        self.addCleanup(site.call, "delete_post_meta_by_key", "_ratingd_without_rating")
        self.addCleanup(site.call, "wp_unschedule_hook", "ratingd_run_deletions")
        self.addCleanup(site.forget_failure)
        site.call("deactivate_plugins", "ratingd/ratingd.php")
        site.call("uninstall_plugin", "ratingd/ratingd.php")
        traces, is_scheduled = self.traces()
        self.assertLessEqual({"ratingd_deletions_x", "ratingd_placement", "_ratingd_without_rating"}, set(traces))
        self.assertTrue(is_scheduled)


class BrowserTest(PluginTest):
    def test_in_a_browser(self):
        _, editor = self.new_user("editor")
        _, subscriber = self.new_user("subscriber")
        plugins = site.run_dir / "wordpress/wp-content/mu-plugins"
        (plugins / "types.php").write_text(CLASSIC_TYPE)
        (plugins / "core-data.php").write_text(CORE_DATA)
        site.call("update_option", "show_avatars", 0)  # avatars come from another host
        self.set(analytics_cache_seconds=0)
        for voter in (1, 2, 3):
            import_votes(voter, [1], held=["one_agent"], held_at="2026-01-02T03:04:05.000000Z")
        description = {"url": site.url, "administrator": ADMINISTRATOR, "editor": editor,
                       "subscriber": subscriber, "classic": "recipe", "held": 3}
        environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
        done = subprocess.run(["node", "--test", BROWSER_TEST], check=False, env=environment)
        self.assertEqual(0, done.returncode)


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
