#!/usr/bin/env python3
"""Tests nginx's cache of public counts. Everybody gets the same answer as without the cache, and pages show counts
while ratingd or the database is down. Starts its own sandboxes."""

import concurrent.futures
import contextlib
import http.client
import itertools
import json
import random
import subprocess
import unittest

from cache_sandbox import CacheSandbox, Request, send
from fault_sandbox import free_port, wait_until
from voting import Voter, basic, fresh_objects, poll

SPELLINGS = 1000
ANSWERS_PER_KEPT_ONE = 8
# If the two workers do not respond, nginx waits 5 seconds for each worker.
DOWN_SECONDS = 30
STALE = "ratingd; fwd=stale; detail=stale-if-error"
REMEMBERED = "ratingd; fwd=stale"  # marks a response that a worker remembered


class CacheTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sandbox = CacheSandbox.shared()

    def send(self, request, port=None):
        box = self.sandbox
        return send(port or box.port, request.text(box.base_path, f"127.0.0.1:{box.port}"), request.method)

    def without_cache(self, request):
        return self.send(request, self.sandbox.uncached_port)

    def new_voter(self):
        voter = Voter(self.sandbox.service, f"cache {random.getrandbits(64):x}")
        self.addCleanup(voter.close)
        return voter

    def check_hit(self, request):
        """One answer in eight comes from the cache."""
        self.assertEqual("ratingd; hit", poll(lambda: self.is_hit(request), f"{request} is kept"))

    def is_hit(self, request):
        status = self.send(request).header("Cache-Status")
        return status if status == "ratingd; hit" else None


