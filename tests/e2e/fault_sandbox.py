"""A sandbox whose parts can be broken and repaired while it serves."""

import contextlib
import functools
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import unittest
import urllib.request

sys.path.extend(str(pathlib.Path(__file__).resolve().parent.parent / name) for name in ("sandbox", "tools"))

import exposition
from processes import Process, wait_until
from stack import BUILD_DIR, REPOSITORY, WORKERS, Stack, free_port, run_dir
from voting import Service, Voter, poll

# Tests import this module first, because it adds the folders with the other modules to Python's search path.
__all__ = ["BUILD_DIR", "REPOSITORY", "TESTS", "WORKERS", "FaultSandbox", "Process", "Stack", "free_port",
           "run_dir", "wait_until"]

TESTS = REPOSITORY / "tests"
DRAIN_SECONDS = 10  # the service promises two seconds; the rest is a margin for a busy machine


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def thread_states(pid):
    """Returns a letter for each thread: R means running, S means sleeping, T means stopped."""
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        yield status.read_text().rpartition(")")[2].split()[0]


class Session:
    """A database client's session."""

    def __init__(self, command):
        self._client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def run(self, statements):
        """Runs statements. Returns when all of them have succeeded."""
        self._client.stdin.write(f"{statements}\nSELECT 'done';\n")
        self._client.stdin.flush()
        printed = []
        for line in iter(self._client.stdout.readline, ""):
            if line == "done\n":
                return
            printed.append(line)
        raise AssertionError(f"{statements} failed:\n{''.join(printed)}")

    def close(self):
        self._client.stdin.close()
        self._client.wait()
        self._client.stdout.close()


