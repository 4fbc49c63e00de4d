"""The site that is measured. One nginx serves ratingd, the programs that show its upper bounds, and the software
that it replaces."""

import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

from mariadb import ServerError
from processes import Process, wait_until
from stack import BASE_PATH, REPOSITORY, SHIPPED_NGINX, SHIPPED_SOCKET, WORKERS, free_port
from wordpress_stack import WordPressStack

WORDPRESS_BASELINE = REPOSITORY / "tests/bench/wordpress_baseline.php"
# The tables that change when a vote is cast, except the writers table. The writers table must not be reset,
# because each worker remembers its own row in this table.
TABLES_OF_VOTES = (*(f"wp_ratingd_{name}" for name in (
    "votes", "voters", "totals", "daily", "site_daily", "users", "user_daily", "reach", "counters")),
    "wp_baseline_votes", "wp_baseline_totals")


class BenchSite(WordPressStack):
    """The sandbox of a real WordPress with a plugin for the same requests. It also has several FastCGI pools. Each
    pool is behind nginx's shipped configuration on a separate port."""

    def start(self):
        super().start()
        self.mariadb().execute("".join(
            f"CREATE TABLE wp_baseline_{name} LIKE wp_ratingd_{name};"
            for name in ("votes", "totals")), "wordpress")

    def _create_site(self):
        super()._create_site()
        folder = self.run_dir / "wordpress/wp-content/mu-plugins"
        folder.mkdir()
        shutil.copy(WORDPRESS_BASELINE, folder)

    def add_posts(self, newest):
        """Publishes posts with all ids up to this one."""
        self.mariadb().execute(
            "INSERT INTO wp_posts (ID, post_title, post_status, post_name, post_content, post_excerpt,"
            " to_ping, pinged, post_content_filtered)"
            " SELECT seq, CONCAT('Post ', seq), 'publish', CONCAT('post-', seq), '', '', '', '', ''"
            f" FROM seq_1_to_{newest} ON DUPLICATE KEY UPDATE post_status = 'publish'; ANALYZE TABLE wp_posts",
            "wordpress")

    @property
    def baseline_url(self):
        return f"{self.url}/wp-json/baseline/v1"

    def add_pool(self, name, command):
        """Returns the URL at which the pool's programs handle requests."""
        path = self._socket_dir() / f"{name}.sock"
        port = free_port()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen(4096)
            for _ in range(WORKERS):
                self._start_program(name, command, listener)
        self._serve_pool(name, path, port)
        return f"http://127.0.0.1:{port}{BASE_PATH}"

    def worker_command(self, *options, memory_dir=None):
        """A worker without this host's memory counts as another host."""
        return [self.build_dir / "ratingd", f"--wp-config={self.wp_config}", *self._own_files(memory_dir),
                *options]

    def add_host(self, name):
        memory_dir = self.memory_dir / name
        memory_dir.mkdir(mode=0o700)
        return self.add_pool(name, self.worker_command(memory_dir=memory_dir))

    def remember_tables(self):
        """Saves the tables for restore_tables()."""
        self.mariadb().execute("CREATE DATABASE start;" + "".join(
            f"CREATE TABLE start.{table} LIKE wordpress.{table};"
            f"INSERT INTO start.{table} SELECT * FROM wordpress.{table};" for table in TABLES_OF_VOTES))

    def restore_tables(self):
        """Restores votes and sums to their state at remember_tables(). REQUIRES: nobody votes during the call."""
        # Wait, because the queue may still contain votes from clients that have closed the connection.
        if not wait_until(self._writes_nothing, 30):
            raise ServerError("Votes are still being written.")
        self.mariadb().execute("".join(
            f"TRUNCATE wordpress.{table};"
            f"INSERT INTO wordpress.{table} SELECT * FROM start.{table};" for table in TABLES_OF_VOTES))

    def vote_batches(self):
        """Returns the number of vote transactions in all pools, and the number of votes in these transactions."""
        with urllib.request.urlopen(f"{self.base_url}/metrics", timeout=10) as answer:
            sizes = dict(re.findall(r"^ratingd_vote_batch_size_(sum|count) (\S+)$",
                                    answer.read().decode(), re.MULTILINE))
        return int(sizes["count"]), int(sizes["sum"])

    def resident_memory(self):
        """Returns the RssAnon of each of the site's workers, in MiB."""
        return [round(status_of(process.pid, "RssAnon") / 1024, 1)
                for process in self.processes() if process.name == "ratingd"]

    def _writes_nothing(self):
        before = self.vote_batches()
        time.sleep(0.2)  # longer than a transaction takes
        return self.vote_batches() == before

    def _start_program(self, name, command, listener):
        with (self.log_dir / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(command, stdin=listener, stdout=log, stderr=log,
                                     start_new_session=True, env=self._account("ratingd"))
        self._remember(Process.of(name, child.pid))

    def _serve_pool(self, name, path, port):
        shipped = (REPOSITORY / "nginx/ratingd-upstream.conf").read_text()
        # The configuration needs the lines before "upstream ratingd" only once, even if there are several pools.
        upstream = shipped[shipped.index("upstream ratingd"):]
        upstream = upstream.replace("upstream ratingd", f"upstream {name}")
        location = (REPOSITORY / "nginx/ratingd.conf").read_text()
        (self.run_dir / f"{name}-location.conf").write_text(
            location.replace("fastcgi_pass ratingd;", f"fastcgi_pass {name};")
            .replace(SHIPPED_NGINX, f"{self.run_dir}/"))
        (self.run_dir / f"{name}.conf").write_text(
            upstream.replace(SHIPPED_SOCKET, str(path)) +
            f'server {{ listen 127.0.0.1:{port} backlog=4096; keepalive_requests 100000;'
            f' include "{self.run_dir}/{name}-location.conf"; }}\n')
        config = self.run_dir / "nginx.conf"
        main, server = config.read_text().split("    server {", 1)
        config.write_text(f'{main}    include "{self.run_dir}/{name}.conf";\n    server {{{server}')
        self._reload_nginx()
        if not wait_until(lambda: answers(f"http://127.0.0.1:{port}{BASE_PATH}/health"), 30):
            raise ServerError(f"The pool {name} does not answer.", self.log_dir / f"{name}.log")

    def _reload_nginx(self):
        [nginx] = [process for process in self.processes() if process.name == "nginx"]
        nginx.signal(signal.SIGHUP)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def status_of(pid, field):
    """Returns a size in KiB from the kernel's status of a process."""
    with open(f"/proc/{pid}/status") as status:
        [line] = [line for line in status if line.startswith(f"{field}:")]
    return int(line.split()[1])
