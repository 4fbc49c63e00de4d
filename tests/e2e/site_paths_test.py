#!/usr/bin/env python3
"""Tests sites in a folder, with nginx's files changed as in docs/proxies.md. Starts its own sandboxes."""

import http.client
import json
import random
import re
import subprocess
import unittest

from fault_sandbox import REPOSITORY, FaultSandbox  # first because it sets the module path
from documents import texts_of
from stack import BASE_PATH

DOCUMENT = REPOSITORY / "docs/proxies.md"


class SiteInFolder(FaultSandbox):
    """WordPress's URL ends with "home". "commands" are the document's commands for nginx's files."""

    def __init__(self, home, base_path, commands):
        super().__init__()
        self._home = home
        self.base_path = base_path
        self._commands = commands

    def _create_site(self):
        super()._create_site()
        self.sql(f"UPDATE wp_options SET option_value = '{self.url}{self._home}'"
                 " WHERE option_name = 'home'")

    def _ship(self, name, own_paths):
        super()._ship(name, {path: own for path, own in own_paths.items() if path != BASE_PATH})
        for command in re.findall(r"^sudo sed(?:.*\\\n)*.*$", self._commands, re.MULTILINE):
            options, *paths = re.split(r"\s+/etc/ratingd/nginx/", command.replace("\\\n", ""))
            if name in paths:
                script = options.removeprefix("sudo ")
                subprocess.run(f"{script} {self.run_dir}/{name}", shell=True, check=True)

    def _is_healthy(self):
        """Returns whether a worker responds at any of nginx's paths."""
        return any(self.request("GET", path + "/health")[0] == 200
                   for path in (self.base_path, BASE_PATH))

    def request(self, method, path, fields=None):
        """Returns (status, Set-Cookie, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, fields and json.dumps(fields),
                               {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"})
            answer = connection.getresponse()
            return answer.status, answer.headers["Set-Cookie"] or "", answer.read().decode()
        except OSError:
            return 0, "", ""
        finally:
            connection.close()


class SitePathsTest(unittest.TestCase):
    def start(self, *words):
        self.sandbox = SiteInFolder(*words)
        self.addCleanup(self.sandbox.stop)
        self.sandbox.start()

    def check_counts(self, path, cookie_path):
        vote = {"object_id": random.randrange(10**17, 9 * 10**17), "category": "binary", "value": 1}
        status, cookie, body = self.sandbox.request("POST", path, vote)
        self.assertEqual(200, status, f"{path}: {body}")
        self.assertIn(f"; Path={cookie_path};", cookie, path)
        stored = self.sandbox.stored_votes([vote["object_id"]])
        self.assertEqual({vote["object_id"]: (1, 1000)}, stored)

    def check_is_not_passed_on(self, path):
        status, _, body = self.sandbox.request("GET", path)
        self.assertEqual(404, status, path)
        self.assertNotIn("rest_no_route", body, path)  # it is the site's own response

    def check_page(self, path):
        status, _, body = self.sandbox.request("GET", path)
        self.assertEqual((200, True), (status, 'id="ratingd-admin"' in body), path)


class Folder(SitePathsTest):
    def test_is_in_all_paths(self):
        self.start("/blog", "/blog/wp-json/ratingd/v1", texts_of(DOCUMENT, "A site in a folder", "sh")[0])
        self.check_counts("/blog/wp-json/ratingd/v1/rate", "/blog/wp-json/ratingd/v1")
        for front, path in [("/blog/?", "/blog/"), ("/blog/index.php?", "/blog/"), ("//blog//?", "/")]:
            self.check_counts(f"{front}rest_route=/ratingd/v1/rate", path)
        self.check_page("/blog/wp-json/ratingd/v1/admin/")
        # A request with the rest_route query parameter can read neither the owner's page nor files outside the
        # page's folder.
        outside = ["/../CMakeCache.txt", "%2f..%2fCMakeCache.txt", "/%2e%2e/CMakeCache.txt"]
        for file in ["", "/", "/index.html", *outside]:
            self.check_is_not_passed_on(f"/blog/?rest_route=/ratingd/v1/admin{file}")
        for front in ["/", "/two/", "/blog/two/", "/blog/fr/"]:
            self.check_is_not_passed_on(f"{front}?rest_route=/ratingd/v1/health")

    def test_with_other_characters_has_plain_permalinks(self):
        self.start("/caf%C3%A9", BASE_PATH, texts_of(DOCUMENT, "A site in a folder", "sh")[1])
        self.check_counts(f"{BASE_PATH}/rate", BASE_PATH)
        for folder in ["/caf%C3%A9/", "/caf%c3%a9/"]:
            self.check_counts(f"{folder}?rest_route=/ratingd/v1/rate", folder)
        self.check_is_not_passed_on("/?rest_route=/ratingd/v1/health")


class ProxyThatRemovesTheFolder(SitePathsTest):
    def test_is_made_up_for(self):
        [commands] = texts_of(DOCUMENT, "A proxy that removes the folder", "sh")
        self.start("/blog", "/blog/wp-json/ratingd/v1", commands)
        # The proxy removes the "/blog" prefix from the paths that it sends to the web server. The cookie's path is
        # the path that the visitor's browser sees.
        self.check_counts("/wp-json/ratingd/v1/rate", "/blog/wp-json/ratingd/v1")
        self.check_counts("/?rest_route=/ratingd/v1/rate", "/blog/")
        self.check_counts("/index.php?rest_route=/ratingd/v1/rate", "/blog/")
        self.check_page("/wp-json/ratingd/v1/admin/")
        self.check_is_not_passed_on("/two/?rest_route=/ratingd/v1/health")


if __name__ == "__main__":
    # Ignore Python's warning that some processes are still running.
    unittest.main(warnings="ignore")
