#!/usr/bin/env python3
"""Tests the widgets in a real browser, on real WordPress pages. Runs web/*.test.cjs in a new site, with the
shortcode and the block of the plugin in web/wordpress/.

RATINGD_RUN_DIR (build/e2e) is the folder for the run, RATINGD_BUILD_DIR (build/release) the folder with the
programs, and RATINGD_HTTP_PORT (a free port) the site's port. If $RATINGD_SCREENSHOTS is set, screenshots of all
widgets are stored there. Other arguments are passed to Node.js.

usage: widget_test.py [--test-name-pattern=…]
"""

import json
import os
import subprocess
import sys

from fault_sandbox import REPOSITORY, free_port, run_dir  # first because it sets the module path
from headless_sandbox import WithTicketKeys
from mariadb import ServerError
from report import report_failure
from wordpress_stack import ADMINISTRATOR, WordPressStack

# PERMALINKS_TEST runs once for each permalink structure. All other tests use only the first structure in
# PERMALINKS.
PERMALINKS_TEST = REPOSITORY / "web/permalinks.test.cjs"
# LOGIN_TEST and FIREFOX_TEST run while only registered users may rate. FIREFOX_TEST runs twice: once with
# LOGIN_TEST, and once with the other tests.
LOGIN_TEST = REPOSITORY / "web/login.test.cjs"
# REASON_TEST runs while the site asks visitors for the reasons for low votes. Tests that cast low votes must not
# run during REASON_TEST.
REASON_TEST = REPOSITORY / "web/reason.test.cjs"
FIREFOX_TEST = REPOSITORY / "web/firefox.test.cjs"
# The following test files need differently configured sites, so they are run by plugin_test.py, blocks_test.py,
# admin_test.py, pages_test.py, plugin_mail_test.py and walk_test.py.
OTHERS = {REPOSITORY / "web" / name for name in ("plugin.test.cjs", "blocks.test.cjs", "admin.test.cjs",
                                              "admin_manage.test.cjs", "first_steps.test.cjs", "mail.test.cjs",
                                              "network.test.cjs", "pages.test.cjs", "stars.test.cjs",
                                              "walk.test.cjs")}
TESTS = sorted(set((REPOSITORY / "web").glob("*.test.cjs")) - OTHERS)
PERMALINKS = ["/%postname%/", "", "/index.php/%postname%/"]

PAGE = """
[ratingd template="simple/heart"]
[ratingd template="simple/like-dislike"]
[ratingd template="simple/thumbs"]
[ratingd template="simple/stars" schema="Recipe"]
[ratingd template="simple/dots"]
[ratingd template="simple/slider"]
"""
# A page with eight widgets, and text before and after each widget.
LONG_PAGE = "".join(f'<p>Before.</p>[ratingd id="{4730 + i}" template="simple/{slug}"]<p>Behind.</p>'
                    for i, slug in enumerate(["stars", "heart", "like-dislike", "thumbs", "dots",
                                              "slider", "stars", "dots"]))
# A page with widgets in all sizes. The large like-dislike widget is omitted, because its two buttons need two
# lines on a phone.
FIGURES_PAGE = "".join(f'<p>Before.</p>[ratingd template="simple/{slug}" size="{size}"]<p>Behind.</p>'
                       for size in ["small", "medium", "large"]
                       for slug in ["stars", "heart", "thumbs", "slider", "distribution", "like-dislike"]
                       if (slug, size) != ("like-dislike", "large"))
# A page whose origin is in the allowed_origins setting.
FRIEND = """<!DOCTYPE html><html lang="en"><title>Friend</title><body>
<div data-ratingd data-object-id="5141" data-template="simple/stars"></div>
<script src="@API@/ratingd-widget.js" data-credentials="include"></script>
"""
# The example code in docs/wordpress.md.
THEME = """<?php
add_filter( 'the_content', function ( $content ) {
	return is_single( 'theme' ) ? $content . ratingd_widget( array( 'template' => 'simple/thumbs' ) ) : $content;
} );
add_filter( 'ratingd_base_url', function ( $url ) {
	$path = get_option( 'other_base_path' );
	return $path ? home_url( $path ) : $url;
} );
"""
LIST = """
<!-- wp:query {"query":{"perPage":100,"postType":"post"}} --><div class="wp-block-query">
<!-- wp:post-template --><!-- wp:post-title /--><!-- wp:ratingd/rating {"template":"simple/heart"} /-->
<!-- /wp:post-template --></div><!-- /wp:query -->
"""
FACETS_PAGE = """
[ratingd facets="taste,service" weights="2,1" label-taste="Flavour" schema="Recipe"]
[ratingd reactions="love,funny"]
"""
FACETS_BLOCK = """
<!-- wp:ratingd/rating {"group":"criteria","facets":"taste, service","weights":"2,1"} /-->
<!-- wp:ratingd/rating {"group":"reactions","category":"binary","facets":"love, funny","multiple":true} /-->
"""
BLOCK = '<!-- wp:ratingd/rating {"category":"bipolar","size":"large"} /-->'


