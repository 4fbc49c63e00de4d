#!/usr/bin/env python3
"""Tests the guarantees for readers while others vote. Nobody sees an older number after a newer one, or a number
that was never true, no matter which worker responds and what happens to it. The same holds for voters' own
ratings. Starts its own sandbox."""

import itertools
import random
import threading
import unittest

from fault_sandbox import FaultSandbox
from voting import Voter, expected_scale, poll

OBJECTS = 6
READERS, RATERS, CHANGERS = 4, 4, 2
MOST_CHANGES = 200  # of one rating, which is less than rate_limit_write
CACHE_SECONDS = 2
# The maximum time until a vote is visible on other hosts, with a margin for a busy machine.
OTHER_HOST_SECONDS = CACHE_SECONDS + 4


class Ledger:
    """Rules for the numbers of objects that receive only first votes. Safe for concurrent use."""

    def __init__(self, objects):
        self.objects = objects
        self.values = {object_id: [] for object_id in objects}  # confirmed values in tenths
        self.wrong = []
        self.reads = 0
        self._answered = dict.fromkeys(objects, 0)  # the highest total in any response
        self._sent = dict.fromkeys(objects, 0)
        self._changed = threading.Condition()

    def sending(self, object_id):
        with self._changed:
            self._sent[object_id] += 1

    def least(self):
        """Returns the lowest numbers that responses to requests from now on may contain."""
        with self._changed:
            return dict(self._answered)

    def confirmed(self, object_id, tenths):
        with self._changed:
            self.values[object_id].append(tenths)
            self._changed.notify_all()

    def answered(self, object_id, scale, least):
        total, bins = scale["total"], scale["distribution"]
        tenths = sum(number * count for number, count in enumerate(bins))
        with self._changed:
            self.reads += 1
            is_whole = total == sum(bins) and (
                total == 0 or abs(scale["average"] - tenths / 10 / total) <= 0.00005001)
            if not (is_whole and least[object_id] <= total <= self._sent[object_id]):
                self.wrong.append((object_id, scale, least[object_id], self._sent[object_id]))
            self._answered[object_id] = max(self._answered[object_id], total)

    def wait_for_votes(self, count):
        def votes():
            return sum(map(len, self.values.values()))

        with self._changed:
            goal = votes() + count
            if not self._changed.wait_for(lambda: votes() >= goal, 90):
                raise AssertionError("the service takes no votes")


class GrowingRating:
    """A rating whose voter keeps increasing the value, and the rules for the value that this voter reads on two
    connections. One thread uses each connection."""

    def __init__(self, service, name):
        self.object_id = random.randrange(10**17, 9 * 10**17)
        self.wrong, self.reads = [], 0
        self._voter = Voter(service, name)
        self._reader = self._voter.twin()
        self._sent = self._answered = 0  # thousandths
        self._lock = threading.Lock()

    def close(self):
        self._voter.close()
        self._reader.close()

    def change(self):
        if self._sent < MOST_CHANGES:
            with self._lock:
                self._sent += 1
            poll(self._vote, "a vote is answered")
        self._read(self._voter)

    def read(self):
        self._read(self._reader)

    def _vote(self):
        return self._check(lambda: self._voter.vote(self.object_id, self._sent), is_vote=True)

    def _read(self, voter):
        return self._check(lambda: voter.ask("GET", f"/stats/{self.object_id}"))

    def _check(self, ask, is_vote=False):
        with self._lock:
            least = self._answered
        answer = ask()
        if answer is None or answer.status != 200:
            return False
        own = answer.json()["user_ratings"].get("scale")
        value = round(own["value"] * 1000) if own else 0
        with self._lock:
            self.reads += 1
            if is_vote:
                least = self._sent
            if not least <= value <= self._sent:
                self.wrong.append((value, least, self._sent))
            self._answered = max(self._answered, value)
        return True


