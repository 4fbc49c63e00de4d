#!/usr/bin/env python3
"""Tests votes that wait for the database while they time out, their worker stops, their transaction is rolled back
or their voters leave. Each vote is stored once or not at all, the sums are exact, and every voter who waits gets a
response. Starts its own sandbox."""

import collections
import contextlib
import signal
import unittest

import exposition
from database_contention import BECOME_HEAVY, ballast
from fault_case import FaultCase
from voting import fresh_objects, poll

ATTEMPTS = 5  # a busy machine may miss the moment that a test needs
NGINX_KEEPS = 64  # idle connections to workers: two processes with 32 each


class WaitingVotes(FaultCase):
    def repeat_until(self, attempt, what):
        """Repeats an attempt until it reaches the situation of the test. Each attempt also checks what must always
        hold."""
        if not any(attempt() for _ in range(ATTEMPTS)):
            self.fail(f"in {ATTEMPTS} attempts never: {what}")

    def metric(self, name, **labels):
        return exposition.value(self.sandbox.metrics(), name, **labels)

    def retries(self, reason):
        return self.metric("ratingd_vote_retries_total", reason=reason)

    def send_and_let_wait(self, voters):
        """Returns when the votes have reached a worker. nginx may already have some of the connections, and a
        worker that was just stuck may refuse some votes at once."""
        wanted = sum(self.sandbox.descriptors()) + len(voters.voters) - NGINX_KEEPS
        voters.send_votes()
        poll(lambda: sum(self.sandbox.descriptors()) + answered(voters) >= wanted, "all votes have arrived")

    def settle(self, voter, answer, *earlier):
        """Sends other values until one is stored. This is not necessary if "answer", the response to the last
        vote, says that it is stored. Returns the value that was stored before: a value that was sent after the
        last confirmed value, such as "earlier", or nothing."""
        possible = {None, *earlier}

        def is_stored():
            nonlocal answer
            if answer is None or answer.status != 200:
                object_id, last = voter.sent
                possible.add(last)
                answer = voter.vote(object_id, (last + 1) % 1001)
            return answer is not None and answer.status == 200

        poll(is_stored, "a vote is stored")
        previous = answer.json()["previous_value"]
        previous = None if previous is None else round(previous * 1000)
        self.assertIn(previous, possible)
        return previous

    # --- Time-outs ----------------------------------------------------------------------------

    def test_that_time_out_in_a_commit_that_succeeds(self):
        self.repeat_until(lambda: self.time_out_in_commit(lambda: None), "a vote is stored after its 503")

    def test_that_time_out_in_a_commit_whose_connection_is_lost(self):
        """The server may or may not have stored the votes."""
        before = self.retries("connection_lost")
        self.time_out_in_commit(lambda: poll(lambda: self.retries("connection_lost") > before,
                                             "the writer gives up its session"))

    def time_out_in_commit(self, wait):
        """Blocks commits until the voters get 503 responses, and while "wait" runs. One vote was certainly in the
        transaction. Returns whether this vote is stored."""
        objects = fresh_objects(3)
        voters = self.new_voters(8, objects, tokenless=4)
        first, *others = voters.voters
        with self.sandbox.commits_blocked():
            first.send_vote(objects[0], 100)
            poll(self.sandbox.blocked_commits, "its transaction is in COMMIT")
            for i, voter in enumerate(others, 1):
                voter.send_vote(objects[i % len(objects)], 100)
            self.assertEqual({503}, statuses(voters.receive_votes()))
            self.assertTrue(all(voter.cookie for voter in voters.voters if not voter.has_token))
            connections = [voter.socket for voter in voters.voters]
            wait()
            # Each voter now sends a second vote. The service must not replace the second vote with the first vote.
            for voter in voters.voters:
                voter.send_vote(voter.sent[0], 500)
        answers = voters.receive_votes()
        previous = [self.settle(*each, 100) for each in zip(voters.voters, answers, strict=True)]
        self.assertEqual(connections, [voter.socket for voter in voters.voters])
        self.check_nothing_lost_nothing_twice(voters)
        return previous[0] == 100

    # --- Stopping workers ---------------------------------------------------------------------

    VOTERS = 500

    def test_of_a_worker_that_stops(self):
        self.repeat_until(self.stop_and_unlock, f"a stopping worker stores votes, of {self.VOTERS}")

    def stop_and_unlock(self):
        box, voters = self.sandbox, self.new_voters(self.VOTERS, fresh_objects(20))
        with self.only_worker() as worker:
            with box.tables_locked():
                self.send_and_let_wait(voters)
                stopping = box.log().count("worker_stopping")
                worker.signal(signal.SIGTERM)
                poll(lambda: box.log().count("worker_stopping") > stopping, "the worker stops")
                early = answered(voters)
            box.restart_worker(worker)
        counts = self.check_answers(voters)
        return early == 0 and counts[200] > 0

    def test_of_a_worker_that_stops_while_the_database_hangs(self):
        def stop():
            box, voters = self.sandbox, self.new_voters(self.VOTERS, fresh_objects(20))
            # No new worker is started until the database is available again.
            with self.only_worker() as worker, contextlib.ExitStack() as stopped, box.database_frozen():
                self.send_and_let_wait(voters)
                early = answered(voters)
                stopped.enter_context(box.worker_stopped(worker))
            # On a busy machine, some requests may not arrive until after the worker has stopped, so the next
            # worker handles them.
            counts = self.check_answers(voters)
            return early == 0 and set(counts) == {503}

        self.repeat_until(stop, f"{self.VOTERS} votes wait")

    @contextlib.contextmanager
    def only_worker(self):
        """Stops the other worker during the block. The remaining worker has written a vote, so it has a session
        for votes."""
        worker, other = self.sandbox.workers()
        with self.sandbox.worker_stopped(other):
            self.assertEqual(200, self.new_voter("first").vote(fresh_objects(1)[0], 500).status)
            yield worker

    def check_answers(self, voters):
        """Checks that the stopped worker sent each voter a response, and that each 200 is true. Returns the number
        of responses for each status."""
        answers = voters.receive_votes()
        counts = collections.Counter(answer and answer.status for answer in answers)
        self.tell(f"{dict(counts)} by a worker that stops, {self._testMethodName}")
        self.assertLessEqual(set(counts), {200, 503})
        # ratingd, not nginx, sent all responses with status 503.
        self.assertEqual("", self.sandbox.nginx_errors())
        for voter, answer in zip(voters.voters, answers, strict=True):
            self.settle(voter, answer)
        self.check_nothing_lost_nothing_twice(voters)
        return counts

    # --- Conflicts ----------------------------------------------------------------------------

    # Pairs of tables. The test causes deadlocks: its session locks rows in the first table and then in the second
    # table, whereas the service locks rows in the opposite order. The service sends all its statements for the
    # first table in one packet.
    CROSSED = (("daily", "totals"), ("daily", "site_daily"), ("daily", "votes"))
    DEADLOCKS = 8  # each

    def test_whose_packet_of_statements_ends_in_a_deadlock(self):
        box, objects = self.sandbox, fresh_objects(6)
        with ballast(box), box.session() as other, self.new_load(32, objects) as load:
            load.wait_for_votes(200)
            for tables in self.CROSSED:
                goal = self.retries("deadlock") + self.DEADLOCKS

                def cross(tables=tables, goal=goal):
                    self.cross(other, tables, objects)
                    return self.retries("deadlock") >= goal

                poll(cross, f"deadlocks by rows of {tables}")
            load.wait_for_votes(100)
        self.assertLessEqual(statuses(load.failures), {503})
        self.check_nothing_lost_nothing_twice(load)

    def test_whose_packet_of_statements_waits_too_long_for_a_lock(self):
        box, objects = self.sandbox, fresh_objects(6)
        with box.session() as other, self.new_load(32, objects) as load:
            load.wait_for_votes(200)
            before = self.retries("lock_wait")
            other.run(f"BEGIN; {locking('daily', objects)}")
            poll(lambda: self.retries("lock_wait") > before, "the service gives up waiting")
            self.check_whole(objects)
            other.run("ROLLBACK;")
            load.wait_for_votes(100)
        self.assertLessEqual(statuses(load.failures), {503})
        self.check_nothing_lost_nothing_twice(load)

    def cross(self, other, tables, objects):
        """The other session locks rows. When the service waits for them, the session locks rows that the service
        holds."""
        first, second = tables
        other.run(f"BEGIN; {BECOME_HEAVY} {locking(first, objects)}")
        poll(self.sandbox.row_lock_waits, "the service waits")
        other.run(f"{locking(second, objects)} COMMIT;")
        self.check_whole(objects)

    def check_whole(self, objects):
        """Checks that each committed vote has its sums, and that each sum has its votes."""
        votes, totals, daily = self.sandbox.sums(objects)
        self.assertEqual((votes, votes), (totals, daily))

    # --- Voters who close their connections ---------------------------------------------------

    LEAVERS, ROUNDS = 150, 4

    def test_whose_voters_have_left(self):
        box, voters = self.sandbox, self.new_voters(self.LEAVERS, fresh_objects(10))
        workers, descriptors, sent = box.workers(), sum(box.descriptors()), []
        self.repeat_until(lambda: self.leave_in_rounds(voters, descriptors, sent), "votes wait in the queue")
        self.assertEqual(workers, box.workers())
        self.assertNotIn("connection_failed", box.log())
        stored = [self.settle(voter, None, *values)
                  for voter, values in zip(voters.voters, zip(*sent, strict=True), strict=True)]
        self.tell(f"of {self.LEAVERS} voters who left {len(sent)} times,"
                  f" {sum(value is not None for value in stored)} have a vote stored")
        self.check_nothing_lost_nothing_twice(voters)

    def leave_in_rounds(self, voters, before, sent):
        """Adds the values of each round to "sent". After each round, the workers have at most as many open files
        as "before", and nginx's connections. Returns whether a vote was seen waiting in the queue."""
        box, queue_lengths = self.sandbox, set()
        for number in range(self.ROUNDS):
            timed_out = self.timed_out()
            with box.tables_locked():
                waiting = self.send_and_leave(voters, queue_lengths)
                # Do not wait for the deadline if at most NGINX_KEEPS voters wait, because possibly no request has
                # reached a worker.
                if number % 2 and waiting > NGINX_KEEPS:
                    self.wait_for_deadline(timed_out, queue_lengths)
            sent.append([voter.sent[1] for voter in voters.voters])
            poll(lambda: self.queue_length() == 0, "no vote waits")
            poll(lambda: sum(box.descriptors()) <= before + NGINX_KEEPS, "connections are closed")
        return max(queue_lengths) > 0

    def send_and_leave(self, voters, queue_lengths):
        """When nginx has left, too, returns how many votes got no response before. Adds the length of the queue
        before the voters leave to "queue_lengths"."""
        before = self.sandbox.nginx_descriptors()
        self.send_and_let_wait(voters)
        queue_lengths.add(self.queue_length())
        waiting = len(voters.voters) - answered(voters)
        voters.close()
        poll(lambda: self.sandbox.nginx_descriptors() <= before + NGINX_KEEPS, "nginx has closed connections")
        return waiting

    def wait_for_deadline(self, timed_out, queue_lengths):
        """The number of votes that reach the deadline varies because a worker that was just stuck refuses some at
        once."""
        def is_over():
            queue_lengths.add(self.queue_length())
            return self.timed_out() > timed_out

        poll(is_over, "votes reach their deadline")

    def timed_out(self):
        return self.metric("ratingd_vote_failures_total", reason="timed_out")

    def queue_length(self):
        return exposition.total(self.sandbox.metrics(), "ratingd_vote_queue_length")


def statuses(answers):
    return {answer and answer.status for answer in answers}


def answered(voters):
    return sum(voter.socket is not None and voter.has_answer() for voter in voters.voters)


def locking(table, objects):
    """Returns a statement that locks these objects' rows, or all rows if the table has no rows for single
    objects."""
    where = "" if table == "site_daily" else f" WHERE object_id IN ({','.join(map(str, objects))})"
    return f"SELECT COUNT(*) FROM wp_ratingd_{table}{where} FOR UPDATE;"


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