class Attacks(CacheTest):
    def setUp(self):
        self.voter = self.new_voter()

    def rated_object(self):
        """Returns an object that self.voter has rated as a post and as a page."""
        [object_id] = fresh_objects(1)
        for object_type in ("post", "page"):
            answer = self.voter.ask("POST", "/rate", {"object_id": object_id, "object_type": object_type,
                                                      "category": "binary", "value": 1})
            self.assertEqual(200, answer.status)
        return object_id

    def proofs(self):
        """Returns valid and forged headers that could identify a requester."""
        token = self.voter._device["X-Ratingd-Device"]
        cookie = self.voter.cookie
        user = basic("subscriber", "subscriber")
        return [
            (("Cookie", cookie),), (("Cookie", cookie[:-1] + "x"),), (("Cookie", "any=1"),),
            (("Cookie", "0"),), (("Cookie", ""), ("Cookie", cookie)), (("Cookie", cookie), ("Cookie", "")),
            (("cOOKIE", cookie),),
            (("X-Ratingd-Device", token),), (("X-Ratingd-Device", token[::-1]),),
            (("X-Ratingd-Device", "short"),), (("X-Ratingd-Device", "0"),),
            (("X-Ratingd-Device", ""),),
            (("X-Ratingd-Device", ""), ("X-Ratingd-Device", token)),
            (("X-Ratingd-Device", token), ("X-Ratingd-Device", "")),
            (("X-WP-Nonce", "0123456789"),), (("X-WP-Nonce", ""),), (("X-WP-Nonce", "0"),),
            (("X-WP-Nonce", ""), ("X-WP-Nonce", "0123456789")),
            (("Authorization", user),), (("Authorization", basic("admin", "wrong")),),
            (("Authorization", "Bearer x"),), (("Authorization", ""),),
            (("X-Ratingd-Ticket", "x"),),
        ]

    def headers_without_proof(self):
        own = self.sandbox.url
        return [
            (("Origin", own),), (("Origin", "https://evil.example"),), (("Origin", "null"),),
            (("Origin", ""),), (("Origin", ""), ("Origin", own)), (("Origin", own), ("Origin", own)),
            (("X-HTTP-Method-Override", "DELETE"),), (("X-HTTP-Method-Override", "HEAD"),),
            (("If-None-Match", "*"),), (("If-None-Match", '"x", *'),), (("If-None-Match", "x"),),
            (("If-Match", '"x"'),), (("If-Modified-Since", "Sat, 21 Nov 2026 00:00:00 GMT"),),
            (("If-Unmodified-Since", "Sat, 21 Nov 2020 00:00:00 GMT"),),
            (("Range", "bytes=0-9"),), (("Range", "bytes=0-9"), ("If-Range", '"x"')),
            (("Host", "two.example"),), (("Host", "two.example:80"),), (("Host", "www.127.0.0.1"),),
            (("Host", "127.0.0.1"),), (("X-Forwarded-Host", "two.example"),),
            (("Accept-Encoding", "gzip"),), (("Cache-Control", "no-cache"),),
        ]

    def bodies(self):
        for body in (b'{"object_type":"page"}', b'{"_fields":"success"}', b'{"object_ids":"1"}', b" ", b"{"):
            length = (("Content-Length", str(len(body))), ("Content-Type", "application/json"))
            yield length, body
            chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            yield (("Transfer-Encoding", "chunked"), ("Content-Type", "application/json")), chunks
        form = "application/x-www-form-urlencoded"
        yield (("Content-Length", "16"), ("Content-Type", form)), b"object_type=page"

    def attacks(self, path):
        """Returns requests that differ slightly from the plain GET of "path", which has no query."""
        for headers in [*self.proofs(), *self.headers_without_proof()]:
            yield Request(path, headers)
        for headers, body in self.bodies():
            yield Request(path, headers, body=body)
        yield Request(path, method="HEAD")
        yield Request(path, (("If-None-Match", "*"),), method="HEAD")
        yield Request(path, method="OPTIONS")
        for method in ("POST", "DELETE", "PUT"):
            yield Request(path + "?_method=GET", (("Content-Length", "0"),), method)
        yield Request(path, (("Content-Length", "0"), ("X-HTTP-Method-Override", "GET")), "POST")
        for query in ("", "_fields=success", "_method=DELETE", "_wpnonce=0123456789", "_envelope=1",
                      "object_type=", "object_type=page", "object_type=PAGE", "object_type=post&object_type=page",
                      "object_type[]=page", "object_type=%70age", "object_type=post%00", "object_type=%FF",
                      "%6Fbject_type=page", "object_type=page&_wpnonce=x", "object_type=page#post", "x=1"):
            yield Request(f"{path}?{query}")
        for other in (path + "/", "/" + path, path.replace("stats", "st%61ts"), path.replace("stats", "STATS"),
                      path.replace("/stats", "%2Fstats"), "/./" + path[1:], "/x/.." + path,
                      path.replace("stats/", "stats/../stats/"), path + "%20", path + "%3Fobject_type=page"):
            yield Request(other)
        route = f"/ratingd/v1{path}"
        for target in (f"/?rest_route={route}", f"/?rest_route={route}&object_type=page",
                       f"/index.php?rest_route={route}", f"/two/?rest_route={route}"):
            yield Request(target, is_below_base=False)

    def test_after_an_ordinary_request_get_their_own_answer(self):
        object_id = self.rated_object()
        path = f"/public/stats/{object_id}"
        for attack in self.attacks(path):
            self.check_hit(Request(path))
            self.assertEqual(self.without_cache(attack).content, self.send(attack).content, attack)
        self.check_kept()

    def test_before_an_ordinary_request_leave_nothing_behind(self):
        self.rated_object()  # makes the voter's cookie
        for number in range(len(list(self.attacks("/public/stats/1")))):
            path = f"/public/stats/{self.rated_object()}"
            attack = next(itertools.islice(self.attacks(path), number, None))
            for _ in range(ANSWERS_PER_KEPT_ONE):
                self.send(attack)
            ordinary = Request(path)
            self.assertEqual(self.without_cache(ordinary).content, self.send(ordinary).content, attack)

    def test_with_spellings_of_one_list_get_what_they_ask_for(self):
        objects = [self.rated_object() for _ in range(4)]
        statuses = set()
        for number in range(SPELLINGS):
            request = Request(f"/public/stats?{self.spelling(objects)}")
            plain, kept = self.without_cache(request), self.send(request)
            self.assertEqual(plain.content, kept.content, f"{number}: {request}")
            statuses.add(kept.header("Cache-Status").split(";", 1)[-1].strip())
        self.assertLessEqual({"fwd=uri-miss", "fwd=bypass"}, statuses)
        # A cached response is valid for two seconds, so it may expire between two requests on a slow machine.
        ordinary = Request(f"/public/stats?object_ids={','.join(map(str, objects))}")
        self.check_hit(ordinary)
        self.assertEqual(self.without_cache(ordinary).content, self.send(ordinary).content)
        self.check_kept()

    @staticmethod
    def spelling(objects):
        """Returns a query for some of the objects. It often repeats an earlier query."""
        ids = [str(object_id) for object_id in random.sample(objects, random.choice((1, 2, 4)))]
        if random.randrange(4) == 0:
            ids += random.choice(([ids[0]], ["0"], [""], ["x"], ["9223372036854775808"]))
        ids = [random.choice((f"0{each}", f"%3{each[0]}{each[1:]}", f"+{each}", f" {each}".replace(" ", "%20")))
               if each.isdigit() and random.randrange(16) == 0 else each for each in ids]
        separator = random.choice((",", ",", "%2C", "%2C", "%2c", "%20", ",,", "+"))
        parts = [random.choice(("object_ids=", "object_ids=", "object_ids[]=", "object%5Fids=")) +
                 separator.join(ids)]
        if random.randrange(8) == 0:
            parts = [f"object_ids[]={each}" for each in ids]
        parts += random.choice(([], ["object_type=post"], ["object_type=page"], ["object_type=Page"],
                                ["object_type=post", "object_type=page"], ["_fields=data.object_id"]))
        if random.randrange(2):
            parts.reverse()
        return random.choice(("&", "&", "&", "&&", ";")).join(parts)

    def test_over_http2_with_a_body_of_unknown_length(self):
        object_id = self.rated_object()
        url = (f"http://127.0.0.1:{self.sandbox.http2_port}{self.sandbox.base_path}"
               f"/public/stats/{object_id}")
        for _ in range(2 * ANSWERS_PER_KEPT_ONE):
            self.assertEqual("post", self.over_http2(url)["object_type"])
            found = self.over_http2(url, "--request", "GET", "--upload-file", "-",
                                    "--header", "Content-Type: application/json")
            self.assertEqual("post", found["object_type"])

    @staticmethod
    def over_http2(url, *options):
        command = ["curl", "--silent", "--show-error", "--http2-prior-knowledge", "--max-time", "30",
                   *options, url]
        done = subprocess.run(command, input=b'{"object_type":"page"}', capture_output=True, check=True)
        return json.loads(done.stdout)

    def check_kept(self):
        """Checks that the cache contains only plain responses to plain requests, and nobody's own ratings."""
        files = self.sandbox.kept
        self.assertGreater(len(files), 0)
        for kept in files:
            head, _, body = kept.partition(b"\r\n\r\n")
            self.assertIn(b"\nKEY: GET http ", head)
            self.assertIn(b"Status: 200 OK\r\n", head)
            self.assertNotIn(b"set-cookie", head.lower())
            self.assertNotIn(b"allow-credentials", head.lower())
            self.assertNotIn(b"user_ratings", body)