class Crowd:
    """Raters and readers that work until the block ends."""

    def __init__(self, service, ledger):
        self._service, self._ledger = service, ledger
        self._stop = threading.Event()
        self._names = map("crowd {:x} {}".format, itertools.repeat(random.getrandbits(64)),
                          itertools.count())
        works = READERS * [self._read] + RATERS * [self._rate]
        self.growing = [GrowingRating(service, next(self._names)) for _ in range(CHANGERS)]
        works += [lambda _, work=work: work() for rating in self.growing
                  for work in (rating.change, rating.read)]
        self._threads = [threading.Thread(target=self._run, args=[work]) for work in works]
        self._failures = []

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        for rating in self.growing:
            rating.close()
        if self._failures:
            raise self._failures[0]

    def _run(self, work):
        reader = Voter(self._service, next(self._names))
        try:
            while not self._stop.is_set():
                work(reader)
        except Exception as failure:  # the thread that waits for all raises it again
            self._failures.append(failure)
        finally:
            reader.close()

    def _read(self, reader):
        if random.randrange(4) == 0:
            ids = ",".join(map(str, self._ledger.objects))
            self._ask(reader, f"/stats?object_ids={ids}", lambda body: body["data"])
        else:
            object_id = random.choice(self._ledger.objects)
            self._ask(reader, f"/stats/{object_id}", lambda body: [body])

    def _rate(self, reader):
        """A new voter rates. "reader" uses a separate connection to read the result."""
        ledger = self._ledger
        object_id, tenths = random.choice(ledger.objects), random.randrange(11)
        voter = Voter(self._service, next(self._names))
        ledger.sending(object_id)
        # Repeats the vote until it gets a response. A vote with an unknown outcome counts once, no matter how
        # often it is repeated.
        poll(lambda: self._vote(voter, object_id, tenths), "a vote is answered")
        voter.close()
        ledger.confirmed(object_id, tenths)
        self._ask(reader, f"/stats/{object_id}", lambda body: [body])

    def _vote(self, voter, object_id, tenths):
        least = self._ledger.least()
        answer = voter.vote(object_id, tenths * 100)
        if answer is None or answer.status != 200:
            return False
        self._ledger.answered(object_id, answer.json()["stats"]["scale"], least)
        return True

    def _ask(self, reader, path, objects_in):
        least = self._ledger.least()
        answer = reader.ask("GET", path)
        if answer is None or answer.status != 200:
            return
        for found in objects_in(answer.json()):
            self._ledger.answered(found["object_id"], found["stats"]["scale"], least)


class FreshReads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sandbox = FaultSandbox()
        cls.addClassCleanup(cls.sandbox.stop_cleanly)
        cls.sandbox.start()

    def setUp(self):
        first = random.randrange(10**17, 9 * 10**17)
        self.ledger = Ledger([first + i for i in range(OBJECTS)])
        self.reader = Voter(self.sandbox.service, f"reader {random.getrandbits(64):x}")
        self.addCleanup(self.reader.close)

    def total(self, object_id):
        return self.reader.ask("GET", f"/stats/{object_id}").json()["stats"]["scale"]["total"]

    def check_all(self, crowd):
        for rating in crowd.growing:
            self.assertEqual([], rating.wrong[:3])
            self.assertGreater(rating.reads, 50)
        self.assertEqual([], self.ledger.wrong[:3])
        self.assertGreater(self.ledger.reads, 500)
        for object_id, tenths in self.ledger.values.items():
            answer = self.reader.ask("GET", f"/stats/{object_id}").json()["stats"]["scale"]
            wanted = expected_scale([100 * each for each in tenths])
            self.assertEqual(wanted["distribution"], answer["distribution"])

    def test_on_one_host(self):
        with Crowd(self.sandbox.service, self.ledger) as crowd:
            self.ledger.wait_for_votes(600)
        self.check_all(crowd)

    def test_while_workers_and_sessions_die(self):
        box = self.sandbox
        with Crowd(box.service, self.ledger) as crowd:
            for fault in 3 * [box.kill_worker, box.cut_sessions]:
                self.ledger.wait_for_votes(60)
                fault()
            self.ledger.wait_for_votes(60)
        self.check_all(crowd)

    def test_of_an_own_rating_on_another_host_are_fresh_in_time(self):
        object_id = self.ledger.objects[0]

        def own(voter):
            return voter.ask("GET", f"/stats/{object_id}").json()["user_ratings"].get("scale")

        voter = Voter(self.sandbox.service, f"voter {object_id}")
        self.addCleanup(voter.close)
        with self.sandbox.second_host():
            self.assertEqual(200, voter.vote(object_id, 500).status)
            poll(lambda: all(own(voter) for _ in range(10)), "both know", OTHER_HOST_SECONDS)

    def test_of_votes_on_another_host_are_fresh_in_time(self):
        object_id = self.ledger.objects[0]
        with self.sandbox.second_host():
            for count in range(1, 5):
                voter = Voter(self.sandbox.service, f"voter {object_id} {count}")
                self.assertEqual(200, voter.vote(object_id, 500).status)
                voter.close()
                poll(lambda count=count: all(self.total(object_id) == count for _ in range(10)),
                     "all know", OTHER_HOST_SECONDS)


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
