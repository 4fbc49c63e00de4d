"""Runs three real nodes in a Galera cluster, configured as in docs/several-hosts.md. Each node is on a separate
machine in a private network. Two hosts with ratingd use the nodes. Needs root.

Debian's mariadb-server has the scripts that copy data to a new node. The sandbox runs its own servers, so the
package is only unpacked. RATINGD_GALERA_SCRIPTS names the folder.
"""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

from fault_sandbox import REPOSITORY, FaultSandbox, Process, run_dir, wait_until
from documents import texts_of
from mariadb import Mariadb, ServerError
from private_network import PrivateNetwork
from voting import poll

DOCUMENT = REPOSITORY / "docs/several-hosts.md"
OWN_ADDRESS = "192.0.2.1/24"
ADDRESSES = ("192.0.2.11", "192.0.2.12", "192.0.2.13")
ALONE = "192.0.2.14"
NETWORK = "192.0.2.%"
START_SECONDS = 60
STOP_SECONDS = 30
# Run MariaDB as "nobody", because the rsync server, which copies MariaDB's data, does not write files as root.
USER, GROUP = "nobody", "nogroup"
SCRIPTS = pathlib.Path(os.environ.get("RATINGD_GALERA_SCRIPTS", "/usr/bin"))


def documented_options():
    """Returns all nodes' options by name."""
    [text] = texts_of(DOCUMENT, "Galera nodes", "ini")
    return dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)


class Node:
    """One server in the cluster."""

    def __init__(self, folder, log, address, launcher, options):
        self.address = address
        self.log = log
        self._folder = folder
        self._configuration = folder / "node.cnf"
        self._launcher = [*launcher, "setpriv", f"--reuid={USER}", f"--regid={GROUP}", "--clear-groups"]
        self._server = Mariadb(folder, folder / "mariadb.sock", log)
        self._options = {
            **options, "bind_address": address, "socket": self._server.socket,
            "datadir": folder / "data", "tmpdir": folder / "tmp", "pid_file": folder / "mariadb.pid",
            "character_set_server": "utf8mb4", "skip_name_resolve": "ON"}
        if "wsrep_on" in options:
            self._options["wsrep_node_address"] = address
        self.process = None
        self._child = None

    @property
    def socket(self):
        return self._server.socket

    def install(self):
        self._folder.mkdir()
        lines = "".join(f"{name} = {value}\n" for name, value in self._options.items())
        self._configuration.write_text(f"[mariadbd]\n{lines}")
        self._server.install()
        subprocess.run(["chown", "--recursive", f"{USER}:{GROUP}", self._folder], check=True)

    def start(self, *options):
        """Starts the node and returns at once. is_synced() tells when the node has all data."""
        with self.log.open("ab") as log:
            self._child = subprocess.Popen([*self.command(), *options], cwd=self._folder,
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                           start_new_session=True)
        self.process = Process.of("mariadbd", self._child.pid)

    def command(self):
        return [*self._launcher, "mariadbd", f"--defaults-file={self._configuration}"]

    def wait(self):
        """Waits until the node has all data and responds."""
        if not wait_until(lambda: self.is_synced() or self._child.poll() is not None, START_SECONDS) \
                or not self.is_synced():
            raise ServerError(f"The node {self.address} does not join.", self.log)

    def stop(self):
        if not self.process.stop(STOP_SECONDS):
            raise ServerError(f"The node {self.address} did not stop.", self.log)
        self._child.wait()

    def kill(self):
        self.process.signal(signal.SIGKILL)
        self._child.wait()

    def execute(self, sql, database=""):
        return self._server.execute(sql, database)

    def status(self, name):
        """Returns a status variable of the node. Empty if the node does not respond."""
        try:
            return self.execute(f"SHOW GLOBAL STATUS LIKE '{name}'").split("\t")[1].strip()
        except (ServerError, IndexError):
            return ""

    def answers(self):
        return self.status("Uptime") != ""

    def is_synced(self):
        return self.status("wsrep_local_state_comment") == "Synced" and self.status("wsrep_ready") == "ON"

    def is_primary(self):
        return self.status("wsrep_cluster_status") == "Primary" and self.status("wsrep_ready") == "ON"

    def data(self, name):
        return self._folder / "data" / name

    def recovered_position(self):
        """Returns (cluster, number of the last transaction) for a stopped node, with the command from the
        document."""
        [text] = texts_of(DOCUMENT, "The majority is lost", "sh")
        text = text.replace("sudo -u mysql mariadbd", shlex.join(map(str, self.command())))
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], check=True, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        cluster, number = re.search(r"Recovered position:? +(\S+):(-?\d+)", done.stdout).groups()
        return cluster, int(number)


