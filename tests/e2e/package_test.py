#!/usr/bin/env python3
"""Tests the Debian package in a Debian that boots. The package is installed beside WordPress as in
docs/install.md, run, upgraded while people vote, and removed. The test also runs the commands in the operators'
documents. Commands and their output are written to transcript.txt.

RATINGD_SUITE names another Debian than this machine's (trixie). In this case, the package is the one that "make
matrix" built for it: build/matrix/debian-13/build/deb. RATINGD_RELEASED names the last release's package.
This package is then upgraded to the current one and back. RATINGD_RUN_DIR (build/package) is the folder for the
run. Needs root."""

import contextlib
import dataclasses
import json
import os
import re
import shutil
import subprocess
import time
import unittest
from typing import ClassVar

from fault_sandbox import REPOSITORY, run_dir, wait_until  # first because it sets the module path
from debian_box import HOME, OPERATOR, Box
from documents import OF_AN_INSTALLATION, blocks_of
from ticket import claims_of, sign

DOCUMENTS = REPOSITORY / "docs"
SUITE = os.environ.get("RATINGD_SUITE", "")
BUILT_IN = {"": "build/deb", "bookworm": "build/matrix/debian-12/build/deb",
            "trixie": "build/matrix/debian-13/build/deb"}
[PACKAGE] = (REPOSITORY / BUILT_IN[SUITE]).glob("ratingd_*.deb")
RELEASED = os.environ.get("RATINGD_RELEASED", "")
RUN_DIR = run_dir(f"package-{SUITE}" if SUITE else "package")
# The service guarantees a response within five seconds after an interruption, but tests may have to wait longer on
# a busy machine.
BACK_SECONDS = 15
APACHE_FILE = "/etc/apache2/sites-available/example.org.conf"
APACHE_HOST = """<VirtualHost *:443>
    ServerName example.org
    SSLEngine on
    SSLCertificateFile /etc/ssl/certs/example.org.pem
    SSLCertificateKeyFile /etc/ssl/private/example.org.key
    DocumentRoot /usr/share/wordpress
    Alias /wp-content /var/lib/wordpress/wp-content
    <Directory /usr/share/wordpress>
        AllowOverride All
        Require all granted
    </Directory>
    <FilesMatch "\\.php$">
        SetHandler "proxy:unix:/run/php/php-fpm.sock|fcgi://localhost"
    </FilesMatch>
</VirtualHost>
"""

box = Box(RUN_DIR, PACKAGE, SUITE)


def setUpModule():
    unittest.addModuleCleanup(box.stop)
    box.start()


def follow(document, *headings, program=""):
    """Types the commands below these headings, or all commands of the document if no heading is named. With
    "program", types only the commands that begin with "sudo" and the program."""
    for block in blocks_of(DOCUMENTS / document):
        if program and not block.text.startswith(f"sudo {program} "):
            continue
        if not block.reason and (not headings or block.heading in headings):
            type_in(block)


def type_in(block):
    return run_as(OPERATOR, block.text)


def run_as(user, script):
    before = web_servers()
    said = box.run(script, user)
    # The command that reloads nginx ends before the new nginx processes accept requests. The test enters commands
    # faster than an operator, so it waits until the old nginx processes have stopped.
    if "reload nginx" in script and not wait_until(lambda: not before & web_servers(), BACK_SECONDS):
        raise AssertionError("nginx did not reload")
    return said


def web_servers():
    """Returns the processes that take new connections."""
    return set(box.run("pgrep --exact --full 'nginx: worker process' || true").split())


def three_commands():
    """Returns the three blocks of commands."""
    [block] = [each for each in blocks_of(DOCUMENTS / "install.md") if each.heading == "Three commands"]
    commands = block.text.replace("\\\n", "").splitlines()
    return [dataclasses.replace(block, text=command) for command in commands]


def serve_with_apache():
    """Lets Apache serve the site. The ports must be free."""
    box.run("sudo apt install --yes --no-install-recommends apache2", OPERATOR)
    (box.root / APACHE_FILE[1:]).write_text(APACHE_HOST)
    box.run("a2enmod -q ssl proxy_fcgi && a2ensite -q example.org && systemctl restart apache2")


def installation():
    """Returns everything that an installation changes as one text: files with mode and content, accounts and
    tables, units."""
    return box.run("""cd /
      find etc/ratingd etc/nginx etc/systemd var/lib/wordpress -printf '%p %M %u %g %l\n' | sort
      find etc/ratingd etc/nginx etc/systemd var/lib/wordpress -type f -exec sha256sum {} + | sort -k 2
      mariadb -BN -e "SELECT user, host, authentication_string FROM mysql.user ORDER BY 1, 2;
        SHOW TABLES FROM wordpress;
        SELECT user, db, table_name, table_priv FROM mysql.tables_priv ORDER BY 1, 2, 3"
      systemctl list-units --plain --no-legend --state=active 'ratingd*' | grep -v reload | sort""")


def removing():
    """Returns the block that keeps the votes, and the block that does not."""
    keep, forget = [block for block in blocks_of(DOCUMENTS / "install.md") if block.heading == "Removing"]
    return keep, forget


