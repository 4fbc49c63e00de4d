#!/usr/bin/env python3
"""ratingctl setup on a machine without systemd: a real server whose root needs no password at the socket, a
real nginx, the folders of Debian's WordPress. It runs in a mount namespace of its own, in which /etc, /var,
/run and /tmp can be changed and nothing of the system is touched. Needs root, else it is skipped, and the
packages nginx and mariadb-server-core. (With systemd, and as the documents say it: package_test.py.)

RATINGD_RUN_DIR (build/setup) and RATINGD_BUILD_DIR (build/release) move it.

usage: setup_test.py [-v] [TestCase[.test]]
"""

import contextlib
import json
import os
import pathlib
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unittest

from fault_sandbox import BUILD_DIR, REPOSITORY, free_port, run_dir, wait_until  # first: it sets the path
from mariadb import Mariadb

RUN_DIR = run_dir("setup").absolute()
PROGRAMS = RUN_DIR / "usr/bin"
RATINGCTL = PROGRAMS / "ratingctl"
SECONDS = 15
ETC = pathlib.Path("/etc/ratingd")
CONFIG = pathlib.Path("/etc/wordpress/config-default.php")
SHOP = pathlib.Path("/var/www/shop/wp-config.php")
SITE_FILE = pathlib.Path("/etc/nginx/sites-available/example.org.conf")
PLUGIN = pathlib.Path("/var/lib/wordpress/wp-content/mu-plugins/ratingd-mu-loader.php")
OLD_PLUGIN = PLUGIN.with_name("ratingd-widgets.php")
PASSWORD = "a' \\password"


class Machine:
    """What an operator has before the setup: two sites of WordPress, with one database each."""

    def __init__(self):
        self.port = free_port()
        socket_of_debian = pathlib.Path("/run/mysqld/mysqld.sock")
        self.database_port = free_port()
        self.mariadb = Mariadb(RUN_DIR / "mariadb", socket_of_debian, RUN_DIR / "mariadb.log",
                               ["--skip-networking=0", "--bind-address=127.0.0.1", f"--port={self.database_port}"])
        self._children = []
        self._nginx = None

    def start(self):
        PROGRAMS.mkdir(parents=True, exist_ok=True)
        for name in ["ratingd", "ratingctl"]:
            shutil.copy(BUILD_DIR / name, PROGRAMS)
        shutil.rmtree(RUN_DIR / "mariadb", ignore_errors=True)
        self.mariadb.socket.parent.mkdir()
        self.mariadb.install()
        self._database = self.mariadb.start()
        is_mysql = "MariaDB" not in self.mariadb.execute("SELECT VERSION()")
        if is_mysql:
            self.mariadb.execute("INSTALL PLUGIN auth_socket SONAME 'auth_socket.so'")
        # As Debian's packages have it.
        self.root_by_socket = "ALTER USER root@localhost IDENTIFIED " + (
            "WITH auth_socket" if is_mysql else "VIA mysql_native_password USING 'invalid' OR unix_socket")
        self.root_by_password = "ALTER USER root@localhost IDENTIFIED " + (
            "WITH caching_sha2_password BY 'unknown'" if is_mysql else "BY 'unknown'")
        self.mariadb.execute(self.root_by_socket)
        self.add_site("wordpress", CONFIG, self.url())
        self.add_site("shop", SHOP, self.url() + "/shop")
        (SHOP.parent / "wp-content").mkdir()
        content = PLUGIN.parent.parent
        content.mkdir(parents=True, exist_ok=True)  # as Debian's package wordpress has it
        shutil.chown(content, "www-data", "www-data")
        shutil.copytree(REPOSITORY / "nginx", ETC / "nginx")
        for name in ["ratingd.conf", "ratingctl.conf"]:
            shutil.copy(REPOSITORY / "etc" / name, ETC)
        for path in pathlib.Path("/etc/nginx/sites-enabled").iterdir():
            path.unlink()
        SITE_FILE.write_text(f"server {{\n    listen 127.0.0.1:{self.port};\n    server_name example.org;\n}}\n")
        pathlib.Path("/etc/nginx/sites-enabled/example.org.conf").symlink_to(SITE_FILE)
        self.start_nginx()

    def start_nginx(self):
        self._nginx = subprocess.Popen(["nginx", "-g", "daemon off;"], stdin=subprocess.DEVNULL)
        wait_until(lambda: self.curl("/") is not None, SECONDS)

    def stop_nginx(self):
        self._nginx.send_signal(signal.SIGQUIT)
        self._nginx.wait()
        self._nginx = None

    def stop(self):
        for child in self._children:
            child.terminate()
            child.wait()
        if self._nginx is not None:
            self.stop_nginx()
        self._database.stop(10)

    def url(self):
        return f"http://example.org:{self.port}"

    def add_site(self, name, config, home):
        text = (REPOSITORY / "tests/sandbox/site.sql").read_text().replace("@HOME@", home)
        quoted = PASSWORD.replace("\\", "\\\\").replace("'", "''")
        self.mariadb.execute(f"CREATE DATABASE {name}; CREATE USER {name}@localhost IDENTIFIED BY '{quoted}';"
                             f"GRANT ALL ON {name}.* TO {name}@localhost; USE {name};\n{text}")
        config.parent.mkdir(parents=True, exist_ok=True)
        literal = PASSWORD.replace("\\", "\\\\").replace("'", "\\'")
        config.write_text(f"""<?php
define( 'DB_NAME', '{name}' );
define( 'DB_USER', '{name}' );
define( 'DB_PASSWORD', '{literal}' );
define( 'DB_HOST', 'localhost' );
$table_prefix = 'wp_';
""")

    def start_worker(self, config, path):
        """As systemd would: the listening socket is its standard input."""
        path.parent.mkdir(parents=True, exist_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        shutil.chown(path, "www-data")
        listening.listen(64)
        self._children.append(subprocess.Popen([PROGRAMS / "ratingd", f"--config={config}"], stdin=listening))
        listening.close()

    def status(self, path):
        return subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "5",
                               "--resolve", f"example.org:{self.port}:127.0.0.1", self.url() + path],
                              check=False, capture_output=True, text=True).stdout

    def curl(self, path, *options):
        """The body of a 200, or nothing."""
        done = subprocess.run(["curl", "-sS", "--fail-with-body", "--max-time", "5", "--resolve",
                               f"example.org:{self.port}:127.0.0.1", *options, self.url() + path],
                              check=False, capture_output=True, text=True)
        return None if done.returncode == 7 else done.stdout


machine = Machine()


def setUpModule():
    unittest.addModuleCleanup(machine.stop)
    machine.start()


def tree():
    """What setup may change on the disk: path to mode, owner and content."""
    found = {}
    for folder in [ETC, PLUGIN.parent.parent, SHOP.parent, pathlib.Path("/etc/nginx"),
                   pathlib.Path("/etc/systemd")]:
        for path in [folder, *folder.rglob("*")]:
            status = path.lstat()
            content = (os.readlink(path) if path.is_symlink() else
                       path.read_bytes() if path.is_file() else b"")
            found[str(path)] = (oct(status.st_mode), status.st_uid, status.st_gid, content)
    return found