class OwnVotes(CacheTest):
    def test_are_seen_at_once_by_their_voter_and_soon_by_all(self):
        [object_id] = fresh_objects(1)
        public = Request(f"/public/stats/{object_id}")
        self.check_hit(public)
        voter = self.new_voter()
        self.assertEqual(200, voter.vote(object_id, 500).status)
        answer = voter.ask("GET", f"/stats/{object_id}").json()
        self.assertEqual(1, answer["stats"]["scale"]["total"])
        self.assertEqual(0.5, answer["user_ratings"]["scale"]["value"])
        poll(lambda: json.loads(self.send(public).body)["stats"]["scale"]["total"] == 1,
             "everybody sees the vote", 10)


class Down(CacheTest):
    """Requests that got a response before still get it while the service is down."""

    def setUp(self):
        [object_id, self.unrated, self.unknown] = fresh_objects(3)
        voter = self.new_voter()
        self.assertEqual(200, voter.vote(object_id, 500).status)
        lists = f"_method=GET&object_type=post&object_ids={object_id}%2C{self.unrated}"
        self.requests = [Request(f"/public/stats/{object_id}"), Request(f"/public/stats?{lists}")]
        self.bodies = {}
        for request in self.requests:
            self.check_hit(request)
            self.bodies[request] = self.send(request).body

    def check_answered(self, status=STALE):
        """Sends all requests at once, because each of them may wait until nginx gives up on the workers."""
        with concurrent.futures.ThreadPoolExecutor(len(self.requests) + 1) as threads:
            unknown = threads.submit(self.send, Request(f"/public/stats/{self.unknown}"))
            list(threads.map(lambda request: self.check_kept_answer(request, status), self.requests))
            self.assertEqual(503, unknown.result().status)

    def check_kept_answer(self, request, status):
        """Waits until the response has expired but is still sent."""
        def has_expired():
            answer = self.send(request)
            self.assertEqual((200, self.bodies[request]), (answer.status, answer.body), request)
            self.assertFalse(answer.header("RateLimit"))
            return answer.header("Cache-Status") == status

        poll(has_expired, f"{request} is sent though it has expired", DOWN_SECONDS)

    def check_back(self):
        poll(lambda: self.send(self.requests[0]).header("Cache-Status") == "ratingd; hit", "answers are fresh",
             DOWN_SECONDS)
        voter = self.new_voter()
        poll(lambda: voter.vote(self.unknown, 500).status == 200, "votes are taken")

    def test_are_all_workers(self):
        with contextlib.ExitStack() as stack:
            for worker in self.sandbox.workers():
                stack.enter_context(self.sandbox.worker_stopped(worker))
            self.check_answered()
        self.check_back()

    def test_are_all_workers_frozen(self):
        with contextlib.ExitStack() as stack:
            for worker in self.sandbox.workers():
                stack.enter_context(self.sandbox.frozen(worker))
            self.check_answered()
        self.check_back()

    def test_is_the_database(self):
        self.sandbox.kill_database()
        try:
            self.check_answered(REMEMBERED)
            for request in self.requests:
                answer = self.without_cache(request)
                self.assertEqual((200, self.bodies[request]), (answer.status, answer.body), request)
            # For an id without ratings, the service must look up the object's type in the database, which is not
            # running.
            self.assertEqual(503, self.without_cache(Request(f"/public/stats/{self.unrated}")).status)
        finally:
            self.sandbox.start_mariadb()
        self.check_back()

    def test_is_the_database_that_hangs(self):
        with self.sandbox.database_frozen():
            self.check_answered(REMEMBERED)
        self.check_back()


