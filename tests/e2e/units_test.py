#!/usr/bin/env python3
"""Tests systemd's units as far as this is possible without systemd. The units are valid and confine their
programs, and a worker serves a socket on which another program listens."""

import os
import pathlib
import random
import socket
import subprocess
import tempfile
import unittest

from fault_sandbox import BUILD_DIR, REPOSITORY, FaultSandbox, Process, wait_until
from voting import Voter

UNITS = REPOSITORY / "systemd"
HIGHEST_EXPOSURE = 20  # in tenths
CONFINED = ["ratingd@.service", "ratingd-maintain.service", "ratingd-nginx.service", "ratingd-sites.service"]


def unit_files(*kinds):
    return sorted(path for path in UNITS.iterdir() if path.suffix in kinds)


class UnitFiles(unittest.TestCase):
    def test_are_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            copies = []
            for path in unit_files(".service", ".socket", ".target", ".timer"):
                copies.append(pathlib.Path(folder) / path.name)
                # The programs are not installed, so replace their paths with the paths in the build folder.
                copies[-1].write_text(path.read_text().replace("/usr/bin/", f"{BUILD_DIR.absolute()}/"))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", *copies],
                                  check=False, capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_confine_what_they_start(self):
        for name in CONFINED:
            done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager",
                                   f"--threshold={HIGHEST_EXPOSURE}", UNITS / name],
                                  check=False, capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_bound_what_they_start(self):
        for name in CONFINED:
            text = (UNITS / name).read_text()
            for bound in ["MemoryMax=", "TasksMax=", "LimitNOFILE="]:
                self.assertIn(f"\n{bound}", text, name)


    def test_keep_the_memory_that_workers_share(self):
        """A worker that stops must not remove the directory of the other workers."""
        text = (UNITS / "ratingd@.service").read_text()
        for line in ["RuntimeDirectory=ratingd/shared", "RuntimeDirectoryMode=0700",
                     "RuntimeDirectoryPreserve=yes"]:
            self.assertIn(f"\n{line}\n", text)


