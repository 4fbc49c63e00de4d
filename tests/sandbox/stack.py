"""Runs MariaDB, ratingd's workers and nginx as one site in one folder."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import urllib.request

from mariadb import Mariadb, ServerError
from processes import Process, wait_until

SANDBOX = pathlib.Path(__file__).resolve().parent
TEMPLATES = SANDBOX / "templates"
REPOSITORY = SANDBOX.parent.parent
# The folder that contains the compiled programs.
BUILD_DIR = pathlib.Path(os.environ.get("RATINGD_BUILD_DIR", REPOSITORY / "build/release")).absolute()
BASE_PATH = "/wp-json/ratingd/v1"
WORKERS = 2
SHIPPED_SOCKET = "/run/ratingd/ratingd.sock"
SHIPPED_NGINX = "/etc/ratingd/nginx/"
SHIPPED_CACHE = "/var/cache/ratingd"
SHIPPED_FILES = "/usr/share/ratingd/"
LONGEST_SOCKET_PATH = 107  # bytes: sizeof(sockaddr_un.sun_path) - 1
START_SECONDS = 30
# When a worker is stopped, it has 30 seconds to finish its current requests.
STOP_SECONDS = 35
SANITIZER_REPORT = re.compile(r"(ERROR|WARNING): \w+Sanitizer|runtime error: ")


def run_dir(default):
    """Returns the run folder: $RATINGD_RUN_DIR, or the folder "default" in build/."""
    return pathlib.Path(os.environ.get("RATINGD_RUN_DIR", REPOSITORY / "build" / default)).absolute()


def free_port():
    """Returns a port below the range that the system uses for outgoing connections (32768-60999) because such a
    connection may take a port before a server listens."""
    while True:
        port = 11_000 + secrets.randbelow(21_000)  # browsers refuse 10080
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Stack:
    """All files are in "run_dir". start() and stop() empty it, except for the logs.

    The site has WordPress's tables but no WordPress, because ratingd needs only the tables.
    """

    DATABASE = "wordpress"
    ACCOUNTS_HOST = "localhost"
    WP_CONFIG_ACCOUNT = "ratingd"
    ENVIRONMENT = "local"
    NGINX_CONF = "nginx.conf.in"

    account_passwords = "yes"
    # The site's settings for its own pages. They must not affect ratingd.
    nginx_settings = """
        expires 7d;
        add_header Access-Control-Allow-Origin *;
        add_header Cache-Control public;
        fastcgi_buffers 8 8k;
        fastcgi_buffer_size 8k;
        fastcgi_busy_buffers_size 8k;
        fastcgi_temp_file_write_size 8k;
    """

    def __init__(self, run_dir, port, build_dir=BUILD_DIR, base_path=BASE_PATH):
        self.run_dir = pathlib.Path(run_dir).absolute()
        self.port = port
        self.base_path = base_path
        self.build_dir = pathlib.Path(build_dir).absolute()
        self.nginx_files = REPOSITORY / "nginx"  # the shipped files
        self.log_dir = self.run_dir / "logs"
        self._mark = self.run_dir / ".ratingd-sandbox"
        self._state = self.run_dir / "processes.json"

    # --- Running processes --------------------------------------------------------------------

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self):
        return self.url + self.base_path

    @property
    def workers_socket(self):
        return self._socket_dir() / "ratingd.sock"

    @property
    def memory_dir(self):
        """Returns the folder of the memory that the workers share."""
        return (self.run_dir / "memory").resolve() / "shared"

    @property
    def wp_config(self):
        return self.run_dir / "wp-config.php"

    def processes(self):
        """Returns the processes that were started, even if they have ended."""
        return [Process(*entry) for entry in self._read_state()["processes"]]

    def is_running(self):
        return any(process.is_alive() for process in self.processes())

    def known_port(self):
        """Returns the port of the last start. The next start may use another port."""
        return self._read_state()["port"]

    # --- Starting and stopping ----------------------------------------------------------------

    def start(self):
        """Starts everything. Returns when a request through nginx gets a response. After a failure, nothing is
        running. Processes of an earlier start() in this folder are stopped first."""
        self._claim_folder()
        with self._lock():
            self._stop_all()
            self._require_free_port()
            self._remove_files(keep=())
            self.log_dir.mkdir()
            try:
                self._start_all()
            except BaseException:
                self._stop_all()
                raise

    def stop(self):
        """Ends exactly what start() started. Returns which processes had to be killed."""
        if not self._mark.exists():
            return []
        with self._lock():
            return self._stop_all()

    def stop_cleanly(self):
        """Stops everything at the end of a test. Fails if a process had to be killed or a sanitizer reported an
        error."""
        killed = self.stop()
        if killed:
            raise ServerError(f"Had to be killed: {', '.join(p.name for p in killed)}.")
        log = self.log_dir / "ratingd.log"
        if log.exists() and SANITIZER_REPORT.search(log.read_text(errors="replace")):
            raise ServerError("A sanitizer reports.", log)

    def start_mariadb(self):
        """Starts the server, even after it was killed."""
        self._remember(self.mariadb().start())

    def mariadb(self):
        folder = self.run_dir / "mariadb"
        return Mariadb(folder, self._socket_dir() / "mariadb.sock", self.log_dir / "mariadb.log")

    def worker_command(self):
        return [
            self.build_dir / "ratingd",
            *self._cms_options(),
            *self._own_files(),
            f"--base-path={self.base_path}",
            *self._login_options(),
        ]

    def ratingctl(self, *words):
        """Runs ratingctl with the permissions to change tables. Returns its output."""
        program = self.build_dir / "ratingctl"
        command = [program, *self._cms_options(), *self._own_files(),
                   f"--base-path={self.base_path}", *words]
        environment = self._account("ratingctl")
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            text = (done.stdout + done.stderr).strip()
            raise ServerError(f"ratingctl {' '.join(words)} failed:\n{text}")
        return done.stdout

    # --- Steps of start() ---------------------------------------------------------------------

    def _start_all(self):
        self._make_socket_dir()
        self._make_memory_dir()
        self._configure_cms()
        self._prepare_site()
        self._start_workers()
        self._start_nginx()
        if not wait_until(self._is_healthy, START_SECONDS):
            log = self.log_dir / "ratingd.log"
            raise ServerError("ratingd does not answer through nginx.", log)

    def _configure_cms(self):
        self._fill(
            "wp-config.php.in",
            self.wp_config,
            DB_ACCOUNT=self.WP_CONFIG_ACCOUNT,
            ENVIRONMENT=self.ENVIRONMENT,
            MARIADB_SOCKET=self.mariadb().socket,
        )

    def _prepare_site(self):
        self._create_database()
        self._make_secret()
        self.mariadb().execute(self.ratingctl("grants"))
        self._make_tables()

    def _make_tables(self):
        """Tests also rate objects that the site has not published."""
        self.ratingctl("migrate")
        self.ratingctl("settings", "reset", "object_check")

    def _create_database(self):
        mariadb = self.mariadb()
        mariadb.folder.mkdir()
        mariadb.install()
        self.start_mariadb()
        accounts = (SANDBOX / "accounts.sql").read_text()
        mariadb.execute(accounts.replace("DATABASE wordpress", f"DATABASE {self.DATABASE}"))
        self._create_site()

    def _make_secret(self):
        self.ratingctl("init-secret")

    def _create_site(self):
        """Creates the site and starts the programs that serve its pages, if there are any."""
        site = (SANDBOX / "site.sql").read_text().replace("@HOME@", self.url)
        self.mariadb().execute(site, "wordpress")
        grant = f"GRANT SELECT ON wp_ratepress_ratings TO 'ratingd'@'{self.ACCOUNTS_HOST}'"
        self.mariadb().execute(grant, "wordpress")

    def _site_locations(self):
        """Returns nginx's settings and locations for the site itself."""
        return f"""\
        include "{self.run_dir}/ratingd-errors.conf";
        {self.nginx_settings}

        location / {{
            return 404;
        }}"""

    def _start_workers(self):
        pids = self.run_dir / "workers.pid"
        log = self.log_dir / "ratingd.log"
        listen = ["-s", self.workers_socket, "-M", "0600", "-b", "4096"]
        # spawn-fcgi closes stderr, so a shell redirects stderr to the log and then executes the worker.
        with_log = ["/bin/sh", "-c", 'exec 2>>"$0" "$@"', log]
        spawn = ["spawn-fcgi", "-P", pids, "-F", str(WORKERS), *listen, "--", *with_log]
        spawn += self.worker_command()
        log.touch()
        done = subprocess.run(
            spawn,
            check=False, stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=self._account("ratingd"),
        )
        started = pids.read_text().split() if pids.exists() else []
        try:
            for pid in started:
                self._remember(Process.of("ratingd", int(pid)))
        except ProcessLookupError as gone:
            raise ServerError(f"A worker did not start: {gone}.", log) from gone
        if done.returncode != 0 or len(started) != WORKERS:
            raise ServerError(f"The workers did not start. {done.stderr.strip()}", log)

    def _start_nginx(self):
        self._ship("ratingd-upstream.conf", {
            SHIPPED_SOCKET: self.workers_socket,
            SHIPPED_CACHE: self.run_dir / "nginx-cache",
        })
        self._ship("ratingd-error-headers.conf", {})
        self._ship("ratingd-errors.conf", {SHIPPED_NGINX: f"{self.run_dir}/"})
        self._ship("ratingd.conf", {
            SHIPPED_NGINX: f"{self.run_dir}/",
            SHIPPED_FILES: f"{self.build_dir}/",
            BASE_PATH: self.base_path,
        })
        (self.run_dir / "nginx-temp").mkdir(exist_ok=True)
        config = self.run_dir / "nginx.conf"
        self._configure_nginx(config)
        log = self.log_dir / "nginx-error.log"
        command = ["nginx", "-e", log, "-p", f"{self.run_dir}/", "-c", config]
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise ServerError(f"nginx did not start. {done.stderr.strip()}")
        pid = self.run_dir / "nginx.pid"
        # The command that starts nginx may end before the new server process has written nginx.pid.
        if not wait_until(lambda: pid.exists() and pid.read_text().strip(), START_SECONDS):
            raise ServerError("nginx did not start.", log)
        self._remember(Process.of("nginx", int(pid.read_text())))

    def _configure_nginx(self, config):
        self._fill(
            self.NGINX_CONF,
            config,
            # Without the "user" directive, nginx running as root would switch to an account that cannot access the
            # sandbox's sockets.
            USER_DIRECTIVE="user root;" if os.geteuid() == 0 else "",
            RUN_DIR=self.run_dir,
            LOG_DIR=self.log_dir,
            PORT=self.port,
            SITE_LOCATIONS=self._site_locations(),
        )

    def _ship(self, name, own_paths):
        """Copies a shipped nginx file, and replaces some paths."""
        text = (self.nginx_files / name).read_text()
        for path, own_path in own_paths.items():
            assert path in text
            text = text.replace(path, str(own_path))
        (self.run_dir / name).write_text(text)

    def _is_healthy(self):
        try:
            with urllib.request.urlopen(self.base_url + "/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _account(self, name):
        """Returns the environment of a program that uses this database account."""
        return {**os.environ, "RATINGD_DB_USER": name, "RATINGD_DB_PASSWORD": name}

    def _cms_options(self):
        """Returns the options of ratingd and ratingctl that name the CMS and its place."""
        return [f"--wp-config={self.wp_config}"]

    def _login_options(self):
        return [f"--allow-account-passwords={self.account_passwords}"]

    def _own_files(self, memory_dir=None):
        return [f"--secret-file={self.run_dir / 'secret'}", f"--runtime-dir={memory_dir or self.memory_dir}"]

    # --- Files --------------------------------------------------------------------------------

    def _claim_folder(self):
        self.run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._mark.exists() and any(self.run_dir.iterdir()):
            raise ServerError(f"{self.run_dir} is neither empty nor a sandbox's: left untouched.")
        self._mark.touch()

    @contextlib.contextmanager
    def _lock(self):
        with self._mark.open() as mark:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ServerError(f"Another command is at work in {self.run_dir}.") from None
            yield

    def _require_free_port(self):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", self.port))
            except OSError as error:
                raise ServerError(
                    f"Port {self.port} cannot be had ({error.strerror}). "
                    "Set RATINGD_HTTP_PORT to another one."
                ) from error

    def _make_socket_dir(self):
        """Creates the sockets' folder in the run folder, or in another place if the path would be too long for a
        Unix socket."""
        folder = self.run_dir / "sockets"
        if len(os.fsencode(folder / "mariadb.sock")) > LONGEST_SOCKET_PATH:
            folder.symlink_to(tempfile.mkdtemp(prefix="ratingd-"))
        else:
            folder.mkdir(mode=0o700)

    def _make_memory_dir(self):
        """Creates the memory folder under a name that nobody can guess, like /run."""
        (self.run_dir / "memory").symlink_to(tempfile.mkdtemp(prefix="ratingd-", dir="/dev/shm"))

    def _socket_dir(self):
        return (self.run_dir / "sockets").resolve()

    def _fill(self, template, path, **values):
        text = (TEMPLATES / template).read_text()
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        assert not re.search("@[A-Z_]+@", text), f"{template} has a place that nobody filled"
        path.write_text(text)

    def _remove_files(self, keep):
        for folder in (self.run_dir / "sockets", self.run_dir / "memory"):
            if folder.is_symlink():
                shutil.rmtree(folder.resolve(), ignore_errors=True)
        for path in self.run_dir.iterdir():
            if path in (self._mark, *keep):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    # --- The state file for stop() ------------------------------------------------------------

    def _read_state(self):
        try:
            return json.loads(self._state.read_text())
        except FileNotFoundError:
            return {"port": self.port, "processes": []}

    def _remember(self, process):
        state = self._read_state()
        state["processes"].append([process.name, process.pid, process.started])
        self._state.write_text(json.dumps(state))

    def _stop_all(self):
        # Stop the processes in reverse order, so that no running process needs a process that has already stopped.
        killed = [p for p in reversed(self.processes()) if not p.stop(STOP_SECONDS)]
        self._remove_files(keep=(self.log_dir,))
        return killed