class Varnish(CacheTest):
    """Tests Debian's Varnish with its built-in rules."""

    REQUESTS = 2000

    def setUp(self):
        self.port = free_port()
        folder = self.sandbox.run_dir / "varnish"
        log = self.enterContext((self.sandbox.log_dir / "varnish.log").open("wb"))
        varnish = subprocess.Popen(
            ["varnishd", "-F", "-j", "none", "-n", folder, "-a", f"127.0.0.1:{self.port}", "-s", "malloc,16m",
             "-b", f"127.0.0.1:{self.sandbox.port}"], stdout=log, stderr=log)
        self.addCleanup(varnish.wait)
        self.addCleanup(varnish.terminate)
        poll(lambda: varnish.poll() is None and self.total(7) is not None, "Varnish answers")

    def total(self, object_id):
        with contextlib.suppress(OSError, KeyError, ValueError):
            answer = self.send(Request(f"/public/stats/{object_id}"), self.port)
            return json.loads(answer.body)["stats"]["scale"]["total"]
        return None

    def test_answers_nearly_all_requests(self):
        [object_id] = fresh_objects(1)
        path = f"{self.sandbox.base_path}/public/stats/{object_id}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(connection.close)
        hits = 0
        for _ in range(self.REQUESTS):
            connection.request("GET", path)
            answer = connection.getresponse()
            self.assertEqual(object_id, json.loads(answer.read())["object_id"])
            # After a hit, the X-Varnish header contains two ids: the id of the current request, and the id of the
            # request that fetched the response.
            hits += len(answer.headers["X-Varnish"].split()) == 2
        self.assertGreater(hits, 0.99 * self.REQUESTS)

    def test_shows_new_counts(self):
        [object_id] = fresh_objects(1)
        self.assertEqual(0, self.total(object_id))
        self.assertEqual(200, self.new_voter().vote(object_id, 500).status)
        self.assertTrue(wait_until(lambda: self.total(object_id) == 1, DOWN_SECONDS))


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
