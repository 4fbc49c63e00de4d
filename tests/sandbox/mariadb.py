"""Runs a private database server without a TCP port. Its data and its Unix socket are in its own folder. The
server is MariaDB unless RATINGD_SERVER names another server (server_software.py)."""

import os
import subprocess

import server_software
from processes import Process, wait_until

START_SECONDS = 60


class ServerError(Exception):
    """A server failure. "log" is the file with the details."""

    def __init__(self, message, log=None):
        super().__init__(message)
        self.log = log


class Mariadb:
    """The account root has no password, so everybody with access to the socket's folder can use the account."""

    def __init__(self, folder, socket, log, options=(), launcher=()):
        """"launcher" contains words before the server's command, such as a program that becomes the server."""
        self.folder = folder
        self.socket = socket
        self.log = log
        self.options = options
        self.launcher = launcher
        self.software = server_software.chosen()

    def install(self):
        (self.folder / "data").mkdir(parents=True)
        command = [*self._command(), *self.software.set_up_options()]
        statements = self.software.set_up_statements()
        with self.log.open("ab") as log:
            done = subprocess.run(command, check=False, input=statements, stdout=log, stderr=log)
        if done.returncode != 0:
            raise ServerError("The database could not be set up.", self.log)

    def start(self):
        """Starts the server, and returns when the server responds. A server that was killed recovers everything
        that was committed."""
        command = [
            *self.launcher,
            *self._command(),
            *self.software.start_options(),
            f"--socket={self.socket}",
            "--skip-networking",
            f"--pid-file={self.folder / 'mariadb.pid'}",
            "--character-set-server=utf8mb4",
            *self.options,
        ]
        with self.log.open("ab") as log:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # protects it from an interrupt at the terminal
            )
        process = Process.of("mariadbd", child.pid)
        wait_until(lambda: self._answers() or child.poll() is not None, START_SECONDS)
        if not self._answers():
            process.stop(10)
            raise ServerError("The database server did not start.", self.log)
        return process

    def execute(self, sql, database=""):
        """Runs statements as root. Returns the rows as lines of text."""
        command = [*self._client(), "--batch", "--skip-column-names", database]
        done = subprocess.run(command, check=False, input=sql, capture_output=True, text=True)
        if done.returncode != 0:
            raise ServerError(f"The database server refused: {done.stderr.strip()}")
        return done.stdout

    def _answers(self):
        command = [*self._client(), "--execute=SELECT 1"]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    def _client(self):
        # Disable TLS, because MariaDB clients since version 11.4 verify certificates, and connections over a Unix
        # socket have no certificate.
        return ["mariadb", "--no-defaults", "--skip-ssl", f"--socket={self.socket}", "--user=root"]

    def _command(self):
        # As root, the database server starts only with the --user=root option.
        user = ["--user=root"] if os.geteuid() == 0 else []
        # On startup, a server removes all temporary tables from its temporary folder, even those of other servers.
        temporary = self.folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        return [
            *self.software.command(),
            f"--datadir={self.folder / 'data'}",
            f"--tmpdir={temporary}",
            *user,
        ]