class PackageTest(unittest.TestCase):
    def status_of(self, path):
        """Returns the status of the site's answer to a GET."""
        return box.run(f"curl -sko /dev/null --max-time 10 -w '%{{http_code}}' https://example.org{path}",
                       check=False).strip()

    def is_healthy(self):
        return self.status_of("/wp-json/ratingd/v1/health") == "200"

    def check_nothing_failed(self):
        self.assertEqual("", box.run("systemctl list-units --failed --plain --no-legend"))

    def workers(self):
        return set(box.run("pidof ratingd || true").split())

    def page(self, path):
        return box.run(f"curl -skL --max-time 10 https://example.org{path}")

    def votes(self):
        return int(box.run("mariadb -BN wordpress -e 'SELECT COUNT(*) FROM wp_ratingd_votes'"))

    @contextlib.contextmanager
    def visitors(self):
        """Simulates visitors during the block. All their requests must get a response. At the end, yields their
        votes by device and object."""
        box.run("ratingctl --config /etc/ratingd/ratingctl.conf"
                " settings set rate_limit_write=1000000 rate_limit_read=1000000 max_ratings_per_address=0"
                " object_check=off"
                " max_new_voters_per_address_per_object=0")
        # Each worker reads the settings separately. If eight responses in a row show the new settings, all workers
        # have probably read them.
        ask = "curl -sko /dev/null -D - -H 'Cookie: any=1' https://example.org/wp-json/ratingd/v1/stats/1"
        self.assertTrue(wait_until(lambda: all("q=1000000;" in box.run(ask) for _ in range(8)), BACK_SECONDS))
        child = subprocess.Popen(self.load(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        votes = {}
        try:
            yield votes
        finally:
            text, _ = child.communicate()
        outcome = json.loads(text)
        self.assertGreater(outcome["answers"], 50)
        self.assertEqual([], outcome["not 200"])
        votes.update(outcome["votes"])

    def load(self, *arguments):
        """Returns the command for visitors. Only they can resolve the site's name."""
        hosts = RUN_DIR / "hosts"
        hosts.write_text("127.0.0.1 example.org\n")
        command = box.in_network([REPOSITORY / "tests/e2e/package_load.py", *arguments])
        return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, *command]


class FirstVote(PackageTest):
    """Sets up the site with "ratingctl setup", as in the document."""

    def test_1_a_machine_gets_wordpress(self):
        follow("install.md", "An empty machine")
        self.assertEqual("200", self.status_of("/"))

    def test_2_comes_in_three_commands(self):
        install, setup, vote = three_commands()
        self.assertIn("sudo ratingctl setup", type_in(install))
        before = installation()

        box.run("cp /etc/nginx/sites-available/example.org.conf kept;"
                " echo 'no_such_directive;' >>/etc/nginx/sites-available/example.org.conf")
        self.assertIn("All steps were undone.", box.run(setup.text, OPERATOR, check=False))
        box.run("cp kept /etc/nginx/sites-available/example.org.conf; rm kept")
        self.assertEqual(before, installation())
        self.assertEqual(set(), self.workers())
        box.run(setup.text.replace("--yes", "--dry-run"), OPERATOR)
        self.assertEqual(before, installation())

        type_in(setup)
        type_in(vote)
        self.assertEqual(1, self.votes())
        self.check_nothing_failed()
        self.assertEqual("200", self.status_of("/?rest_route=/ratingd/v1/stats/1"))
        self.assertEqual("200", self.status_of("/"))
        self.assertEqual(2, len(self.workers()))

    def test_3_setup_repeated_changes_nothing(self):
        before, workers = installation(), self.workers()
        self.assertIn("There is nothing to do.", box.run(three_commands()[1].text, OPERATOR))
        follow("install.md", "What setup does")
        self.assertEqual((before, workers), (installation(), self.workers()))


class Restarted(PackageTest):
    def test_machine_serves_the_site_by_itself(self):
        """On Debian 12, systemd opens the database server's socket when the machine starts."""
        votes = self.votes()
        box.restart()
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))
        self.assertEqual(votes, self.votes())
        self.assertIn("There is nothing to do.", box.run("sudo ratingctl setup --yes", OPERATOR))
        self.check_nothing_failed()


class SecondSite(PackageTest):
    """A second site in the same nginx and database server."""

    SETUP = "sudo ratingctl setup --site shop"

    def setUp(self):
        self.first = self.workers()

    def tearDown(self):
        self.assertTrue(self.is_healthy())

    def health(self):
        return box.run("curl -sk --max-time 10 --resolve shop.example.org:443:127.0.0.1"
                       " https://shop.example.org/wp-json/ratingd/v1/health", check=False)

    def votes_of_shop(self):
        return int(box.run("mariadb -BN shop -e 'SELECT COUNT(*) FROM wp_ratingd_votes'"))

    def test_1_is_set_up_by_the_document(self):
        site = (REPOSITORY / "tests/sandbox/site.sql").read_text().replace("@HOME@", "https://shop.example.org")
        (box.root / "root/shop.sql").write_text(site)
        box.run("""mariadb -e "CREATE DATABASE shop; CREATE USER shop@localhost IDENTIFIED BY 'x';
          GRANT ALL ON shop.* TO shop@localhost"
        mariadb shop <shop.sql
        install -d /var/www/shop/wp-content
        sed "s/'wordpress'/'shop'/; /PASSWORD/s/.*/define( 'DB_PASSWORD', 'x' );/" \
          /etc/wordpress/config-default.php >/var/www/shop/wp-config.php
        sed '/include.*ratingd/d; s/server_name example.org/server_name shop.example.org/; s/example_org/shop/' \
          /etc/nginx/sites-available/example.org.conf >/etc/nginx/sites-available/shop.example.org.conf
        ln -s ../sites-available/shop.example.org.conf /etc/nginx/sites-enabled/""")
        follow("install.md", "Several sites on one host")
        self.assertIn('"ok"', self.health())
        box.run("curl -sSk --fail --resolve shop.example.org:443:127.0.0.1"
                " https://shop.example.org/wp-json/ratingd/v1/rate"
                """ -d '{"object_id":2,"category":"binary","value":1}'""")
        self.assertEqual((1, 1), (self.votes(), self.votes_of_shop()))
        self.assertEqual(4, len(self.workers()))
        self.check_nothing_failed()

    def test_2_has_a_wall_to_the_first(self):
        box.run("! cat /etc/ratingd/sites/shop/secret", "ratingd")
        box.run("systemctl stop ratingd-shop.target")
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))
        self.assertLess(self.workers(), self.first)
        self.assertTrue(self.is_healthy())
        box.run("systemctl start ratingd-shop.target")
        self.assertTrue(wait_until(lambda: '"ok"' in self.health(), BACK_SECONDS))

    def test_3_is_upgraded_with_the_package(self):
        unit = "/etc/systemd/system/ratingd-shop@.service"
        text = box.run(f"cat {unit}")
        box.run(f"echo '# of another version' >>{unit}")
        self.assertTrue(wait_until(lambda: len(self.workers()) == 4, BACK_SECONDS))
        before = self.workers()
        said = box.run("sudo apt install --yes --reinstall ./ratingd_*.deb", OPERATOR)
        self.assertIn(f"the site shop: {self.SETUP}\n", said)
        self.assertTrue(wait_until(lambda: len(self.workers()) == 4, BACK_SECONDS))
        self.assertEqual(set(), before & self.workers())
        self.assertEqual(text, box.run(f"cat {unit}"))

    def test_4_starts_again_after_a_removal(self):
        box.run("sudo apt remove --yes ratingd", OPERATOR)
        self.assertEqual(set(), self.workers())
        box.run("sudo apt install --yes ./ratingd_*.deb", OPERATOR)
        self.assertTrue(wait_until(lambda: len(self.workers()) == 4, BACK_SECONDS))
        self.assertTrue(wait_until(lambda: '"ok"' in self.health(), BACK_SECONDS))
        box.run("systemctl is-active ratingd-shop-maintain.timer")
        self.check_nothing_failed()

    def test_5_is_set_up_again_after_a_purge(self):
        box.run("sudo apt purge --yes ratingd", OPERATOR)
        said = run_as(OPERATOR, "sudo apt install --yes ./ratingd_*.deb && sudo systemctl reload nginx")
        self.assertIn(f"the site shop: {self.SETUP}\n", said)
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertNotIn('"ok"', self.health())
        box.run(f"{self.SETUP} --yes", OPERATOR)
        self.assertTrue(wait_until(lambda: '"ok"' in self.health(), BACK_SECONDS))
        self.assertTrue(wait_until(lambda: len(self.workers()) == 4, BACK_SECONDS))
        box.run("systemctl is-active ratingd-shop-maintain.timer")
        self.assertEqual(1, self.votes_of_shop())
        self.check_nothing_failed()

    def test_6_is_removed_without_the_first(self):
        box.run("systemctl start ratingd-shop-maintain.service")
        box.run("sudo ratingctl setup --yes --site shop --remove", OPERATOR)
        self.assertEqual(1, self.votes_of_shop())
        self.assertEqual("", box.run("ls -d /etc/systemd/system/*/ratingd-shop* /etc/systemd/system/ratingd-shop*"
                                     " /run/ratingd/sites/shop* 2>/dev/null || true"))
        self.assertEqual("", box.run("systemctl list-units --all --plain --no-legend 'ratingd-shop*'"))
        self.assertEqual(2, len(self.workers()))
        self.check_nothing_failed()
        box.run("rm -r /etc/ratingd/sites /etc/nginx/sites-*/shop.example.org.conf /var/www/shop;"
                " systemctl reload nginx; mariadb -e 'DROP DATABASE shop; DROP USER shop@localhost'")


