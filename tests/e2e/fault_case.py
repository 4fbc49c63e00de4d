"""Parts that all fault tests share."""

import random
import time
import unittest

from fault_sandbox import FaultSandbox
from voting import Load, Voter, Voters, expected_scale, fresh_objects, poll

# The service guarantees a 503 response within two seconds, but tests may have to wait longer on a busy machine.
REFUSAL_SECONDS = 4
# The maximum time from the end of a fault until the service works again.
RECOVERY_SECONDS = 5


class FaultCase(unittest.TestCase):
    """Uses one sandbox for all tests."""

    @classmethod
    def start_sandbox(cls):
        return FaultSandbox.shared()

    @classmethod
    def start_alone(cls, sandbox):
        """Starts a sandbox for the tests of this class only."""
        cls.addClassCleanup(sandbox.stop_cleanly)
        sandbox.start()
        return sandbox

    @classmethod
    def setUpClass(cls):
        cls.sandbox = cls.start_sandbox()
        # On a fast machine, a voter casts more votes in a minute than the default limit for a network allows.
        cls.sandbox.ratingctl("settings", "set", "rate_limit_write=1000000")
        cls.reader = Voter(cls.sandbox.service, "reader")
        cls.addClassCleanup(cls.reader.close)

    def new_voter(self, name):
        voter = Voter(self.sandbox.service, f"{name} {random.getrandbits(64):x}")
        self.addCleanup(voter.close)
        return voter

    def new_load(self, count, objects):
        load = Load(self.sandbox.service, count, objects)
        self.addCleanup(load.close)
        return load

    def new_voters(self, count, objects, tokenless=0):
        voters = Voters(self.sandbox.service, count, objects, tokenless)
        self.addCleanup(voters.close)
        return voters

    def change(self, **settings):
        """Changes settings for this test. Workers that have just started already use them."""
        def restart():
            for worker in self.sandbox.workers():
                self.sandbox.restart_worker(worker)

        self.sandbox.ratingctl("settings", "set", *(f"{n}={v}" for n, v in settings.items()))
        self.addCleanup(restart)
        self.addCleanup(self.sandbox.ratingctl, "settings", "reset", *settings)
        restart()

    def tell(self, text):
        """Prints a figure."""
        print(f"{type(self).__name__}: {text}", flush=True)

    def stats(self, object_id):
        answer = self.reader.ask("GET", f"/stats/{object_id}")
        self.assertEqual(200, answer.status if answer else None)
        return answer.json()["stats"]["scale"]

    def check_object(self, object_id, values):
        """Checks that an object's public numbers are exactly the numbers for these values."""
        found, wanted = self.stats(object_id), expected_scale(values)
        self.assertEqual(wanted["total"], found["total"])
        self.assertEqual(wanted["distribution"], found["distribution"])
        if values:
            average = wanted["sum"] / wanted["total"] / 1000
            self.assertAlmostEqual(average, found["average"], delta=0.00005001)

    def check_nothing_lost_nothing_twice(self, load):
        """Checks the votes of "load", which is a Voters object."""
        for voter in load.voters:
            self.assertEqual(voter.rated, voter.own_ratings(), voter.name)
        totals = load.totals()
        self.assertEqual({object_id: (len(values), sum(values))
                          for object_id, values in totals.items() if values},
                         self.sandbox.stored_votes(load.objects))
        for object_id, values in totals.items():
            self.check_object(object_id, values)
        self.sandbox.verify()

    def check_back(self):
        """Checks, right after a fault, that all workers soon respond to votes and reads again."""
        end = time.monotonic()
        voter, [object_id] = self.new_voter("back"), fresh_objects(1)

        def is_back():
            answers = [voter.vote(object_id, random.randrange(1001)),
                       voter.ask("GET", f"/stats/{object_id}"), voter.ask("GET", "/health")]
            return all(answer is not None and answer.status == 200 for answer in answers)

        poll(lambda: all(is_back() for _ in range(8)), "all is answered again")
        self.check_recovered(time.monotonic() - end)

    def check_recovered(self, seconds, fault="the fault"):
        self.tell(f"back {seconds:.2f} s after the end of {fault}")
        self.assertLess(seconds, RECOVERY_SECONDS)
