"""A machine without systemd for tests of "ratingctl setup". It has a real server whose root needs no password at
the socket, a real nginx, and the folders of Debian's WordPress. It is in a separate mount namespace, in which
/etc, /var, /run and /tmp can be changed without touching the system. Needs the packages nginx and
mariadb-server-core, and root. The tests are skipped without root. (package_test.py tests setup with systemd, as in
the documents.)
"""

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import unittest

from fault_sandbox import BUILD_DIR, REPOSITORY, free_port, run_dir, wait_until  # first: it sets the module path
from mariadb import Mariadb

RUN_DIR = run_dir(pathlib.Path(sys.argv[0]).stem.removesuffix("_test")).absolute()
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
    """The state before the setup: two sites of WordPress, each with a database."""

    def __init__(self):
        self.port = free_port()
        socket_of_debian = pathlib.Path("/run/mysqld/mysqld.sock")
        self.database_port = free_port()
        self.mariadb = Mariadb(RUN_DIR / "mariadb", socket_of_debian, RUN_DIR / "mariadb.log",
                               ["--skip-networking=0", "--bind-address=127.0.0.1", f"--port={self.database_port}"])
        self._children = []
        self._nginx = None

    @contextlib.contextmanager
    def without_root(self):
        """Makes the server refuse root during the block. Yields the command prefix by which an administrator calls
        the database client."""
        self.mariadb.execute("CREATE USER administrator@localhost IDENTIFIED BY 'x';"
                             "GRANT ALL ON *.* TO administrator@localhost WITH GRANT OPTION")
        self.mariadb.execute(self.root_by_password)
        client = ["mariadb", "--no-defaults", "--user=administrator", "--password=x"]
        try:
            yield client
        finally:
            subprocess.run([*client, "--execute", self.root_by_socket], check=True)
            self.mariadb.execute("DROP USER administrator@localhost")

    @contextlib.contextmanager
    def without_database(self):
        """Stops the server during the block."""
        self._database.stop(SECONDS)
        try:
            yield
        finally:
            self._database = self.mariadb.start()

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
        # These statements set up the root account in the same way as Debian's packages do.
        self.root_by_socket = "ALTER USER root@localhost IDENTIFIED " + (
            "WITH auth_socket" if is_mysql else "VIA mysql_native_password USING 'invalid' OR unix_socket")
        self.root_by_password = "ALTER USER root@localhost IDENTIFIED " + (
            "WITH caching_sha2_password BY 'unknown'" if is_mysql else "BY 'unknown'")
        self.mariadb.execute(self.root_by_socket)
        self.add_site("wordpress", CONFIG, self.url())
        self.add_site("shop", SHOP, self.url() + "/shop")
        (SHOP.parent / "wp-content").mkdir()
        content = PLUGIN.parent.parent
        content.mkdir(parents=True, exist_ok=True)  # the same folder as in Debian's package wordpress
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
        """Starts a worker as systemd does: the listening socket is its standard input."""
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
        """Returns the body of a 200, or nothing."""
        done = subprocess.run(["curl", "-sS", "--fail-with-body", "--max-time", "5", "--resolve",
                               f"example.org:{self.port}:127.0.0.1", *options, self.url() + path],
                              check=False, capture_output=True, text=True)
        return None if done.returncode == 7 else done.stdout


machine = Machine()


def set_up_module():
    unittest.addModuleCleanup(machine.stop)
    machine.start()


def tree():
    """Returns everything that setup may change on the disk: path to mode, owner and content."""
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
    """Returns everything that setup may change in the database."""
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

    def drop_remaining_data(self):
        """Drops the data that a removal leaves of the site without a name."""
        for table in machine.mariadb.execute("SHOW FULL TABLES FROM wordpress LIKE '%ratingd%'").splitlines():
            name, kind = table.split("\t")
            machine.mariadb.execute(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} wordpress.{name}")
        (ETC / "secret").unlink()
        PLUGIN.parent.rmdir()

    def answer_after(self, change, *words, answer="y"):
        """Runs setup, makes a change before answering its question, and waits until setup fails or ends."""
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
        """Changes an option of WordPress until the test ends."""
        def where(text):
            return f"UPDATE {site}.wp_options SET option_value = {text} WHERE option_name = '{name}'"
        before = machine.mariadb.execute(f"SELECT HEX(option_value) FROM {site}.wp_options"
                                         f" WHERE option_name = '{name}'").strip()
        self.addCleanup(machine.mariadb.execute, where(f"X'{before}'"))
        machine.mariadb.execute(where(f"X'{value.encode().hex()}'"))

    def vote(self, base, post):
        """Votes on this post. Returns the number of votes on it."""
        body = json.dumps({"object_id": post, "category": "binary", "value": 1})
        return json.loads(machine.curl(f"{base}/rate", "-d", body))["stats"]["binary"]["total"]

    def check_rates_published_only(self, base):
        body = json.dumps({"object_id": 9, "category": "binary", "value": 1})  # a draft
        answer = json.loads(machine.curl(f"{base}/rate", "-d", body))
        self.assertEqual("ratingd_not_found", answer.get("code"), answer)

    def vote_as_shown(self, said):
        """Runs the printed command for the first vote. It can be repeated at once because each repetition replaces
        the vote."""
        command = [*shlex.split(said.splitlines()[-1]), "-sS", "--fail",
                   "--resolve", f"example.org:{machine.port}:127.0.0.1"]
        def answer(*more):
            return subprocess.run([*command, *more], check=False, stdout=subprocess.PIPE, text=True).stdout
        self.assertTrue(wait_until(answer, SECONDS), command)
        total = json.loads(answer())["stats"]["binary"]["total"]
        self.assertEqual(total - 1, json.loads(answer("-X", "DELETE"))["stats"]["binary"]["total"])

    def votes(self, path):
        return json.loads(machine.curl(path))["stats"]["binary"]["total"]


def enter_own_namespace():
    """Enters a new namespace. Overlays protect the system's folders from changes. /run and /tmp are in memory."""
    if os.geteuid() != 0:
        print("skipped: needs root")
        sys.exit(77)
    if os.environ.get("RATINGD_SETUP_TEST") != "inside":
        os.environ["RATINGD_SETUP_TEST"] = "inside"
        os.execvp("unshare", ["unshare", "--mount", "--propagation=private", sys.executable, *sys.argv])
    layers = RUN_DIR / "layers"
    shutil.rmtree(layers, ignore_errors=True)
    layers.mkdir(parents=True)
    for folder in ["/etc", "/var"]:
        upper, work = (layers / f"{folder[1:]}-{kind}" for kind in ("upper", "work"))
        upper.mkdir()
        work.mkdir()
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                        f"lowerdir={folder},upperdir={upper},workdir={work}", folder], check=True)
    for folder in ["/run", "/tmp"]:
        if not RUN_DIR.is_relative_to(folder):
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    pathlib.Path("/tmp").chmod(0o1777)
    pathlib.Path("/run").chmod(0o755)
    shutil.rmtree(ETC, ignore_errors=True)
    ETC.mkdir()


def run_tests():
    """The main program for each of these tests."""
    enter_own_namespace()
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore", failfast=True)