class ActivatedSandbox(FaultSandbox):
    """systemd's own program listens, and starts a worker at the first connection. "manager" receives the worker's
    notifications to the service manager."""

    def __init__(self):
        super().__init__()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.settimeout(30)

    def hears(self, state):
        """Waits until the worker sends this notification. Ignores other notifications."""
        while self.manager.recv(4096) != state:
            pass
        return True

    def _start_workers(self):
        notify_socket = f"@ratingd-units-{os.getpid()}"
        self.manager.bind("\0" + notify_socket[1:])
        environment = {**self._account("ratingd"), "NOTIFY_SOCKET": notify_socket}
        handed_on = [f"--setenv={name}={environment[name]}" for name in environment
                     if name.startswith(("RATINGD_", "NOTIFY_", "ASAN_", "UBSAN_", "TSAN_"))]
        with (self.log_dir / "ratingd.log").open("ab") as log:
            child = subprocess.Popen(
                ["systemd-socket-activate", "--inetd", *handed_on,
                 f"--listen={self._socket_dir() / 'ratingd.sock'}", *self.worker_command()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self._children.append(child)
        self._remember(Process.of("ratingd", child.pid))


class Socket(unittest.TestCase):
    def test_that_systemd_listens_on_is_served(self):
        box = ActivatedSandbox()
        self.addCleanup(box.manager.close)
        self.addCleanup(box.stop_cleanly)
        box.start()
        voter = Voter(box.service, "activated")
        self.addCleanup(voter.close)
        self.assertEqual(200, voter.vote(random.randrange(10**17, 9 * 10**17), 500).status)
        self.assertTrue(box.hears(b"READY=1"))
        self.assertTrue(box.hears(b"WATCHDOG=1"))
        [worker] = box.workers()
        self.assertTrue(worker.stop(10))
        self.assertTrue(box.hears(b"STOPPING=1"))


class ListeningSandbox(FaultSandbox):
    """A single worker opens the listening socket itself, as in a container."""

    def _start_workers(self):
        with (self.log_dir / "ratingd.log").open("ab") as log:
            child = subprocess.Popen(
                [*self.worker_command(), f"--listen={self.workers_socket}", "--listen-mode=0600"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._account("ratingd"))
        self._children.append(child)
        self._remember(Process.of("ratingd", child.pid))


class OwnSocket(unittest.TestCase):
    def test_is_served_also_after_a_kill(self):
        box = ListeningSandbox()
        self.addCleanup(box.stop_cleanly)
        box.start()
        [child] = [each for each in box._children if each.poll() is None]
        child.kill()
        child.wait(10)  # until the last thread of the process has closed the socket
        box._start_workers()
        voter = Voter(box.service, "listening")
        self.addCleanup(voter.close)
        self.assertTrue(wait_until(
            lambda: voter.vote(random.randrange(10**17, 9 * 10**17), 500).status == 200, 30))


class NewWorker(unittest.TestCase):
    """A new worker beside two running workers."""

    @classmethod
    def setUpClass(cls):
        cls.box = FaultSandbox()
        cls.addClassCleanup(cls.box.stop_cleanly)
        cls.box.start()

    def setUp(self):
        """Each test has a new socket because workers of other tests still send."""
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.settimeout(30)
        self.notify_socket = f"@ratingd-new-{os.getpid()}-{self._testMethodName}"
        self.manager.bind("\0" + self.notify_socket[1:])

    def start(self, *options):
        self.box.worker_launcher = lambda: ["env", f"NOTIFY_SOCKET={self.notify_socket}"]
        return self.box._start_worker(*options)

    def start_with_wrong_password(self):
        wrong = self.box.run_dir / "wrong-password"
        wrong.write_text("wrong\n")
        wrong.chmod(0o600)
        return self.start(f"--db-password-file={wrong}")

    def test_1_that_cannot_use_the_database_ends_while_others_can(self):
        worker = self.start_with_wrong_password()
        self.assertEqual(1, worker.wait(30))
        self.assertIn("Access denied", self.box.log())
        self.assertIn("another one can", self.box.log())
        self.manager.setblocking(False)
        with self.assertRaises(BlockingIOError):
            self.manager.recv(4096)

    def test_2_waits_until_the_others_notice_an_outage(self):
        known = self.box.log().count("database_disconnected")
        first, second = self.box.workers()
        with self.box.frozen(first), self.box.frozen(second):
            self.box.kill_database()
            worker = self.start()
            self.assertTrue(wait_until(lambda: self.box.log().count("database_disconnected") > known, 30))
        self.assertEqual(b"READY=1", self.manager.recv(4096))
        self.assertIsNone(worker.poll())

    def test_3_is_ready_during_an_outage(self):
        self.box.kill_database()
        self.assertTrue(wait_until(lambda: self.box.log().count("database_disconnected") > 2, 30))
        self.start_with_wrong_password()
        self.assertEqual(b"READY=1", self.manager.recv(4096))


class SharedMemory(unittest.TestCase):
    SEGMENTS = 5  # limits, caches, metrics, turns of writers, used tickets

    @unittest.skipIf(os.geteuid() != 0, "only root can act as another user")
    def test_has_no_name_that_another_user_could_take(self):
        """While no worker runs, another user tries to create files with the shared memory's names."""
        box = FaultSandbox()
        self.addCleanup(box.stop_cleanly)
        box.start()
        for worker in box.workers():
            self.assertTrue(worker.stop(30))
        paths = list(box.memory_dir.iterdir())
        self.assertEqual(self.SEGMENTS, len(paths))
        for path in paths:
            path.unlink()
            self.assertFalse(self.is_taken(path), path)
            elsewhere = pathlib.Path(f"/dev/shm/ratingd-{path.name}")
            self.assertTrue(self.is_taken(elsewhere), elsewhere)
            self.addCleanup(elsewhere.unlink)
        for _ in range(2):
            box._start_worker()
        # The first worker may respond before the second worker is ready.
        self.assertTrue(wait_until(lambda: "workers   2 of 2" in box.ratingctl("status"), 30))
        self.assertEqual(set(paths), set(box.memory_dir.iterdir()))

    @staticmethod
    def is_taken(path):
        touch = subprocess.run(["touch", path], check=False, user="nobody", group="nogroup", extra_groups=[],
                               capture_output=True)
        return touch.returncode == 0


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
