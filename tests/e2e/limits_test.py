#!/usr/bin/env python3
"""Tests limits as clients meet them, through nginx. Starts its own sandbox."""

import collections
import concurrent.futures
import contextlib
import http.client
import ipaddress
import json
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from fault_sandbox import REPOSITORY, FaultSandbox, free_port
from stack import SHIPPED_CACHE
from voting import Voter, basic, fresh_objects, poll

# The service guarantees that changes take effect within two seconds, but tests may have to wait longer on a busy
# machine.
EFFECT_SECONDS = 5


def vote_on(object_id):
    return {"object_id": object_id, "category": "binary", "value": 1}


class LimitsTest(unittest.TestCase):
    """Uses one sandbox for all tests. Each test restores the defaults."""

    @classmethod
    def setUpClass(cls):
        cls.sandbox = FaultSandbox.shared()

    def new_voter(self):
        voter = Voter(self.sandbox.service, f"limits {random.getrandbits(64):x}")
        self.addCleanup(voter.close)
        return voter

    def change(self, **settings):
        self.sandbox.ratingctl("settings", "set", *(f"{n}={v}" for n, v in settings.items()))
        self.addCleanup(self.sandbox.ratingctl, "settings", "reset", *settings)


class OneAddress(LimitsTest):
    def test_that_waits_as_told_gets_all_its_votes_through(self):
        self.change(rate_limit_write=10, rate_limit_window_seconds=2)
        voter = self.new_voter()

        def policy():
            answer = voter.ask("DELETE", "/rate?object_id=1&category=binary")
            return answer.headers["RateLimit-Policy"] == '"write";q=10;w=2'

        poll(policy, "the workers know the settings", EFFECT_SECONDS)
        refusals = 0
        for object_id in fresh_objects(30):
            while (answer := voter.ask("POST", "/rate", vote_on(object_id))).status == 429:
                refusals += 1
                self.assertEqual("ratingd_rate_limited", answer.json()["code"])
                wait = int(answer.headers["Retry-After"])
                self.assertEqual(wait, answer.json()["data"]["retry_after"])
                self.assertIn(wait, (1, 2))
                time.sleep(wait)  # the test shows that a client can rely on this time
            self.assertEqual(200, answer.status)
        self.assertGreater(refusals, 0)


