#!/usr/bin/env python3
"""Tests an owner's first steps and the plugin's blocks in a real WordPress. Runs web/first_steps.test.cjs and
web/blocks.test.cjs in a browser. The first file begins with the site as it is after an installation.

RATINGD_RUN_DIR (build/e2e) is the folder for the run, and RATINGD_BUILD_DIR (build/release) the folder with the
programs. RATINGD_WORDPRESS names the folder of another WordPress version. The names of test files select them.
Other arguments are passed to Node.js.

usage: blocks_test.py [first_steps.test.cjs] [blocks.test.cjs] [--test-name-pattern=…]
"""

import json
import os
import subprocess
import sys

from fault_sandbox import REPOSITORY  # first because it sets the module path
from mariadb import ServerError
from plugin_sandbox import Site
from report import report_failure
from wordpress_stack import ADMINISTRATOR

TESTS = ["first_steps.test.cjs", "blocks.test.cjs"]
CLASSIC_TYPE = """<?php
add_action( 'init', function () {
	register_post_type( 'recipe', array( 'public' => true, 'label' => 'Recipes' ) );
} );
"""


def describe(site):
    """Returns the site's description for the tests."""
    site.install_plugin()
    site.ratingctl("settings", "set", "rate_limit_write=100000", "rate_limit_read=100000")
    content = site.run_dir / "wordpress/wp-content"
    (content / "mu-plugins/types.php").write_text(CLASSIC_TYPE)
    site.call("flush_rewrite_rules", False)  # adds the URLs of that type
    site.call("update_option", "show_avatars", 0)  # avatars come from another host
    site.call("wp_insert_user", {"user_login": "german", "user_pass": "german", "role": "administrator",
                                 "user_email": "german@example.org", "locale": "de_DE"})
    site.call("wp_insert_user", {"user_login": "anna", "user_pass": "anna", "role": "editor",
                                 "user_email": "anna@example.org"})
    return {"url": site.url, "administrator": ADMINISTRATOR, "german": "german", "editor": "anna",
            "classic": "recipe", "block_theme": site.call("get_stylesheet"),
            "classic_theme": site.classic_theme(),
            "has_router": site.call("function_exists", "wp_interactivity")}


def main():
    site = Site("blocks")
    try:
        site.start()
        try:
            environment = {**os.environ, "RATINGD_SITE": json.dumps(describe(site))}
            named = [test for test in TESTS if test in sys.argv]
            words = [word for word in sys.argv[1:] if word not in TESTS]
            statuses = [subprocess.run(["node", "--test", *words, REPOSITORY / "web" / test], check=False,
                                       env=environment).returncode for test in named or TESTS]
            complaints = site.complaints()
            print(*complaints, sep="\n")
            return max(statuses) or len(complaints)
        finally:
            site.stop_cleanly()
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
