#!/usr/bin/env python3
"""Tests several hosts: two hosts with ratingd and one database, and two database servers that change places while
people vote. They are set up and promoted as in docs/several-hosts.md. Starts its own sandboxes."""

import contextlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from fault_sandbox import REPOSITORY, FaultSandbox, wait_until
from documents import texts_of
from mariadb import Mariadb
from stack import free_port
from voting import Load, Voter, fresh_objects, poll

DOCUMENT = REPOSITORY / "docs/several-hosts.md"
CACHE_SECONDS = 2
FAILOVER_SECONDS = 5
SILENCE_SECONDS = 10  # each statement waits for its timeout if the server does not respond
APPLY_SECONDS = 30


def statements(heading, number=0):
    return texts_of(DOCUMENT, heading, "sql")[number]


class SecondHost(FaultSandbox):
    """Serves the site of another sandbox with a separate web server, workers and memory."""

    def __init__(self, first):
        super().__init__("-2")
        self._first = first

    def mariadb(self):
        # Each host needs a socket with its own path, because the name of a host's shared memory depends on this
        # path.
        return Mariadb(self._first.mariadb().folder, self._socket_dir() / "mariadb.sock",
                       self.log_dir / "mariadb.log")

    def _prepare_site(self):
        self.mariadb().socket.symlink_to(self._first.mariadb().socket)
        shutil.copy(self._first.run_dir / "secret", self.run_dir)


class TwoServers(FaultSandbox):
    """A database on two servers. At first, the second server is the replica of the first one."""

    def __init__(self):
        super().__init__()
        self.primary = 0
        self._ports = [free_port(), free_port()]
        self._running = {}

    # --- Overridden functions -----------------------------------------------------------------

    def mariadb(self):
        return self.server(self.primary)

    def worker_command(self):
        return [*super().worker_command(), self._db_host()]

    def ratingctl(self, *words):
        return super().ratingctl(self._db_host(), *words)

    def _db_host(self):
        return "--db-host=" + ",".join(f"localhost:{self.server(n).socket}" for n in range(2))

    def _create_database(self):
        for number in range(2):
            self.new_server(number)
        self.execute(self.primary, "The first primary")
        self.join(1)
        self.mariadb().execute((REPOSITORY / "tests/sandbox/accounts.sql").read_text())
        self._create_site()

    # --- Servers ------------------------------------------------------------------------------

    def server(self, number):
        name = f"mariadb{number}"
        [text] = texts_of(DOCUMENT, "The servers' configuration", "ini")
        options = ["--" + line.replace(" ", "") for line in text.splitlines() if " = " in line]
        return Mariadb(self.run_dir / name, self._socket_dir() / f"{name}.sock",
                       self.log_dir / f"{name}.log",
                       [*options, "--skip-networking=OFF", "--bind-address=127.0.0.1",
                        f"--port={self._ports[number]}", f"--server-id={number + 1}"])

    def new_server(self, number):
        """Starts an empty server in place of the old one."""
        server = self.server(number)
        shutil.rmtree(server.folder, ignore_errors=True)
        server.folder.mkdir()
        server.install()
        self.start_server(number)

    def start_server(self, number):
        self._running[number] = self.server(number).start()
        self._remember(self._running[number])

    def signal_server(self, number, what):
        self._running[number].signal(what)

    def kill_server(self, number):
        self._kill(self._running[number])

    def execute(self, number, heading, block=0):
        """Runs the commands that the document has under the heading."""
        text = statements(heading, block).replace("192.0.2.%", "127.0.0.1")
        other = self._ports[1 - number]
        text = re.sub(r"MASTER_HOST='db\d\.example\.org', MASTER_PORT=3306",
                      f"MASTER_HOST='127.0.0.1', MASTER_PORT={other}", text)
        return self.server(number).execute(text)

    def join(self, number):
        """Joins a server that is empty or has all data of the primary."""
        self.execute(number, "A new replica")
        self.wait_for_replica()

    def wait_for_replica(self):
        """Makes commits wait for the replica."""
        self.execute(self.primary, "A new replica", 1)
        poll(lambda: self.status(self.primary, "Rpl_semi_sync_master_clients") == "1"
             and self.status(self.primary, "Rpl_semi_sync_master_status") == "ON",
             "the primary waits for its replica")

    def promote(self, number):
        self.execute(number, "Promotion")
        if not wait_until(lambda: self._has_applied_all(number), APPLY_SECONDS):
            raise AssertionError("the replica does not apply what it has received")
        self.execute(number, "Promotion", 1)
        self.primary = number

    def _has_applied_all(self, number):
        return "Slave has read all relay log" in self.execute(number, "Promotion")

    def status(self, number, name):
        return self.server(number).execute(f"SHOW GLOBAL STATUS LIKE '{name}'").split()[1]

    def position(self, number):
        return self.server(number).execute("SELECT @@gtid_binlog_pos").strip()


