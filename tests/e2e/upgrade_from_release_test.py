#!/usr/bin/env python3
"""Tests upgrades from the last release to this version, back, and again, while people vote: of two hosts one after
the other, and of a network of sites. RATINGD_RELEASED names the last release's package. Without it, the tests are
skipped. Starts its own sandboxes."""

import collections
import secrets
import threading
import unittest

from fault_sandbox import FaultSandbox, wait_until  # first because it sets the module path
from hosts_test import HostsTest, SecondHost
from network_sandbox import NetworkSandbox
from released import RELEASED, THIS_SERVICE, released_service, use
from voting import Voter, fresh_objects, poll

API = "/wp-json/ratingd/v1"
VOTES = 200  # the number of votes between two steps
SHOWN_SECONDS = 10  # the maximum time until a host shows the votes of another host; two seconds are promised


def replace_workers(box, service):
    """Replaces one worker after the other, as a reload does."""
    use(box, service)
    for worker in box.workers():
        box.restart_worker(worker)


@unittest.skipUnless(RELEASED, "RATINGD_RELEASED names no package")
class Hosts(HostsTest):
    def start(self, box, service):
        use(box, service)
        self.addCleanup(box.stop_cleanly)
        box.start()
        return box

    def check_shown(self, box, confirmed):
        reader = Voter(box.service, "reader")
        self.addCleanup(reader.close)
        expected = {object_id: len(values) for object_id, values in confirmed.items()}

        def shown():
            rows = reader.ask("GET", f"/stats?object_ids={','.join(map(str, confirmed))}").json()["data"]
            return {row["object_id"]: row["stats"]["scale"]["total"] for row in rows}

        self.assertTrue(wait_until(lambda: shown() == expected, SHOWN_SECONDS), expected)

    def test_are_replaced_one_after_the_other(self):
        released = released_service()
        first = self.start(FaultSandbox(), released)
        first.ratingctl("settings", "set", "rate_limit_read=1000000", "rate_limit_write=1000000")
        second = self.start(SecondHost(first), released)
        objects = fresh_objects(10)
        loads = [self.new_load(box, 16, objects) for box in (first, second)]
        with loads[0], loads[1]:
            for service in (THIS_SERVICE, released, THIS_SERVICE):
                for box in (first, second):
                    if service is THIS_SERVICE:
                        use(box, service)
                        box.mariadb().execute(box.ratingctl("grants"))
                        box.ratingctl("migrate")
                    replace_workers(box, service)
                    for load in loads:
                        load.wait_for_votes(VOTES)
        self.assertEqual([], loads[0].failures + loads[1].failures)
        confirmed = self.check_nothing_lost_nothing_twice(first, *loads)
        for box in (first, second):
            self.check_shown(box, confirmed)


class Visitors:
    """New visitors who vote for the same object on each site until the block ends."""

    def __init__(self, box, hosts, object_id):
        self.confirmed = collections.Counter()  # the number of confirmed votes by host
        self.refused = []
        self._box, self._hosts, self._object_id = box, hosts, object_id
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=[host]) for host in hosts]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for_votes(self, count):
        """Waits for this number of further votes on each site."""
        goal = {host: self.confirmed[host] + count for host in self._hosts}
        poll(lambda: all(self.confirmed[host] >= goal[host] for host in self._hosts), "votes are stored")

    def _run(self, host):
        while not self._stop.is_set():
            status, _, body = self._box.request(
                "POST", f"{API}/rate", host, {"object_id": self._object_id, "category": "binary", "value": 1},
                **{"X-Ratingd-Device": secrets.token_hex(16),
                   "X-Sandbox-Address": f"2001:db8:{secrets.token_hex(2)}::1"})
            if status == 200:
                self.confirmed[host] += 1
            else:
                self.refused.append((host, status, body))


@unittest.skipUnless(RELEASED, "RATINGD_RELEASED names no package")
class Network(unittest.TestCase):
    def test_keeps_the_votes_of_each_site(self):
        released = released_service()
        box = NetworkSandbox({2: ("two.example.org", "/"), 3: ("three.example.org", "/")})
        use(box, released)
        self.addCleanup(box.stop_cleanly)
        box.start()
        hosts = ["127.0.0.1", "two.example.org", "three.example.org"]
        [object_id] = fresh_objects(1)
        with Visitors(box, hosts, object_id) as visitors:
            for service in (THIS_SERVICE, released, THIS_SERVICE):
                if service is THIS_SERVICE:
                    use(box, service)
                    box.give_rights()
                    box.ratingctl("migrate", "--all-sites")
                replace_workers(box, service)
                visitors.wait_for_votes(VOTES)
        self.assertEqual([], visitors.refused)
        for host in hosts:
            _, _, body = box.request("GET", f"{API}/stats/{object_id}", host)
            self.assertIn(f'"binary":{{"total":{visitors.confirmed[host]},', body)
        box.ratingctl("verify", "--all-sites")


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