class WithoutWordpress(PackageTest):
    """A site without WordPress beside the first site."""

    def test_1_is_set_up_by_the_document(self):
        box.run("""sed '/include.*ratingd/d; s/name example.org/name toys.example.org/; s/example_org/toys/' \
          /etc/nginx/sites-available/example.org.conf >/etc/nginx/sites-available/toys.example.org.conf
        ln -s ../sites-available/toys.example.org.conf /etc/nginx/sites-enabled/""")
        follow("other-cms.md")
        self.assertIn('"ok"', box.run("curl -sSk --resolve toys.example.org:443:127.0.0.1"
                                      " https://toys.example.org/ratings/v1/health"))
        key = box.run("cat /etc/ratingd/sites/toys/ticket-key").strip()
        ticket = sign(key, claims_of("toys", "anna", "https://toys.example.org", address="192.0.2.7"))
        box.run(f"curl -sSk --fail --resolve toys.example.org:443:127.0.0.1 -H 'X-Ratingd-Ticket: {ticket}'"
                """ https://toys.example.org/ratings/v1/rate -d '{"object_id":1,"category":"binary","value":1}'""")
        self.assertEqual(4, len(self.workers()))
        box.run("systemctl start ratingd-toys-maintain.service")
        self.check_nothing_failed()

    def test_2_is_removed_without_the_first(self):
        box.run("sudo ratingctl setup --yes --site toys --remove", OPERATOR)
        self.assertEqual("1\n", box.run("mariadb -BN ratingd_toys -e 'SELECT COUNT(*) FROM toys_ratingd_votes'"))
        self.assertEqual(2, len(self.workers()))
        self.assertTrue(self.is_healthy())
        box.run("rm -r /etc/ratingd/sites /etc/nginx/sites-*/toys.example.org.conf; systemctl reload nginx;"
                " mariadb -e 'DROP DATABASE ratingd_toys'")


