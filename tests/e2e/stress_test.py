#!/usr/bin/env python3
"""Tests the guarantees when parts are not dead, but stuck, full, slow or wrong. No confirmed vote is lost, every
client gets a response if possible, and the service recovers soon after the fault ends. Each test prints its
figures. Starts its own sandboxes."""

import concurrent.futures
import contextlib
import functools
import json
import os
import random
import socket
import struct
import subprocess
import threading
import time
import unittest

from fault_case import RECOVERY_SECONDS, REFUSAL_SECONDS, FaultCase
from fault_injection import FaultInjection
from fault_sandbox import FaultSandbox
from mariadb import ServerError
from voting import Voter, fresh_objects, poll

HOUR = 3600


class ClockSandbox(FaultSandbox):
    """A sandbox in which the clock of the workers may be ahead."""

    def worker_launcher(self):
        if not hasattr(self, "_fault_injection"):
            self._fault_injection = FaultInjection(self.build_dir, self.run_dir / "fault_injection")
        return self._fault_injection.launcher

    @contextlib.contextmanager
    def clock_ahead(self, seconds):
        self._fault_injection.set_clock_ahead(seconds)
        try:
            yield
        finally:
            self._fault_injection.set_clock_ahead(0)


class SharedTest(FaultCase):
    """Tests with the ordinary limits."""

    @classmethod
    def setUpClass(cls):
        cls.sandbox = ClockSandbox.shared()
        cls.reader = Voter(cls.sandbox.service, "reader")
        cls.addClassCleanup(cls.reader.close)


class StuckWorker(SharedTest):
    """A stuck worker holds connections, and possibly locks, and does not respond."""

    VOTERS = 64
    NEWCOMERS = 48
    # After NEWCOMER_TIMEOUT, a client whose request went to the stuck worker opens a new connection. nginx keeps
    # few idle connections to the stuck worker, so the client reaches another worker after a few attempts.
    NEWCOMER_TIMEOUT = 1
    # When a worker hangs, MariaDB releases the worker's locks after 5 seconds. After 30 seconds, nginx stops
    # waiting for the worker (fastcgi_read_timeout).
    SECONDS = 25

    def setUp(self):
        self.change(rate_limit_write=1000000)

    def test_leaves_the_others_at_work(self):
        with self.new_load(self.VOTERS, fresh_objects(400)) as load:
            load.wait_for_votes(300)
            with self.sandbox.worker_frozen(), concurrent.futures.ThreadPoolExecutor(16) as threads:
                start = time.monotonic()
                list(threads.map(self.vote_and_read, fresh_objects(self.NEWCOMERS)))
                seconds = time.monotonic() - start
            end = time.monotonic()
            self.check_back()
            load.wait_for_votes(300)
        self.tell(f"{self.NEWCOMERS} newcomers voted and read in {seconds:.1f} s while one of two is stuck,"
                  f" {len(load.failures)} votes of others refused")
        self.assertLess(seconds, self.SECONDS)
        self.assertLess(load.last_failure - end, RECOVERY_SECONDS)
        self.check_nothing_lost_nothing_twice(load)

    def vote_and_read(self, object_id):
        """Each attempt sends the same vote, so it does no harm if the stuck worker finds the vote later."""
        voter = Voter(self.sandbox.service, f"newcomer {object_id}", self.NEWCOMER_TIMEOUT)
        self.addCleanup(voter.close)
        for answer in (lambda: voter.vote(object_id, 500), lambda: voter.ask("GET", f"/stats/{object_id}")):
            poll(lambda answer=answer: getattr(answer(), "status", None) == 200, "a newcomer is answered",
                 self.SECONDS)