class FaultSandbox(Stack):
    """A sandbox whose listening socket belongs to this program, as it belongs to systemd in an installation.
    Workers can be replaced without refusing a connection.

    RATINGD_RUN_DIR (build/faults) is the folder for the run, RATINGD_HTTP_PORT (a free port) the site's port,
    and RATINGD_BUILD_DIR (build/release) the folder with the programs. "suffix" distinguishes several sandboxes of
    one program.
    """

    # Arguments to add before and after the command that starts the database server.
    mariadb_launcher = ()
    mariadb_options = ()

    def __init__(self, suffix=""):
        port = 0 if suffix else int(os.environ.get("RATINGD_HTTP_PORT", "0"))
        super().__init__(f"{run_dir('faults')}{suffix}", port or free_port())
        self.service = Service(self.port)
        self._listener = None
        self._children = []

    def mariadb(self):
        server = super().mariadb()
        server.launcher, server.options = self.mariadb_launcher, self.mariadb_options
        return server

    @classmethod
    @functools.cache
    def shared(cls):
        """Returns one sandbox for all classes of a test program because a start takes longer than most tests."""
        sandbox = cls()
        unittest.addModuleCleanup(sandbox.stop_cleanly)
        sandbox.start()
        return sandbox

    # --- Workers ------------------------------------------------------------------------------

    def workers(self):
        return self.alive("ratingd")

    def worker_launcher(self):
        """Returns the prefix of a worker's command line."""
        return []

    def descriptors(self):
        """Returns each worker's number of open files."""
        return [open_files(worker.pid) for worker in self.workers()]

    def nginx_descriptors(self):
        """Returns the number of files that all serving nginx processes have open."""
        [nginx] = self.alive("nginx")
        children = pathlib.Path(f"/proc/{nginx.pid}/task/{nginx.pid}/children").read_text().split()
        return sum(map(open_files, children))

    def resident_memory(self):
        """Returns RssAnon of each worker, in KiB."""
        return [int(re.search(r"RssAnon:\s+(\d+) kB", pathlib.Path(f"/proc/{worker.pid}/status")
                              .read_text()).group(1)) for worker in self.workers()]

    @contextlib.contextmanager
    def frozen(self, process):
        """Freezes a process. Its threads do not all stop at once, so one thread may still respond to a query."""
        process.signal(signal.SIGSTOP)
        try:
            poll(lambda: all(state == "T" for state in thread_states(process.pid)), f"{process.name} stands")
            yield
        finally:
            process.signal(signal.SIGCONT)

    def worker_frozen(self):
        return self.frozen(self.workers()[0])

    def kill_worker(self):
        """Kills a worker. Another worker takes its place."""
        self._kill(self.workers()[0])
        self._start_worker()

    def restart_worker(self, worker):
        with self.worker_stopped(worker):
            pass

    @contextlib.contextmanager
    def worker_stopped(self, worker):
        """Stops a worker during the block. Another worker takes its place afterwards."""
        if not worker.stop(DRAIN_SECONDS):
            raise AssertionError(f"the worker did not drain in {DRAIN_SECONDS} seconds")
        try:
            yield
        finally:
            self._start_worker()

    @contextlib.contextmanager
    def second_host(self):
        """During the block, one of the workers acts as another host. It shares the database with the others, but
        no memory, because the path of its socket differs."""
        path = self._socket_dir() / "other.sock"
        path.symlink_to(self.mariadb().socket)
        option = f"--db-socket={path}"
        with self.worker_stopped(self.workers()[0]):
            self._start_worker(option)
            other = self.workers()[-1]
            try:
                yield
            finally:
                if not other.stop(DRAIN_SECONDS):
                    raise AssertionError(f"the worker did not drain in {DRAIN_SECONDS} seconds")
                self.ratingctl(option, "free-memory")
                path.unlink()

    def _start_workers(self):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.workers_socket))
        self._listener.listen(4096)
        for _ in range(WORKERS):
            self._start_worker()

    def _start_worker(self, *options):
        with (self.log_dir / "ratingd.log").open("ab") as log:
            child = subprocess.Popen([*self.worker_launcher(), *self.worker_command(), *options],
                                     stdin=self._listener, stdout=log, stderr=log)
        self._children.append(child)  # so that its exit is collected
        self._remember(Process.of("ratingd", child.pid))
        return child

    # --- Database -----------------------------------------------------------------------------

    def crash_database(self):
        self.kill_database()
        self.start_mariadb()

    def kill_database(self):
        for server in self.alive("mariadbd"):
            self._kill(server)

    def freeze_database(self):
        """Freezes the database. Returns when the service has noticed."""
        with self.database_frozen():
            monitor = Voter(self.service, "monitor")
            poll(lambda: monitor.ask("GET", "/health").status == 503, "the service is unhealthy")
            monitor.close()

    def database_frozen(self):
        [server] = self.alive("mariadbd")
        return self.frozen(server)

    @contextlib.contextmanager
    def tables_locked(self):
        """During the block, every query of totals and votes waits."""
        with self.session() as session:
            session.run("LOCK TABLES wp_ratingd_votes WRITE, wp_ratingd_totals WRITE;")
            yield

    @contextlib.contextmanager
    def commits_blocked(self):
        """During the block, every COMMIT waits. Other statements do not wait."""
        wait = self._wait_for_replica if self.mariadb().software.is_mysql else self._wait_for_backup
        with wait():
            yield

    @contextlib.contextmanager
    def _wait_for_backup(self):
        stages = ("START", "FLUSH", "BLOCK_DDL", "BLOCK_COMMIT")
        with self.session() as session:
            session.run("".join(f"BACKUP STAGE {stage};" for stage in stages))
            yield

    @contextlib.contextmanager
    def _wait_for_replica(self):
        """There is no replica here."""
        plugin = "rpl_semi_sync_source"
        if not self.sql(f"SELECT 1 FROM information_schema.plugins WHERE plugin_name = '{plugin}'"):
            self.sql(f"INSTALL PLUGIN {plugin} SONAME 'semisync_source.so'")
        self.sql(f"SET GLOBAL {plugin}_timeout = 600000, GLOBAL {plugin}_enabled = 1")
        try:
            yield
        finally:
            self.sql(f"SET GLOBAL {plugin}_enabled = 0")

    def blocked_commits(self):
        """Returns how many sessions of the workers wait in COMMIT."""
        return len(self.sessions("ratingd", "@info = 'COMMIT' AND @state LIKE 'Waiting%'"))

    def sessions(self, user, condition="TRUE"):
        """Returns the ids of an account's sessions. In the condition, "@" stands for the prefix of the
        columns."""
        table, prefix = "information_schema.processlist", ""
        if self.mariadb().software.is_mysql:
            # In MySQL, reading information_schema.processlist fails if a statement contains bytes that are not
            # valid text.
            table, prefix = "performance_schema.threads", "processlist_"
        statement = f"SELECT @id FROM {table} WHERE @user = '{user}' AND {condition}"
        return self.sql(statement.replace("@", prefix)).split()

    def row_lock_waits(self):
        """Returns how many transactions wait for row locks. (The innodb_trx table is not up to date when it is
        polled.)"""
        return int(self.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'").split()[1])

    @contextlib.contextmanager
    def workers_waiting_for_lists(self):
        """During the block, each worker waits for the table of lists."""
        waiting = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT period, %'"
        with self.session() as session:
            session.run("LOCK TABLES wp_ratingd_kept_periods WRITE;")
            poll(lambda: int(self.sql(waiting)) == len(self.workers()), "all workers wait for lists")
            yield

    @contextlib.contextmanager
    def session(self):
        """Opens a session that has all permissions and ends with the block."""
        session = Session(self.client("--unbuffered", "--skip-column-names"))
        try:
            yield session
        finally:
            session.close()

    def cut_sessions(self):
        """Cuts the connections of the workers' account, several times."""
        for _ in range(5):
            kills = "".join(f"KILL CONNECTION {session};\n" for session in self.sessions("ratingd"))
            # With the option --force, the client ignores errors about sessions that have already ended.
            subprocess.run(self.client("--force"), input=kills, text=True, capture_output=True,
                           check=False)

    def sql(self, statements):
        """Runs statements with all permissions. Returns the rows, with tabs between columns."""
        return self.mariadb().execute(statements, "wordpress")

    def client(self, *options):
        """Returns the command of a client that reads statements."""
        return ["mariadb", "--no-defaults", f"--socket={self.mariadb().socket}", "--user=root",
                "--batch", *options, "wordpress"]

    def deadlocks(self):
        """Returns how many deadlocks the server has met since its start."""
        if self.mariadb().software.is_mysql:
            return int(self.sql("SELECT count FROM information_schema.innodb_metrics"
                                " WHERE name = 'lock_deadlocks'"))
        return int(self.sql("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'").split()[1])

    def stored_votes(self, objects):
        """Returns object id -> (number, sum of thousandths) for the objects that have votes."""
        rows = self.sql("SELECT object_id, COUNT(*), SUM(value) FROM wp_ratingd_votes WHERE object_id"
                        f" IN ({','.join(map(str, objects))}) GROUP BY object_id")
        numbers = [[int(word) for word in row.split("\t")] for row in rows.splitlines()]
        return {object_id: (count, total) for object_id, count, total in numbers}

    def sums(self, objects):
        """Returns (number, sum in thousandths) for the committed votes, and the same figures from two rollups. All
        figures are of the same moment."""
        ids = f"WHERE object_id IN ({','.join(map(str, objects))})"
        bins = "+".join(f"bin{i}" for i in range(11))
        row = self.sql("SELECT votes.*, totals.*, daily.* FROM"
                       f" (SELECT COUNT(*), SUM(value) FROM wp_ratingd_votes {ids}) votes,"
                       f" (SELECT SUM({bins}), SUM(sum) FROM wp_ratingd_totals {ids}) totals,"
                       f" (SELECT SUM(total), SUM(sum) FROM wp_ratingd_daily {ids}) daily")
        numbers = [0 if word == "NULL" else int(word) for word in row.split()]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def verify(self):
        """Checks that all stored sums follow from the votes."""
        self.ratingctl("verify")

    # --- Metrics and logs ---------------------------------------------------------------------

    def metrics(self):
        """Returns the result of exposition.parse()."""
        with urllib.request.urlopen(self.base_url + "/metrics", timeout=30) as answer:
            return exposition.parse(answer.read().decode())

    def log(self):
        """Returns all workers' log since the start."""
        return (self.log_dir / "ratingd.log").read_text()

    def nginx_errors(self):
        """Returns nginx's errors since the start. For example, nginx logs each connection that a worker has closed
        early."""
        return (self.log_dir / "nginx-error.log").read_text()

    # --- Processes ----------------------------------------------------------------------------

    def _stop_all(self):
        killed = super()._stop_all()
        for child in self._children:
            child.wait()
        if self._listener:
            self._listener.close()
        return killed

    def alive(self, name):
        return [process for process in self.processes()
                if process.name == name and process.is_alive()]

    def _kill(self, process):
        process.signal(signal.SIGKILL)
        if not wait_until(lambda: not process.is_alive(), DRAIN_SECONDS):
            raise AssertionError(f"{process.name} outlived SIGKILL")