class Installed(PackageTest):
    def test_version_is_that_of_the_program(self):
        version = box.run("dpkg-query -W -f '${Version}' ratingd")
        self.assertEqual(f"ratingd {version}\nratingctl {version}\n",
                         box.run("ratingd --version; ratingctl --version"))

    def test_changelog_is_where_debians_points(self):
        box.run("cd /usr/share/doc/ratingd; zgrep CHANGELOG.md changelog.gz; test -s CHANGELOG.md")

    def test_secrets_are_out_of_the_workers_reach(self):
        for name in ["secret", "db-password", "ratingctl-password", "wp-config.php"]:
            box.run(f"! cat /etc/ratingd/{name}", "ratingd")

    def test_bill_of_materials_names_what_the_package_depends_on(self):
        text = box.run("cat /usr/share/doc/ratingd/ratingd.spdx.json")
        named = {package["name"] for package in json.loads(text)["packages"]}
        libraries = [word.split()[0] for word in
                     box.run("dpkg-query -W -f '${Depends}' ratingd").split(", ")
                     if word.startswith("lib")]
        self.assertGreater(len(libraries), 5)
        # The name of the spdlog library package contains two version numbers, as in libspdlog1.10-fmt9.
        libraries = [name for name in libraries if not name.startswith("libspdlog")]
        self.assertLessEqual(set(libraries), named)
        tools = {relation["spdxElementId"] for relation in json.loads(text)["relationships"]
                 if relation["relationshipType"] == "BUILD_TOOL_OF"}
        self.assertIn("SPDXRef-esbuild", tools)

    def test_shared_memory_is_in_a_directory_of_the_workers_own(self):
        self.assertEqual("ratingd 700\n", box.run("stat --format='%U %a' /run/ratingd/shared"))
        self.assertEqual(5, len(box.run("ls /run/ratingd/shared").split()))
        self.assertEqual("", box.run("ls /dev/shm"))
        box.run("! ls /run/ratingd/shared", OPERATOR)
        self.assertIn("workers   2 of 2", box.run("ratingctl --config=/etc/ratingd/ratingctl.conf status"))

    def test_shared_memory_outlives_a_restart(self):
        before = box.run("stat --format='%i %n' /run/ratingd/shared/*")
        box.run("systemctl restart ratingd@1")
        self.assertEqual(before, box.run("stat --format='%i %n' /run/ratingd/shared/*"))
        box.run("systemctl stop ratingd.target && systemctl start ratingd.target")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertEqual(before, box.run("stat --format='%i %n' /run/ratingd/shared/*"))

    def test_a_killed_worker_comes_back(self):
        before = self.workers()
        box.run(f"kill -KILL {min(before, key=int)}")
        self.assertTrue(wait_until(lambda: len(self.workers() - before) == 1
                                   and len(self.workers()) == 2, BACK_SECONDS))
        self.assertTrue(self.is_healthy())

    def test_a_mistake_in_the_configuration_is_over_when_it_is_mended(self):
        """During the mistake, requests keep starting workers through the socket, for longer than systemd's start
        limits."""
        box.run("cp /etc/ratingd/ratingd.conf kept; echo 'threads = none' >>/etc/ratingd/ratingd.conf")
        box.run("systemctl restart ratingd@1 ratingd@2", check=False)
        for _ in range(6):
            box.run("curl -sko /dev/null --max-time 2 https://example.org/wp-json/ratingd/v1/health",
                    check=False)
        self.assertFalse(self.is_healthy())
        box.run("mv kept /etc/ratingd/ratingd.conf")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        box.run("systemctl is-active ratingd.socket")
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))

    def test_nightly_timer_waits(self):
        self.assertIn("ratingd-maintain.timer", box.run("systemctl list-timers --no-legend"))
        box.run("systemctl start ratingd-maintain.service")


class Reloaded(PackageTest):
    """A reload after a mistake in the files that new workers read."""

    def refuse(self, mistake, correction, reason):
        before = self.workers()
        with self.visitors():
            box.run(mistake)
            box.run("! systemctl reload ratingd.target")
            self.assertIn(reason, box.run("! sudo ratingctl reload", OPERATOR))
            self.assertEqual(before, self.workers())
            box.run(correction)
            self.assertIn("ratingd@2.service", box.run("sudo ratingctl reload", OPERATOR))
        self.assertEqual((2, set()), (len(self.workers()), before & self.workers()))
        self.check_nothing_failed()

    def test_1_without_the_secret(self):
        self.refuse("mv /etc/ratingd/secret kept", "mv kept /etc/ratingd/secret", "/etc/ratingd/secret is missing")

    def test_2_with_a_typing_error(self):
        self.refuse("cp -a /etc/ratingd/ratingd.conf kept; echo 'threads = none' >>/etc/ratingd/ratingd.conf",
                    "mv kept /etc/ratingd/ratingd.conf", "threads")

    def test_3_with_a_wrong_password(self):
        self.refuse("mv /etc/ratingd/db-password kept;"
                    " echo wrong | install -m 0600 /dev/stdin /etc/ratingd/db-password",
                    "mv kept /etc/ratingd/db-password", "Access denied")

    def test_4_during_an_outage_of_the_database_replaces_them(self):
        before = self.workers()
        box.run("systemctl stop mariadb.socket mariadb")  # the socket would start the server again
        try:
            self.assertTrue(wait_until(lambda: not self.is_healthy(), BACK_SECONDS))
            # Each worker detects the outage separately within a second. New workers can replace the old workers
            # only after both old workers have detected the outage.
            reload = "systemctl reload ratingd.target && echo replaced"
            self.assertTrue(wait_until(lambda: "replaced" in box.run(reload, check=False), BACK_SECONDS))
            self.assertEqual((2, set()), (len(self.workers()), before & self.workers()))
        finally:
            box.run("systemctl start mariadb")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))

    def test_5_a_lost_secret_is_over_when_it_is_back(self):
        """The service recovers even if requests kept starting workers in the meantime."""
        box.run("mv /etc/ratingd/secret kept; systemctl restart ratingd@1 ratingd@2", check=False)
        for _ in range(6):
            self.assertFalse(self.is_healthy())
        box.run("mv kept /etc/ratingd/secret")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))
        self.check_nothing_failed()


class Documented(PackageTest):
    def tearDown(self):
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.check_nothing_failed()

    def test_documents_with_commands_are_all_followed(self):
        followed = {name.removeprefix("test_") + ".md" for name in dir(self) if name.startswith("test_")}
        self.assertLessEqual(OF_AN_INSTALLATION, followed | {"install.md", "other-cms.md"})

    def test_data(self):
        """Uses the configuration that ratingctl finds by itself. Another test runs the commands over HTTP."""
        follow("data.md", program="ratingctl")

    def test_plugins(self):
        shutil.copy(REPOSITORY / "tests/imports/plugins/yasr.sql", box.root / "root/yasr.sql")
        box.run("mariadb wordpress <yasr.sql")
        follow("plugins.md")
        box.run("rm /etc/ratingd/nginx/ratepress.conf")

    def test_password_of_ratingctl_is_for_root(self):
        self.assertIn("Permission denied\nRun it with sudo.\n",
                      box.run("ratingctl status", OPERATOR, check=False))

    def test_monitoring(self):
        follow("monitoring.md")
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))

    def test_operations(self):
        votes, first = self.votes(), box.run("cat /etc/ratingd/secret")
        follow("operations.md")
        self.assertEqual(votes, self.votes())
        secret = box.run("cat /etc/ratingd/secret")
        self.assertNotEqual(first, secret)
        # The commands in operations.md replace the secret in the secret file's first line, keep the key for device
        # tokens, and add a ticket key.
        *others, ticket_key = secret.splitlines()[1:]
        self.assertEqual(first.splitlines()[1:], others)
        self.assertTrue(ticket_key.startswith("ticket-key shop hs256 "))

    def test_proxies(self):
        follow("proxies.md")

    def test_sizing(self):
        """The document adds a third worker. It is removed again, because the other tests count two workers."""
        follow("sizing.md")
        self.assertTrue(wait_until(lambda: len(self.workers()) == 3, BACK_SECONDS))
        box.run("""sed -i '/^processes = 3$/d' /etc/ratingd/ratingd.conf.d/local.conf
          systemctl disable --now ratingd@3.service
          ratingctl reload""")
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))