class DatabaseTrouble(SharedTest):
    VOTERS = 48

    @contextlib.contextmanager
    def sessions_taken(self):
        """During the block, other clients hold all sessions of the server, and the workers' sessions are cut."""
        box = self.sandbox
        before = box.sql("SELECT @@max_connections").strip()
        box.sql("SET GLOBAL max_connections = 24")
        clients = CompetingClients(box, 24)
        try:
            poll(lambda: insist(box.cut_sessions) or clients.hold_all(), "others have all sessions")
            yield
        finally:
            clients.leave()
            insist(lambda: box.sql(f"SET GLOBAL max_connections = {before}"))

    def test_all_its_sessions_are_taken(self):
        self.check_refused_and_back(self.sessions_taken, answers_health=False)

    def test_its_queries_take_seconds(self):
        self.check_refused_and_back(self.sandbox.tables_locked, answers_health=True)

    def check_refused_and_back(self, trouble, answers_health):
        with self.new_load(self.VOTERS, fresh_objects(40)) as load:
            load.wait_for_votes(300)
            with trouble():
                before = load.answered()
                refusals = [self.refused("POST", "/rate", {
                    "object_id": 1, "category": "scale", "value": random.random()})
                    for _ in range(3)]
                refusals += [self.refused("GET", f"/stats/{object_id}")
                             for object_id in fresh_objects(3)]
                if not answers_health:
                    refusals.append(self.refused("GET", "/health"))
                meanwhile = load.answered() - before
            end = time.monotonic()
            self.check_back()
            load.wait_for_votes(300)
        self.tell(f"beside {self.VOTERS} voters refused in {max(refusals):.2f} s at most;"
                  f" {meanwhile} votes stored meanwhile; {self.sandbox.resident_memory()} KiB")
        self.assertLess(load.last_failure - end, RECOVERY_SECONDS)
        self.check_nothing_lost_nothing_twice(load)

    def refused(self, *request):
        """Returns the seconds until the refusal."""
        start = time.monotonic()
        answer = self.new_voter("refused").ask(*request)
        seconds = time.monotonic() - start
        self.assertEqual(503, answer.status if answer else None, request)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        self.assertLess(seconds, REFUSAL_SECONDS, request)
        return seconds


def insist(query):
    """Repeats a query until the server has a session for it. The server reserves one for administrators."""
    def result():
        try:
            return [query()]
        except ServerError as error:
            if "Too many connections" not in str(error):
                raise
            return None

    [value] = poll(result, "an administrator is let in")
    return value


