#!/usr/bin/env python3
"""Tests widgets on pages that other people's themes, plugins, caches and optimizers have changed. Runs
web/pages.test.cjs in a browser for each file in tests/pages. tests/pages/README.md explains how to add a page.

RATINGD_RUN_DIR (build/e2e) is the folder for the run, and RATINGD_BUILD_DIR (build/release) the folder with the
programs. Other arguments are passed to Node.js.

usage: pages_test.py [--test-name-pattern=…]
"""

import json
import os
import re
import subprocess
import sys

from fault_sandbox import REPOSITORY, TESTS, free_port  # first because it sets the module path
from mariadb import ServerError
from plugin_sandbox import Site
from report import report_failure
from wordpress_stack import ADMINISTRATOR

BROWSER_TEST = REPOSITORY / "web/pages.test.cjs"
FRAMEWORKS = REPOSITORY / "web/frameworks.cjs"
PAGES = TESTS / "pages"
# The "situation" cookie in each browser request names the situation to test.
LOADER = """<?php
$situation = preg_replace( '/[^a-z0-9-]/', '', $_COOKIE['situation'] ?? '' );
$file      = '@PAGES@/' . $situation . '.php';
if ( is_readable( $file ) ) {
	require $file;
}
"""

# The configuration of a proxy that allows only a few HTTP methods.
PROXY = """@USER@
pid "@FOLDER@/nginx.pid";
error_log "@FOLDER@/error.log";
events {
}
http {
    access_log off;
    client_body_temp_path "@FOLDER@/body";
    proxy_temp_path "@FOLDER@/proxy";
    fastcgi_temp_path "@FOLDER@/fastcgi";
    scgi_temp_path "@FOLDER@/scgi";
    uwsgi_temp_path "@FOLDER@/uwsgi";
    server {
        listen 127.0.0.1:@PORT@;
        location / {
            limit_except GET POST OPTIONS {
                deny all;
            }
            proxy_pass @SITE@;
            proxy_set_header Host 127.0.0.1:@SITE_PORT@;
        }
    }
}
"""


class Proxy:
    """Runs nginx in front of a site during the block."""

    def __init__(self, site):
        self._site = site
        self._port = free_port()
        self._folder = site.run_dir / "proxy"
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self):
        self._folder.mkdir()
        config = self._folder / "nginx.conf"
        values = {"USER": "user root;" if os.geteuid() == 0 else "", "FOLDER": self._folder, "PORT": self._port,
                  "SITE": self._site.url, "SITE_PORT": self._site.port}
        config.write_text(re.sub("@([A-Z_]+)@", lambda name: str(values[name[1]]), PROXY))
        command = ["nginx", "-e", self._folder / "error.log", "-c", config, "-g", "daemon off;"]
        self._process = subprocess.Popen(command)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(30)


def read_page(path):
    """Returns the settings in the comment at the start of a page."""
    fields = dict(re.findall(r"^\W*(Situation|Source|As|Check|Content): (.*)$", path.read_text(), re.MULTILINE))
    return {"name": path.stem, "kind": path.suffix[1:], **{key.lower(): value for key, value in fields.items()}}


def describe(site, proxy):
    """Returns the site's description for the tests."""
    site.install_plugin()
    site.ratingctl("settings", "set", "rate_limit_write=100000", "rate_limit_read=100000",
                   "facets=taste,service,love,funny", "allow_null_origin=true",
                   f"allowed_origins=http://localhost:{site.port},{proxy.url}")
    site.must_use("situations", LOADER.replace("@PAGES@", str(PAGES)))
    site.call("wp_insert_user", {"user_login": "reader", "user_pass": "reader", "role": "subscriber",
                                 "user_email": "reader@example.org"})
    site.call("update_option", "ratingd_placement", {"comment": {"where": "after", "category": "binary"},
                                                     "author": {"where": "after"}})
    folder = site.run_dir / "wordpress/pages"
    folder.mkdir()
    pages = [read_page(path) for path in sorted(PAGES.iterdir()) if path.suffix in (".php", ".html")]
    for page in pages:
        content = page.get("content", '[ratingd template="simple/stars"]')
        page["post"] = site.call("wp_insert_post", {"post_title": page["name"], "post_name": page["name"],
                                                    "post_content": content, "post_status": "publish"})
        comment = {"comment_post_ID": page["post"], "comment_content": "Good.", "comment_author": "Somebody"}
        page["comment"] = site.call("wp_insert_comment", {**comment, "comment_approved": 1})
        if page["kind"] == "html":
            text = (PAGES / f"{page['name']}.html").read_text()
            text = text.replace("@API@", site.base_url).replace("@ID@", str(page["post"]))
            text = text.replace("@PROXY@", proxy.url)
            (folder / f"{page['name']}.html").write_text(text)
    for name, object_id in (("react", 7001), ("vue", 7002), ("next", 7003)):
        command = ["node", FRAMEWORKS, folder, site.base_url, str(object_id), name]
        subprocess.run(command, check=True)
    return {"url": site.url, "other": f"http://localhost:{site.port}", "proxy": proxy.url, "pages": pages,
            "administrator": ADMINISTRATOR}


def main():
    site = Site("pages")
    try:
        site.start()
        try:
            with Proxy(site) as proxy:
                environment = {**os.environ, "RATINGD_SITE": json.dumps(describe(site, proxy))}
                done = subprocess.run(["node", "--test", *sys.argv[1:], BROWSER_TEST], check=False,
                                      env=environment)
            complaints = site.complaints()
            print(*complaints, sep="\n")
            return done.returncode or len(complaints)
        finally:
            site.stop_cleanly()
    except ServerError as error:
        return report_failure(error)


if __name__ == "__main__":
    sys.exit(main())