def database():
    """What it may change in the database."""
    return machine.mariadb.execute(
        "SELECT user, host, authentication_string FROM mysql.user ORDER BY 1, 2;"
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_name LIKE '%ratingd%'"
        " ORDER BY 1, 2;"
        "SELECT user, db, table_name, table_priv FROM mysql.tables_priv ORDER BY 1, 2, 3")


def state():
    return tree(), database()


class SetupTest(unittest.TestCase):
    def check_unchanged(self, before):
        files, rows = state()
        self.assertEqual(before[1], rows)
        changed = {path for path in before[0].keys() | files.keys() if before[0].get(path) != files.get(path)}
        self.assertEqual(set(), changed)

    def setup(self, *words, expected=0, input_text=None):
        done = subprocess.run([RATINGCTL, "setup", *words], check=False, input=input_text,
                              stdin=None if input_text else subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(expected, done.returncode, done.stdout)
        return done.stdout

    def answer_after(self, change, *words, answer="y"):
        """Answers the question of a setup that then fails or ends, after this change."""
        terminal, end = os.openpty()
        self.addCleanup(os.close, terminal)
        asking = subprocess.Popen([RATINGCTL, "setup", *words], stdin=end, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        os.close(end)
        said = ""
        while not said.endswith("[y/N] "):
            character = asking.stdout.read(1)
            self.assertNotEqual("", character, said)
            said += character
        change()
        os.write(terminal, f"{answer}\n".encode())
        said += asking.stdout.read()
        asking.stdout.close()
        self.assertEqual(1, asking.wait(), said)
        return said

    def doctor(self, *words, expected=0):
        done = subprocess.run([RATINGCTL, *words, "doctor"], check=False, capture_output=True, text=True)
        self.assertEqual(expected, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def ratingctl(self, *words):
        return subprocess.run([RATINGCTL, *words], check=True, capture_output=True, text=True).stdout

    def set_option(self, site, name, value):
        """An option of WordPress, until the test ends."""
        def where(text):
            return f"UPDATE {site}.wp_options SET option_value = {text} WHERE option_name = '{name}'"
        before = machine.mariadb.execute(f"SELECT HEX(option_value) FROM {site}.wp_options"
                                         f" WHERE option_name = '{name}'").strip()
        self.addCleanup(machine.mariadb.execute, where(f"X'{before}'"))
        machine.mariadb.execute(where(f"X'{value.encode().hex()}'"))

    def vote(self, base, post):
        """The votes on this post, with this one."""
        body = json.dumps({"object_id": post, "category": "binary", "value": 1})
        return json.loads(machine.curl(f"{base}/rate", "-d", body))["stats"]["binary"]["total"]

    def votes(self, path):
        return json.loads(machine.curl(path))["stats"]["binary"]["total"]


class Refused(SetupTest):
    """Nothing is changed."""

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_several_sites_are_listed(self):
        said = self.setup("--yes", expected=1)
        self.assertIn(f"--wp-config {CONFIG}  (database wordpress)", said)
        self.assertIn(f"--wp-config {SHOP}  (database shop)", said)

    def test_commands_before_it_name_it(self):
        for words in [["doctor"], ["status"], ["verify"]]:
            done = subprocess.run([RATINGCTL, *words], check=False, capture_output=True, text=True)
            self.assertEqual(1, done.returncode)
            self.assertRegex(done.stderr, r"\nThe site is not set up yet; run: ratingctl setup\n$")

    def test_help_fits_a_screen(self):
        lines = self.ratingctl("setup", "--help").splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_nobody_can_be_asked(self):
        self.assertIn("use --yes", self.setup("--wp-config", CONFIG, expected=2))

    def test_operator_says_no(self):
        said = self.answer_after(lambda: None, "--wp-config", CONFIG, answer="n")
        self.assertTrue(said.endswith("Continue? [y/N] Nothing was changed.\n"), said)

    def test_another_setup_runs(self):
        def run_another():
            self.assertIn("another setup runs", self.setup("--wp-config", CONFIG, "--yes", expected=1))
            self.assertIn("--dry-run", self.setup("--wp-config", CONFIG, "--dry-run"))
        self.answer_after(run_another, "--wp-config", CONFIG, answer="n")

    def test_dry_run_shows_all(self):
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--dry-run")
        for action in ["link /etc/ratingd/wp-config.php", "write /etc/ratingd/db-password (0600)",
                       "create the secret", "prove that the site's own account uses this database",
                       "write /etc/ratingd/checked-site", "database = wordpress",
                       "create the database accounts ratingd@localhost", "grant",
                       "create the tables wp_ratingd_", str(PLUGIN), "doctor", f"add to {SITE_FILE}"]:
            self.assertIn(action, said)
        self.assertIn("Nothing was changed", said)

    def test_site_in_a_folder_needs_a_name(self):
        self.assertIn("--site shop", self.setup("--wp-config", SHOP, "--yes", expected=1))

    def test_address_that_is_no_address(self):
        for path in ["/x\naccess-log = on\n#", "/\x1b[2J"]:
            self.set_option("shop", "home", machine.url() + path)
            said = self.setup("--site=shop", "--wp-config", SHOP, "--yes", expected=1)
            self.assertIn("the site's address is not one of http or https", said)
            self.assertNotIn("\x1b", said)
            self.assertNotIn("\naccess-log", said)

    def test_address_that_cannot_be_a_base_path(self):
        for path in ["/a;b", "/{x}", "/a b", "/../x"]:
            self.set_option("shop", "home", machine.url() + path)
            said = self.setup("--site=shop", "--wp-config", SHOP, "--yes", expected=1)
            self.assertIn("give one with --base-path", said)

    def test_flags_that_make_no_sense(self):
        for words in [["--site", "Shop"], ["--site=reload"], ["--base-path=/x"],
                      ["--remove", f"--nginx={SITE_FILE}"], ["--wp-config=/nowhere"], ["--units"]]:
            self.setup("--yes", *words, expected=1)
        self.assertIn("has no option --db-host", self.setup("--db-host=x", expected=2))

    def test_site_in_a_folder_that_cannot_be_shown_is_not_offered(self):
        folder = pathlib.Path("/var/www/\x1b[2J")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(CONFIG, folder / "wp-config.php")
        said = self.setup("--yes", expected=1)
        self.assertIn(f"--wp-config {SHOP}", said)
        self.assertNotIn("\x1b", said)

    def test_found_file_is_shown_as_a_word_for_the_shell(self):
        folder = pathlib.Path("/var/www/it's;touch pwned")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(CONFIG, folder / "wp-config.php")
        said = self.setup("--yes", expected=1)
        self.assertIn("--wp-config '/var/www/it'\\''s;touch pwned/wp-config.php'  (database wordpress)", said)

    def test_wordpress_that_is_not_installed_yet(self):
        machine.mariadb.execute("RENAME TABLE wordpress.wp_options TO wordpress.kept")
        self.addCleanup(machine.mariadb.execute, "RENAME TABLE wordpress.kept TO wordpress.wp_options")
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("/wp-admin/install.php", said)

    def test_configuration_that_names_another_wp_config(self):
        """Of which nothing would be checked."""
        for name in ["ratingd.conf", "ratingctl.conf"]:
            file = ETC / name
            text = file.read_text()
            self.addCleanup(file.write_text, text)
            file.write_text(text.replace("wp-config = /etc/ratingd/wp-config.php", f"wp-config = {SHOP}"))
            said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
            self.assertIn(f"{file} has the line \"wp-config = {SHOP}\"", said)
            self.assertIn("wp-config = /etc/ratingd/wp-config.php", said)
            file.write_text(text.replace("wp-config = /etc/ratingd/wp-config.php", f"wp-config = {CONFIG}"))
            self.setup("--wp-config", CONFIG, "--dry-run")
            file.write_text(text)

    def test_account_that_somebody_else_has(self):
        machine.mariadb.execute("CREATE USER ratingctl@localhost IDENTIFIED BY 'other'")
        self.addCleanup(machine.mariadb.execute, "DROP USER ratingctl@localhost")
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("the database account ratingctl@localhost exists", said)

    def test_file_that_has_no_server_of_the_site(self):
        said = self.setup("--wp-config", CONFIG, "--nginx=/etc/nginx/nginx.conf", "--yes", expected=1)
        self.assertIn("server_name example.org", said)


class Failed(SetupTest):
    """All that was done before the failure is undone."""

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_nginx_refuses_what_it_has(self):
        broken = pathlib.Path("/etc/nginx/conf.d/broken.conf")
        broken.write_text("no_such_directive;\n")
        self.addCleanup(broken.unlink)
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--yes", expected=1)
        self.assertIn("no_such_directive", said)
        self.assertIn("All steps were undone.", said)

    def test_doctor_finds_a_failure(self):
        self.set_option("wordpress", "siteurl", "nowhere")
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("fail  address", said)

    def test_file_that_nginx_does_not_read(self):
        other = pathlib.Path("/etc/nginx/sites-available/other.conf")
        shutil.copy(SITE_FILE, other)
        self.addCleanup(other.unlink)
        said = self.setup("--wp-config", CONFIG, "--nginx", other, "--yes", expected=1)
        self.assertIn("sites-enabled", said)


class HostileContent(SetupTest):
    """The web server owns wp-content, and is in other hands."""

    ENABLED = pathlib.Path("/etc/nginx/sites-enabled")

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def link_plugins(self):
        PLUGIN.parent.symlink_to(self.ENABLED)
        owner = PLUGIN.parent.parent.stat()
        os.chown(PLUGIN.parent, owner.st_uid, owner.st_gid, follow_symlinks=False)
        self.addCleanup(PLUGIN.parent.unlink)

    def test_link_in_place_of_the_folder(self):
        self.link_plugins()
        said = self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertIn(f"{PLUGIN.parent} is a link that does not belong to root", said)
        self.assertNotIn("write the WordPress plugin", said)

    def test_link_that_appears_after_the_question(self):
        said = self.answer_after(self.link_plugins, "--wp-config", CONFIG)
        self.assertIn(f"create the folder {PLUGIN.parent}", said)
        self.assertIn("All steps were undone.", said)

    def test_folder_that_becomes_a_link_after_the_question(self):
        def exchange():
            PLUGIN.parent.rmdir()
            self.link_plugins()
        PLUGIN.parent.mkdir()
        said = self.answer_after(exchange, "--wp-config", CONFIG)
        self.assertIn("is a link that does not belong to root", said)

    def test_file_that_appears_after_the_question(self):
        PLUGIN.parent.mkdir()
        self.addCleanup(PLUGIN.parent.rmdir)
        def link():
            PLUGIN.symlink_to("/etc/shadow")
            self.addCleanup(PLUGIN.unlink)
        said = self.answer_after(link, "--wp-config", CONFIG)
        self.assertIn("was changed by somebody else meanwhile", said)

    def test_edited_file_of_nginx_is_not_overwritten(self):
        before = SITE_FILE.read_text()
        self.addCleanup(SITE_FILE.write_text, before)
        said = self.answer_after(lambda: SITE_FILE.write_text(before + "# of the operator\n"),
                                "--wp-config", CONFIG, "--nginx", SITE_FILE)
        self.assertIn(f"{SITE_FILE} was changed by somebody else meanwhile", said)
        self.assertIn("# of the operator", SITE_FILE.read_text())

    def test_configuration_that_names_a_folder_of_the_system(self):
        before = CONFIG.read_text()
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text(before + f"define( 'WPMU_PLUGIN_DIR', '{self.ENABLED}' );\n")
        said = self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertIn("WordPress's folder mu-plugins was not found", said)
        self.assertNotIn("write the WordPress plugin", said)


class Purged(SetupTest):
    """The package, but not its lines in nginx's files. dpkg has removed its own files from /etc already."""

    INCLUDES = ETC / "nginx"
    FILES = {"ratingd-upstream.conf", "ratingd.conf", "ratingd-errors.conf", "ratingd-error-headers.conf"}

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())
        self.addCleanup(self.install)
        self.assertEqual(self.FILES | {"example-site.conf"}, {path.name for path in self.INCLUDES.iterdir()})

    def install(self):
        shutil.rmtree(self.INCLUDES, ignore_errors=True)
        shutil.copytree(REPOSITORY / "nginx", self.INCLUDES)
        self.include_in_site("")

    def include_in_site(self, lines, where="server_name example.org;"):
        text = re.sub(r".*\binclude .*\n", "", SITE_FILE.read_text())
        SITE_FILE.write_text(text.replace(where, f"{where}\n{lines}") if lines else text)

    def purge(self):
        shutil.rmtree(self.INCLUDES)
        done = subprocess.run(["sh", REPOSITORY / "debian/postrm", "purge"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def kept(self):
        """The files that stay; all are empty."""
        kept = list(self.INCLUDES.iterdir()) if self.INCLUDES.exists() else []
        self.assertEqual([], [path for path in kept if path.stat().st_size > 0])
        return {path.name for path in kept}

    def add_conf(self, name, text=None, link=None):
        path = pathlib.Path("/etc/nginx/conf.d") / name
        path.symlink_to(link) if link else path.write_text(text)
        self.addCleanup(path.unlink)
        return path

    def check_nginx(self, says=""):
        done = subprocess.run(["nginx", "-t"], check=False, capture_output=True, text=True)
        self.assertEqual(not says, done.returncode == 0, done.stderr)
        self.assertIn(says, done.stderr)

    def test_leaves_nothing_that_nginx_does_not_include(self):
        said = self.purge()
        self.assertEqual(set(), self.kept())
        self.assertNotIn("nginx", said)

    def test_leaves_what_nginx_includes_and_names_the_line(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        said = self.purge()
        self.assertEqual({"ratingd.conf"}, self.kept())
        self.assertRegex(said, r"ratingd: /etc/nginx/sites-enabled/example.org.conf:\d+ includes"
                               r" /etc/ratingd/nginx/ratingd.conf, which stays, empty")
        self.check_nginx()

    def test_leaves_all_if_nginx_cannot_say_what_it_includes(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        broken = self.add_conf("broken.conf", "no_such_directive;\n")
        said = self.purge()
        self.assertEqual(self.FILES, self.kept())
        self.assertIn('unknown directive "no_such_directive"', said)
        self.assertIn("ratingd: nginx cannot start before this is corrected", said)
        broken.write_text("")
        self.check_nginx()

    def test_leaves_what_nginx_includes_by_a_link(self):
        self.add_conf("rating.conf", link="/etc/ratingd/nginx/ratingd-upstream.conf")
        said = self.purge()
        self.assertEqual(self.FILES, self.kept())
        self.assertIn("/etc/nginx/conf.d/rating.conf", said)
        self.assertNotIn("cannot start", said)
        self.check_nginx()

    def test_says_what_nginx_misses_in_empty_files(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf; location /x { return 200 $ratingd_route; }")
        said = self.purge()
        self.assertIn('unknown "ratingd_route" variable', said)
        self.assertIn("ratingd: nginx cannot start before this is corrected", said)

    def test_is_installed_again_without_a_question(self):
        """dpkg asks about files that are there."""
        self.add_conf("rating.conf", link="/etc/ratingd/nginx/ratingd-upstream.conf")
        self.purge()
        subprocess.run(["sh", REPOSITORY / "debian/preinst", "install"], check=True)
        self.assertEqual(set(), self.kept())


class WithoutRoot(SetupTest):
    """The server refuses root: an administrator gets the SQL as a file."""

    def test_statements_are_left_for_an_administrator(self):
        before = state()
        machine.mariadb.execute("CREATE USER administrator@localhost IDENTIFIED BY 'x';"
                                "GRANT ALL ON *.* TO administrator@localhost WITH GRANT OPTION")
        machine.mariadb.execute(machine.root_by_password)
        administrator = ["mariadb", "--no-defaults", "--user=administrator", "--password=x"]
        try:
            said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
            sql = ETC / "accounts.sql"
            self.assertIn(str(sql), said)
            self.assertEqual(0o600, sql.stat().st_mode & 0o777)
            password = (ETC / "db-password").read_text().strip()
            self.assertNotIn(password, said)
            self.assertIn("mariadb --socket=/run/mysqld/mysqld.sock -u root -p", said)
            self.assertNotIn("If it was run already", said)
            self.assertFalse((ETC / "secret").exists())
            text = sql.read_text()
            self.assertEqual(2, text.count("CREATE USER"))
            self.assertIn("If it was run already", self.setup("--yes", expected=1))
            self.assertEqual(text, sql.read_text())
            subprocess.run(administrator, input=sql.read_text(), text=True, check=True)
            self.assertIn("nginx does not pass requests to ratingd yet", self.setup("--yes"))
            self.assertFalse(sql.exists())
            for words in [[], ["--remove"]]:  # after a setup that was killed before it dropped the proof
                subprocess.run(administrator, input=text, text=True, check=True)
                said = self.setup("--yes", *words)
                self.assertIn("drop the table `wordpress`.`wp_ratingd_proof`", said)
                show = [*administrator, "--execute", "SHOW TABLES FROM wordpress LIKE '%proof'"]
                self.assertEqual("", subprocess.run(show, capture_output=True, text=True, check=True).stdout)
            self.assertIn("DROP USER `ratingd`@`localhost`, `ratingctl`@`localhost`", said)
        finally:
            subprocess.run([*administrator, "--execute", machine.root_by_socket], check=True)
        machine.mariadb.execute("DROP USER administrator@localhost, ratingd@localhost, ratingctl@localhost")
        for table in machine.mariadb.execute("SHOW FULL TABLES FROM wordpress LIKE '%ratingd%'").splitlines():
            name, kind = table.split("\t")
            machine.mariadb.execute(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} wordpress.{name}")
        (ETC / "secret").unlink()
        PLUGIN.parent.rmdir()
        self.check_unchanged(before)


class RemoteDatabase(SetupTest):
    """Two hosts share a database that both reach by TCP."""

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
        """As on a host that has the package alone. Returns what would be copied from the other one."""
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
        self.assertNotIn("If it was run already", self.setup(*words, expected=1))
        run_sql()
        said = self.setup(*words, expected=1)
        self.assertIn("the accounts exist with other passwords", said)
        self.assertIn("DROP USER `ratingd", said)
        self.assertFalse((folder / "secret").exists())
        for name in ["db-password", "ratingctl-password"]:
            (folder / name).write_text(copies[name])
        self.assertIn("If it was run already, DB_USER", self.setup(*words, expected=1))
        run_sql()
        self.assertIn("the secret that identifies their voters is not", self.setup(*words, expected=1))
        (folder / "secret").write_text(copies["secret"])
        (folder / "secret").chmod(0o640)
        self.assertIn("nginx does not pass requests to ratingd yet", self.setup(*words))
        self.assertFalse((folder / "accounts.sql").exists())
        said = self.setup(*words, expected=1)
        self.assertIn("There is nothing to do.", said)
        self.assertRegex(said, r"\nfail +web server .* answers with status 404 of nginx")

        self.ratingctl(*words[:1 if site else 0], "drop", "--confirm")
        self.assertIn(f"DROP USER {accounts}", self.setup(*words[:1 if site else 0], "--remove", "--yes"))
        machine.mariadb.execute(f"DROP USER {accounts}")
        (folder / "secret").unlink()
        plugin.rmdir()
        shutil.rmtree(ETC / "sites", ignore_errors=True)

    def test_first_site(self):
        self.set_up_two_hosts(CONFIG, "", ETC, PLUGIN.parent, "localhost")

    def test_site_with_a_name(self):
        """Its accounts are for sessions from any host, as those of version 0.2."""
        self.set_up_two_hosts(SHOP, "--site=shop", ETC / "sites/shop", SHOP.parent / "wp-content/mu-plugins", "%")

    def test_accounts_of_the_version_before_are_named(self):
        """They are for sessions from any host, which may still use them."""
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
        self.assertIn("from any host: DROP USER IF EXISTS `ratingd`@`%`, `ratingctl`@`%`", said)
        machine.mariadb.execute("DROP USER `ratingd`@`localhost`, `ratingctl`@`localhost`")
        (ETC / "secret").unlink()
        PLUGIN.parent.rmdir()

    def test_server_of_this_host_by_tcp(self):
        self.use_server(CONFIG, "127.0.0.1")
        said = self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertIn(f"sudo cat {ETC / 'accounts.sql'} | sudo mariadb\n", said)


class Relay(threading.Thread):
    """A server of a customer's own: it passes all on to the real one, and asks it for another database."""

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
    """Of a host with several customers: the shop's wp-config.php is in the hands of one who wants to get at the
    other site."""

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
        self.assertIn("the site's own account, DB_USER of wp-config.php, cannot use the database wordpress", said)

    def test_may_read_only_parts_of_it(self):
        """What WordPress's tables need, but not what root writes."""
        machine.mariadb.execute("GRANT SELECT ON wordpress.wp_options TO shop@localhost")
        self.addCleanup(machine.mariadb.execute, "REVOKE ALL ON wordpress.wp_options FROM shop@localhost")
        self.configure("DB_NAME", "wordpress")
        self.assertIn("cannot read", self.setup(*self.WORDS, expected=1))
        tables = ["posts", "comments", "users", "usermeta"]
        for table in tables:
            machine.mariadb.execute(f"GRANT SELECT ON wordpress.wp_{table} TO shop@localhost")
            self.addCleanup(machine.mariadb.execute, f"REVOKE ALL ON wordpress.wp_{table} FROM shop@localhost")
        self.set_option("wordpress", "home", machine.url() + "/shop")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("does not read all tables of the database wordpress", said)
        self.assertIn("All steps were undone.", said)

    def test_makes_a_view_that_does_what_its_reader_may(self):
        """Root must not be its reader."""
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
                self.assertIn("which is not one of a database server", said)
                listening.kill()

    def test_can_exchange_the_socket(self):
        folder = pathlib.Path("/var/lib/open")
        folder.mkdir()
        folder.chmod(0o777)
        self.addCleanup(shutil.rmtree, folder)
        (folder / "link").symlink_to(machine.mariadb.socket)
        self.configure("DB_HOST", f"localhost:{folder / 'link'}")
        self.assertIn(f"other accounts may write to {folder}", self.setup(*self.WORDS, expected=1))

    def test_has_a_server_that_asks_the_real_one_for_another_database(self):
        """An administrator has run what setup left, on the real server."""
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
        self.assertIn("DB_USER of wp-config.php does not read what it has written", said)
        self.assertIn(b"wp_ratingd_proof", relay.received)
        self.assertNotIn(b"ratingd_shop\0", relay.received)  # no session of the accounts

    def test_links_to_the_configuration_of_another(self):
        SHOP.rename(SHOP.with_name("kept"))
        self.addCleanup(lambda: SHOP.with_name("kept").rename(SHOP))
        SHOP.symlink_to(CONFIG)
        os.chown(SHOP, pwd.getpwnam(self.ACCOUNT).pw_uid, 0, follow_symlinks=False)
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("a link on its path does not belong to the file's owner", said)

    def test_changes_the_file_after_the_question(self):
        said = self.answer_after(lambda: self.configure("DB_NAME", "wordpress"), *self.WORDS[:-1])
        self.assertIn('this site is set up with other values than "database = wordpress"', said)
        self.assertIn("All steps were undone.", said)

    def test_hopes_that_the_operator_pastes_a_command(self):
        self.configure("DB_HOST", "localhost:/x.sock;touch${IFS}pwned;#")
        said = self.setup(*self.WORDS, expected=1)
        self.assertIn("DB_HOST must be as WordPress's DB_HOST", said)
        self.assertNotIn("mariadb", said)

    def test_writes_to_the_terminal_by_the_name_of_a_folder(self):
        folder = pathlib.Path("/var/www/\x1b[2J")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(shutil.rmtree, ETC / "sites")  # has a file to fill in
        (folder / "wp-config.php").write_text("<?php define('DB_NAME', getenv('DB_NAME'));")
        said = self.setup("--site=shop", "--wp-config", folder / "wp-config.php", "--yes", expected=1)
        self.assertIn("/var/www/\\x1b[2J/wp-config.php", said)
        self.assertNotIn("\x1b", said)


class ComputedConfiguration(SetupTest):
    """Of Docker's image: PHP takes the values from the environment."""

    FILE = ETC / "wordpress.php"

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_missing_values_are_named_at_once_and_inserted(self):
        before = CONFIG.read_text()
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text("""<?php
define( 'DB_NAME', getenv_docker('WORDPRESS_DB_NAME', 'wordpress') );
define( 'DB_USER', getenv_docker('WORDPRESS_DB_USER', 'example username') );
define( 'DB_PASSWORD', getenv_docker('WORDPRESS_DB_PASSWORD', 'example password') );
define( 'DB_HOST', 'localhost' );
define( 'LOGGED_IN_KEY', getenv_docker('WORDPRESS_LOGGED_IN_KEY', 'x') );
define( 'NONCE_KEY', 'it\\'s known' );
$table_prefix = getenv_docker('WORDPRESS_TABLE_PREFIX', 'wp_');
""")
        self.addCleanup(lambda: self.FILE.unlink(missing_ok=True))
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("DB_NAME, DB_USER, DB_PASSWORD, $table_prefix, LOGGED_IN_KEY", said)
        self.assertIn(f"run: ratingctl setup --wp-config {self.FILE}\n", said)
        self.assertEqual(0o640, self.FILE.stat().st_mode & 0o777)
        self.assertEqual({self.FILE.name, "nginx", "ratingd.conf", "ratingctl.conf"},
                         {path.name for path in ETC.iterdir()})
        text = self.FILE.read_text()
        self.assertEqual(5, text.count("VALUE )") + text.count("= VALUE;"), text)
        said = self.setup("--wp-config", self.FILE, "--yes", expected=1)
        self.assertIn("insert the values of DB_NAME", said)
        for name, value in {"DB_NAME": "wordpress", "DB_USER": "wordpress", "LOGGED_IN_KEY": "key",
                            "DB_PASSWORD": PASSWORD.replace("\\", "\\\\").replace("'", "\\'")}.items():
            text = text.replace(f"'{name}', VALUE", f"'{name}', '{value}'")
        self.FILE.write_text(text.replace("= VALUE", "= 'wp_'"))
        said = self.setup("--wp-config", self.FILE, "--dry-run")
        self.assertIn("create the database accounts ratingd@localhost", said)
        self.assertIn(str(PLUGIN), said)


class EmptyMachine(SetupTest):
    """As docs/operations.md, "Restore on a new machine"."""

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
        """Returns what it says, and what it asks of systemd."""
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
        self.ratingctl("demo-data", "--votes=200", "--objects=20", "--days=3")
        self.ratingctl("settings", "set", "voter_cookie_days=77")
        file = RUN_DIR / "site.backup"
        self.addCleanup(file.unlink)
        self.ratingctl("backup", "--with-secret", file)
        self.remove_all()

        new_secret = self.set_up()
        self.assertNotEqual(secret, new_secret)
        said, asked = self.restore(file)

        self.assertIn("restored 200 votes, 0 balances, 1 settings", said)
        self.assertIn("restart ratingd@1.service", asked)
        self.assertEqual(secret, (ETC / "secret").read_text())
        self.assertEqual(0o640, (ETC / "secret").stat().st_mode & 0o777)
        [kept] = ETC.glob("secret.2*")
        self.assertEqual(new_secret, kept.read_text())
        self.assertIn("all sums match the votes", self.ratingctl("verify"))
        self.assertIn("77", self.ratingctl("settings", "get", "voter_cookie_days"))
        kept.unlink()
        self.remove_all()


class TwoSites(SetupTest):
    def test_1_first_vote_of_the_first(self):
        log = RUN_DIR / "mariadb/general.log"
        machine.mariadb.execute(f"SET GLOBAL general_log_file = '{log}'; SET GLOBAL general_log = ON")
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--yes")
        machine.mariadb.execute("SET GLOBAL general_log = OFF")
        logged = log.read_text()
        self.assertIn("wp_ratingd_votes", logged)
        for name in ["db-password", "ratingctl-password"]:
            self.assertNotIn((ETC / name).read_text().strip(), logged)
        self.assertIn("No systemd runs here", said)
        self.assertRegex(said, r"\nfail +web server .* no worker answers; run: systemctl status ratingd.socket")
        self.assertNotIn("The service is at", said)
        for name, mode in {"secret": 0o640, "db-password": 0o600, "ratingctl-password": 0o600}.items():
            status = (ETC / name).stat()
            self.assertEqual((0, 0, mode), (status.st_uid, status.st_gid, status.st_mode & 0o777), name)
            self.assertNotIn((ETC / name).read_text().split("\n")[0], said)
        machine.start_worker(ETC / "ratingd.conf", pathlib.Path("/run/ratingd/ratingd.sock"))
        self.assertTrue(wait_until(lambda: "ok" in machine.curl("/wp-json/ratingd/v1/health"), SECONDS))
        self.assertEqual(1, self.vote("/wp-json/ratingd/v1", 1))

    def test_2_repeated_changes_nothing(self):
        before = state()
        self.assertIn("There is nothing to do.", self.setup("--nginx", SITE_FILE, "--yes"))
        self.assertIn("There is nothing to do.", self.setup())
        self.check_unchanged(before)

    def test_2_proof_that_a_killed_setup_left_is_dropped(self):
        before = state()
        machine.mariadb.execute("CREATE TABLE wordpress.wp_ratingd_proof (proof CHAR(64))")
        self.assertIn("drop the table `wordpress`.`wp_ratingd_proof`", self.setup("--yes"))
        self.check_unchanged(before)
        self.assertIn("There is nothing to do.", self.setup())

    def web_server(self, expected_status, *words):
        """What doctor says of it."""
        line = re.search(r"^(\w+ +web server .*)$", self.doctor(*words, expected=expected_status), re.MULTILINE)
        return re.sub(" +", " ", line[1])

    def serve(self, text):
        """nginx's file of the site, until the test ends."""
        before = SITE_FILE.read_text()
        self.reload_nginx_with(text)
        self.addCleanup(self.reload_nginx_with, before)

    def reload_nginx_with(self, text):
        """Waits until new processes serve."""
        SITE_FILE.write_text(text)
        marker = f"/marker-{secrets.token_hex(8)}"
        SITE_FILE.write_text(text.replace("server_name example.org;",
                                          f"server_name example.org; location = {marker} {{ return 204; }}"))
        subprocess.run(["nginx", "-t", "-q"], check=True)
        subprocess.run(["nginx", "-s", "reload"], check=True)
        def is_new():
            answers = {machine.status(marker) for _ in range(8)}
            return answers == {"204"}
        self.assertTrue(wait_until(is_new, SECONDS))
        SITE_FILE.write_text(text)

    def certificate(self, name):
        """Two lines for nginx. Trusted, until the test ends."""
        files = [RUN_DIR / f"{name}.{kind}" for kind in ("pem", "key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
                        "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
        trusted = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        before = trusted.read_text()
        self.addCleanup(trusted.write_text, before)
        trusted.write_text(before + files[0].read_text())
        return f"ssl_certificate {files[0]}; ssl_certificate_key {files[1]};"

    def test_2_web_server_is_asked(self):
        origin = machine.url()
        self.assertEqual(f"ok web server {origin} reaches this site's workers, at 127.0.0.1:{machine.port}",
                         self.web_server(0))

    def test_2_web_server_without_the_lines(self):
        text = SITE_FILE.read_text()
        self.serve(text.replace("include /etc/ratingd/nginx/ratingd.conf;", ""))
        said = self.web_server(1)
        self.assertRegex(said, r"^fail web server \S+ answers with status 404 of nginx.*, not from ratingd;")
        self.assertIn(f"run: ratingctl setup --nginx {SITE_FILE}", said)
        self.assertIn(said.split("server ", 1)[1], re.sub(" +", " ", self.setup(expected=1)))
        self.assertIn("The service is at", self.setup("--nginx", SITE_FILE, "--yes"))

    def test_2_web_server_that_is_stopped(self):
        machine.stop_nginx()
        self.addCleanup(machine.start_nginx)
        said = self.web_server(1)
        self.assertRegex(said, "^fail web server nothing on this host accepts connections .* start nginx$")
        PLUGIN.unlink()
        said = self.setup("--yes")
        self.assertIn("fail  web server", said)
        self.assertNotIn("The service is at", said)

    def test_2_web_server_of_another_ratingd(self):
        other = RUN_DIR / "other-secret"
        other.unlink(missing_ok=True)
        self.ratingctl("init-secret", f"--secret-file={other}")
        said = self.web_server(1, f"--config={ETC}/ratingd.conf", f"--secret-file={other}")
        self.assertIn("leads to a ratingd with another secret", said)
        self.assertIn("run: ratingctl reload", said)

    def test_2_web_server_with_the_lines_for_the_wrong_port(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        self.serve(SITE_FILE.read_text() + "server {\n    server_name example.org;\n"
                   f"    listen 127.0.0.1:{port} ssl;\n    {self.certificate('example.org')}\n}}\n")
        said = self.web_server(1)
        self.assertRegex(said, rf"^fail web server https://example.org:{port} answers with status 404 of nginx")
        self.assertIn(f"Only http, port {machine.port}, reaches this site's workers", said)

    def test_2_web_server_with_tls(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        def listen(name):
            return SITE_FILE.read_text().replace(
                "server_name example.org;",
                f"server_name example.org; listen [::1]:{port} ssl; {self.certificate(name)}")
        self.serve(listen("example.org"))
        self.assertRegex(self.web_server(0),
                         rf"^ok web server \S+ reaches this site's workers, at \[::1\]:{port}$")

    def test_2_web_server_with_a_certificate_of_another_name(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        self.serve(SITE_FILE.read_text().replace(
            "server_name example.org;",
            f"server_name example.org; listen 127.0.0.1:{port} ssl; {self.certificate('other.example')}"))
        self.assertRegex(self.web_server(0), "^warn web server .* but the certificate is not valid for example.org"
                                             r" \(.*example.org.*\)")

    def test_2_web_server_behind_one_that_ends_tls(self):
        self.set_option("wordpress", "home", f"https://example.org:{free_port()}")
        said = self.web_server(0)
        self.assertIn(f"asked by http, port {machine.port} of this host, reaches this site's workers", said)
        self.assertTrue(said.startswith("ok "), said)

    def test_2_web_server_that_redirects(self):
        self.serve(f"server {{\n    listen 127.0.0.1:{machine.port};\n    server_name example.org;\n"
                   "    location / { return 301 https://www.example.org$request_uri; }\n}\n")
        self.assertRegex(self.web_server(1),
                         r"answers with status 301 of nginx\S*, to https://www.example.org/wp-json")

    def test_2_web_server_of_a_site_without_a_cms(self):
        conf = RUN_DIR / "none.conf"
        conf.write_text(f"cms = none\nsite-address = {machine.url()}\ndb-name = wordpress\ndb-user = ratingd\n"
                        f"db-password-file = {ETC}/db-password\n")
        words = [f"--config={conf}"]
        self.assertRegex(self.web_server(0, *words), "^ok web server .* reaches this site's workers")
        self.serve(SITE_FILE.read_text().replace("include /etc/ratingd/nginx/ratingd.conf;", ""))
        self.assertIn("add to its server { } of example.org: include /etc/ratingd/nginx/ratingd.conf;",
                      self.web_server(1, *words))

    def test_2_workers_that_have_not_read_a_change(self):
        before = CONFIG.read_text()
        self.assertRegex(self.doctor(), r"\nok +workers +1 run")
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text(before + "define( 'NONCE_KEY', 'new' );\n")
        self.assertRegex(self.doctor(), r"\nwarn +workers +1 of 1 started before .*run: ratingctl reload\n")

    def test_2_disk_that_is_full(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", "/var/log"], check=True)
        self.addCleanup(subprocess.run, ["umount", "/var/log"], check=True)
        self.assertRegex(self.doctor(), r"\nok +disks .*/var/log.*/mariadb")
        pathlib.Path("/var/log/large").write_bytes(bytes(1990 << 10))
        self.assertRegex(self.doctor(expected=1), r"\nfail +disks +the disk of /var/log has 0 MiB left")

    def test_2_plugin_is_kept_like_the_packages(self):
        before = state()
        self.assertRegex(self.ratingctl("doctor"), r"\nok +plugin +of this version")
        (PLUGIN.parent / "ratingd/ratingd.php").write_text("<?php // of another version")
        OLD_PLUGIN.write_bytes((REPOSITORY / "tests/fixtures/ratingd-widgets.php").read_bytes())
        self.assertRegex(self.ratingctl("doctor"), r"\nwarn +plugin +1 of \d+ files of the plugin")
        self.setup("--yes")
        self.check_unchanged(before)
        OLD_PLUGIN.write_text("<?php // changed by the operator")
        self.assertIn("There is nothing to do.", self.setup())
        OLD_PLUGIN.unlink()
        PLUGIN.unlink()
        self.assertRegex(self.ratingctl("doctor"), r"\nwarn +plugin +WordPress has no plugin")
        self.setup("--yes")

    def test_2_what_cannot_be_undone_is_said(self):
        machine.mariadb.execute("REVOKE SELECT ON wordpress.wp_ratingd_votes FROM ratingctl@localhost")
        self.set_option("wordpress", "siteurl", "nowhere")
        said = self.setup("--yes", expected=1)
        self.assertIn("This is not undone: grant them", said)
        self.assertIn("All other steps were undone.", said)

    def test_3_second_in_a_folder_of_the_same_server(self):
        said = self.setup("--site", "copy", "--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("is set up already", said)
        self.setup("--site", "shop", "--nginx", SITE_FILE, "--yes")  # the only other one is found
        machine.start_worker(ETC / "sites/shop.conf", pathlib.Path("/run/ratingd/sites/shop.sock"))
        base = "/shop/wp-json/ratingd/v1"
        self.assertTrue(wait_until(lambda: "ok" in machine.curl(f"{base}/health"), SECONDS))
        self.assertIn("There is nothing to do.", self.setup("--site", "shop"))
        for post in [1, 2, 3]:
            self.assertEqual(1, self.vote(base, post))
        self.assertEqual(1, self.votes("/shop/?rest_route=/ratingd/v1/stats/3"))
        self.assertEqual(0, self.votes("/?rest_route=/ratingd/v1/stats/3"))
        self.assertEqual(1, self.votes("/wp-json/ratingd/v1/stats/1"))
        self.assertNotEqual((ETC / "secret").read_text(), (ETC / "sites/shop/secret").read_text())
        self.assertEqual(5, len(list(pathlib.Path("/run/ratingd/sites/shop").iterdir())))  # of its own

    def test_4_flags_cannot_differ_from_what_is_set_up(self):
        before = state()
        for flag, value in {"--base-path": "/shop/wp-json/other/v1", "--blog-id": "2"}.items():
            said = self.setup("--site=shop", flag, value, "--yes", expected=1)
            self.assertIn(f"the site is set up with {flag[2:]}", said)
        self.assertIn("There is nothing to do.",
                      self.setup("--site=shop", "--base-path=/shop/wp-json/ratingd/v1", "--blog-id=1"))
        self.check_unchanged(before)

    def test_4_nginx_gets_files_that_are_made_again(self):
        file = ETC / "sites/shop/nginx/ratingd.conf"
        before = state()
        file.write_text("location /shop/ { return 404; }\n")
        subprocess.run(["nginx", "-s", "reload"], check=True)
        health = "/shop/wp-json/ratingd/v1/health"
        self.assertTrue(wait_until(lambda: "ok" not in machine.curl(health), SECONDS))
        self.assertIn("reload nginx, which reads these files", self.setup("--site=shop", "--yes"))
        self.assertIn("ok", machine.curl(health))
        self.check_unchanged(before)

    def test_4_files_that_nginx_refuses_are_undone(self):
        file = ETC / "sites/shop/nginx/ratingd.conf"
        before = state()
        self.addCleanup(self.check_unchanged, before)
        self.addCleanup(file.write_text, file.read_text())
        file.write_text("# of before\n")
        broken = pathlib.Path("/etc/nginx/conf.d/broken.conf")
        broken.write_text("no_such_directive;\n")
        self.addCleanup(broken.unlink)
        said = self.setup("--site=shop", "--yes", expected=1)
        self.assertIn("no_such_directive", said)
        self.assertEqual("# of before\n", file.read_text())

    def test_4_removal_leaves_no_line_that_nginx_reads(self):
        before = state()
        by_wildcard = pathlib.Path("/etc/nginx/conf.d/all.conf")
        by_wildcard.write_text("include /etc/ratingd/sites/shop/nginx/*upstream.conf;\n")
        text = SITE_FILE.read_text()
        upstream = "include /etc/ratingd/sites/shop/nginx/ratingd-upstream.conf;\n"
        SITE_FILE.write_text(text.replace(upstream, ""))
        said = self.setup("--site=shop", "--remove", "--yes", expected=1)
        self.assertIn("nginx would still read /etc/ratingd/sites/shop/nginx/ratingd-upstream.conf", said)
        by_wildcard.unlink()
        SITE_FILE.write_text(text)
        self.check_unchanged(before)

    def test_4_units_of_the_second_are_valid(self):
        units = sorted(pathlib.Path("/etc/systemd/system").glob("ratingd-shop*"))
        self.assertEqual(6, len(units))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], check=False, capture_output=True,
                              text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        of_the_first = {path.name for path in (REPOSITORY / "systemd").iterdir()}
        self.assertEqual(set(), of_the_first & {path.name for path in units})
        units[0].unlink()
        self.assertIn(f"write {units[0]}", self.setup("--site=shop", "--units"))

    def test_4_commands_are_for_the_site_that_is_named(self):
        self.ratingctl("--site", "shop", "verify")
        self.assertIn("workers   1 of 2", self.ratingctl("--site=shop", "status"))
        self.assertIn("`ratingd_shop`@`localhost`", self.ratingctl("--site=shop", "grants"))
        self.assertIn("/shop", self.ratingctl("--site=shop", "doctor"))
        before = (ETC / "secret").read_text()
        self.ratingctl("--site=shop", "rotate-secret")
        self.assertEqual(3, len((ETC / "sites/shop/secret").read_text().splitlines()))
        self.assertEqual(before, (ETC / "secret").read_text())

    def test_4_another_database_is_used_only_after_setup(self):
        before = SHOP.read_text()
        self.addCleanup(SHOP.write_text, before)
        worker = [PROGRAMS / "ratingd", "--config=/etc/ratingd/sites/shop.conf"]
        for changed, to, says in [("'DB_NAME', 'shop'", "'DB_NAME', 'wordpress'", "database = wordpress"),
                                  ("'localhost'", "'localhost:/srv/x.sock'", "server = /srv/x.sock"),
                                  ("'wp_'", "'w_'", "table-prefix = w_")]:
            SHOP.write_text(before.replace(changed, to))
            for command in [worker, [RATINGCTL, "--site=shop", "status"], [RATINGCTL, "--site=shop", "doctor"]]:
                done = subprocess.run(command, check=False, capture_output=True, text=True)
                self.assertEqual(1, done.returncode)
                self.assertIn(f'other values than "{says}"', done.stderr)
                self.assertIn("If the change is yours, run: ratingctl setup --site shop\n", done.stderr)

    def test_4_root_does_not_read_what_a_customer_puts_in_the_place_of_the_file(self):
        kept = SHOP.with_name("kept")
        SHOP.rename(kept)
        self.addCleanup(lambda: kept.rename(SHOP))
        customer = pwd.getpwnam("nobody").pw_uid
        for make, says in [(lambda: SHOP.symlink_to(CONFIG), "a link on its path does not belong to the file's owner"),
                           (lambda: SHOP.symlink_to("/proc/kmsg"), "a link on its path does not belong"),
                           (lambda: os.mkfifo(SHOP), "not a file")]:
            make()
            os.chown(SHOP, customer, customer, follow_symlinks=False)
            for command in ["status", "doctor", "verify"]:
                done = subprocess.run([RATINGCTL, "--site=shop", command], check=False, capture_output=True, text=True,
                                      timeout=SECONDS)
                self.assertEqual(1, done.returncode, done.stdout)
                self.assertIn(says, done.stderr)
            SHOP.unlink()

    def test_4_a_change_that_is_accepted_is_recorded(self):
        """The operator's: the real server at another path."""
        before, after = SHOP.read_text(), state()
        real = pathlib.Path("/run/mysqld/again.sock")
        real.symlink_to(machine.mariadb.socket)
        self.addCleanup(real.unlink)
        SHOP.write_text(before.replace("'localhost'", f"'localhost:{real}'"))
        self.assertIn(f"server = {real}", self.setup("--site=shop", "--yes"))
        self.ratingctl("--site=shop", "status")
        SHOP.write_text(before)
        self.setup("--site=shop", "--yes")
        self.check_unchanged(after)

    def test_4_installation_of_the_version_before_works_until_it_is_recorded(self):
        before = state()
        (ETC / "checked-site").unlink()
        self.ratingctl("status")
        self.assertRegex(self.ratingctl("doctor"), r"\nwarn +site +.*run: ratingctl setup\n")
        said = self.setup("--yes")
        self.assertIn("prove that the site's own account uses this database", said)
        self.assertRegex(said, r"\nok +site +as recorded in /etc/ratingd/checked-site\n")
        self.check_unchanged(before)

    def test_5_a_removed_site_leaves_the_other_and_its_votes(self):
        secret = (ETC / "sites/shop/secret").read_text()
        machine.mariadb.execute("CREATE TABLE shop.wp_ratingd_proof (proof CHAR(64))")  # of a killed setup
        said = self.setup("--site", "shop", "--remove", "--yes")
        self.assertEqual("", machine.mariadb.execute("SHOW TABLES FROM shop LIKE '%proof'"))
        self.assertIn("The votes are kept", said)
        self.assertEqual("3\n", machine.mariadb.execute("SELECT COUNT(*) FROM shop.wp_ratingd_votes"))
        left = [str(path.relative_to(ETC)) for path in (ETC / "sites").rglob("*")]
        self.assertEqual(["sites/shop", "sites/shop/secret"], sorted(left))
        self.assertNotIn("shop", SITE_FILE.read_text())
        self.assertEqual([], list(SHOP.parent.glob("wp-content/mu-plugins/*")))
        self.assertEqual("", machine.mariadb.execute("SELECT user FROM mysql.user WHERE user LIKE '%_shop'"))
        self.assertEqual(1, self.votes("/wp-json/ratingd/v1/stats/1"))
        # Set up again, it has its votes and its voters.
        self.setup("--site", "shop", "--yes")
        self.assertEqual(secret, (ETC / "sites/shop/secret").read_text())
        self.setup("--site", "shop", "--remove", "--yes")

    def test_5_lines_in_an_included_file_are_removed(self):
        folder = pathlib.Path("/etc/nginx/vhosts")
        folder.mkdir()
        moved = folder / "example.vhost"
        link = pathlib.Path("/etc/nginx/sites-enabled/example.org.conf")
        moved.write_text(SITE_FILE.read_text())
        including = pathlib.Path("/etc/nginx/conf.d/vhosts.conf")
        including.write_text("include vhosts/*.vhost;\n")
        link.unlink()
        for name in ["README", ".example.org.swp"]:  # nginx does not read them
            (folder / name).write_text("}} what\n")
        self.setup("--site", "shop", "--nginx", moved, "--yes")
        self.assertIn("sites/shop", moved.read_text())
        self.setup("--site", "shop", "--remove", "--yes")
        self.assertEqual(SITE_FILE.read_text(), moved.read_text())
        link.symlink_to(SITE_FILE)
        including.unlink()
        shutil.rmtree(folder)
        subprocess.run(["nginx", "-s", "reload"], check=True)

    def test_6_removal_leaves_nginx_as_it_was(self):
        self.setup("--remove", "--yes")
        self.assertNotIn("ratingd", SITE_FILE.read_text())
        self.assertEqual({"nginx", "ratingctl.conf", "ratingd.conf", "secret", "sites"},
                         {path.name for path in ETC.iterdir()})
        self.assertEqual([], list(PLUGIN.parent.iterdir()))
        self.assertEqual("1\n", machine.mariadb.execute("SELECT COUNT(*) FROM wordpress.wp_ratingd_votes"))
        self.assertEqual("", machine.mariadb.execute("SELECT user FROM mysql.user WHERE user LIKE 'rating%'"))
        self.assertIn("There is nothing to do.", self.setup("--remove", "--yes"))


def enter_own_namespace():
    """Overlays keep what is changed out of the system's folders; memory is below /run and /tmp."""
    if os.geteuid() != 0:
        print("skipped: needs root")
        sys.exit(77)
    if os.environ.get("RATINGD_SETUP_TEST") != "inside":
        os.environ["RATINGD_SETUP_TEST"] = "inside"
        os.execvp("unshare", ["unshare", "--mount", "--propagation=private", sys.executable, *sys.argv])
    layers = RUN_DIR / "layers"
    shutil.rmtree(layers, ignore_errors=True)
    layers.mkdir(parents=True)
    kept = None
    for folder in ["/etc", "/var"]:
        upper, work = (layers / f"{folder[1:]}-{kind}" for kind in ("upper", "work"))
        upper.mkdir()
        work.mkdir()
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                        f"lowerdir={folder},upperdir={upper},workdir={work}", folder], check=True)
    for folder in ["/run", "/tmp"]:
        if kept is None and not RUN_DIR.is_relative_to(folder):
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    pathlib.Path("/tmp").chmod(0o1777)
    pathlib.Path("/run").chmod(0o755)
    shutil.rmtree(ETC, ignore_errors=True)
    ETC.mkdir()


def load_tests(loader, _tests, _pattern):
    cases = [Refused, Failed, HostileContent, Purged, WithoutRoot, RemoteDatabase,
             ComputedConfiguration, Customer, EmptyMachine, TwoSites]
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)


if __name__ == "__main__":
    enter_own_namespace()
    # Not of interest: that MariaDB outlives the object that started it.
    unittest.main(warnings="ignore", failfast=True)
