#!/usr/bin/env python3
"""Tests that administrators' settings take effect on every worker, without a restart, and that no change is lost.
tests/api tests the effect of each setting. Starts its own sandbox."""

import concurrent.futures
import unittest

from fault_sandbox import FaultSandbox
from voting import Voter, basic, fresh_objects, poll

# The service guarantees that changes take effect within two seconds, but tests may have to wait longer on a busy
# machine.
EFFECT_SECONDS = 5
ADMIN = {"Authorization": basic("admin", "admin")}


class Changes(unittest.TestCase):
    """Each test restores the defaults."""

    def setUp(self):
        self.sandbox = FaultSandbox.shared()

    def new_voter(self, name):
        voter = Voter(self.sandbox.service, name)
        self.addCleanup(voter.close)
        return voter

    def test_are_heard_of_by_every_worker(self):
        voter = self.new_voter("voter")
        self.addCleanup(self.sandbox.ratingctl, "settings", "reset", "enabled")

        def votes_come_to(status):
            fields = {"object_id": fresh_objects(1)[0], "category": "binary", "value": 1}
            poll(lambda: getattr(voter.ask("POST", "/rate", fields), "status", None) == status,
                 f"a vote gives {status}", EFFECT_SECONDS)

        for worker in self.sandbox.workers():
            with self.sandbox.worker_stopped(worker):
                for value, status in (("false", 403), ("true", 200)):
                    self.sandbox.ratingctl("settings", "set", f"enabled={value}")
                    votes_come_to(status)

    def test_of_two_administrators_at_once_are_all_kept(self):
        changes = [("cooldown_seconds", 5), ("bayesian_prior_weight", 20), ("hold_threshold", 50),
                   ("rate_limit_read", 5000), ("voter_cookie_days", 100)]
        self.addCleanup(self.sandbox.ratingctl, "settings", "reset", *(n for n, _ in changes))
        voters = [self.new_voter("administrator") for _ in changes]
        with concurrent.futures.ThreadPoolExecutor(len(changes)) as threads:
            list(threads.map(self.save, voters, changes))
        data = voters[0].ask("GET", "/settings", headers=ADMIN).json()["data"]
        self.assertEqual(dict(changes), {name: data[name] for name, _ in changes})

    def save(self, voter, change):
        """Saves a change. A request that waits too long for other requests is refused, and is repeated."""
        def is_saved():
            answer = voter.ask("POST", "/settings", dict([change]), ADMIN)
            self.assertIn(answer.status, (200, 503))
            return answer.status == 200

        poll(is_saved, f"{change} is saved")


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
