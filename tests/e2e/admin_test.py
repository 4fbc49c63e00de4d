#!/usr/bin/env python3
"""Tests the owner's page in a real browser, in wp-admin and at its own URL, beside a real WordPress. Runs
web/admin*.test.cjs in a new site with some thousand votes.

RATINGD_RUN_DIR (build/e2e) is the folder for the run, RATINGD_BUILD_DIR (build/release) the folder with the
programs, and RATINGD_HTTP_PORT (a free port) the site's port. If $RATINGD_SCREENSHOTS is set, screenshots of all
views are stored there. The names of test files select them. Without names, all tests run. Other arguments are
passed to Node.js.

usage: admin_test.py [admin.test.cjs] [admin_manage.test.cjs] [--test-name-pattern=…]
"""

import json
import os
import subprocess
import sys

from fault_sandbox import REPOSITORY, free_port, run_dir  # first because it sets the module path
from mariadb import ServerError
from report import report_failure
from wordpress_stack import ADMINISTRATOR, WordPressStack

# Run admin.test.cjs first, because admin_manage.test.cjs changes figures that admin.test.cjs compares with SQL
# results.
TESTS = ["admin.test.cjs", "admin_manage.test.cjs"]
POSTS = 45
# WordPress's editor removes HTML that runs scripts, but plugins can write such HTML to the database.
PROBES = """
UPDATE wp_posts SET post_title = CONCAT('<img src=x onerror="window.hacked=1">', post_title)
  WHERE post_type = 'post' AND MOD(ID, 3) = 0;
UPDATE wp_users SET display_name = CONCAT('<svg onload="window.hacked=1">', display_name)
  WHERE user_login = 'clara';
"""


class Site(WordPressStack):
    def __init__(self):
        super().__init__(run_dir("e2e") / "admin", int(os.environ.get("RATINGD_HTTP_PORT", "0")) or free_port())

    def new_user(self, login, role):
        self.call("wp_insert_user", {"user_login": login, "user_pass": login, "role": role,
                                     "display_name": f"{login.capitalize()} Secretname",
                                     "user_email": f"{login}@example.org"})


def describe(site):
    """Returns the site's description for the tests. The demo data's objects are the newest posts on this site, and
    its first users are this site's users."""
    site.install_plugin()
    for number in range(POSTS):
        title = f"Winter & bread {number}" if number % 5 == 0 else f"Post {number}"
        site.call("wp_insert_post", {"post_title": title, "post_content": "", "post_status": "publish"})
    for login, role in [("anna", "editor"), ("ben", "subscriber"), ("clara", "author")]:
        site.new_user(login, role)
    # Avatars are loaded from another host, which the tests cannot reach.
    site.call("update_option", "show_avatars", 0)
    site.mariadb().execute("USE wordpress;" + PROBES)
    site.ratingctl("demo-data", "--votes=4000", "--objects=40", "--days=60")
    site.ratingctl("settings", "set", "analytics_access=editor", "analytics_cache_seconds=0",
                   "rate_limit_write=100000", "rate_limit_read=100000")
    return {"url": site.url, "administrator": ADMINISTRATOR, "editor": "anna", "subscriber": "ben",
            "socket": str(site.mariadb().socket), "files": str(site.build_dir / "admin")}


def run_tests(description):
    """Returns the first exit status that is not 0, or 0."""
    environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
    named = [test for test in TESTS if test in sys.argv]
    words = [word for word in sys.argv[1:] if word not in TESTS]
    statuses = [subprocess.run(["node", "--test", *words, REPOSITORY / "web" / test], check=False,
                               env=environment).returncode for test in named or TESTS]
    return next((status for status in statuses if status != 0), 0)


def main():
    site = Site()
    try:
        site.start()
        try:
            return run_tests(describe(site))
        finally:
            site.stop_cleanly()
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
