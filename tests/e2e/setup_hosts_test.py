#!/usr/bin/env python3
"""Tests "ratingctl setup" without root access to the database, with a database on another host, and before a
restore."""

import os
import pathlib
import re
import shutil
import subprocess

from setup_machine import (
    CONFIG, ETC, PLUGIN, PROGRAMS, RATINGCTL, RUN_DIR, SHOP, SITE_FILE, SetupTest, machine, run_tests,
    set_up_module, state
)


def setUpModule():
    set_up_module()


class WithoutRoot(SetupTest):
    """The server refuses root, so setup writes the SQL into a file for an administrator."""

    def test_statements_are_left_for_an_administrator(self):
        before = state()
        with machine.without_root() as administrator:
            said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
            sql = ETC / "accounts.sql"
            self.assertIn(str(sql), said)
            self.assertEqual(0o600, sql.stat().st_mode & 0o777)
            password = (ETC / "db-password").read_text().strip()
            self.assertNotIn(password, said)
            self.assertIn("mariadb --socket=/run/mysqld/mysqld.sock -u root -p", said)
            self.assertNotIn("If the file has already been run", said)
            self.assertFalse((ETC / "secret").exists())
            text = sql.read_text()
            self.assertEqual(2, text.count("CREATE USER"))
            self.assertIn("If the file has already been run", self.setup("--yes", expected=1))
            self.assertEqual(text, sql.read_text())
            subprocess.run(administrator, input=sql.read_text(), text=True, check=True)
            self.assertIn("nginx does not pass requests to ratingd yet", self.setup("--yes"))
            self.assertFalse(sql.exists())
            for words in [[], ["--remove"]]:  # an earlier setup was killed before it dropped the proof
                subprocess.run(administrator, input=text, text=True, check=True)
                said = self.setup("--yes", *words)
                self.assertIn("drop the table `wordpress`.`wp_ratingd_proof`", said)
                show = [*administrator, "--execute", "SHOW TABLES FROM wordpress LIKE '%proof'"]
                self.assertEqual("", subprocess.run(show, capture_output=True, text=True, check=True).stdout)
            self.assertIn("DROP USER `ratingd`@`localhost`, `ratingctl`@`localhost`", said)
        machine.mariadb.execute("DROP USER ratingd@localhost, ratingctl@localhost")
        self.drop_remaining_data()
        self.check_unchanged(before)


class RemoteDatabase(SetupTest):
    """Two hosts share a database that both reach over TCP."""

    HOST = "db.example.org"

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())
        hosts = pathlib.Path("/etc/hosts")
        self.addCleanup(hosts.write_text, hosts.read_text())
        hosts.write_text(f"127.0.0.1 localhost {self.HOST}\n")

    def use_server(self, config, host):
        before = config.read_text()
        self.addCleanup(config.write_text, before)
        config.write_text(before.replace("'DB_HOST', 'localhost'",
                                         f"'DB_HOST', '{host}:{machine.database_port}'"))

    def forget_what_is_set_up(self, folder, plugin):
        """Removes everything except the package. Returns the files that an operator would copy from the other
        host."""
        copies = {name: (folder / name).read_text() for name in ["secret", "db-password", "ratingctl-password"]}
        for name in [*copies, "wp-config.php", "accounts.sql", "checked-site"]:
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(ETC / "sites", ignore_errors=True)
        for unit in pathlib.Path("/etc/systemd/system").glob("ratingd-shop*"):
            unit.unlink()
        shutil.rmtree(plugin)
        return copies

    def set_up_two_hosts(self, config, site, folder, plugin, host):
        def run_sql():
            """The server sees this host as localhost."""
            text = (folder / "accounts.sql").read_text()
            self.assertEqual([], re.findall(r"^(?:CREATE|GRANT).*%.*", text, re.MULTILINE))
            machine.mariadb.execute(text.replace("@`localhost`", f"@`{host}`"))
        accounts = "`ratingd{0}`@`{1}`, `ratingctl{0}`@`{1}`".format(f"_{site[7:]}" if site else "", host)
        words = [*([site] if site else []), "--wp-config", config, "--yes"]
        self.use_server(config, self.HOST)
        said = self.setup(*words, expected=1)
        self.assertIn(f"names the server {self.HOST}, port {machine.database_port}. If that is your", said)
        run_sql()
        self.assertIn("nginx does not pass requests to ratingd yet", self.setup(*words))

        copies = self.forget_what_is_set_up(folder, plugin)
        self.assertNotIn("If the file has already been run", self.setup(*words, expected=1))
        run_sql()
        said = self.setup(*words, expected=1)
        self.assertIn("the accounts had other passwords before", said)
        self.assertIn("DROP USER `ratingd", said)
        self.assertFalse((folder / "secret").exists())
        for name in ["db-password", "ratingctl-password"]:
            (folder / name).write_text(copies[name])
        self.assertIn("If the file has already been run, the account DB_USER", self.setup(*words, expected=1))
        run_sql()
        self.assertIn("the secret that identifies their voters is missing", self.setup(*words, expected=1))
        (folder / "secret").write_text(copies["secret"])
        (folder / "secret").chmod(0o640)
        self.assertIn("nginx does not pass requests to ratingd yet", self.setup(*words))
        self.assertFalse((folder / "accounts.sql").exists())
        said = self.setup(*words, expected=1)
        self.assertIn("There is nothing to do.", said)
        self.assertRegex(said, r"\nfail +web server .* answers with status 404 from nginx")

        self.ratingctl(*words[:1 if site else 0], "drop", "--confirm")
        self.assertIn(f"DROP USER {accounts}", self.setup(*words[:1 if site else 0], "--remove", "--yes"))
        machine.mariadb.execute(f"DROP USER {accounts}")
        (folder / "secret").unlink()
        plugin.rmdir()
        shutil.rmtree(ETC / "sites", ignore_errors=True)

    def test_first_site(self):
        self.set_up_two_hosts(CONFIG, "", ETC, PLUGIN.parent, "localhost")

    def test_site_with_a_name(self):
        """The accounts accept sessions from any host, like the accounts of version 0.2."""
        self.set_up_two_hosts(SHOP, "--site=shop", ETC / "sites/shop", SHOP.parent / "wp-content/mu-plugins", "%")

    def test_accounts_of_the_version_before_are_named(self):
        """The accounts accept sessions from any host, which other hosts may still use."""
        def run_sql():
            return machine.mariadb.execute((ETC / "accounts.sql").read_text())
        self.use_server(CONFIG, self.HOST)
        words = ["--wp-config", CONFIG, "--yes"]
        self.setup(*words, expected=1)
        self.assertEqual("", run_sql())
        machine.mariadb.execute("CREATE USER ratingd@`%`, ratingctl@`%`, ratingd_shop@`%`")
        self.addCleanup(machine.mariadb.execute, "DROP USER ratingd@`%`, ratingctl@`%`, ratingd_shop@`%`")
        self.assertEqual({"DROP USER `ratingd`@`%`;", "DROP USER `ratingctl`@`%`;"}, set(run_sql().splitlines()))
        self.setup(*words)
        self.ratingctl("drop", "--confirm")
        said = self.setup("--remove", "--yes")
        self.assertIn("DROP USER `ratingd`@`localhost`, `ratingctl`@`localhost`", said)
        self.assertIn("drop them, too: DROP USER IF EXISTS `ratingd`@`%`, `ratingctl`@`%`", said)
        machine.mariadb.execute("DROP USER `ratingd`@`localhost`, `ratingctl`@`localhost`")
        (ETC / "secret").unlink()
        PLUGIN.parent.rmdir()

    def test_server_of_this_host_by_tcp(self):
        self.use_server(CONFIG, "127.0.0.1")
        said = self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertIn(f"sudo cat {ETC / 'accounts.sql'} | sudo mariadb\n", said)