class Upgraded(PackageTest):
    """The earlier version is the same package with a smaller version number."""

    def upgrade(self, version, needs_newer_tables=False, has_newer_nginx_file=False):
        folder = RUN_DIR / "newer"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["dpkg-deb", "--raw-extract", PACKAGE, folder], check=True)
        if needs_newer_tables:
            # This script stands in for an old ratingctl, because the test needs only its output and its exit
            # status.
            (folder / "usr/bin/ratingctl").write_text("#!/bin/sh\necho 'Run: ratingctl migrate'\nexit 1\n")
        if has_newer_nginx_file:
            with (folder / "usr/share/ratingd/etc/nginx/ratingd-errors.conf").open("a") as file:
                file.write("# newer\n")
        control = folder / "DEBIAN/control"
        text = control.read_text()
        before = next(line for line in text.splitlines() if line.startswith("Version: "))
        control.write_text(text.replace(before, f"Version: {version}"))
        newer = box.root / "root/newer.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", folder, newer], check=True,
                       stdout=subprocess.DEVNULL)
        return box.run("apt-get install --yes --allow-downgrades ./newer.deb")

    def test_1_replaces_all_workers_and_loses_no_request(self):
        before = self.workers()
        with self.visitors():
            said = self.upgrade("9.0")
            self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))
        self.assertIn("plugin: sudo ratingctl setup", said)
        self.assertNotIn("reload nginx", said)
        self.assertEqual(set(), before & self.workers())
        self.check_nothing_failed()

    def test_2_leaves_the_workers_where_the_new_ones_would_not_start(self):
        before = self.workers()
        said = self.upgrade("9.1", needs_newer_tables=True)
        self.assertIn("go on running", said)
        self.assertIn("sudo ratingctl setup\n", said)
        self.assertEqual(before, self.workers())
        self.assertTrue(self.is_healthy())

    def test_3_leaves_what_was_changed_in_its_configuration(self):
        box.run("echo '# changed' >>/etc/ratingd/ratingd.conf")
        self.upgrade("9.2")
        box.run("grep changed /etc/ratingd/ratingd.conf")

    def test_3_names_the_reload_of_nginx_for_newer_files(self):
        # Restore the ratingd.conf file, which an earlier test has changed. A package upgrade replaces the nginx
        # files only if none of the files was changed.
        box.run("cp /usr/share/ratingd/etc/nginx/ratingd.conf /etc/ratingd/nginx/ratingd.conf")
        said = self.upgrade("9.3", has_newer_nginx_file=True)
        self.assertIn("sudo nginx -t && sudo systemctl reload nginx", said)
        box.run("grep newer /etc/ratingd/nginx/ratingd-errors.conf")

    def test_3_names_the_command_if_new_workers_do_not_start(self):
        before = self.workers()
        box.run("mv /etc/ratingd/secret kept")
        said = self.upgrade("9.4")
        box.run("mv kept /etc/ratingd/secret")
        self.assertIn("go on running", said)
        self.assertIn("sudo ratingctl reload\n", said)
        self.assertEqual(before, self.workers())
        self.check_nothing_failed()

    def test_4_ends_workers_whose_tables_are_too_new_until_there_are_others(self):
        box.run("mariadb wordpress -e 'INSERT INTO wp_ratingd_schema VALUES (99, UTC_TIMESTAMP())'")
        self.assertTrue(wait_until(lambda: not self.is_healthy(), BACK_SECONDS))
        box.run("mariadb wordpress -e 'DELETE FROM wp_ratingd_schema WHERE version = 99'")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))
        self.check_nothing_failed()


class BehindApache(PackageTest):
    """The site moves from nginx to Apache and back."""

    def test_1_the_site_moves_to_apache(self):
        box.run("ratingctl setup --remove --yes && systemctl disable --now nginx")
        serve_with_apache()
        self.assertEqual("200", self.status_of("/"))
        self.assertIn(f"ratingctl setup --apache {APACHE_FILE}", box.run("ratingctl setup --yes"))

    def test_2_setup_lets_apache_pass_requests_on(self):
        said = box.run(f"sudo ratingctl setup --yes --apache {APACHE_FILE}", OPERATOR)
        self.assertIn("The service is at https://example.org", said)
        # Restoring the backup has replaced the secret, so the client that cast the first vote now counts as a new
        # voter.
        type_in(three_commands()[2])
        votes = self.votes()
        type_in(three_commands()[2])
        self.assertEqual((votes, "200"), (self.votes(), self.status_of("/")))
        self.assertEqual("200", self.status_of("/?rest_route=/ratingd/v1/stats/1"))
        self.check_nothing_failed()
        self.assertIn("There is nothing to do.", box.run(f"ratingctl setup --yes --apache {APACHE_FILE}"))

    def test_3_its_socket_is_apache_s_alone(self):
        ask = ("curl -s --fail --unix-socket /run/ratingd-nginx/http.sock"
               " http://example.org/wp-json/ratingd/v1/stats/1")
        box.run(ask, "www-data")
        for user in [OPERATOR, "ratingd"]:
            box.run(f"! {ask}", user)
        self.assertNotIn("nginx", box.run("ss --listening --tcp --processes --no-header || true"))

    def test_4_its_nginx_comes_back(self):
        box.run("systemctl reload ratingd-nginx && systemctl kill --signal=KILL ratingd-nginx")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.check_nothing_failed()

    def test_4_its_nginx_comes_back_after_a_mistake_in_its_configuration(self):
        """An operator restarts nginx more often than systemd's limit allows."""
        file = "/etc/ratingd/nginx/private.conf"
        box.run(f"""cp {file} kept && echo 'no_such_directive;' >>{file}
          for i in 1 2 3 4 5 6; do systemctl restart ratingd-nginx || true; done""")
        self.assertTrue(wait_until(lambda: not self.is_healthy(), BACK_SECONDS))
        box.run(f"mv kept {file}")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.check_nothing_failed()

    def test_5_its_nginx_stops_and_starts_with_the_package(self):
        # The site in this test is not part of a network, so the test postpones ratingd-sites.timer, which starts a
        # service for networks.
        change = "/run/systemd/system/ratingd-sites.timer.d"
        box.run(f"""mkdir -p {change}
          printf '%s\\n' '[Timer]' OnCalendar= OnCalendar=yearly >{change}/yearly.conf
          systemctl daemon-reload && systemctl enable --now ratingd-sites.timer""")
        box.run("sudo apt remove --yes ratingd", OPERATOR)
        self.assertEqual("", box.run("pgrep nginx || true"))
        self.assertEqual("", box.run("systemctl list-units --plain --no-legend --state=active 'ratingd*'"))
        self.assertEqual("200", self.status_of("/"))
        box.run("sudo apt install --yes ./ratingd_*.deb", OPERATOR)
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertEqual("active\n" * 2, box.run("systemctl is-active ratingd-nginx.service ratingd-sites.timer"))
        box.run(f"systemctl disable --now ratingd-sites.timer && rm -r {change} && systemctl daemon-reload")
        self.check_nothing_failed()

    def test_6_a_removal_leaves_apache_as_it_was(self):
        box.run("sudo ratingctl setup --remove --yes", OPERATOR)
        self.assertEqual(APACHE_HOST, box.run(f"cat {APACHE_FILE}"))
        self.assertEqual("disabled\n", box.run("systemctl is-enabled ratingd-nginx || true"))
        self.assertEqual("", box.run("pgrep nginx || true"))
        self.assertEqual("200", self.status_of("/"))
        box.run("systemctl disable --now apache2 && systemctl enable --now nginx")
        box.run(three_commands()[1].text, OPERATOR)
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))


