"""A rating service without a CMS behind the front ends in docs/examples."""

import http.client
import os
import re
import subprocess

from fault_sandbox import REPOSITORY, free_port, run_dir, wait_until
from processes import Process
from stack import START_SECONDS, STOP_SECONDS
from standalone_stack import StandaloneStack
import ticket
from voting import Answer

EXAMPLES = REPOSITORY / "docs/examples"
# Matches JSON web tokens, and texts with the length of a base64url-encoded key or signature. JSON web tokens begin
# with "eyJ" because their JSON begins with {".
SECRET = re.compile(r"eyJ[\w-]{8,}|(?<![\w-])[\w-]{43}(?![\w-])")


def request(port, method, path, body=None, headers=()):
    """Sends one request on a new connection. "headers" are pairs, so a name may occur twice."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.putrequest(method, path)
        for name, value in headers:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


class WithTicketKeys:
    """A stack with its own ticket keys, and with programs that can be restarted."""

    ticket_keys = {}  # name -> options of "ratingctl ticket-key add"
    worker_options = ()

    def add_ticket_key(self, name, *options):
        self.keys[name] = self.ratingctl("ticket-key", "add", name, *options).strip()
        self.all_keys.append(self.keys[name])
        return self.keys[name]

    def check_logs(self):
        """Fails if a log contains a ticket, a signature or a key."""
        for path in self.log_dir.iterdir():
            text = path.read_text(errors="replace")
            found = SECRET.search(text)
            if found:
                raise AssertionError(f"{path.name} has {found[0]}")
            for key in self.all_keys:
                if key in text:
                    raise AssertionError(f"{path.name} has a key")

    def sign(self, name, subject, **claims):
        return ticket.sign(self.keys[name], ticket.claims_of(name, subject, self.url, **claims))

    def restart_workers(self):
        for worker in [process for process in self.processes() if process.name == "ratingd"]:
            if not worker.stop(STOP_SECONDS):
                raise AssertionError("a worker had to be killed")
        self.workers_socket.unlink()
        self._start_workers()
        if not wait_until(self._is_healthy, START_SECONDS):
            raise AssertionError("the workers do not answer")

    def worker_command(self):
        return [*super().worker_command(), "--access-log=on", "--log-level=debug", *self.worker_options]

    def _make_secret(self):
        super()._make_secret()
        self.keys, self.all_keys = {}, []
        for name, options in self.ticket_keys.items():
            self.add_ticket_key(name, *options)


class HeadlessSandbox(WithTicketKeys, StandaloneStack):
    """Two shops in Node.js with different ticket keys behind one nginx, and one shop in PHP.

    Visitors name their address in the header X-Sandbox-Address. All requests from the shops to ratingd come from
    one address.
    """

    ticket_keys = {"shop": ("--may-forward",), "market": ("--sent-by", "server"),
                   "blog": ("--sent-by", "server")}

    def __init__(self):
        super().__init__(run_dir("headless"), free_port())
        self.shop_ports = {"shop": free_port(), "market": free_port()}  # nginx's
        self.php_port = free_port()
        self._children = []

    def start_front_ends(self):
        node_ports = {name: free_port() for name in self.shop_ports}
        for name, port in node_ports.items():
            origin = f"http://127.0.0.1:{self.shop_ports[name]}"
            self._spawn(name, port, ["node", EXAMPLES / "front_end.mjs"], name, origin)
        self._start_nginx_of_shops(node_ports)
        sessions = self.run_dir / "php-sessions"
        sessions.mkdir()
        php = ["php", "-d", f"session.save_path={sessions}", "-S", f"127.0.0.1:{self.php_port}",
               EXAMPLES / "rate.php"]
        self._spawn("php", self.php_port, php, "blog", f"http://127.0.0.1:{self.php_port}")

    def log(self, name):
        return (self.log_dir / name).read_text(errors="replace")

    def _spawn(self, name, port, command, key_name, origin):
        key_file = self.run_dir / f"key-{key_name}"
        key_file.write_text(self.keys[key_name] + "\n")
        environment = {**os.environ, "RATINGD_URL": self.base_url, "RATINGD_SITE": self.url,
                       "RATINGD_KEY_NAME": key_name, "RATINGD_KEY_FILE": str(key_file),
                       "ORIGIN": origin, "PORT": str(port)}
        with (self.log_dir / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._children.append(child)
        self._remember(Process.of(name, child.pid))
        if not wait_until(lambda: answers(port), START_SECONDS):
            raise AssertionError(f"{name} did not start: {self.log(f'{name}.log')}")

    def _start_nginx_of_shops(self, node_ports):
        folder = self.run_dir / "shops"
        folder.mkdir()
        servers = "".join(f"""
            server {{
                listen 127.0.0.1:{self.shop_ports[name]};
                location / {{
                    proxy_pass http://127.0.0.1:{port};
                    proxy_set_header X-Real-IP $remote_addr;
                }}
            }}""" for name, port in node_ports.items())
        paths = "".join(f"{kind}_temp_path {folder}/{kind};"
                        for kind in ("client_body", "fastcgi", "proxy", "scgi", "uwsgi"))
        (folder / "nginx.conf").write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""}
            daemon off;
            pid {folder}/nginx.pid;
            events {{ worker_connections 1024; }}
            http {{
                {paths}
                access_log {self.log_dir}/shops-access.log;
                set_real_ip_from 127.0.0.1;
                real_ip_header X-Sandbox-Address;
                {servers}
            }}""")
        log = self.log_dir / "shops-error.log"
        child = subprocess.Popen(["nginx", "-e", log, "-p", f"{folder}/", "-c", folder / "nginx.conf"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._children.append(child)
        self._remember(Process.of("nginx of the shops", child.pid))
        if not wait_until(lambda: all(answers(port) for port in self.shop_ports.values()), START_SECONDS):
            raise AssertionError(f"nginx did not start: {log.read_text()}")

    def _stop_all(self):
        killed = super()._stop_all()
        for child in self._children:
            child.wait()
        return killed


def answers(port):
    try:
        return request(port, "GET", "/").status > 0
    except (OSError, http.client.HTTPException):
        return False
