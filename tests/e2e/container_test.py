#!/usr/bin/env python3
"""Tests containers/ without an engine. mmdebstrap builds the last stage of the Containerfile from Debian's
packages. systemd-nspawn runs it as described in compose.yaml: read-only, not as root, with its environment,
secrets and volumes. This machine's MariaDB and WordPress replace the other two images.

RATINGD_RUN_DIR (build/container) is the folder for the run. Needs root."""

import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import time
import unittest
import urllib.error
import urllib.request

import yaml

from fault_sandbox import REPOSITORY, run_dir, wait_until  # first because it sets the module path
import private_network
from documents import texts_of
from mariadb import Mariadb
from matrix import Root
from processes import Process
from stack import SHIPPED_SOCKET
from voting import Load, Service

RUN_DIR = run_dir("container")
CONTAINERS = RUN_DIR / "containers"  # a copy because start.sh writes files beside itself
SITE = "http://127.0.0.1:8080"
API = f"{SITE}/wp-json/ratingd/v1"
START_SECONDS = 60
OWNER = 33  # the owner of WordPress's files in its image
PHP = """[global]
error_log = /dev/stderr
[www]
user = www-data
listen = 127.0.0.1:9000
pm = static
pm.max_children = 2
php_admin_value[sendmail_path] = /bin/true
"""


class Image:
    """The last stage of the Containerfile."""

    def __init__(self):
        text = (REPOSITORY / "containers/Containerfile").read_text()
        text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
        self.suite = re.search(r"^ARG DEBIAN=(\S+)", text, re.MULTILINE)[1]
        self._steps = [line.split(maxsplit=1) for line in text[text.rindex("FROM"):].splitlines() if line][1:]
        self.environment = dict(pair.split("=", 1) for pair in shlex.split(self._value_of("ENV")))
        self.user, _, self.group = self._value_of("USER").partition(":")
        self.entry_point = json.loads(self._value_of("ENTRYPOINT"))
        self.command = json.loads(self._value_of("CMD"))
        self.health = json.loads(self._value_of("HEALTHCHECK").partition(" CMD ")[2])
        self.root = RUN_DIR / "root"

    def _value_of(self, instruction):
        [value] = [rest for word, rest in self._steps if word == instruction]
        return value

    def build(self):
        """Builds the image unless it exists."""
        files = [*sorted((REPOSITORY / "containers").glob("*.*")), *(REPOSITORY / "build/deb").glob("*.deb"),
                 REPOSITORY / "containers/Containerfile"]
        contents = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
        complete = RUN_DIR / "complete"
        if complete.exists() and complete.read_text() == contents:
            return
        complete.unlink(missing_ok=True)
        shutil.rmtree(self.root, ignore_errors=True)
        slim = Root(RUN_DIR / "slim", self.suite, ["base-files"], "minbase")
        slim.make()
        subprocess.run(["cp", "--archive", "--reflink=auto", slim.path, self.root], check=True)
        for word, rest in self._steps:
            if word == "COPY":
                source, target = rest.split()
                shutil.copy(REPOSITORY / source, self.root / target.lstrip("/"))
            elif word == "RUN":
                self._run(rest)
        complete.write_text(contents)

    def _run(self, step):
        [(source, target)] = re.findall(r"--mount=\S+source=/src(\S+),target=(\S+)", step)
        script = re.sub(r"--mount=\S+", "", step)
        with (RUN_DIR / "build.log").open("wb") as log:
            subprocess.run([*nspawn(self.root), f"--bind-ro={REPOSITORY}{source}:{target}",
                            "--setenv=DEBIAN_FRONTEND=noninteractive", "sh", "-ec", script],
                           check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def nspawn(root):
    return ["systemd-nspawn", "--quiet", "--pipe", "--register=no", "--keep-unit", f"--directory={root}",
            "--resolv-conf=replace-host", "--timezone=off"]


image = Image()
server = Mariadb(RUN_DIR / "mariadb", RUN_DIR / "mariadb.sock", RUN_DIR / "mariadb.log")


def compose():
    text = (CONTAINERS / "compose.yaml").read_text()
    return yaml.safe_load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text))