class TwoHosts(LimitsTest):
    """Limits that the database counts are exact, no matter which host receives a vote."""

    def restart_workers(self):
        """Restarts the workers, because new workers know the settings."""
        for worker in self.sandbox.workers():
            self.sandbox.restart_worker(worker)

    def test_share_what_a_voter_may(self):
        self.change(max_ratings_per_voter_per_day=7)
        self.restart_workers()
        with self.sandbox.second_host():
            voter = self.new_voter()
            objects = list(fresh_objects(20))
            first = voter.ask("POST", "/rate", vote_on(objects[0]))  # makes the voter
            self.assertEqual(200, first.status)
            copies = [self.new_voter() for _ in objects[1:]]
            for copy in copies:
                copy.cookie = voter.cookie
            with concurrent.futures.ThreadPoolExecutor(len(copies)) as threads:
                statuses = sorted(threads.map(
                    lambda copy, object_id: copy.ask("POST", "/rate", vote_on(object_id)).status,
                    copies, objects[1:]))
            self.assertEqual([200] * 6 + [429] * 13, statuses)

    def test_share_what_an_address_may(self):
        self.change(max_new_voters_per_address_per_object=3)
        self.restart_workers()
        with self.sandbox.second_host():
            [object_id] = fresh_objects(1)
            address = {"X-Sandbox-Address": f"198.51.100.{random.randrange(256)}"}
            voters = [self.new_voter() for _ in range(20)]
            with concurrent.futures.ThreadPoolExecutor(len(voters)) as threads:
                statuses = sorted(threads.map(
                    lambda voter: voter.ask("POST", "/rate", vote_on(object_id), address).status,
                    voters))
            self.assertEqual([200] * 3 + [429] * 17, statuses)

    def test_know_one_voter_of_a_network_until_they_forget_the_salt_together(self):
        self.restart_workers()
        with self.sandbox.second_host():
            [object_id] = fresh_objects(1)
            self.assertEqual(1, self.votes_of_one_program(object_id))
            salt = self.salt()
            self.sandbox.sql("UPDATE wp_ratingd_state SET value = CONCAT(NOW(6) - INTERVAL 25 HOUR,"
                             " SUBSTRING(value, 27)) WHERE name = 'network_salt'")
            poll(lambda: self.salt() not in ("", salt), "the salt is replaced", EFFECT_SECONDS)
            poll(lambda: self.votes_of_one_program(object_id) == 2, "a host knows the new salt", EFFECT_SECONDS)
            poll(lambda: self.votes_of_one_program(*fresh_objects(1)) == 1,
                 "both hosts know the new salt", EFFECT_SECONDS)
            self.assertEqual(2, self.votes_of_one_program(object_id))

    def salt(self):
        return self.sandbox.sql("SELECT SUBSTRING(value, 28) FROM wp_ratingd_state"
                                " WHERE name = 'network_salt'").strip()

    def votes_of_one_program(self, object_id):
        """Votes as a program on many connections, so that all workers receive votes. Returns the number of stored
        votes."""
        headers = {"Sec-Fetch-Site": "", "User-Agent": "curl/8", "X-Sandbox-Address": "192.0.2.77"}
        voters = [Voter(self.sandbox.service, "program", has_token=False) for _ in range(16)]

        def vote(voter):
            def answer():
                got = voter.ask("POST", "/rate", vote_on(object_id), headers)
                return got if got and got.status != 503 else None  # on a busy machine, the vote is repeated
            return poll(answer, "the vote is answered")

        with concurrent.futures.ThreadPoolExecutor(len(voters)) as threads:
            for answer in threads.map(vote, voters):
                self.assertEqual(200, answer.status, answer.body)
                self.assertEqual("network", answer.json()["identified_by"])
        for voter in voters:
            voter.close()
        return int(self.sandbox.sql(
            f"SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = {object_id}"))


class EqualVisitors(LimitsTest):
    """Visitors behind one address, with one user agent."""

    VISITORS = 30
    OBJECTS = 10

    def setUp(self):
        self.headers = {"X-Sandbox-Address": f"2001:db8:{random.randrange(65536):x}::1",
                        "User-Agent": "Mozilla/5.0"}
        self.objects = list(fresh_objects(self.OBJECTS))

    def new_browser(self):
        voter = Voter(self.sandbox.service, "equal", has_token=False)
        self.addCleanup(voter.close)
        return voter

    def count_votes(self):
        return int(self.sandbox.sql("SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id IN"
                                    f" ({','.join(map(str, self.objects))})"))

    def rate_all(self, browser):
        """The first votes of all browsers arrive at the same time, before any browser has a cookie."""
        return {browser.ask("POST", "/rate", vote_on(object_id), self.headers).status
                for object_id in self.objects}

    def test_are_one_voter_each(self):
        browsers = [self.new_browser() for _ in range(self.VISITORS)]
        with concurrent.futures.ThreadPoolExecutor(self.VISITORS) as threads:
            self.assertEqual([{200}] * self.VISITORS, list(threads.map(self.rate_all, browsers)))
        self.assertEqual(self.VISITORS * self.OBJECTS, self.count_votes())
        for browser in browsers:
            self.assertEqual(sorted(self.objects), sorted(browser.own_ratings()))
        erased = browsers[0].ask("DELETE", "/me")  # from another address, with the cookie
        self.assertEqual(self.OBJECTS, erased.json()["deleted"])
        self.assertEqual((self.VISITORS - 1) * self.OBJECTS, self.count_votes())
        self.assertEqual(sorted(self.objects), sorted(browsers[1].own_ratings()))

    def test_that_are_programs_are_one_voter(self):
        for _ in range(20):
            program = self.new_browser()
            headers = {**self.headers, "Sec-Fetch-Site": ""}
            answer = program.ask("POST", "/rate", vote_on(self.objects[0]), headers)
            self.assertEqual((200, "network"), (answer.status, answer.json()["identified_by"]))
            self.assertIsNone(program.cookie)
            program.close()
        self.assertEqual(1, self.count_votes())