class Site(WithTicketKeys, WordPressStack):
    ticket_keys = {"app": ()}

    def __init__(self):
        super().__init__(run_dir("e2e") / "widget", int(os.environ.get("RATINGD_HTTP_PORT", "0")) or free_port())

    def use_plugin(self):
        self.install_plugin()
        (self.run_dir / "wordpress/wp-content/mu-plugins/theme.php").write_text(THEME)

    def use_list(self):
        """Uses a page with all posts in the form that the theme's editor stores."""
        template = self.call("wp_insert_post", {"post_type": "wp_template", "post_name": "home",
                                                "post_title": "home", "post_content": LIST,
                                                "post_status": "publish"})
        self.call("wp_set_object_terms", template, self.call("get_stylesheet"), "wp_theme")

    def new_post(self, name, content):
        return self.call("wp_insert_post", {"post_title": name, "post_name": name,
                                            "post_content": content, "post_status": "publish"})

    def new_user(self, login):
        self.call("wp_insert_user", {"user_login": login, "user_pass": login, "role": "subscriber",
                                     "user_email": f"{login}@example.org"})


def describe(site):
    """Returns the site's description for the tests."""
    site.use_plugin()
    # Each test that casts votes has its own post, so that tests do not affect each other.
    names = ["visitor", "together", "user", "stale", "keyboard", "slider", "failures", "words", "login", "nonce",
             "back", "tabs", "moving", "held", "firefox-back", "firefox-tabs", "firefox-slider"]
    posts = {name: site.new_post(name, PAGE) for name in names}
    posts["shift"] = site.new_post("shift", LONG_PAGE)
    posts["figures"] = site.new_post("figures", FIGURES_PAGE)
    posts["figures-none"] = site.new_post("figures-none", '[ratingd][ratingd hide-result]')
    posts["block"] = site.new_post("block", BLOCK)
    posts["facets"] = site.new_post("facets", FACETS_PAGE)
    posts["facets-block"] = site.new_post("facets-block", FACETS_BLOCK)
    posts["mine"] = site.new_post("mine", "[ratingd][ratingd_mine]")
    posts["theme"] = site.new_post("theme", "")
    posts["permalinks"] = site.new_post("permalinks", '[ratingd template="simple/stars"]')
    site.use_list()
    for login in ["reader", "forgotten", "reader2", "reader3"]:
        site.new_user(login)
    # Allow pages from another origin, and as many votes from one address as the tests need.
    origin = f"http://localhost:{site.port}"
    (site.run_dir / "wordpress/friend.html").write_text(FRIEND.replace("@API@", site.base_url))
    site.ratingctl("settings", "set", f"allowed_origins={origin}", "rate_limit_write=100000",
                   "rate_limit_read=100000", "facets=taste,service,love,funny,very-funny")
    return {"url": site.url, "posts": posts, "administrator": ADMINISTRATOR, "friend": f"{origin}/friend.html",
            "ticketKey": site.keys["app"]}


def check_base_urls(site):
    """Checks that the plugin follows the site's URL, and the filter in docs/wordpress.md."""
    default = "/wp-json/ratingd/v1"
    for home, other, expected in [
        (site.url, "", site.url + default),
        (site.url + "/blog", "", site.url + "/blog" + default),
        (site.url + "/blog", "/wp-json/ratepress/v1", site.url + "/blog/wp-json/ratepress/v1"),
    ]:
        site.call("update_option", "home", home)
        site.call("update_option", "other_base_path", other)
        found = site.call("ratingd_base_url")
        if found != expected:
            raise ServerError(f"The plugin's base URL for {home} is {found}, not {expected}.")
    site.call("update_option", "home", site.url)
    site.call("delete_option", "other_base_path")


def run_tests(site, description):
    """Returns the first exit status that is not 0, or 0."""
    others = [path for path in TESTS if path not in (PERMALINKS_TEST, LOGIN_TEST, REASON_TEST)]
    statuses = [run_node(description, [*others])]
    site.ratingctl("settings", "set", "low_vote_reasons=true")
    for permalinks in PERMALINKS:
        site.call("update_option", "permalink_structure", permalinks)
        site.call("flush_rewrite_rules", False)
        tests = [PERMALINKS_TEST, REASON_TEST] if permalinks == PERMALINKS[0] else [PERMALINKS_TEST]
        statuses.append(run_node({**description, "permalinks": permalinks}, tests))
    site.call("update_option", "permalink_structure", PERMALINKS[0])
    site.call("flush_rewrite_rules", False)
    site.ratingctl("settings", "set", "low_vote_reasons=false", "require_login=true")
    statuses.append(run_node({**description, "requiresLogin": True}, [LOGIN_TEST, FIREFOX_TEST]))
    return next((status for status in statuses if status != 0), 0)


def run_node(description, tests):
    environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
    return subprocess.run(["node", "--test", *sys.argv[1:], *tests], check=False, env=environment).returncode


def main():
    site = Site()
    try:
        site.start()
        try:
            description = describe(site)
            check_base_urls(site)
            return run_tests(site, description)
        finally:
            site.stop_cleanly()
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
