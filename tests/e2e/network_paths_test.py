#!/usr/bin/env python3
"""Tests a network of sites in folders and at hosts behind one worker pool, with nginx's files for it, and
ratingctl for all sites. Starts its own sandboxes."""

import json
import random
import re
import unittest

from fault_sandbox import wait_until  # first because it sets the module path
from mariadb import ServerError
from network_sandbox import NetworkSandbox
from stack import BASE_PATH

FIRST = "127.0.0.1"
OTHER = "three.example.org"
FOLDER = f"/two{BASE_PATH}"


def some_object():
    return random.randrange(10**17, 9 * 10**17)


class NetworkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sandbox = NetworkSandbox({2: (FIRST, "/two/"), 3: (OTHER, "/")})
        cls.addClassCleanup(cls.sandbox.stop_cleanly)
        cls.sandbox.start()
        # The workers read the list of sites shortly after the first site responds.
        assert wait_until(lambda: cls.get(f"{FOLDER}/stats/1")[0] == 200, 20)

    @classmethod
    def get(cls, path, host=FIRST, **headers):
        return cls.sandbox.request("GET", path, host, **headers)

    def vote(self, path, host=FIRST):
        """Votes. Returns the object of the vote and the response's headers."""
        object_id = some_object()
        fields = {"object_id": object_id, "category": "binary", "value": 1}
        status, headers, body = self.sandbox.request("POST", f"{path}/rate", host, fields)
        self.assertEqual(200, status, body)
        return object_id, headers

    def votes(self, prefix, object_id):
        return int(self.sandbox.sql(f"SELECT COUNT(*) FROM {prefix}ratingd_votes WHERE object_id = {object_id}"))


class Paths(NetworkTest):
    def test_lead_to_the_site(self):
        for number, (path, host) in enumerate([(BASE_PATH, FIRST), (FOLDER, FIRST), (BASE_PATH, OTHER)]):
            object_id, headers = self.vote(path, host)
            self.assertIn(f"; Path={path};", headers["Set-Cookie"])
            found = [self.votes(prefix, object_id) for prefix in ("wp_", "wp_2_", "wp_3_")]
            self.assertEqual([int(number == i) for i in range(3)], found)

    def test_of_no_site_are_refused(self):
        for path, host in [(f"/four{BASE_PATH}", FIRST), (FOLDER, OTHER), (BASE_PATH, "five.example.org")]:
            status, _, body = self.get(f"{path}/stats/1", host)
            self.assertEqual((404, "rest_no_route"), (status, json.loads(body)["code"]), path)

    def test_with_plain_permalinks_lead_to_the_site(self):
        for path in ["/two/?rest_route=/ratingd/v1", "/two/index.php?rest_route=%2Fratingd%2fv1",
                     "/two/?lang=en&rest_route=/ratingd/v1"]:
            object_id, headers = self.vote(path)
            self.assertIn("; Path=/two/;", headers["Set-Cookie"])
            found = [self.votes(prefix, object_id) for prefix in ("wp_", "wp_2_", "wp_3_")]
            self.assertEqual([0, 1, 0], found, path)
            status, _, body = self.get(f"{path}/stats/{object_id}&object_type=post")
            self.assertEqual((200, 1), (status, json.loads(body)["stats"]["binary"]["total"]), path)
        for path in ["/four/?rest_route=/ratingd/v1/stats/1", "/two/?rest_route=/ratingd/v1/nothing"]:
            status, _, body = self.get(path)
            self.assertEqual((404, "rest_no_route"), (status, json.loads(body)["code"]), path)

    def test_of_others_are_not_ratingd_s(self):
        for path in [f"/two/three{BASE_PATH}/stats/1", f"/two{BASE_PATH}x/stats/1",
                     "/two/?rest_route=/wp/v2/posts", "/two/?rest_route=/ratingd/v1/admin/",
                     "/two/three/?rest_route=/ratingd/v1/stats/1", "/two?rest_route=/ratingd/v1/stats/1"]:
            status, _, body = self.get(path)
            self.assertEqual(404, status, path)
            self.assertNotIn("rest_no_route", body, path)

    def test_have_the_scripts(self):
        status, headers, body = self.get(f"{FOLDER}/ratingd-widget.js")
        self.assertEqual((200, "text/javascript; charset=UTF-8"), (status, headers["Content-Type"]))
        self.assertEqual(body, self.get(f"{BASE_PATH}/ratingd-widget.js")[2])
        status, _, body = self.get(f"{FOLDER}/ratingd-nothing.js")
        self.assertEqual((404, "rest_no_route"), (status, json.loads(body)["code"]))

    def test_have_the_page(self):
        status, headers, _ = self.get(f"{FOLDER}/admin")
        self.assertEqual((301, "admin/"), (status, headers["Location"]))
        for file, part in [("", 'id="ratingd-admin"'), ("ratingd-admin.js", "import")]:
            status, _, body = self.get(f"{FOLDER}/admin/{file}")
            self.assertEqual((200, True), (status, part in body), file)
        self.assertEqual(404, self.get(f"{FOLDER}/admin/../../../CMakeCache.txt")[0])
        self.assertEqual(404, self.get(f"{FOLDER}/admin/%2e%2e/CMakeCache.txt")[0])

    def test_have_errors_of_nginx(self):
        status, _, body = self.sandbox.request("POST", f"{FOLDER}/rate", FIRST, {"x": "x" * 2**20})
        self.assertEqual((400, "ratingd_body_too_large"), (status, json.loads(body)["code"]))

    def test_have_answers_of_their_own_in_nginx_s_cache(self):
        object_id, _ = self.vote(FOLDER)
        places = {(BASE_PATH, FIRST): 0, (FOLDER, FIRST): 1, (BASE_PATH, OTHER): 0}
        hits = set()
        for _ in range(300):
            for (path, host), total in places.items():
                status, headers, body = self.get(f"{path}/public/stats/{object_id}", host)
                self.assertEqual(200, status)
                self.assertEqual(total, json.loads(body)["stats"]["binary"]["total"], (path, host))
                if headers["Cache-Status"] == "ratingd; hit":
                    hits.add((path, host))
            if len(hits) == len(places):
                return
        self.fail(f"nginx keeps answers of these only: {hits}")


