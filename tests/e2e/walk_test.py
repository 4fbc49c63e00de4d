#!/usr/bin/env python3
"""Tests the steps of an owner who reads no documents, from the plugin's ZIP file to the first vote and to custom
criteria. Runs web/walk.test.cjs in a browser, in a new WordPress with a block theme and in another one with a
classic theme.

RATINGD_RUN_DIR (build/e2e) is the folder for the run, and RATINGD_BUILD_DIR (build/release) the folder with the
programs. RATINGD_WORDPRESS names the folder of another WordPress version. If $RATINGD_SCREENSHOTS is set, the
browser stores a picture of each step there. The names of themes select them. Without names, "block" and "classic"
run. Other arguments are passed to Node.js.

usage: walk_test.py [block] [classic] [--test-name-pattern=…]
"""

import json
import os
import subprocess
import sys
import zipfile

from fault_sandbox import REPOSITORY  # first because it sets the module path
from mariadb import ServerError
from plugin_sandbox import Site
from report import report_failure
from wordpress_stack import ADMINISTRATOR, PLUGIN

THEMES = ["block", "classic"]


def write_plugin(site):
    """Writes the plugin's ZIP and returns its path. The must-use plugin's loader is not part of the ZIP."""
    path = site.run_dir / "ratingd.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as plugin:
        for source in (PLUGIN, site.build_dir / "plugin"):
            for file in sorted((source / "ratingd").rglob("*.*")):
                plugin.write(file, file.relative_to(source))
    return path


def describe(site, theme):
    """Returns the site's description for the tests."""
    if theme == "classic":
        site.call("switch_theme", site.classic_theme())
    site.call("update_option", "show_avatars", 0)  # avatars come from another host
    return {"url": site.url, "administrator": ADMINISTRATOR, "plugin": str(write_plugin(site)), "theme": theme}


def walk(theme, words):
    """Returns 0 if the tests passed and PHP logged no warnings about the plugin."""
    site = Site(f"walk-{theme}")
    try:
        site.start()
        environment = {**os.environ, "RATINGD_SITE": json.dumps(describe(site, theme))}
        status = subprocess.run(["node", "--test", *words, REPOSITORY / "web/walk.test.cjs"], check=False,
                                env=environment).returncode
        complaints = site.complaints()
        print(*complaints, sep="\n")
        return status or len(complaints)
    finally:
        site.stop_cleanly()


def main():
    named = [theme for theme in THEMES if theme in sys.argv]
    words = [word for word in sys.argv[1:] if word not in THEMES]
    try:
        return max(walk(theme, words) for theme in named or THEMES)
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