class EmptyMachine(SetupTest):
    """A new machine, as in "Restore on a new machine" in docs/operations.md."""

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def set_up(self):
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--yes")
        self.assertIn("create the database accounts ratingd@localhost", said)
        return (ETC / "secret").read_text()

    def remove_all(self):
        self.ratingctl("drop", "--confirm")
        self.setup("--remove", "--yes")
        (ETC / "secret").unlink()
        PLUGIN.parent.rmdir()

    def restore(self, file):
        """Restores a file. Returns the output, and the commands to systemd."""
        log, systemctl = RUN_DIR / "systemctl.log", PROGRAMS / "systemctl"
        systemctl.write_text(f"""#!/bin/sh
echo "$@" >>{log}
case $1 in
  list-units) echo "ratingd@1.service loaded active running";;
  is-active) echo active;;
esac
""")
        systemctl.chmod(0o755)
        pathlib.Path("/run/systemd/system").mkdir(parents=True)
        try:
            done = subprocess.run([RATINGCTL, "restore", "--with-secret", file], check=False, text=True,
                                  env={**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        finally:
            shutil.rmtree("/run/systemd")
            systemctl.unlink()
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout, log.read_text()

    def test_gets_everything_back_by_setup_and_restore(self):
        secret = self.set_up()
        self.ratingctl("demo-data", "--votes=200", "--objects=20", "--days=3", "--invent-posts")
        self.ratingctl("settings", "set", "voter_cookie_days=77")
        file = RUN_DIR / "site.backup"
        self.addCleanup(file.unlink)
        self.ratingctl("backup", "--with-secret", file)
        self.remove_all()

        new_secret = self.set_up()
        self.assertNotEqual(secret, new_secret)
        said, asked = self.restore(file)

        self.assertIn("restored 200 votes, 0 aggregates, 2 settings", said)
        self.assertIn("restart ratingd@1.service", asked)
        self.assertEqual(secret, (ETC / "secret").read_text())
        self.assertEqual(0o640, (ETC / "secret").stat().st_mode & 0o777)
        [kept] = ETC.glob("secret.2*")
        self.assertEqual(new_secret, kept.read_text())
        self.assertIn("all sums match the votes", self.ratingctl("verify"))
        self.assertIn("77", self.ratingctl("settings", "get", "voter_cookie_days"))
        kept.unlink()
        self.remove_all()

    def test_gets_the_secret_of_a_named_site_from_the_command_that_setup_names(self):
        """The dump of the database contains the tables."""
        folder, words = ETC / "sites/shop", ["--site=shop", "--wp-config", SHOP, "--yes"]
        self.setup(*words)
        self.setup("--site=shop", "--remove", "--yes")
        shutil.rmtree(folder.parent)
        [command] = re.findall(r"run: ratingctl (init-secret .*)", self.setup(*words, expected=1))
        self.assertFalse(folder.parent.exists())

        self.ratingctl(*command.split())

        self.assertEqual(0o755, folder.stat().st_mode & 0o777)
        self.assertEqual(0o640, (folder / "secret").stat().st_mode & 0o777)
        self.setup(*words)
        self.ratingctl("--site=shop", "drop", "--confirm")
        self.setup("--site=shop", "--remove", "--yes")
        shutil.rmtree(folder.parent)
        (SHOP.parent / "wp-content/mu-plugins").rmdir()


if __name__ == "__main__":
    run_tests()
