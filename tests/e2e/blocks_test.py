#!/usr/bin/env python3
"""The plugin's blocks in the editors of a real WordPress: runs web/blocks.test.cjs in a browser.

RATINGD_RUN_DIR (build/e2e) and RATINGD_BUILD_DIR (build/release) move it, RATINGD_WORDPRESS names the folder of
another version of WordPress. Further words go to Node.js.

usage: blocks_test.py [--test-name-pattern=…]
"""

import json
import os
import subprocess
import sys

from fault_sandbox import REPOSITORY  # first: it sets the path of the others
from mariadb import ServerError
from plugin_sandbox import Site
from report import report_failure
from wordpress_stack import ADMINISTRATOR

BROWSER_TEST = REPOSITORY / "web/blocks.test.cjs"
CLASSIC_TYPE = """<?php
add_action( 'init', function () {
	register_post_type( 'recipe', array( 'public' => true, 'label' => 'Recipes' ) );
} );
"""


def describe(site):
    """What the tests have to know."""
    site.install_plugin()
    site.ratingctl("settings", "set", "rate_limit_write=100000", "rate_limit_read=100000")
    content = site.run_dir / "wordpress/wp-content"
    (content / "mu-plugins/types.php").write_text(CLASSIC_TYPE)
    site.call("flush_rewrite_rules", False)  # addresses of that type
    site.call("update_option", "show_avatars", 0)  # they come from another host
    site.call("wp_insert_user", {"user_login": "german", "user_pass": "german", "role": "administrator",
                                 "user_email": "german@example.org", "locale": "de_DE"})
    return {"url": site.url, "administrator": ADMINISTRATOR, "german": "german", "classic": "recipe",
            "block_theme": site.call("get_stylesheet"), "classic_theme": site.classic_theme(),
            "has_router": site.call("function_exists", "wp_interactivity")}


def main():
    site = Site("blocks")
    try:
        site.start()
        try:
            environment = {**os.environ, "RATINGD_SITE": json.dumps(describe(site))}
            done = subprocess.run(["node", "--test", *sys.argv[1:], BROWSER_TEST], check=False, env=environment)
            complaints = site.complaints()
            print(*complaints, sep="\n")
            return done.returncode or len(complaints)
        finally:
            site.stop_cleanly()
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