class Container:
    """A service in compose.yaml that uses ratingd's image. It runs as in an engine."""

    def __init__(self, name, command=(), environment=()):
        file = compose()
        self._service = file["services"][name]
        assert self._service["image"].startswith("ratingd:")
        self.environment = {**image.environment, **self._service.get("environment", {}), **dict(environment)}
        command = command or self._service.get("command", image.command)
        self.log = RUN_DIR / f"{name}.log"
        with self.log.open("ab") as log:
            os.fchown(log.fileno(), int(image.user), int(image.group))  # engines do the same
            self.supervisor = subprocess.Popen(
                [*nspawn(image.root), *self._options(file), "--user=www-data", "--kill-signal=SIGTERM",
                 *self._set_environment(), "--", *image.entry_point, *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _options(self, file):
        options = [f"--tmpfs={path}:mode=1777,{bound}" for path, _, bound in
                   (mount.partition(":") for mount in self._service["tmpfs"])]
        options += ["--read-only"] if self._service["read_only"] else []
        options += [f"--drop-capability={','.join(self._service['cap_drop']).lower()}"]
        options += [f"--{option.replace(':', '=')}" for option in self._service["security_opt"]]
        mounts = [(RUN_DIR / "hosts", "/etc/hosts", "ro")]
        mounts += [(CONTAINERS / file["secrets"][secret]["file"], f"/run/secrets/{secret}", "ro")
                   for secret in self._service.get("secrets", [])]
        volumes = [volume.split(":") for volume in self._service.get("volumes", [])]
        mounts += [(volume_of(source), target, *mode) for source, target, *mode in volumes]
        for source, target, *mode in mounts:
            make_mount_point(source, image.root / target.lstrip("/"))
            options += [f"--bind{'-ro' if mode else ''}={source}:{target}"]
        return options

    def _set_environment(self):
        return [f"--setenv={name}={value}" for name, value in self.environment.items()]

    def leader(self):
        """Returns the first process of the container, as this machine sees it."""
        return children(self.supervisor.pid)[0]

    def workers(self):
        return {Process.of("ratingd", pid) for pid in children(self.leader())
                if pathlib.Path(f"/proc/{pid}/comm").read_text() == "ratingd\n"}

    def run(self, *command):
        """Runs a command like an engine's "exec": in the container, with its user and environment."""
        words = ["nsenter", "--target", str(self.leader()), "--mount", "--pid", "--ipc", "--uts",
                 f"--setuid={image.user}", f"--setgid={image.group}", "--", "/usr/bin/env", "-i",
                 "PATH=/usr/local/bin:/usr/bin:/bin", *(f"{k}={v}" for k, v in self.environment.items()), *command]
        return subprocess.run(words, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def is_healthy(self):
        return bool(children(self.supervisor.pid)) and self.run(*image.health).returncode == 0

    def has_started_a_program(self):
        """Returns whether the entry point has started a program. Earlier, it may not handle signals yet, and Linux
        drops signals that a container's first process does not handle."""
        ask = "grep -q ratingd /proc/1/comm && grep -q . /proc/1/task/1/children"
        return bool(children(self.supervisor.pid)) and self.run("sh", "-c", ask).returncode == 0

    def wait(self):
        return self.supervisor.wait(START_SECONDS)

    def stop(self):
        self.supervisor.terminate()
        try:
            return self.wait()
        finally:
            self.supervisor.kill()


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def make_mount_point(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()


def volume_of(name):
    """Creates a volume as an engine does. It belongs to the owner of the folder in the image."""
    path = RUN_DIR / "volumes" / name
    if not path.exists():
        path.mkdir(parents=True, mode=0o700)
        os.chown(path, OWNER, OWNER)
    return path


def start_site():
    """Does what the images of MariaDB and WordPress do."""
    secret = {path.name: path.read_text().strip() for path in (CONTAINERS / "secrets").iterdir()}
    server.options = ["--skip-networking=0", "--bind-address=127.0.0.1", "--skip-name-resolve"]
    server.install()
    process = server.start()
    unittest.addModuleCleanup(process.stop, START_SECONDS)
    server.execute(f"""DROP USER IF EXISTS root@'127.0.0.1'; CREATE DATABASE wordpress;
        CREATE USER root@'%' IDENTIFIED BY '{secret["db-root"]}';
        GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
        CREATE USER wordpress@'%' IDENTIFIED BY '{secret["db-wordpress"]}';
        GRANT ALL ON wordpress.* TO wordpress@'%'""")
    folder = volume_of("wordpress")
    shutil.copytree("/usr/share/wordpress", folder, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("wp-config.php", ".htaccess"))
    folder.chmod(0o755)
    subprocess.run(["chown", "-R", f"{OWNER}:{OWNER}", folder], check=True)
    (RUN_DIR / "php-fpm.conf").write_text(PHP)
    script = """mount --bind "$0/hosts" /etc/hosts && mount -t tmpfs tmpfs /var/www && mkdir /var/www/html
        mount --bind "$0/volumes/wordpress" /var/www/html && cp "$0/containers/secrets/wp-config.php" /var/www
        exec "$(ls /usr/sbin/php-fpm* | tail -n 1)" --nodaemonize --fpm-config "$0/php-fpm.conf" """
    with (RUN_DIR / "php.log").open("wb") as log:
        php = subprocess.Popen(["unshare", "--mount", "sh", "-ec", script, RUN_DIR], stdin=subprocess.DEVNULL,
                               stdout=log, stderr=log)
    unittest.addModuleCleanup(php.wait)
    unittest.addModuleCleanup(php.terminate)
    if not wait_until(is_php_healthy, START_SECONDS):
        raise AssertionError((RUN_DIR / "php.log").read_text())


def is_php_healthy():
    """Runs the health check of the service "wordpress" in compose.yaml."""
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", 9000)) == 0


def setUpModule():
    for name in ["containers", "volumes", "mariadb"]:
        shutil.rmtree(RUN_DIR / name, ignore_errors=True)
    for log in RUN_DIR.glob("*.log"):
        log.unlink()
    (RUN_DIR / "hosts").write_text("127.0.0.1 localhost db wordpress nginx ratingd\n")
    shutil.copytree(REPOSITORY / "containers", CONTAINERS, ignore=shutil.ignore_patterns("secrets"))
    start()
    start_site()


def start():
    """Runs start.sh. A program that prints its arguments replaces the engine."""
    engine = RUN_DIR / "engine"
    engine.write_text('#!/bin/sh\n[ "$2" = version ] && echo 2.17.0 || echo "$@"\n')
    engine.chmod(0o755)
    return subprocess.run([CONTAINERS / "start.sh", "--quiet-pull"], check=True, capture_output=True, text=True,
                          env={**os.environ, "ENGINE": str(engine)}).stdout


def run_service(name, **named):
    container = Container(name, **named)
    unittest.addModuleCleanup(container.stop)
    if not wait_until(container.is_healthy, START_SECONDS):
        raise AssertionError(f"{name} is not healthy:\n{container.log.read_text()}")
    return container


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


class Site(unittest.TestCase):
    """The tests run in the order of the services."""

    @classmethod
    def setUpClass(cls):
        for _ in range(2):  # each start of the site repeats it
            cls.set_up()
        cls.nginx = run_service("nginx")
        cls.ratingd = run_service("ratingd")

    @staticmethod
    def set_up():
        setup = Container("setup")
        if setup.wait() != 0:
            raise AssertionError(setup.log.read_text())

    def test_start_keeps_the_secrets(self):
        before = {path: path.read_bytes() for path in (CONTAINERS / "secrets").iterdir()}
        self.assertEqual("compose up --build --detach --wait --quiet-pull\n", start())
        self.assertEqual(before, {path: path.read_bytes() for path in (CONTAINERS / "secrets").iterdir()})
        self.assertEqual(set(compose()["secrets"]), {path.name for path in before})
        self.assertEqual({0o444}, {stat.S_IMODE(path.stat().st_mode) for path in before})

    def stored_votes(self):
        return int(server.execute("SELECT COUNT(*) FROM wp_ratingd_votes", "wordpress"))

    @staticmethod
    def vote(object_id):
        """Votes. Returns the status of the response."""
        vote = json.dumps({"object_id": object_id, "category": "binary", "value": 1})
        request = urllib.request.Request(f"{API}/rate", vote.encode())
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code

    def test_votes_are_counted(self):
        before = self.stored_votes()
        self.assertEqual(200, self.vote(1))
        self.assertEqual(404, self.vote(3))  # WordPress's draft of a privacy policy
        self.assertEqual(before + 1, self.stored_votes())

    def test_pages_have_script_and_plugin(self):
        self.assertIn("customElements", get(f"{API}/ratingd-widget.js"))
        server.execute("UPDATE wp_posts SET post_content = '[ratingd]' WHERE ID = 1", "wordpress")
        self.assertIn("<ratingd-rating ", get(f"{SITE}/?p=1"))

    def test_plugin_is_replaced_only_if_it_differs(self):
        """PHP may be serving the plugin when the site starts."""
        folder = volume_of("wordpress") / "wp-content/mu-plugins"
        paths = [folder / "ratingd", folder / "ratingd-mu-loader.php"]
        before = [path.stat().st_ino for path in paths]
        self.set_up()
        self.assertEqual(before, [path.stat().st_ino for path in paths])
        (paths[0] / "ratingd.php").write_text("<?php // of another version")
        (paths[0] / "of-before.php").touch()
        self.set_up()
        self.assertIn("Plugin Name:", (paths[0] / "ratingd.php").read_text())
        self.assertFalse((paths[0] / "of-before.php").exists())
        self.assertEqual(before[1], paths[1].stat().st_ino)
        self.assertEqual(set(paths), set(folder.iterdir()))

    def test_wordpress_is_installed_as_the_settings_say(self):
        options = server.execute("SELECT option_value FROM wp_options WHERE option_name IN ('siteurl', 'home', "
                                 "'blogname', 'blog_public', 'admin_email') ORDER BY option_name", "wordpress")
        self.assertEqual(["admin@example.org", "Ratings", "1", SITE, SITE], options.split())

    def test_nothing_that_was_uploaded_is_run(self):
        for name in ("uploads/a.php", "uploads/.b.php", ".c.php"):
            file = volume_of("wordpress") / "wp-content" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text("<?php echo 'run';")
            with self.subTest(name), self.assertRaisesRegex(urllib.error.HTTPError, "404"):
                get(f"{SITE}/wp-content/{name}")

    def test_runs_without_root_on_a_root_that_is_read_only(self):
        for container in (self.nginx, self.ratingd):
            self.assertEqual("33\n", container.run("id", "-u").stdout)
            self.assertRegex(container.run("cat", "/proc/mounts").stdout, r"(?m)^\S+ / \S+ ro,")
            status = pathlib.Path(f"/proc/{container.leader()}/status").read_text()
            self.assertRegex(status, r"\nCapBnd:\t0+\nCapAmb:\t0+\nNoNewPrivs:\t1\n")
        socket = volume_of("socket") / pathlib.Path(SHIPPED_SOCKET).name
        self.assertEqual(0o600, stat.S_IMODE(socket.stat().st_mode))

    def test_upstream_has_its_34_entries(self):
        text = self.nginx.run("cat", "/tmp/nginx/ratingd-upstream.conf").stdout
        self.assertEqual(34, text.count(f"server unix:{self.ratingd.environment['RATINGD_LISTEN']} "))

    def test_operator_can_make_a_backup(self):
        """Runs the command in docs/containers.md through the name of the service."""
        maintain = Container("maintain")
        self.addCleanup(maintain.stop)
        self.assertTrue(wait_until(maintain.has_started_a_program, START_SECONDS))
        [text] = texts_of(REPOSITORY / "docs/containers.md", "Backup", "sh")
        [words] = re.findall(r" maintain (ratingctl .*) >", text)
        done = maintain.run(*words.split())
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn(' {"end":true}\n', done.stdout)
        self.assertIn("workers   2 of 2", self.ratingd.run("ratingctl", "status").stdout)

    def kill_a_worker(self):
        min(self.ratingd.workers(), key=lambda worker: worker.pid).signal(signal.SIGKILL)

    def reload(self):
        self.assertEqual("", self.ratingd.run("ratingd-container", "reload").stdout)

    def test_workers_that_die_or_are_replaced_lose_no_request(self):
        said = Container("setup", ["ratingctl", "settings", "set", "rate_limit_write=1000000"])
        self.assertEqual(0, said.wait(), said.log.read_text())
        time.sleep(2)  # until all workers use it
        with Load(Service(8080), 32, [1, 2]) as load:
            for end in [self.kill_a_worker, self.reload] * 3:
                before = self.ratingd.workers()
                load.wait_for_votes(300)
                end()
                load.wait_for_votes(300)
                self.assertTrue(wait_until(lambda: len(self.ratingd.workers()) == 2, START_SECONDS))
                self.assertNotEqual(before, self.ratingd.workers())
        self.assertEqual([], load.failures)


if __name__ == "__main__":
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    image.build()
    private_network.enter()
    unittest.main(warnings="ignore")
