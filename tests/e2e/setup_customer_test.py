#!/usr/bin/env python3
"""Tests "ratingctl setup" on a host with several customers, one of whom is hostile."""

import contextlib
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import threading

from fault_sandbox import REPOSITORY, wait_until  # first because it sets the module path
from setup_machine import CONFIG, ETC, SECONDS, SHOP, SetupTest, machine, run_tests, set_up_module, state


def setUpModule():
    set_up_module()


class Relay(threading.Thread):
    """A customer's own server. It passes everything on to the real server, but asks it for another database."""

    def __init__(self, family, address, upstream, asked=b"", instead=b""):
        super().__init__(daemon=True)
        self._upstream, self._asked, self._instead = upstream, asked, instead
        self.received = b""
        self._listener = socket.socket(family)
        self._listener.bind(address)
        self._listener.listen()
        self.address = self._listener.getsockname()
        self.start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self.join()
        self._listener.close()

    def run(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            server = socket.create_connection(self._upstream)
            for source, target, is_client in (client, server, True), (server, client, False):
                threading.Thread(target=self._pass_on, args=(source, target, is_client), daemon=True).start()

    def _pass_on(self, source, target, is_client):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if is_client:
                    self.received += data
                    data = data.replace(self._asked, self._instead)
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


class Customer(SetupTest):
    """A host with several customers. The owner of the shop's wp-config.php tries to reach another site's data."""

    ACCOUNT = "nobody"
    WORDS = ("--site=shop", "--wp-config", SHOP, "--yes")

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())
        self.addCleanup(SHOP.write_text, SHOP.read_text())

    def configure(self, name, value):
        text, count = re.subn(rf"'{name}', '.*' \)", lambda _: f"'{name}', '{value}' )", SHOP.read_text())
        self.assertEqual(1, count)
        SHOP.write_text(text)

    def test_names_the_database_of_another(self):
        self.configure("DB_NAME", "wordpress")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("the account DB_USER in wp-config.php cannot use the database wordpress", said)

    def test_may_read_only_parts_of_it(self):
        """The view may use what WordPress's tables need, but not what only root writes."""
        machine.mariadb.execute("GRANT SELECT ON wordpress.wp_options TO shop@localhost")
        self.addCleanup(machine.mariadb.execute, "REVOKE ALL ON wordpress.wp_options FROM shop@localhost")
        self.configure("DB_NAME", "wordpress")
        self.assertIn("cannot read", self.setup(*self.WORDS, expected=1))
        tables = ["posts", "comments", "terms", "term_taxonomy", "users", "usermeta"]
        for table in tables:
            machine.mariadb.execute(f"GRANT SELECT ON wordpress.wp_{table} TO shop@localhost")
            self.addCleanup(machine.mariadb.execute, f"REVOKE ALL ON wordpress.wp_{table} FROM shop@localhost")
        self.set_option("wordpress", "home", machine.url() + "/shop")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("cannot read all tables of the database wordpress", said)
        self.assertIn("All steps were undone.", said)

    def test_makes_a_view_that_does_what_its_reader_may(self):
        """Root must not be the definer whose permissions the view uses."""
        machine.mariadb.execute("""DELIMITER //
            CREATE DEFINER = shop@localhost FUNCTION shop.trap() RETURNS INT SQL SECURITY INVOKER
            BEGIN UPDATE wordpress.wp_options SET option_value = 'x' WHERE option_name = 'home'; RETURN 1; END//
            CREATE DEFINER = shop@localhost SQL SECURITY INVOKER VIEW shop.wp_ratingd_schema
              AS SELECT shop.trap() AS version//""")
        self.addCleanup(machine.mariadb.execute, "DROP VIEW shop.wp_ratingd_schema; DROP FUNCTION shop.trap")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("lack rights to use them", said)
        home = "SELECT option_value FROM wordpress.wp_options WHERE option_name = 'home'"
        self.assertEqual(machine.url() + "\n", machine.mariadb.execute(home))

    def test_listens_at_a_socket(self):
        for account in ["nobody", "www-data"]:
            folder = pathlib.Path(f"/var/lib/{account}")
            folder.mkdir()
            self.addCleanup(shutil.rmtree, folder)
            shutil.chown(folder, account)
            path = folder / "x.sock"
            command = ["setpriv", f"--reuid={account}", "--clear-groups", sys.executable, "-c",
                       "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen();"
                       "[print(s.accept()[0].recv(1), flush=True) for _ in iter(int, 1)]", path]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as listening:
                self.addCleanup(listening.kill)
                self.assertTrue(wait_until(path.exists, SECONDS))
                self.configure("DB_HOST", f"localhost:{path}")
                said = self.setup(*self.WORDS, expected=1)
                self.assertIn("which is not a database server's account", said)
                listening.kill()

    def test_can_exchange_the_socket(self):
        folder = pathlib.Path("/var/lib/open")
        folder.mkdir()
        folder.chmod(0o777)
        self.addCleanup(shutil.rmtree, folder)
        (folder / "link").symlink_to(machine.mariadb.socket)
        self.configure("DB_HOST", f"localhost:{folder / 'link'}")
        self.assertIn(f"other accounts can write to {folder}", self.setup(*self.WORDS, expected=1))

    def test_has_a_server_that_asks_the_real_one_for_another_database(self):
        """An administrator has run the SQL that setup printed, on the real server."""
        machine.mariadb.execute("CREATE DATABASE customers; GRANT ALL ON customers.* TO shop@localhost")
        self.addCleanup(machine.mariadb.execute,
                        "DROP DATABASE customers; REVOKE ALL ON customers.* FROM shop@localhost")
        site = (REPOSITORY / "tests/sandbox/site.sql").read_text().replace("@HOME@", machine.url() + "/shop")
        machine.mariadb.execute(site, "customers")
        relay = Relay(socket.AF_INET, ("127.0.0.1", 0), ("127.0.0.1", machine.database_port),
                      b"wordpress", b"customers")
        self.addCleanup(relay.close)
        self.configure("DB_HOST", "127.0.0.1:{1}".format(*relay.address))
        self.configure("DB_NAME", "wordpress")
        self.setup(*self.WORDS, expected=1)
        machine.mariadb.execute((ETC / "sites/shop/accounts.sql").read_text())
        self.addCleanup(shutil.rmtree, ETC / "sites")
        self.addCleanup(machine.mariadb.execute, "DROP TABLE wordpress.wp_ratingd_proof;"
                        "DROP USER ratingd_shop@localhost, ratingctl_shop@localhost")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("DB_USER in wp-config.php cannot read what it wrote", said)
        self.assertIn(b"wp_ratingd_proof", relay.received)
        self.assertNotIn(b"ratingd_shop\0", relay.received)  # the accounts had no session

    def test_links_to_the_configuration_of_another(self):
        SHOP.rename(SHOP.with_name("kept"))
        self.addCleanup(lambda: SHOP.with_name("kept").rename(SHOP))
        SHOP.symlink_to(CONFIG)
        os.chown(SHOP, pwd.getpwnam(self.ACCOUNT).pw_uid, 0, follow_symlinks=False)
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("a link on its path does not belong to the file's owner", said)

    def test_changes_the_file_after_the_question(self):
        said = self.answer_after(lambda: self.configure("DB_NAME", "wordpress"), *self.WORDS[:-1])
        self.assertIn('now has "database = wordpress"', said)
        self.assertIn("All steps were undone.", said)

    def test_hopes_that_the_operator_pastes_a_command(self):
        self.configure("DB_HOST", "localhost:/x.sock;touch${IFS}pwned;#")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("DB_HOST must be host, host:port", said)
        self.assertNotIn("mariadb", said)

    def test_writes_to_the_terminal_by_the_name_of_a_folder(self):
        folder = pathlib.Path("/var/www/\x1b[2J")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(shutil.rmtree, ETC / "sites")  # there is a file to fill in
        (folder / "wp-config.php").write_text("<?php define('DB_NAME', getenv('DB_NAME'));")
        said = self.setup("--site=shop", "--wp-config", folder / "wp-config.php", "--yes", expected=1)
        self.assertIn("/var/www/\\x1b[2J/wp-config.php", said)
        self.assertNotIn("\x1b", said)


if __name__ == "__main__":
    run_tests()