class CompetingClients:
    """Database clients. Each takes a session as soon as it can get one."""

    def __init__(self, sandbox, count):
        self._sandbox, self._count = sandbox, count
        self._command = [word.replace("--user=root", "--user=ratingctl")
                         for word in sandbox.client("--password=ratingctl", "--execute=SELECT SLEEP(600)")]
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def hold_all(self):
        return len(insist(lambda: self._sandbox.sessions("ratingctl"))) == self._count

    def leave(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self):
        while not self._stop.is_set():
            client = subprocess.Popen(self._command, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            while client.poll() is None and not self._stop.wait(0.05):
                pass
            client.kill()
            client.wait()


class SlowClients(SharedTest):
    """Each slow client uses an nginx connection, but nothing in the workers."""

    CLIENTS, VOTES = 400, 600

    def setUp(self):
        self.change(rate_limit_write=1000000)

    def test_that_send_byte_by_byte_hold_nobody_up(self):
        self.check_beside(self.drip)

    def test_that_do_not_read_hold_nobody_up(self):
        ids = ",".join(map(str, fresh_objects(100)))
        request = (f"GET {self.sandbox.service.base_path}/stats?object_ids={ids} HTTP/1.1\r\n"
                   "Host: localhost\r\n\r\n").encode()

        def ask_and_wait(client, number):
            if number not in self.asked:
                client.send(4 * request)
            self.asked.add(number)

        self.asked = set()
        self.check_beside(ask_and_wait)

    def drip(self, client, _):
        """Sends the next byte of a request. Half of the clients are sending the head of a request, and half are
        sending the body."""
        with contextlib.suppress(OSError):
            client.send(b"x")

    def check_beside(self, act):
        with self.new_load(16, fresh_objects(20)) as load:
            load.wait_for_votes(300)
            alone = self.speed_of(load, lambda: None)
            clients = [self.slow_client(number) for number in range(self.CLIENTS)]
            for number, client in enumerate(clients):
                act(client, number)
            beside = self.speed_of(load, lambda: [
                act(client, number) for number, client in enumerate(clients)])
            refused = sum(self.has_answer(client, b" 429 ") for client in clients)
            for client in clients:
                client.close()
            self.check_back()
        self.tell(f"{beside / alone:.2f} of the votes/s beside {self.CLIENTS} of them, {refused} refused;"
                  f" {self.sandbox.resident_memory()} KiB")
        self.assertEqual([], load.failures)
        self.check_nothing_lost_nothing_twice(load)

    def slow_client(self, number):
        """Returns a client that has sent the beginning of a request."""
        client = socket.create_connection(("127.0.0.1", self.sandbox.port), timeout=10)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.addCleanup(client.close)
        head = f"POST {self.sandbox.service.base_path}/rate HTTP/1.1\r\nHost: localhost\r\n"
        client.setblocking(False)
        if self._testMethodName.endswith("read_hold_nobody_up"):
            return client
        if number % 2:
            head += ("Content-Type: application/json\r\nX-Sandbox-Address: 192.0.2.9\r\n"
                     "Content-Length: 1000\r\n\r\n")
        client.send((head if number % 2 else head + "X-Slow: ").encode())
        return client

    @staticmethod
    def has_answer(client, words):
        try:
            return words in client.recv(4096)
        except OSError:
            return False

    def speed_of(self, load, act):
        start, before = time.monotonic(), load.answered()
        while load.answered() - before < self.VOTES:
            act()
            load.wait_for_votes(self.VOTES // 10)
        return (load.answered() - before) / (time.monotonic() - start)


class GoneClients(SharedTest):
    CLIENTS = 600

    def test_leave_nothing_behind(self):
        objects = fresh_objects(20)
        before = self.sandbox.descriptors()
        with self.new_load(16, objects) as load:
            load.wait_for_votes(100)
            with concurrent.futures.ThreadPoolExecutor(32) as threads:
                list(threads.map(lambda number: self.send_and_go(objects, number), range(self.CLIENTS)))
            self.check_back()
            load.wait_for_votes(300)
        self.assertEqual([], load.failures)
        for voter in load.voters:
            self.assertEqual(voter.rated, voter.own_ratings(), voter.name)
        stored = sum(count for count, _ in self.sandbox.stored_votes(objects).values())
        known = sum(map(len, load.totals().values()))
        self.tell(f"{stored - known} of {self.CLIENTS} votes stored whose voters had gone;"
                  f" descriptors {before} before, {self.sandbox.descriptors()} after")
        self.assertTrue(known <= stored <= known + self.CLIENTS)
        # nginx keeps some idle connections to the workers open.
        self.assertTrue(all(count < 64 for count in self.sandbox.descriptors()))
        self.sandbox.verify()

    def send_and_go(self, objects, number):
        """Resets the connection before the end of the request, or before the response."""
        body = json.dumps({"object_id": random.choice(objects), "category": "scale", "value": 0.5})
        request = (f"POST {self.sandbox.service.base_path}/rate HTTP/1.1\r\nHost: localhost\r\n"
                   f"X-Ratingd-Device: {random.getrandbits(128):032x}\r\nContent-Type: application/json\r\n"
                   f"X-Sandbox-Address: 2001:db8:{number:x}::1\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        with socket.create_connection(("127.0.0.1", self.sandbox.port), timeout=10) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(request.encode()[:-10 if number % 2 else None])
            time.sleep(random.choice([0, 0.001, 0.01]))


class FullDisk(FaultCase):
    """The database is in a small file system that becomes full."""

    MIB = 256
    LAUNCH = ('mkdir "$2.small" && mount -t tmpfs -o "size=$1" ratingd "$2.small" &&'
              ' cp -a "$2/." "$2.small" && mount --bind "$2.small" "$2" && shift 2 && exec "$@"')

    @classmethod
    def setUpClass(cls):
        tried = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "ratingd", "/mnt"],
                               capture_output=True, check=False)
        if tried.returncode != 0:
            raise unittest.SkipTest("mounting is not permitted here")
        super().setUpClass()

    @classmethod
    def start_sandbox(cls):
        box = FaultSandbox("-full-disk")
        box.mariadb_launcher = ["unshare", "--mount", "--propagation=private", "sh", "-c", cls.LAUNCH,
                                "small-disk", f"{cls.MIB}m", str(box.run_dir / "mariadb/data")]
        # When the disk is full, MySQL waits a minute before it tries to write its binary log again.
        box.mariadb_options = [box.mariadb().software.redo_log_option("10M"), "--skip-log-bin"]
        return cls.start_alone(box)

    def setUp(self):
        """The file system outlives the server because a full disk may end the server: MariaDB's purge of old rows
        asserts that it can write."""
        [server] = self.sandbox.alive("mariadbd")
        namespace = os.open(f"/proc/{server.pid}/ns/mnt", os.O_RDONLY)
        self.addCleanup(os.close, namespace)
        self.folder = os.open(f"/proc/{server.pid}/root{self.sandbox.run_dir}/mariadb/data", os.O_RDONLY)
        self.addCleanup(os.close, self.folder)
        self.enter = ["nsenter", f"--mount=/proc/{os.getpid()}/fd/{namespace}"]

    @contextlib.contextmanager
    def disk_full(self):
        with (open("filler", "wb", buffering=0, opener=functools.partial(os.open, dir_fd=self.folder)) as file,
              contextlib.suppress(OSError)):
            for size in (1 << 20, 1 << 12):
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass
        try:
            yield
        finally:
            os.unlink("filler", dir_fd=self.folder)

    def restart_dead_server(self):
        """Starts the server as systemd does."""
        if not self.sandbox.alive("mariadbd"):
            self.sandbox.mariadb_launcher = self.enter
            self.sandbox.start_mariadb()

    def check_refuses_and_loses_none(self, meanwhile):
        # The client "reader" requests all objects of both tests at once. With 32 voters, the load is so low that
        # nginx does not reject the reader's requests.
        with self.new_load(32, fresh_objects(100)) as load:
            load.wait_for_votes(300)
            with self.disk_full():
                before = len(load.failures)
                poll(lambda: len(load.failures) - before > 100, "votes are refused")
                meanwhile()
            self.restart_dead_server()
            end = time.monotonic()
            self.check_back()
            load.wait_for_votes(300)
        self.assertEqual({503}, {answer.status if answer else None for answer in load.failures})
        self.assertLess(load.last_failure - end, RECOVERY_SECONDS)
        self.check_nothing_lost_nothing_twice(load)

    def test_refuses_votes_and_loses_none(self):
        self.check_refuses_and_loses_none(
            lambda: self.tell(f"/health {self.new_voter('reader').ask('GET', '/health').status}"))

    def test_loses_none_if_the_server_dies_of_it(self):
        self.check_refuses_and_loses_none(self.sandbox.kill_database)


class WrongClock(SharedTest):
    """The workers' clock is an hour ahead for a while."""

    def test_loses_no_vote_and_no_voter(self):
        objects = fresh_objects(20)
        with self.new_load(16, objects) as load:
            load.wait_for_votes(200)
            with self.sandbox.clock_ahead(HOUR):
                load.wait_for_votes(200)
                new = self.new_voter("new")
                for object_id in objects[:2]:
                    self.assertEqual(200, new.vote(object_id, 100).status)
            self.check_back()
            load.wait_for_votes(200)
        self.assertEqual([], load.failures)
        # Cookies that were set while the clock was wrong still identify the same voters.
        load.voters.append(new)
        self.assertEqual(200, new.vote(objects[0], 900).status)
        self.check_nothing_lost_nothing_twice(load)

    def test_keeps_nobody_from_rating_for_long(self):
        self.change(cooldown_seconds=2)
        first, second = fresh_objects(2)
        voter = self.new_voter("cooled")
        with self.sandbox.clock_ahead(HOUR):
            self.assertEqual(200, voter.vote(first, 100).status)
            self.assertEqual(429, voter.vote(second, 100).status)
        start = time.monotonic()
        poll(lambda: voter.vote(second, 100).status == 200, "another object may be rated",
             3 * RECOVERY_SECONDS)
        self.check_recovered(time.monotonic() - start)
        self.assertEqual(voter.rated, voter.own_ratings())
        self.assertEqual({first, second}, set(voter.rated))

    def test_keeps_no_address_from_rating_for_long(self):
        self.change(rate_limit_write=10, rate_limit_window_seconds=2)
        voter, objects = self.new_voter("many"), fresh_objects(40)
        with self.sandbox.clock_ahead(HOUR):
            statuses = {voter.vote(object_id, 100).status for object_id in objects[:30]}
            self.assertIn(429, statuses)
        start = time.monotonic()
        poll(lambda: voter.vote(objects[-1], 100).status == 200, "the address may rate",
             3 * RECOVERY_SECONDS)
        self.check_recovered(time.monotonic() - start)


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