class HostsTest(unittest.TestCase):
    def new_load(self, box, count, objects):
        load = Load(box.service, count, objects)
        self.addCleanup(load.close)
        return load

    def check_own_ratings(self, load):
        for voter in load.voters:
            self.assertEqual(voter.rated, voter.own_ratings(), voter.name)

    def check_nothing_lost_nothing_twice(self, box, *loads):
        confirmed = {}
        for load in loads:
            self.check_own_ratings(load)
            for object_id, values in load.totals().items():
                confirmed.setdefault(object_id, []).extend(values)
        self.assertEqual({object_id: (len(values), sum(values))
                          for object_id, values in confirmed.items() if values},
                         box.stored_votes(confirmed))
        box.verify()
        return confirmed


class HostsWithRatingd(HostsTest):
    def test_share_a_database_and_count_exactly(self):
        first = FaultSandbox()
        self.addCleanup(first.stop_cleanly)
        first.start()
        second = SecondHost(first)
        self.addCleanup(second.stop_cleanly)
        second.start()

        objects = fresh_objects(10)
        loads = [self.new_load(box, 16, objects) for box in (first, second)]
        with loads[0], loads[1]:
            for load in loads:
                load.wait_for_votes(500)
        self.assertEqual([], loads[0].failures + loads[1].failures)

        confirmed = self.check_nothing_lost_nothing_twice(first, *loads)
        for box in (first, second):
            reader = Voter(box.service, "reader")
            self.addCleanup(reader.close)
            self.assertTrue(wait_until(lambda reader=reader: self.totals(reader, objects) == {
                object_id: len(values) for object_id, values in confirmed.items()},
                2 * CACHE_SECONDS))

    def totals(self, reader, objects):
        answer = reader.ask("GET", f"/stats?object_ids={','.join(map(str, objects))}")
        return {row["object_id"]: row["stats"]["scale"]["total"] for row in answer.json()["data"]}


class ReadingsOfOtherHosts(HostsTest):
    """A reading that begins CACHE_SECONDS after a change shows the change, no matter which host made it."""

    def setUp(self):
        self.first = FaultSandbox()
        self.addCleanup(self.first.stop_cleanly)
        self.first.start()
        self.second = SecondHost(self.first)
        self.addCleanup(self.second.stop_cleanly)
        self.second.start()
        self.readers = {box: Voter(box.service, "reader") for box in (self.first, self.second)}
        for reader in self.readers.values():
            self.addCleanup(reader.close)
        [self.object_id] = fresh_objects(1)
        self.total = 0

    def vote(self, box):
        """Votes. Returns when the vote has got its response."""
        self.total += 1
        voter = Voter(box.service, f"reading {self.total}")
        self.addCleanup(voter.close)
        self.assertEqual(200, voter.vote(self.object_id, 500).status)
        return time.monotonic()

    def read(self, box):
        answer = self.readers[box].ask("GET", f"/stats/{self.object_id}")
        return answer.json()["stats"]["scale"]["total"] if answer.status == 200 else f"status {answer.status}"

    def check_seen(self, box, since):
        def is_seen():
            began = time.monotonic()
            total = self.read(box)
            if total != self.total:
                self.assertLess(began - since, CACHE_SECONDS, f"{total} instead of {self.total}")
            return total == self.total

        poll(is_seen, f"{self.total} votes")

    def keep_reading(self, box, seconds=2 * CACHE_SECONDS):
        """Keeps reading, so that the cached data becomes older than CACHE_SECONDS."""
        began = time.monotonic()
        poll(lambda: self.read(box) == self.total and time.monotonic() - began > seconds, "time passes")

    def test_while_both_are_idle(self):
        for _ in range(3):
            self.keep_reading(self.second)
            self.check_seen(self.second, self.vote(self.first))

    def test_under_load(self):
        self.first.ratingctl("settings", "set", "rate_limit_read=1000000", "rate_limit_write=1000000")
        objects = fresh_objects(10)
        loads = [self.new_load(box, 16, objects) for box in (self.first, self.second)]
        with loads[0], loads[1]:
            for _ in range(10):
                self.check_seen(self.second, self.vote(self.first))
                self.check_seen(self.first, self.vote(self.second))
        self.assertEqual([], loads[0].failures + loads[1].failures)

    def test_of_a_host_that_stood_still_meanwhile(self):
        self.keep_reading(self.second)
        with contextlib.ExitStack() as stack:
            for worker in self.second.workers():
                stack.enter_context(self.second.frozen(worker))
            voted = self.vote(self.first)
            poll(lambda: time.monotonic() - voted > CACHE_SECONDS, "time passes")
        self.check_seen(self.second, voted)

    def test_of_a_backup_that_was_put_back(self):
        self.vote(self.first)
        self.vote(self.second)
        # While a backup is being restored, a worker may store a row in a table that the restore has created but
        # not yet filled.
        command = ["mariadb-dump", *self.first.client()[1:4], "--hex-blob", "--replace", "wordpress"]
        backup = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for box in (self.first, self.second):
            self.check_seen(box, self.vote(box))
            self.keep_reading(box)
        self.first.sql(backup)
        self.total -= 2
        restored = time.monotonic()
        for box in (self.first, self.second):
            self.check_seen(box, restored)
        self.check_seen(self.second, self.vote(self.first))