class Removed(PackageTest):
    def test_1_by_a_purge_alone_leaves_what_nginx_includes(self):
        said = box.run("sudo apt purge --yes ratingd", OPERATOR)
        self.assertIn("/etc/nginx/sites-enabled/example.org.conf", said)
        self.assertEqual({"ratingd-upstream.conf": 0, "ratingd.conf": 0},
                         {path.name: path.stat().st_size for path in (box.root / "etc/ratingd/nginx").iterdir()})
        box.run("nginx -t && systemctl restart nginx")
        self.assertEqual("200", self.status_of("/"))
        self.check_nothing_failed()
        run_as(OPERATOR, "sudo apt install --yes ./ratingd_*.deb && sudo systemctl reload nginx")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.assertEqual(2, len(self.workers()))

    def test_1_by_a_purge_alone_prints_a_command_that_spares_other_sites(self):
        """The command runs while one site still has lines in nginx's files, and again when no site has any."""
        site, other = "/etc/nginx/sites-available/example.org.conf", "/etc/nginx/conf.d/other.conf"
        box.run(f"cp {site} ~/site.conf; echo 'server {{ listen 8081; include /etc/ratingd/nginx/ratingd.conf; }}'"
                f" >{other}")
        said = box.run("sudo apt purge --yes ratingd", OPERATOR)
        [command] = [line.strip() for line in said.splitlines() if line.startswith("    sudo ")]
        box.run(f"sed -i '/include.*ratingd/d' {site}")
        said = box.run(f"{command} || echo refused", OPERATOR)
        self.assertIn(f"in {other}:1", said)
        self.assertTrue(said.endswith("refused\n"), said)
        box.run("systemctl restart nginx")
        self.assertEqual("200", self.status_of("/"))
        box.run(f"rm {other}")
        run_as(OPERATOR, command)
        self.assertFalse((box.root / "etc/ratingd/nginx").exists())
        box.run("systemctl restart nginx")
        self.assertEqual("200", self.status_of("/"))
        box.run("sudo apt install --yes ./ratingd_*.deb", OPERATOR)
        box.run(f"mv ~/site.conf {site} && systemctl restart nginx")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))
        self.check_nothing_failed()

    def test_1_by_a_purge_alone_leaves_changes_of_a_further_site_s_units(self):
        """"systemctl edit" stores changes in a folder that is named like the unit."""
        folder = "/etc/systemd/system/ratingd-shop@.service.d"
        box.run(f"""install -D /dev/null /etc/ratingd/sites/shop.conf && ratingctl setup --site shop --units
          mkdir {folder} && echo '[Unit]' >{folder}/override.conf""")
        box.run("sudo apt purge --yes ratingd", OPERATOR)
        self.assertEqual({folder, f"{folder}/override.conf"},
                         set(box.run("find /etc/systemd/system -path '*/ratingd-shop*'").split()))
        box.run("nginx -t && systemctl restart nginx")
        self.assertEqual("200", self.status_of("/"))
        box.run(f"rm -r {folder} /etc/ratingd/sites")
        run_as(OPERATOR, "sudo apt install --yes ./ratingd_*.deb && sudo systemctl reload nginx")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))

    def test_1_by_a_purge_alone_leaves_all_if_nginx_complains_of_something_else(self):
        box.run("echo 'no_such_directive;' >/etc/nginx/conf.d/broken.conf")
        said = box.run("sudo apt purge --yes ratingd", OPERATOR)
        self.assertIn('unknown directive "no_such_directive"', said)
        self.assertIn("ratingd: nginx cannot start before this is corrected", said)
        box.run("rm /etc/nginx/conf.d/broken.conf && nginx -t && systemctl restart nginx")
        self.assertEqual("200", self.status_of("/"))
        run_as(OPERATOR, "sudo apt install --yes ./ratingd_*.deb && sudo systemctl reload nginx")
        self.assertTrue(wait_until(self.is_healthy, BACK_SECONDS))

    def test_1_leaves_the_votes(self):
        box.run("mariadb wordpress -e \"UPDATE wp_posts SET post_content = '[ratingd]' WHERE ID = 1\"")
        self.assertIn("ratingd-widget", self.page("/?p=1"))
        votes = self.votes()
        self.assertGreater(votes, 0)

        type_in(removing()[0])

        self.assertEqual(votes, self.votes())
        self.assertEqual("200", self.status_of("/"))
        self.assertNotIn("ratingd-widget", self.page("/?p=1"))
        self.assertEqual(set(), self.workers())
        self.assertEqual("", self.accounts())
        self.check_nothing_failed()
        # The folders ratingd.conf.d and ratingd@.service.d contain only files created by an operator with
        # documented commands.
        self.assertEqual({"/etc/ratingd", "/etc/ratingd/ratingd.conf.d", "/etc/systemd/system/ratingd@.service.d"},
                         self.left_files())
        self.assertEqual(["ratingd.conf.d", "secret"], box.run("ls /etc/ratingd").split())

    def test_2_is_set_up_again_by_hand(self):
        votes = self.votes()
        box.run("rm /etc/ratingd/secret")
        follow("install.md", "By hand")
        self.assertEqual(votes, self.votes())
        self.assertIn("ratingd-widget", self.page("/?p=1"))
        self.assertEqual(2, len(self.workers()))
        self.check_nothing_failed()
        said = box.run("sudo ratingctl setup --yes", OPERATOR)
        self.assertIn("1. prove that the site's own account uses this database", said)
        self.assertIn("2. replace /etc/ratingd/checked-site", said)
        self.assertIn("3. check the installation", said)
        self.assertIn("There is nothing to do.", box.run("sudo ratingctl setup", OPERATOR))

    def test_3_leaves_nothing_if_the_votes_are_to_be_forgotten(self):
        box.run("""mariadb wordpress -e "INSERT INTO wp_options (option_name, option_value) VALUES
            ('ratingd_placement', ''), ('ratingd_look', ''), ('ratingd_stars', ''),
            ('ratingd_shared_by_translations', ''),
            ('ratingd_names', ''), ('ratingd_welcome', ''), ('ratingd_default_templates', ''),
            ('ratingd_deletions_1', ''), ('_transient_ratingd_top_1', ''),
            ('_transient_timeout_ratingd_top_1', '1');
          INSERT INTO wp_postmeta (post_id, meta_key) VALUES (1, '_ratingd_without_rating')" """)
        type_in(removing()[1])
        self.assertEqual("", box.run("""mariadb -BN wordpress -e "SHOW TABLES LIKE '%ratingd%';
          SELECT option_name FROM wp_options WHERE option_name LIKE '%ratingd%';
          SELECT meta_key FROM wp_postmeta WHERE meta_key LIKE '%ratingd%'" """))
        self.assertEqual("", self.accounts())
        self.assertEqual("", box.run("getent passwd ratingd || true"))
        self.assertEqual(set(), self.left_files())
        self.assertEqual("200", self.status_of("/"))

    def accounts(self):
        return box.run("mariadb -BN -e \"SELECT user FROM mysql.user WHERE user LIKE 'rating%'\"")

    def left_files(self):
        """Returns the remaining files on the disk and in memory."""
        return set(box.run("{ find / -xdev -path /proc -prune -o -name '*ratingd*' -print;"
                           " ls -d /run/ratingd* /dev/shm/*; } 2>&1"
                           " | grep -vE '^/(root|home|var/lib/mysql|var/log)/|^ls: ' || true").split())