class Commands(NetworkTest):
    def test_are_for_all_sites(self):
        for command in ("status", "verify", "maintain", "rebuild"):
            printed = self.sandbox.ratingctl(command, "--all-sites")
            for name in (f"site 1, {FIRST}:", f"site 2, {FIRST}/two:", f"site 3, {OTHER}:"):
                self.assertIn(f"{name}\n", printed, command)
        self.assertIn("site 2,", self.sandbox.ratingctl("maintain"))  # as the nightly unit runs it

    def test_are_for_one_site(self):
        object_id, _ = self.vote(FOLDER)
        self.assertIn(str(object_id), self.sandbox.ratingctl("export", "--blog-id=2"))
        self.assertIn(str(object_id), self.sandbox.ratingctl("export", f"--url=http://{FIRST}/two/"))
        self.assertNotIn(str(object_id), self.sandbox.ratingctl("export"))

    def test_show_workers_once(self):
        for printed in (self.sandbox.ratingctl("status", "--all-sites"),
                        self.sandbox.ratingctl("status", "--blog-id=2")):
            self.assertEqual(1, len(re.findall("^workers ", printed, re.MULTILINE)), printed)

    def test_make_a_new_site_usable(self):
        self.sandbox.add_site(8, FIRST, "/eight/")
        path = f"/eight{BASE_PATH}"
        # One worker may learn about the new site a few seconds after the other worker.
        self.assertTrue(wait_until(lambda: "ratingctl migrate --all-sites" in self.get(f"{path}/stats/1")[2], 20))
        self.assertIn("site 8, 127.0.0.1/eight:\nskipped", self.sandbox.ratingctl("verify", "--all-sites"))
        try:
            self.sandbox.ratingctl("migrate", "--all-sites", "--new")
        except ServerError as error:  # without a database root
            self.assertIn("grants --all-sites | mariadb", str(error))
            self.sandbox.give_rights()
            self.sandbox.ratingctl("migrate", "--all-sites", "--new")
        # One worker may find the new tables a second after the other worker.
        vote = {"object_id": 8, "category": "binary", "value": 1}
        rate = ("POST", f"{path}/rate", FIRST, vote)
        self.assertTrue(wait_until(lambda: self.sandbox.request(*rate)[0] == 200, 20))
        self.assertEqual(1, self.votes("wp_8_", 8))
        self.assertEqual("", self.sandbox.ratingctl("migrate", "--all-sites", "--new"))


if __name__ == "__main__":
    # Ignore Python's warning that some processes are still running.
    unittest.main(warnings="ignore")