class DatabaseServers(HostsTest):
    """At the end of each test, the two servers are in their original places, and one is the other's replica."""

    @classmethod
    def setUpClass(cls):
        cls.box = TwoServers()
        cls.addClassCleanup(cls.box.stop_cleanly)
        cls.box.start()

    @contextlib.contextmanager
    def votes(self, most_seconds=FAILOVER_SECONDS):
        """People vote before, during and after the block. Votes must succeed again soon after the block."""
        with self.new_load(self.box, 16, fresh_objects(20)) as load:
            load.wait_for_votes(300)
            start = time.monotonic()
            yield
            promoted = time.monotonic()
            load.wait_for_votes(1)
            back = time.monotonic()
            load.wait_for_votes(300)
        print(f"{self.id().rpartition('.')[2]}: promoted after {promoted - start:.2f} s, "
              f"the first vote {back - promoted:.2f} s later, {len(load.failures)} answers of 503",
              flush=True)
        self.assertLess(back - promoted, most_seconds)
        self.assertEqual(set(), {answer.status for answer in load.failures if answer} - {503})
        self.check_nothing_lost_nothing_twice(self.box, load)

    def test_1_change_places(self):
        box = self.box
        before = box.primary
        with self.votes():
            told = box.execute(before, "Switchover").splitlines()[-1]
            poll(lambda: box.position(1 - before) == told, "the replica has all")
            box.promote(1 - before)
        box.execute(before, "Switchover", 1)
        box.wait_for_replica()
        self.assertIn(str(box.mariadb().socket), box.ratingctl("status"))

    def test_2_are_followed_by_workers_that_nobody_votes_at(self):
        box = self.box
        before, log = box.primary, box.log_dir / "ratingd.log"
        for worker in box.workers():
            box.restart_worker(worker)  # so that the workers log everything again from here on
        line = f"event=database_server_selected server={box.server(1 - before).socket}\n"
        known = log.read_text().count(line)
        told = box.execute(before, "Switchover").splitlines()[-1]
        poll(lambda: box.position(1 - before) == told, "the replica has all")
        box.promote(1 - before)
        self.assertTrue(wait_until(lambda: log.read_text().count(line) == known + len(box.workers()),
                                   FAILOVER_SECONDS))
        box.execute(before, "Switchover", 1)
        box.wait_for_replica()

    def test_3_one_that_falls_silent_is_left(self):
        box = self.box
        silent = box.primary
        with self.votes(SILENCE_SECONDS):
            box.signal_server(silent, signal.SIGSTOP)
            box.promote(1 - silent)
        box.kill_server(silent)
        box.new_server(silent)
        box.join(silent)

    def test_4_one_that_dies_is_left_and_left_alone_when_it_is_back(self):
        box = self.box
        dead = box.primary
        with self.votes():
            box.kill_server(dead)
            box.promote(1 - dead)
        box.start_server(dead)
        position = box.position(dead)
        with self.new_load(box, 16, fresh_objects(20)) as load:
            load.wait_for_votes(300)
            for worker in box.workers():
                box.restart_worker(worker)
            load.wait_for_votes(300)
        self.assertEqual([], load.failures)
        self.check_nothing_lost_nothing_twice(box, load)
        self.assertEqual(position, box.position(dead))

    def test_5_rights_are_for_the_network_of_the_hosts(self):
        said = self.box.ratingctl("grants", "ratingd@192.0.2.%", "ratingctl@192.0.2.%")
        for account in ["`ratingd`@`192.0.2.%`", "`ratingctl`@`192.0.2.%`"]:
            self.assertIn(f"TO {account}", said)


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore", failfast=True)