@unittest.skipUnless(RELEASED, "RATINGD_RELEASED names no package")
class Released(PackageTest):
    """Installs the last release's package on a new machine, as its own document describes. The commands in this
    version's document upgrade it, and back, while people vote."""

    SHOWN_SECONDS = 5  # the maximum time until the workers see each other's votes; two seconds are promised
    votes_of_visitors: ClassVar = {}
    first_rows: ClassVar = set()

    @classmethod
    def setUpClass(cls):
        if not box.run("command -v nginx || true"):
            follow("install.md", "An empty machine")
        cls.bring(RELEASED)
        documents = RUN_DIR / "released"
        shutil.rmtree(documents, ignore_errors=True)
        subprocess.run(["dpkg-deb", "--extract", RELEASED, documents], check=True)
        [block] = [block for block in blocks_of(documents / "usr/share/doc/ratingd/docs/install.md")
                   if block.heading == "Three commands"]
        install, setup, vote = block.text.replace("\\\n", "").splitlines()
        run_as(OPERATOR, f"{install}\n{setup}")
        box.run("ratingctl demo-data --votes 5000 --objects 100 --days 30")
        run_as(OPERATOR, vote)
        box.run("""mariadb wordpress -e "UPDATE wp_posts SET post_content = '[ratingd]' WHERE ID = 1"
          curl -sSk --fail --cookie-jar cookies -H 'Sec-Fetch-Site: same-origin' \
            https://example.org/wp-json/ratingd/v1/rate -d '{"object_id":1,"category":"bipolar","value":-1}'""")
        cls.first_rows = cls.rows()

    @staticmethod
    def bring(package):
        """Puts the package into the operator's home folder, in place of any other package."""
        for file in (box.root / HOME.relative_to("/")).glob("ratingd_*.deb"):
            file.unlink()
        shutil.copy(package, box.root / HOME.relative_to("/"))

    @staticmethod
    def segments():
        return len(box.run("ls /run/ratingd/shared").split())

    @staticmethod
    def rows():
        box.run("""mariadb -BN wordpress -e "SELECT object_id, object_type, category, HEX(voter), value, held,
          created_at, rated_at, HEX(address), agent FROM wp_ratingd_votes" >rows""")
        return set((box.root / "root/rows").read_text().splitlines())

    def replace(self, package, commands, needs_tables=False):
        """Replaces all workers while people vote. If "needs_tables" is true, the package keeps the old workers
        until the tables exist."""
        self.bring(package)
        before = self.workers()
        with self.visitors() as votes:
            said = run_as(OPERATOR, commands)
            self.assertTrue(wait_until(lambda: len(self.workers()) == 2, BACK_SECONDS))
        self.assertEqual(needs_tables, "go on running" in said)
        self.assertEqual(set(), before & self.workers())
        self.votes_of_visitors.update(votes)
        self.check_votes(votes)
        return said

    def check_votes(self, votes):
        """Checks in each worker that voters read their own votes, and that everybody reads the sums."""
        def wrong():
            done = subprocess.run(self.load("check"), input=json.dumps(votes), stdout=subprocess.PIPE, text=True,
                                  check=True)
            return json.loads(done.stdout)
        wait_until(lambda: not wrong(), self.SHOWN_SECONDS)
        self.assertEqual([], wrong() + wrong())
        self.assertTrue(wait_until(lambda: all(self.shown() == self.stored() for _ in range(8)),
                                   self.SHOWN_SECONDS))

    def shown(self):
        """Returns the numbers of votes and likes that the site shows for each object."""
        numbers = ",".join(str(number) for number in range(1, 101))
        rows = json.loads(self.page(f"/wp-json/ratingd/v1/stats?object_ids={numbers}"))["data"]
        likes = {row["object_id"]: row["stats"]["binary"] for row in rows}
        return {number: (row["total"], row["positive"]) for number, row in likes.items() if row["total"]}

    def stored(self):
        text = box.run("""mariadb -BN wordpress -e "SELECT object_id, COUNT(*), SUM(value > 0)
          FROM wp_ratingd_votes WHERE object_type = 'post' AND category = 0 GROUP BY object_id" """)
        return {number: (total, likes) for number, total, likes in
                (map(int, line.split()) for line in text.splitlines())}

    def check_all(self, is_downgraded=False):
        """Checks that every vote is stored once, and that the sums are right. After a downgrade, the accounts keep
        their privileges on the new tables, and doctor warns about these privileges."""
        self.check_votes(self.votes_of_visitors)
        rows = self.rows()
        self.assertLessEqual(self.first_rows, rows)
        cast = sum(len(votes) for votes in self.votes_of_visitors.values())
        self.assertEqual(len(self.first_rows) + cast, len(rows))
        own = json.loads(box.run("curl -sSk --fail --cookie cookies https://example.org/wp-json/ratingd/v1/stats/1"))
        self.assertEqual(-1, own["user_ratings"]["bipolar"]["value"])
        box.run("ratingctl verify")
        findings = [line for line in box.run("ratingctl doctor").splitlines() if not line.startswith("ok ")]
        of_new_table = re.compile(r"warn  excess .*_ratingd_(zones|imports);")
        of_new_tables = [line for line in findings if of_new_table.match(line)]
        self.assertEqual(2 if is_downgraded else 0, len(of_new_tables), findings)
        [finding] = [line for line in findings if line not in of_new_tables]
        self.assertIn("self-signed certificate", finding)
        self.check_nothing_failed()

    def check_version(self, package):
        """Checks that the plugin and the widgets have the version of this package."""
        version = subprocess.run(["dpkg-deb", "--field", package, "Version"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        self.assertRegex(self.page("/?p=1"), rf"<ratingd-rating (?s:.*)/ratingd-widget\.js\?ver={version}'")

    def commands(self, heading):
        """Returns the first command, which replaces the package, and the other commands."""
        block = next(block for block in blocks_of(DOCUMENTS / "operations.md") if block.heading == heading)
        install, *others = block.text.splitlines()
        return install, "\n".join(others)

    def test_1_is_upgraded_while_people_vote(self):
        self.replace(PACKAGE, "\n".join(self.commands("Upgrade")), needs_tables=True)
        self.check_version(PACKAGE)
        self.assertEqual(6, self.segments())  # with the caches of the last release
        self.check_all()

    def test_2_is_downgraded_while_people_vote(self):
        install, others = self.commands("Downgrade to 0.3")
        self.replace(RELEASED, install)
        run_as(OPERATOR, others)
        self.check_version(RELEASED)
        self.check_all(is_downgraded=True)

    def test_3_is_upgraded_again(self):
        """The workers begin with the caches of the workers before the downgrade."""
        install, others = self.commands("Upgrade")
        self.replace(PACKAGE, install)
        run_as(OPERATOR, others)
        self.check_version(PACKAGE)
        self.assertIn("There is nothing to do.", box.run("ratingctl setup --yes"))
        self.check_all()

    def test_4_runs_beside_the_other_version(self):
        """Both versions run together for longer than a reload takes."""
        install, _ = self.commands("Downgrade to 0.3")
        self.bring(RELEASED)
        policy = box.root / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        before = self.workers()
        run_as(OPERATOR, install)
        policy.unlink()
        self.assertEqual(before, self.workers())
        box.run("systemctl restart ratingd@1")
        self.assertEqual(1, len(before & self.workers()))
        for _ in range(3):
            with self.visitors() as votes:
                time.sleep(2)
            self.votes_of_visitors.update(votes)
            self.check_votes(votes)
        self.replace(PACKAGE, self.commands("Upgrade")[0])
        self.check_all()


class ReleasedBehindApache(Released):
    """Does the same where Apache serves the site."""

    votes_of_visitors: ClassVar = {}

    @classmethod
    def setUpClass(cls):
        if box.run("command -v ratingctl || true"):
            type_in(removing()[1])
        super().setUpClass()
        box.run("systemctl disable --now nginx")
        serve_with_apache()
        run_as(OPERATOR, f"sudo ratingctl setup --yes --apache {APACHE_FILE}")

    def replace(self, package, commands, needs_tables=False):
        """The new package names the command that makes the web servers read its files."""
        said = super().replace(package, commands, needs_tables)
        if package == PACKAGE:
            self.assertIn("sudo apache2ctl configtest && sudo systemctl reload ratingd-nginx apache2", said)
        return said

    def commands(self, heading):
        """Returns the commands with the document's replacement for the last two."""
        install, others = super().commands(heading)
        [of_apache] = [block for block in blocks_of(DOCUMENTS / "operations.md") if "apache2" in block.text]
        return install, "\n".join([others.splitlines()[0], of_apache.text])


def load_tests(loader, _tests, _pattern):
    """Runs the tests in the order of a package's life."""
    cases = [FirstVote, Restarted, SecondSite, WithoutWordpress, Installed, Reloaded, Documented, Upgraded,
             BehindApache, Removed, Released, ReleasedBehindApache]
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)


if __name__ == "__main__":
    # Ignore Python's warning that systemd-nspawn is still running.
    unittest.main(warnings="ignore", failfast=True)
