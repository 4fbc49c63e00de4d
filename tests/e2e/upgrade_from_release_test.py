#!/usr/bin/env python3
"""Tests upgrades from the last release to this version, back, and again, while people vote: of two hosts one after
the other, and of a network of sites. RATINGD_RELEASED names the last release's package. Without it, the tests are
skipped. Starts its own sandboxes."""

import contextlib
import dataclasses
import unittest

from fault_sandbox import FaultSandbox, wait_until  # first because it sets the module path
from hosts_test import HostsTest, SecondHost
from network_sandbox import NetworkSandbox
from released import RELEASED, THIS_SERVICE, released_service, use
from voting import Load, Voter, fresh_objects

VOTES = 200  # the number of votes between two steps
SHOWN_SECONDS = 10  # the maximum time until a host shows the votes of another host; two seconds are promised


def replace_workers(box, service):
    """Replaces one worker after the other, as a reload does."""
    use(box, service)
    for worker in box.workers():
        box.restart_worker(worker)


@unittest.skipUnless(RELEASED, "RATINGD_RELEASED names no package")
class Upgrade(HostsTest):
    def start(self, box, service):
        use(box, service)
        box.nginx_settings = ""  # nginx refuses the configuration of 0.3 if a site has small buffers
        self.addCleanup(box.stop_cleanly)
        box.start()
        return box

    def check_shown(self, service, confirmed):
        reader = Voter(service, "reader")
        self.addCleanup(reader.close)
        expected = {object_id: len(values) for object_id, values in confirmed.items()}

        def shown():
            rows = reader.ask("GET", f"/stats?object_ids={','.join(map(str, confirmed))}").json()["data"]
            return {row["object_id"]: row["stats"]["scale"]["total"] for row in rows}

        self.assertTrue(wait_until(lambda: shown() == expected, SHOWN_SECONDS), expected)


class Hosts(Upgrade):
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
            self.check_shown(box.service, confirmed)


class Network(Upgrade):
    def test_keeps_the_votes_of_each_site(self):
        released = released_service()
        box = NetworkSandbox({2: ("two.example.org", "/"), 3: ("three.example.org", "/")})
        self.start(box, released)
        box.ratingctl("settings", "set", "--all-sites", "rate_limit_read=1000000", "rate_limit_write=1000000")
        objects = fresh_objects(10)
        loads = []
        with contextlib.ExitStack() as stack:
            for host in ("", "two.example.org", "three.example.org"):
                loads.append(Load(dataclasses.replace(box.service, host=host), 8, objects))
                self.addCleanup(loads[-1].close)
                stack.enter_context(loads[-1])
            for service in (THIS_SERVICE, released, THIS_SERVICE):
                if service is THIS_SERVICE:
                    use(box, service)
                    box.give_rights()
                    box.ratingctl("migrate", "--all-sites")
                replace_workers(box, service)
                for load in loads:
                    load.wait_for_votes(VOTES)
        for load in loads:
            self.assertEqual([], load.failures)
            self.check_own_ratings(load)
            self.check_shown(load.voters[0].service, load.totals())
        box.ratingctl("verify", "--all-sites")


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
