#!/usr/bin/env python3
"""Tests the privileges of the services in containers/compose.yaml. The images of MariaDB and WordPress are not
available here. Instead, this machine's programs run the same steps as the images' entry points on a new volume,
with the same capabilities. Needs the packages mariadb-server-core and php-fpm, and root. The tests are skipped
without root."""

import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

import yaml

from fault_sandbox import REPOSITORY, free_port, run_dir, wait_until  # first because it sets the module path
from mariadb import Mariadb

RUN_DIR = run_dir("compose")
SERVICES = yaml.safe_load((REPOSITORY / "containers/compose.yaml").read_text())["services"]
START_SECONDS = 60
# The time limit for starting and stopping PHP in a container that lacks a required Linux capability.
SHORT_SECONDS = 2
OWNER = "www-data"
COPY = 'chown "$2" . && tar --create --directory "$1" --owner "$2" --group "$2" . | tar --extract'
PHP = """[global]
error_log = /dev/stderr
[www]
user = www-data
listen = 127.0.0.1:{port}
pm = static
pm.max_children = 1
"""


def capabilities_of(name):
    return set(SERVICES[name]["cap_add"])


def limited_to(capabilities):
    """Returns the command prefix for a root command with only these capabilities."""
    added = "".join(f",+{each.lower()}" for each in sorted(capabilities))
    return ["setpriv", "--no-new-privs", "--inh-caps=-all", f"--bounding-set=-all{added}"]


def new_volume(name):
    """Creates a folder that belongs to root, like an engine that copies nothing from the image."""
    path = RUN_DIR / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def user_of(process):
    """Returns the name of a process's user."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return pwd.getpwuid(int(re.search(r"^Uid:\t(\d+)", status, re.MULTILINE)[1])).pw_name


def children_of(process):
    """Returns the users of a process's children."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a child may end meanwhile
        return {user_of(child) for child in
                pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()}
    return set()


class Privileges(unittest.TestCase):
    def test_no_service_can_gain_any(self):
        for name, service in SERVICES.items():
            with self.subTest(name):
                self.assertEqual(["ALL"], service["cap_drop"])
                self.assertEqual(["no-new-privileges:true"], service["security_opt"])

    def test_only_images_that_start_as_root_have_capabilities(self):
        self.assertEqual({"db": ["CHOWN", "DAC_OVERRIDE", "SETGID", "SETUID"],
                          "wordpress": ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"]},
                         {name: service["cap_add"] for name, service in SERVICES.items() if "cap_add" in service})


class Database(unittest.TestCase):
    """The server's files belong to root at first, and are then given to another user."""

    STEP_DOWN = (f'find "$0" ! -user {OWNER} -exec chown {OWNER}: {{}} + && '
                 f'exec setpriv --reuid={OWNER} --regid={OWNER} --init-groups "$@"')

    @classmethod
    def setUpClass(cls):
        cls.volume = new_volume("database")
        Mariadb(cls.volume, RUN_DIR / "socket", RUN_DIR / "mariadb.log").install()

    def start(self, capabilities):
        words = [*limited_to(capabilities), "sh", "-ec", self.STEP_DOWN, self.volume]
        server = Mariadb(self.volume, self.volume / "socket", self.volume / "mariadb.log", launcher=words)
        return server, server.start()

    def test_starts_twice_on_its_volume(self):
        for _ in range(2):
            server, process = self.start(capabilities_of("db"))
            try:
                self.assertEqual(OWNER, user_of(process.pid))
                self.assertEqual("1", server.execute("SELECT 1").strip())
            finally:
                self.assertTrue(process.stop(START_SECONDS))

    def test_health_check_reads_what_is_the_servers(self):
        file = self.volume / "account"
        file.write_text("of the check")
        file.chmod(0o600)
        shutil.chown(file, OWNER)
        for capabilities, status in [(capabilities_of("db"), 0), (capabilities_of("db") - {"DAC_OVERRIDE"}, 1)]:
            done = subprocess.run([*limited_to(capabilities), "cat", file], check=False, capture_output=True)
            self.assertEqual(status, done.returncode, done.stderr)


class Wordpress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = new_volume("source")
        (cls.source / "wp-content").mkdir()
        (cls.source / "wp-content/index.php").write_text("<?php\n")
        (cls.source / "index.php").write_text("<?php\n")
        [cls.php] = sorted(pathlib.Path("/usr/sbin").glob("php-fpm*"))[-1:]

    def copied(self, capabilities):
        """Returns whether WordPress could be copied into a new volume."""
        volume = new_volume("wordpress")
        done = subprocess.run([*limited_to(capabilities), "sh", "-ec", COPY, "sh", self.source, OWNER],
                              check=False, cwd=volume, capture_output=True)
        if done.returncode == 0:
            self.assertEqual({OWNER}, {path.owner() for path in [volume, *volume.rglob("*")]})
        return done.returncode == 0

    @contextlib.contextmanager
    def running(self, capabilities):
        """Yields PHP's master process as soon as it listens or has ended."""
        port = free_port()
        configuration = RUN_DIR / "php-fpm.conf"
        configuration.write_text(PHP.format(port=port))

        def is_up():
            with socket.socket() as connection:
                return master.poll() is not None or connection.connect_ex(("127.0.0.1", port)) == 0

        with (RUN_DIR / "php.log").open("ab") as log:
            master = subprocess.Popen([*limited_to(capabilities), self.php, "--nodaemonize", "--fpm-config",
                                       configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                      start_new_session=True)
        try:
            self.assertTrue(wait_until(is_up, START_SECONDS))
            yield master
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(master.pid, signal.SIGKILL)
            master.wait()

    def starts_and_stops(self, capabilities, seconds):
        """Returns whether PHP starts a process for the owner in time and ends in time on request."""
        with self.running(capabilities) as master:
            if not wait_until(lambda: children_of(master) == {OWNER}, seconds):
                return False
            master.send_signal(signal.SIGQUIT)
            return wait_until(lambda: master.poll() is not None, seconds)

    def test_starts_on_an_empty_volume_and_stops(self):
        self.assertTrue(self.copied(capabilities_of("wordpress")))
        self.assertTrue(self.starts_and_stops(capabilities_of("wordpress"), START_SECONDS))

    def test_needs_each_capability(self):
        for capability in capabilities_of("wordpress"):
            with self.subTest(capability):
                rest = capabilities_of("wordpress") - {capability}
                self.assertFalse(self.copied(rest) and self.starts_and_stops(rest, SHORT_SECONDS))


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: needs root")
        sys.exit(77)
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    unittest.main(warnings="ignore")
