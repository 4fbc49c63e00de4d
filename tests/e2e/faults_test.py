#!/usr/bin/env python3
"""Tests the guarantees when parts fail: no vote is lost, no vote is counted twice, and the service recovers by
itself. Starts its own sandbox."""

import contextlib
import random
import re
import signal
import socket
import threading
import time
import unittest

from database_contention import RowLocker, ballast
from fault_case import REFUSAL_SECONDS, FaultCase
from fault_sandbox import REPOSITORY, open_files
from voting import fresh_objects, poll


def has_ended(connection):
    """Returns whether the other side has closed the connection."""
    try:
        return not connection.recv(1, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False



class NothingLostNothingTwice(FaultCase):
    def test_while_workers_and_the_database_die(self):
        box = self.sandbox
        with self.new_load(32, fresh_objects(40)) as load:
            load.wait_for_votes(300)
            for fault in [box.kill_worker, box.cut_sessions, box.crash_database, box.cut_sessions,
                          box.freeze_database, box.kill_worker, box.crash_database]:
                with self.subTest(fault=fault.__name__):
                    fault()
                    end = time.monotonic()
                    load.wait_for_votes(20)
                    self.check_recovered(time.monotonic() - end, fault.__name__)
                    load.wait_for_votes(280)
        self.check_nothing_lost_nothing_twice(load)

    def test_while_another_client_locks_rows_the_other_way_round(self):
        box = self.sandbox
        objects = fresh_objects(12)
        with self.new_load(32, objects) as load:
            load.wait_for_votes(100)
            before = box.deadlocks()
            with ballast(box), RowLocker(box, objects) as locker:
                poll(lambda: box.deadlocks() - before > locker.lost() + locker.ROUNDS,
                     "the service's transactions lose deadlocks")
            load.wait_for_votes(100)
        self.check_nothing_lost_nothing_twice(load)


class ManyAtOnce(FaultCase):
    VOTERS = 64

    def test_votes_on_one_object(self):
        with self.new_load(self.VOTERS, fresh_objects(1)) as load:
            load.wait_for_votes(2000)
        self.assertEqual([], load.failures)
        self.check_nothing_lost_nothing_twice(load)

    def test_changes_of_mind_at_the_same_moment(self):
        [object_id] = fresh_objects(1)
        voters = [self.new_voter("mind") for _ in range(self.VOTERS)]
        for _ in range(10):
            self.vote_together(voters, object_id)
            values = [voter.rated[object_id] for voter in voters]
            self.check_object(object_id, values)
        self.sandbox.verify()

    def test_repeated_first_votes_of_one_voter_count_once(self):
        """Many connections send one new cookie for an object that nobody has rated."""
        [first, second] = fresh_objects(2)
        original = self.new_voter("original")
        self.assertEqual(200, original.vote(first, 1000).status)
        twins = [self.new_voter("twin") for _ in range(self.VOTERS)]
        for twin in twins:
            twin.cookie = original.cookie
        self.vote_together(twins, second)
        self.assertEqual(1, self.stats(second)["total"])
        self.sandbox.verify()

    def vote_together(self, voters, object_id):
        barrier = threading.Barrier(len(voters))

        def vote(voter, value):
            barrier.wait()
            voter.vote(object_id, value)

        threads = [threading.Thread(target=vote, args=[voter, random.randrange(1001)])
                   for voter in voters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(object_id in voter.rated for voter in voters))


class KilledWorker(FaultCase):
    KILLS = 8

    def test_loses_no_request(self):
        """nginx retries on another worker, even if all its idle connections are closed."""
        with self.new_load(64, fresh_objects(200)) as load:
            load.wait_for_votes(1000)
            for _ in range(self.KILLS):
                self.sandbox.kill_worker()
                load.wait_for_votes(600)
        self.assertEqual([], load.failures)
        self.check_nothing_lost_nothing_twice(load)

    def test_leaves_nginx_an_entry_to_try(self):
        """nginx tries each upstream entry once per request, and all its idle connections may be closed."""
        upstream = (REPOSITORY / "nginx/ratingd-upstream.conf").read_text()
        [kept] = re.findall(r"^ +keepalive (\d+);$", upstream, re.MULTILINE)
        entries = re.findall(r"^ +server (.*);$", upstream, re.MULTILINE)
        self.assertEqual([entries[0]] * (int(kept) + 2), entries)


class Restart(FaultCase):
    def test_of_each_worker_under_load_loses_no_request(self):
        box = self.sandbox
        with self.new_load(16, fresh_objects(20)) as load:
            for worker in box.workers():
                load.wait_for_votes(500)
                box.restart_worker(worker)
            load.wait_for_votes(500)
        self.assertEqual([], load.failures)
        self.check_nothing_lost_nothing_twice(load)

    def test_of_the_last_idle_worker_is_quick(self):
        """Idle connections from nginx do not delay a worker's end."""
        [object_id] = fresh_objects(1)
        voter = self.new_voter("idle")
        self.assertEqual(200, voter.vote(object_id, 500).status)
        for worker in self.sandbox.workers():
            start = time.monotonic()
            self.sandbox.restart_worker(worker)
            self.assertLess(time.monotonic() - start, REFUSAL_SECONDS)
        self.assertEqual(1, self.stats(object_id)["total"])


class IdleConnections(FaultCase):
    def test_more_than_there_are_threads_starve_nobody(self):
        with contextlib.ExitStack() as connections:
            for _ in range(400):
                idle = connections.enter_context(socket.socket(socket.AF_UNIX))
                idle.connect(str(self.sandbox.workers_socket))
            for number in range(20):
                voter = self.new_voter("among idle ones")
                start = time.monotonic()
                self.assertEqual(200, voter.vote(fresh_objects(1)[0], 100 * (number % 10)).status)
                self.assertLess(time.monotonic() - start, REFUSAL_SECONDS)

    def test_are_closed_by_a_worker_that_stops_though_it_still_has_requests(self):
        begin = bytes([1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0])  # a request's first record
        [worker, other] = self.sandbox.workers()
        with self.sandbox.worker_stopped(other), contextlib.ExitStack() as connections:
            def connect():
                connection = connections.enter_context(socket.socket(socket.AF_UNIX))
                connection.connect(str(self.sandbox.workers_socket))
                return connection

            before = open_files(worker.pid)
            connect().sendall(begin)
            idle = [connect() for _ in range(32)]
            poll(lambda: open_files(worker.pid) >= before + 33, "all are accepted")
            worker.signal(signal.SIGTERM)
            try:
                poll(lambda: all(map(has_ended, idle)), "idle connections are closed")
                # After the beginning of a request has arrived, the worker waits a few seconds for the rest of the
                # request.
                self.assertTrue(worker.is_alive())
            finally:
                self.sandbox.restart_worker(worker)


class ListsRead(FaultCase):
    def test_do_not_hold_up_a_worker_that_stops(self):
        with self.sandbox.workers_waiting_for_lists():
            for worker in self.sandbox.workers():
                self.sandbox.restart_worker(worker)


class DatabaseAway(FaultCase):
    def setUp(self):
        [self.object_id] = fresh_objects(1)
        self.voter = self.new_voter("away")
        self.assertEqual(200, self.voter.vote(self.object_id, 200).status)

    def test_crashed_is_503_and_back_by_itself(self):
        self.sandbox.kill_database()
        try:
            self.check_refusals()
        finally:
            self.sandbox.start_mariadb()
        self.check_recovery()

    def test_frozen_is_503_and_back_by_itself(self):
        with self.sandbox.database_frozen():
            self.check_refusals()
        self.check_recovery()

    def check_refusals(self):
        [unknown] = fresh_objects(1)
        vote = {"object_id": self.object_id, "category": "scale", "value": 0.4}
        self.check_refused("POST", "/rate", vote)
        self.check_refused("DELETE", f"/rate?object_id={self.object_id}&category=scale")
        self.check_refused("GET", f"/stats/{unknown}")
        self.check_refused("GET", "/me")
        health = self.ask_in_time("GET", "/health")
        self.assertEqual(503, health.status)

    def check_refused(self, *request):
        answer = self.ask_in_time(*request)
        self.assertEqual(503, answer.status, request)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        self.assertEqual("ratingd_unavailable", answer.json()["code"])
        self.assertEqual("no-store", answer.headers["Cache-Control"])

    def ask_in_time(self, *request):
        start = time.monotonic()
        answer = self.voter.ask(*request)
        self.assertIsNotNone(answer, request)
        self.assertLess(time.monotonic() - start, REFUSAL_SECONDS, request)
        return answer

    def check_recovery(self):
        def is_back():
            answer = self.voter.vote(self.object_id, 600)
            return answer and answer.status == 200

        end = time.monotonic()
        poll(is_back, "votes are taken again")
        self.check_recovered(time.monotonic() - end, self._testMethodName)
        health = self.voter.ask("GET", "/health")
        self.assertEqual(200, health.status)
        self.check_object(self.object_id, [600])
        self.sandbox.verify()


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