class Guessing(LimitsTest):
    ATTEMPTS = 10000

    def test_costs_bounded_work(self):
        voter = self.new_voter()
        before = self.processor_seconds()
        statuses = collections.Counter(
            voter.ask("GET", "/settings", headers={"Authorization": basic("admin", f"wrong{i}")}).status
            for i in range(self.ATTEMPTS))
        spent = self.processor_seconds() - before
        print(f"{self.ATTEMPTS} wrong passwords: {spent:.2f} s of the workers' processor time")
        # Each user name is allowed 10 failed logins in 5 minutes. The service hashes the first ten passwords and
        # then at most one password every 30 seconds, and rejects all other attempts.
        self.assertEqual({401, 429}, set(statuses))
        self.assertLess(statuses[401], 30)

    def processor_seconds(self):
        ticks = 0
        for worker in self.sandbox.workers():
            fields = pathlib.Path(f"/proc/{worker.pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class ManyAtOnce(LimitsTest):
    VOTES = 60  # more than may be hashed and wait

    def test_count_for_the_user_or_are_refused_to_be_repeated(self):
        """A vote with a correct password never counts as an anonymous vote."""
        headers = {"Authorization": basic("subscriber", "subscriber")}
        objects = list(fresh_objects(self.VOTES))
        voters = [self.new_voter() for _ in objects]

        def vote(voter, object_id):
            while (answer := voter.ask("POST", "/rate", vote_on(object_id), headers)).status == 503:
                time.sleep(int(answer.headers["Retry-After"]))
            return answer

        with concurrent.futures.ThreadPoolExecutor(self.VOTES) as threads:
            answers = list(threads.map(vote, voters, objects))
        self.assertEqual({200}, {answer.status for answer in answers})
        self.assertEqual([], [answer for answer in answers if answer.headers["Set-Cookie"]])
        voters = self.sandbox.sql("SELECT DISTINCT voter FROM wp_ratingd_votes WHERE object_id IN"
                                  f" ({','.join(map(str, objects))})").split()
        self.assertEqual(["3"], voters)


class Burst(LimitsTest):
    VOTES = 20
    ADMIN = {"Authorization": basic("admin", "admin")}

    def test_is_held_until_an_administrator_releases_it(self):
        self.change(hold_suspicious="true", hold_threshold=10)
        objects = []

        def wholly_held():  # not at once, because each worker must read the settings
            objects.append(self.stuff())
            return next((o for o in objects if len(self.held(o)) == self.VOTES), None)

        object_id = poll(wholly_held, "a burst is held", EFFECT_SECONDS)
        self.assertEqual([["one_agent"]] * self.VOTES,
                         [rating["reasons"] for rating in self.held(object_id)])
        self.assertEqual(0, self.total(object_id))

        order = {"action": "release", "object_id": object_id}
        answer = self.new_voter().ask("POST", "/data/held", order, self.ADMIN)
        self.assertEqual(self.VOTES, answer.json()["data"]["released"])
        self.assertEqual([], self.held(object_id))
        self.assertEqual(self.VOTES, self.total(object_id))

    def stuff(self):
        """Returns an object that many voters with one user agent have rated."""
        object_id = fresh_objects(1)[0]
        for _ in range(self.VOTES):
            answer = self.new_voter().ask("POST", "/rate", vote_on(object_id),
                                          {"User-Agent": "stuffer"})
            self.assertEqual(200, answer.status)
            self.assertEqual(1, answer.json()["value"])
        return object_id

    def held(self, object_id):
        answer = self.new_voter().ask("GET", f"/data/held?per_page=100&object_id={object_id}",
                                      headers=self.ADMIN)
        return answer.json()["data"]

    def total(self, object_id):
        answer = self.new_voter().ask("GET", f"/stats/{object_id}")
        return answer.json()["stats"]["binary"]["total"]


class Flood(LimitsTest):
    # The test sends more concurrent requests than nginx/ratingd.conf allows.
    REQUESTS = 1500
    FLOODS = 10

    def test_is_refused_by_nginx_in_the_same_words(self):
        self.change(rate_limit_read=1000000)
        answers = self.flood(["192.0.2.7"] * self.REQUESTS)
        refused = [answer for answer in answers if answer.startswith("429")]
        self.assertGreater(len(refused), 0)
        self.assertGreater(len(answers) - len(refused), 400)
        for answer in refused:
            self.assertIn('"code":"ratingd_rate_limited"', answer)
            self.assertIn("retry-after: 1", answer.lower())
            self.assertIn('ratelimit: "flood";r=0;t=1', answer.lower())

    def test_from_many_addresses_of_one_ipv6_network_is_one_flood(self):
        below = [f"2001:db8:7:7:{i:x}::{i:x}" for i in range(self.REQUESTS)]
        self.assertTrue(any(answer.startswith("429") for answer in self.flood(below)))

    def test_from_many_ipv6_networks_is_none(self):
        beside = [f"2001:db8:8:{i:x}::1" for i in range(self.REQUESTS)]
        self.assertEqual([], [answer for answer in self.pipelined(beside)
                              if answer.startswith("429")])

    def flood(self, addresses):
        """Returns the responses to requests from these addresses. A busy machine may at first send requests so
        slowly that nginx allows all of them, so the requests are repeated until one is refused."""
        answers = []
        for _ in range(self.FLOODS):
            answers += self.pipelined(addresses)
            if any(answer.startswith("429") for answer in answers):
                break
        return answers

    def pipelined(self, addresses):
        """Returns the responses to requests from these addresses. All requests are sent before the first response
        is read."""
        requests = [f"GET {self.sandbox.service.base_path}/health HTTP/1.1\r\nHost: localhost\r\n"
                    f"X-Sandbox-Address: {address}\r\n" for address in addresses]
        text = "\r\n".join(requests) + "Connection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.sandbox.port), timeout=30) as connection:
            connection.sendall(text.encode())
            answers = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        return answers.split("HTTP/1.1 ")[1:]


class NetworkOfAnAddress(unittest.TestCase):
    """Tests which clients count as one in nginx. A separate server returns the key."""

    def setUp(self):
        self.port = free_port()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shipped = (REPOSITORY / "nginx/ratingd-upstream.conf").read_text()
        (self.folder / "ratingd-upstream.conf").write_text(
            shipped.replace(SHIPPED_CACHE, f"{self.folder}/cache"))
        user = "user root;" if os.geteuid() == 0 else ""
        config = self.folder / "nginx.conf"
        config.write_text(f"""{user} daemon off; pid {self.folder}/pid; error_log {self.folder}/error.log;
            events {{}}
            http {{
                access_log off;
                client_body_temp_path {self.folder}/body;
                fastcgi_temp_path {self.folder}/fastcgi;
                proxy_temp_path {self.folder}/proxy;
                scgi_temp_path {self.folder}/scgi;
                uwsgi_temp_path {self.folder}/uwsgi;
                set_real_ip_from 127.0.0.1;
                real_ip_header X-Sandbox-Address;
                include {self.folder}/ratingd-upstream.conf;
                server {{
                    listen 127.0.0.1:{self.port};
                    keepalive_requests 100000;
                    location / {{ return 200 $ratingd_network; }}
                }}
            }}""")
        nginx = subprocess.Popen(["nginx", "-e", self.folder / "error.log", "-c", config])
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)
        poll(self.answers, "nginx answers")

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def test_is_half_of_an_ipv6_address_however_it_is_written(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(connection.close)
        for address in self.addresses():
            connection.request("GET", "/", headers={"X-Sandbox-Address": str(address)})
            self.assertEqual(self.network_of(address), connection.getresponse().read(), str(address))

    @staticmethod
    def network_of(address):
        address = getattr(address, "ipv4_mapped", None) or address
        return address.packed[:8]

    @staticmethod
    def addresses():
        spelled = ["192.0.2.7", "10.0.0.0", "2001:db8::1", "2001:db8:0:1::", "2001:db8:a:b:c:d:e:f", "fe80::",
                   "1::", "::1:0:0:0", "0:a00::", "::ffff:10.10.10.10", "::ffff:0:1", "::7f00:1"]
        yield from map(ipaddress.ip_address, spelled)
        for _ in range(300):
            groups = [random.choice((0, 0, 0, 1, 0x0a0a, 0xff, random.getrandbits(16)))
                      for _ in range(8)]
            yield ipaddress.IPv6Address(":".join(f"{group:x}" for group in groups))
            yield ipaddress.IPv4Address(random.getrandbits(32))


class Import(LimitsTest):
    ADMIN = {"Authorization": basic("admin", "admin")}
    SIZE = 60 * 1024 * 1024

    def test_of_a_stranger_is_refused_before_its_body_is_sent(self):
        for target in ["/data/import", "/data%2Fimport", "//data/import/"]:
            with self.begin(target, "application/x-ndjson") as connection:
                self.assertRegex(connection.recv(65536).decode(), "^HTTP/1.1 401 ", target)

    def test_of_an_administrator_is_read_while_it_arrives(self):
        rows = (b'{"kind":"none"}\n' for _ in range(10000))
        connection = http.client.HTTPConnection("127.0.0.1", self.sandbox.port, timeout=30)
        self.addCleanup(connection.close)
        path = self.sandbox.service.base_path + "/data/import"
        headers = {"Content-Type": "application/x-ndjson", **self.ADMIN}
        for _ in range(2):
            connection.request("POST", path, rows, headers, encode_chunked=True)
            answer = connection.getresponse()
            self.assertEqual(200, answer.status)
            report = json.loads(answer.read())["data"]
            self.assertEqual(report["read"], report["refused"])

    def test_of_strangers_leaves_the_workers_free(self):
        connections = [self.begin("/data/import", "application/json") for _ in range(200)]
        try:
            statuses = {connection.recv(65536)[:12] for connection in connections}
            self.assertLessEqual(statuses, {b"HTTP/1.1 401", b"HTTP/1.1 429"})
            self.assertEqual(200, self.new_voter().ask("GET", "/stats/1").status)
        finally:
            for connection in connections:
                connection.close()

    def test_of_strangers_who_send_slowly_leaves_the_workers_free(self):
        connections = [self.begin("/data/import", "application/json", size=60_000)
                       for _ in range(140)]
        stop = threading.Event()

        def drip():
            while not stop.wait(0.2):
                for connection in connections:
                    with contextlib.suppress(OSError):
                        connection.send(b"x")

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            statuses = {connection.recv(65536)[:12] for connection in connections}
            self.assertEqual({b"HTTP/1.1 401"}, statuses)
            poll(lambda: max(self.busy_threads()) <= 1, "no thread waits for a body", EFFECT_SECONDS)
        finally:
            stop.set()
            dripping.join()
            for connection in connections:
                connection.close()

    def busy_threads(self):
        """Returns the busy threads of each worker. One thread handles this request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.sandbox.port, timeout=30)
        connection.request("GET", self.sandbox.service.base_path + "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return [int(line.split()[-1]) for line in text.splitlines()
                if line.startswith("ratingd_worker_threads_busy{")]

    def begin(self, path, media_type, size=SIZE):
        """Opens a connection from a separate network. Sends an import's head and a small part of its body."""
        connection = socket.create_connection(("127.0.0.1", self.sandbox.port), timeout=30)
        head = (f"POST {self.sandbox.service.base_path}{path} HTTP/1.1\r\nHost: localhost\r\n"
                f"X-Sandbox-Address: 2001:db8:{random.getrandbits(16):x}:{random.getrandbits(16):x}::1\r\n"
                f"Content-Type: {media_type}\r\nContent-Length: {size}\r\n\r\n")
        connection.sendall(head.encode() + b"x" * 1000)
        return connection


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
