#!/usr/bin/env python3
"""The plugin in a network of WordPress sites of which ratingd serves one, on which nobody has voted yet: the
other one is as without the plugin."""

import re
import unittest

import fault_sandbox  # noqa: F401 first: it sets the path of the others
from browser import Browser
from plugin_sandbox import Site
from wordpress_stack import ADMINISTRATOR

# The other site has another name of this host, so that no address needs to be rewritten. Scripts without a
# request are of the site that is served.
NETWORK = """
define( 'MULTISITE', true );
define( 'SUBDOMAIN_INSTALL', true );
define( 'DOMAIN_CURRENT_SITE', '127.0.0.1:@PORT@' );
define( 'PATH_CURRENT_SITE', '/' );
define( 'SITE_ID_CURRENT_SITE', 1 );
define( 'BLOG_ID_CURRENT_SITE', 1 );
define( 'COOKIE_DOMAIN', '' );
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
	make_db_current_silent( 'ms_global' );
	return populate_network( 1, $domain, 'admin@example.org', 'Network', '/', false );
}

function test_publish( $site, $content ) {
	switch_to_blog( $site );
	update_option( 'ratingd_placement', array( 'post' => array( 'where' => 'after' ) ) );
	$post = array( 'post_title' => 'Rated', 'post_content' => $content, 'post_status' => 'publish' );
	return wp_insert_post( $post );
}
add_action( 'wp_footer', function () {
	echo '<!-- theme: ' . ratingd_widget( array( 'id' => 1 ) ) . ' -->';
} );
"""

CONTENT = """Words. <em>[ratingd]</em><em>[ratingd_top]</em>
<!-- wp:ratingd/rating /-->
<!-- wp:ratingd/top /-->"""


class Network(Site):
    def _create_site(self):
        super()._create_site()
        self.must_use("calls", CALLS)
        self.call("test_make_network", f"127.0.0.1:{self.port}")
        network = NETWORK.replace("@PORT@", str(self.port))
        self.wp_config.write_text(self.wp_config.read_text().replace("\nrequire_once", f"{network}\nrequire_once"))
        self.other = self.call("wp_insert_site", {"domain": "localhost", "path": "/", "user_id": 1})
        # WordPress takes no port here.
        self.sql(f"UPDATE wp_blogs SET domain = 'localhost:{self.port}' WHERE blog_id = {self.other};"
                 f"UPDATE wp_{self.other}_options SET option_value = 'http://localhost:{self.port}'"
                 " WHERE option_name IN ('home', 'siteurl')")


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
        """What the plugin left in a page. The editor knows its shortcodes, which show nothing."""
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


if __name__ == "__main__":
    # Not of interest: that PHP outlives the object that started it.
    unittest.main(warnings="ignore")