class Cluster:
    """A cluster. close() stops all its programs. REQUIRES: private_network.enter()."""

    def __init__(self):
        # An unprivileged user must be able to access files in this folder.
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="ratingd-", dir="/var/tmp"))
        self._folder.chmod(0o711)
        self._logs = pathlib.Path(f"{run_dir('galera')}-nodes")
        shutil.rmtree(self._logs, ignore_errors=True)
        self._logs.mkdir(parents=True)
        self.network = PrivateNetwork(OWN_ADDRESS)
        os.environ["PATH"] = f"{SCRIPTS}:{os.environ['PATH']}"
        self.nodes = [self._new_node(address, documented_options()) for address in ADDRESSES]
        self._others = []

    def _new_node(self, address, options):
        return Node(self._folder / address, self._logs / f"{address}.log", address, self.network.add(address),
                    options)

    def start(self):
        for node in self.nodes:
            node.install()
        self.nodes[0].start("--wsrep-new-cluster")
        self.nodes[0].wait()
        for node in self.nodes[1:]:
            node.start()
            node.wait()

    def add_server(self):
        """Adds a server outside of the cluster, for comparison."""
        options = {name: value for name, value in documented_options().items() if "wsrep" not in name}
        server = self._new_node(ALONE, options)
        self._others.append(server)
        server.install()
        server.start()
        poll(server.answers, "the server answers")
        return server

    def close(self):
        for node in [*self._others, *reversed(self.nodes)]:
            if node.process:
                node.process.signal(signal.SIGCONT)
                node.process.stop(STOP_SECONDS)
        self.network.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def wait(self, size=3):
        """Waits until this many nodes form one cluster that accepts writes."""
        poll(lambda: self.primary_nodes(size), f"{size} nodes are a cluster")

    def primary_nodes(self, size=3):
        """Returns the nodes of a cluster with this size, or nothing if a node is missing."""
        nodes = [node for node in self.nodes if self._answers(node) and node.is_primary()
                 and node.status("wsrep_cluster_size") == str(size)]
        return nodes if len(nodes) == size else []

    def _answers(self, node):
        """Returns whether the node responds. A frozen node does not."""
        if not node.process.is_alive():
            return False
        state = pathlib.Path(f"/proc/{node.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "T"

    def wait_for_all(self):
        """Waits until all nodes are present and have all data."""
        poll(lambda: all(node.is_synced() and node.status("wsrep_cluster_size") == str(len(self.nodes))
                         for node in self.nodes), "all nodes are synced")


class GaleraHost(FaultSandbox):
    """A host with ratingd that prefers the nodes in this order. The nodes are given as numbers. The first host of
    a cluster creates the site. The other hosts use the first host's site."""

    ACCOUNTS_HOST = NETWORK

    def __init__(self, nodes, name, order, first=None):
        super().__init__(f"-{name}")
        self._nodes = nodes
        self.order = order
        self._first = first

    def mariadb(self):
        """Returns the host's preferred node, with all permissions."""
        return self._nodes[self.order[0]]

    def db_host(self):
        return "--db-host=" + ",".join(self._nodes[number].address for number in self.order)

    def worker_command(self):
        return [*super().worker_command(), self.db_host()]

    def ratingctl(self, *words):
        """Runs ratingctl at the preferred node, unless "words" name another node."""
        if not any(str(word).startswith("--db-host") for word in words):
            words = (self.db_host(), *words)
        return super().ratingctl(*words)

    def start_ratingctl(self, node, *words):
        """Starts ratingctl without waiting for its end."""
        program = self.build_dir / "ratingctl"
        return subprocess.Popen(
            [program, f"--wp-config={self.wp_config}", *self._own_files(), f"--base-path={self.base_path}",
             f"--db-host={node.address}", *words],
            env=self._account("ratingctl"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def _prepare_site(self):
        if self._first:
            shutil.copy(self._first.run_dir / "secret", self.run_dir)
            self.mariadb().execute("SET SESSION wsrep_sync_wait = 1; SELECT 1")  # it may be behind
            return
        self._create_database()
        self.ratingctl("init-secret")
        self.mariadb().execute(self.ratingctl("grants", f"ratingd@{NETWORK}", f"ratingctl@{NETWORK}"))
        self._make_tables()

    def _create_database(self):
        accounts = (REPOSITORY / "tests/sandbox/accounts.sql").read_text()
        self.mariadb().execute(accounts.replace("'localhost'", f"'{NETWORK}'"))
        self._create_site()
