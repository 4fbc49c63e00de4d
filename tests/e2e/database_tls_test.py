#!/usr/bin/env python3
"""Tests database sessions: what the programs send to servers that impersonate the database, and which certificates
the programs accept from a real server."""

import contextlib
import datetime
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import unittest

from fault_sandbox import BUILD_DIR
from mariadb import Mariadb
from stack import free_port

# If the host is 127.0.0.1, the client library in Debian 13 accepts a certificate with any name
# (docs/several-hosts.md).
HOST = "127.0.0.2"
PASSWORD = "correct horse battery staple"
SECONDS = 60

# Capability flags in the protocol (MariaDB's documentation, "Initial Handshake Packet").
LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, SSL = 1, 8, 0x200, 0x800
SECURE_CONNECTION, PLUGIN_AUTH, LOCAL_FILES = 0x8000, 0x80000, 0x80
OK = b"\0\0\0\2\0\0\0"
NONCE = b"0123456789abcdefghij"


class Certificates:
    """Certificates from openssl: an authority, an authority that nobody trusts, and the keys of servers."""

    def __init__(self, folder):
        self.folder = folder
        for name in "authority", "stranger":
            self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
                          "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        for name, issuer, host, days in (("good", "authority", HOST, (-1, 30)),
                                         ("expired", "authority", HOST, (-30, -1)),
                                         ("foreign", "stranger", HOST, (-1, 30)),
                                         ("misnamed", "authority", "192.0.2.1", (-1, 30))):
            self._issue(name, issuer, host, days)

    def path(self, name):
        return self.folder / name

    def _issue(self, name, issuer, host, days):
        self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=database",
                      "-keyout", f"{name}.key", "-out", f"{name}.csr")
        now = datetime.datetime.now(datetime.UTC)
        start, end = ((now + datetime.timedelta(days=day)).strftime("%Y%m%d%H%M%SZ")
                      for day in days)
        (self.folder / "index").write_text("")
        (self.folder / "ca.conf").write_text(f"""
            [ca]
            default_ca = it
            [it]
            database = index
            rand_serial = yes
            default_md = sha256
            new_certs_dir = .
            policy = any
            x509_extensions = server
            [any]
            commonName = supplied
            [server]
            subjectAltName = IP:{host}
            """)
        self._openssl("ca", "-batch", "-notext", "-config", "ca.conf", "-cert", f"{issuer}.pem",
                      "-keyfile", f"{issuer}.key", "-startdate", start, "-enddate", end,
                      "-in", f"{name}.csr", "-out", f"{name}.pem")

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)


class FakeServer:
    """Impersonates the database, on a TCP port or at "path". It asks each client for its password by "method".
    With a certificate, it uses TLS. With "wanted", it accepts any password and responds to the first statement
    with a request for that file (LOAD DATA LOCAL). "options" are the client's options to reach it. "received"
    contains the decrypted bytes from the clients."""

    def __init__(self, method, certificate=None, capabilities=PLUGIN_AUTH,
                 first="mysql_native_password", path=None, wanted=None):
        self.method, self.certificate, self.first, self.wanted = method, certificate, first, wanted
        self.capabilities = (LONG_PASSWORD | CONNECT_WITH_DB | PROTOCOL_41 | SECURE_CONNECTION
                             | capabilities | (SSL if certificate else 0))
        self.received = b""
        if path:  # a Unix socket
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(path))
            self._listener.listen()
            self.options = [f"--db-socket={path}"]
        else:
            self._listener = socket.create_server((HOST, 0))
            self.options = [f"--db-host={HOST}:{self._listener.getsockname()[1]}"]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            client.settimeout(SECONDS)
            with contextlib.ExitStack() as sockets:
                sockets.enter_context(client)
                # The client may close the connection at any moment.
                sockets.enter_context(contextlib.suppress(OSError, EOFError))
                self._talk(client, sockets)

    def _talk(self, client, sockets):
        low, high = self.capabilities & 0xFFFF, self.capabilities >> 16
        greeting = (b"\x0a10.11.0-fake\0" + struct.pack("<I", 1) + NONCE[:8] + b"\0"
                    + struct.pack("<HBHHB", low, 45, 2, high, 21) + b"\0" * 10
                    + NONCE[8:] + b"\0")
        if self.capabilities & PLUGIN_AUTH:
            greeting += self.first.encode() + b"\0"
        self._send(client, 0, greeting)
        number, answer = self._read(client)
        if self.certificate and len(answer) == 32:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate.with_suffix(".pem"),
                                    self.certificate.with_suffix(".key"))
            client = sockets.enter_context(context.wrap_socket(client, server_side=True))
            number, answer = self._read(client)
        request = b"\xfe" + self.method.encode() + b"\0" + self._challenge()
        self._send(client, number + 1, request)
        number, answer = self._read(client)
        if self.method == "caching_sha2_password":
            self._send(client, number + 1, b"\x01\x04")  # not cached, so the client must send the password itself
            number, answer = self._read(client)
        if self.wanted:
            self._send(client, number + 1, OK)
            number, _ = self._read(client)
            self._send(client, number + 1, b"\xfb" + str(self.wanted).encode())
            while True:
                self._read(client)
        self._send(client, number + 1, b"\xff" + struct.pack("<H", 1045) + b"#28000no")

    def _challenge(self):
        return b"\x05Password: \0" if self.method == "dialog" else NONCE + b"\0"

    @staticmethod
    def _send(client, number, payload):
        client.sendall(struct.pack("<I", len(payload))[:3] + bytes([number & 0xFF]) + payload)

    def _read(self, client):
        head = self._read_all(client, 4)
        payload = self._read_all(client, int.from_bytes(head[:3], "little"))
        self.received += payload + b"|"
        return head[3], payload

    @staticmethod
    def _read_all(client, count):
        data = b""
        while len(data) < count:
            part = client.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data


class DatabaseTls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ratingd-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.certificates = Certificates(cls.folder)
        cls.secret = cls.folder / "secret"
        cls.run_program("ratingctl", "init-secret", f"--secret-file={cls.secret}")

    @classmethod
    def run_program(cls, program, *words, stdin=subprocess.DEVNULL):
        """Runs a program. Returns its exit status and its whole output."""
        environment = {"PATH": os.environ["PATH"], "RATINGD_DB_PASSWORD": PASSWORD}
        done = subprocess.run([BUILD_DIR / program, *words], check=False, env=environment, stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS)
        return done.returncode, done.stdout

    @classmethod
    def options(cls, *words):
        return ["--db-name=cms", "--db-user=ratings", f"--secret-file={cls.secret}", *words]

    def verified(self):
        return ["--db-tls=verify", f"--db-tls-ca={self.certificates.path('authority.pem')}"]

    def start_worker(self, *words):
        """Returns the status and the output from a worker that does not start."""
        with socket.create_server((HOST, 0)) as listener:
            return self.run_program("ratingd", *self.options(*words),
                                    f"--runtime-dir={self.folder}/runtime", stdin=listener)

    @contextlib.contextmanager
    def running_worker(self, *words):
        """Yields the lines that a worker logs as they arrive."""
        environment = {"PATH": os.environ["PATH"], "RATINGD_DB_PASSWORD": PASSWORD}
        command = [BUILD_DIR / "ratingd", *self.options(*words), f"--runtime-dir={self.folder}/runtime"]
        with socket.create_server((HOST, 0)) as listener:
            worker = subprocess.Popen(command, env=environment, stdin=listener,
                                      stderr=subprocess.PIPE, text=True)
        # If the worker logs nothing, the timer kills it, so that the loop over the log lines ends.
        alarm = threading.Timer(SECONDS, worker.kill)
        alarm.start()
        try:
            yield worker.stderr
        finally:
            alarm.cancel()
            worker.terminate()
            worker.communicate(timeout=SECONDS)

    def line_with(self, text, lines):
        """Returns the next line that contains the text."""
        found = next((line for line in lines if text in line), None)
        self.assertIsNotNone(found, f"no line has: {text}")
        return found


class FakeServers(DatabaseTls):
    """A server that impersonates the database does not receive the password."""

    def ask(self, method, *words, **how):
        """Runs ratingctl. Returns its output, and the bytes that the server received."""
        server = FakeServer(method, **how)
        try:
            status, said = self.run_program("ratingctl", "doctor", *self.options(*server.options, *words))
        finally:
            server.close()
        self.assertEqual(1, status, said)
        return said, server.received

    def assert_kept(self, received):
        self.assertNotIn(PASSWORD.encode(), received)

    def test_password_in_clear_is_refused(self):
        for method in "mysql_clear_password", "dialog":
            for words in [], ["--db-tls=off"], ["--db-tls=preferred"]:
                for capabilities in PLUGIN_AUTH, 0:
                    with self.subTest(method=method, words=words, capabilities=capabilities):
                        said, received = self.ask(method, *words, capabilities=capabilities)
                        self.assertIn("asks for the password in clear text", said)
                        self.assert_kept(received)

    def test_password_in_clear_is_refused_as_the_first_method(self):
        said, received = self.ask("mysql_clear_password", first="mysql_clear_password")
        self.assertIn("asks for the password in clear text", said)
        self.assert_kept(received)

    def test_password_in_clear_is_refused_over_tls_that_is_not_verified(self):
        for method in "mysql_clear_password", "dialog":
            for mode in "preferred", "required":
                with self.subTest(method=method, mode=mode):
                    said, received = self.ask(method, f"--db-tls={mode}",
                                              certificate=self.certificates.path("foreign"))
                    self.assertIn("asks for the password in clear text", said)
                    self.assertIn(b"ratings\0", received)  # TLS was used
                    self.assert_kept(received)

    def test_password_in_clear_is_given_over_verified_tls(self):
        _, received = self.ask("mysql_clear_password", *self.verified(),
                               certificate=self.certificates.path("good"))
        self.assertIn(PASSWORD.encode() + b"\0", received)

    def test_password_in_clear_is_refused_over_a_unix_socket(self):
        """Anybody may have made the socket."""
        for method in "mysql_clear_password", "dialog":
            with self.subTest(method=method):
                said, received = self.ask(method, path=self.folder / method)
                self.assertIn("asks for the password in clear text", said)
                self.assert_kept(received)

    def test_no_file_is_sent(self):
        wanted = self.folder / "wanted"
        wanted.write_text("of this host")
        _, received = self.ask("mysql_native_password", path=self.folder / "asking", wanted=wanted,
                               capabilities=PLUGIN_AUTH | LOCAL_FILES)
        self.assertEqual(0, int.from_bytes(received[:4], "little") & LOCAL_FILES)
        self.assertIn(b"SET ", received)  # the client's statement got a response
        self.assertNotIn(b"of this host", received)

    def test_nothing_is_sent_where_tls_is_required_and_not_offered(self):
        for method in "mysql_clear_password", "caching_sha2_password", "mysql_native_password":
            for words in ["--db-tls=required"], self.verified():
                for capabilities in PLUGIN_AUTH, 0:
                    with self.subTest(method=method, words=words, capabilities=capabilities):
                        said, received = self.ask(method, *words, first=method,
                                                  capabilities=capabilities)
                        self.assertIn("offers no TLS", said)
                        self.assertEqual(b"", received)

    def test_caching_sha2_password_encrypts_it_where_tls_is_not_offered(self):
        for mode in "off", "preferred":
            with self.subTest(mode=mode):
                _, received = self.ask("caching_sha2_password", f"--db-tls={mode}")
                self.assertTrue(received.endswith(b"|\x02|"), received)  # asks for the server's key
                self.assert_kept(received)

    def test_nothing_is_sent_to_a_server_whose_certificate_is_not_valid(self):
        for name in "expired", "foreign", "misnamed":
            with self.subTest(name=name):
                said, received = self.ask("mysql_clear_password", *self.verified(),
                                          certificate=self.certificates.path(name))
                self.assertRegex(said, "(?i)certificate")
                self.assertNotIn(b"ratings", received)
                self.assert_kept(received)

    def test_worker_does_not_start_and_says_why(self):
        server = FakeServer("mysql_clear_password")
        self.addCleanup(server.close)
        for mode, why in (("off", "asks for the password in clear text"),
                          ("required", "offers no TLS"), ("verify", "offers no TLS")):
            with self.subTest(mode=mode):
                status, said = self.start_worker(*server.options, f"--db-tls={mode}")
                self.assertEqual(1, status, said)
                self.assertIn(why, said)
                self.assertIn("--db-tls", said)


class RealServer(DatabaseTls):
    """Tests a server whose certificate changes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.port = free_port()
        cls.use("good", reload=False)
        cls.server = Mariadb(cls.folder / "mariadb", cls.folder / "socket", cls.folder / "log",
                             ["--skip-networking=OFF", f"--bind-address={HOST}",
                              f"--port={cls.port}", f"--ssl-cert={cls.folder / 'server.pem'}",
                              f"--ssl-key={cls.folder / 'server.key'}"])
        cls.server.folder.mkdir()
        cls.server.install()
        cls.process = cls.server.start()
        cls.addClassCleanup(lambda: cls.process.stop(SECONDS))
        cls.server.execute(f"""
            CREATE DATABASE cms;
            CREATE USER ratings@127.0.0.1 IDENTIFIED BY '{PASSWORD}';
            GRANT ALL ON cms.* TO ratings@127.0.0.1;""")

    @classmethod
    def use(cls, name, reload=True):
        for suffix in ".pem", ".key":
            shutil.copy(cls.certificates.path(name + suffix), cls.folder / f"server{suffix}")
            (cls.folder / f"server{suffix}").chmod(0o644)  # the server may run as another user
        if not reload:
            return
        if cls.server.software.is_mysql:  # the server does not reload an invalid certificate
            cls.process.stop(SECONDS)
            cls.process = cls.server.start()
        else:
            cls.server.execute("FLUSH SSL")

    def host(self):
        return f"--db-host={HOST}:{self.port}"

    def doctor(self, *words):
        """Returns what doctor reports about the database and the encryption."""
        _, said = self.run_program("ratingctl", "doctor", *self.options(self.host(), *words))
        return [" ".join(line.split()) for line in said.splitlines()
                if line.split()[1] in ("database", "encryption")]

    def test_good_certificate_is_verified(self):
        self.use("good")
        database, encryption = self.doctor(*self.verified())
        self.assertEqual("ok database cms, as ratings", database)
        self.assertRegex(encryption, r"^ok encryption TLSv1\.3 \(.+\), and the certificate of "
                                     rf"{re.escape(HOST)}:{self.port} is verified$")

    def test_other_certificates_are_refused(self):
        for name in "expired", "foreign", "misnamed":
            with self.subTest(name=name):
                self.use(name)
                [database] = self.doctor(*self.verified())
                self.assertRegex(database, "(?i)^fail database .*certificate")
                self.assertRegex(database, "--db-tls=verify.*--db-tls-ca, .*/authority.pem$")

    def test_worker_starts_and_says_which_certificate_it_needs_until_it_is_there(self):
        self.use("expired")
        with self.running_worker(self.host(), *self.verified()) as lines:
            self.assertRegex(self.line_with("event=database_disconnected", lines),
                             "(?i)certificate.*--db-tls=verify.*--db-tls-ca")
            self.line_with("event=worker_started", lines)
            self.use("good")
            # The worker stops when it detects that the database does not contain ratingd's tables.
            self.line_with("event=worker_stopped", lines)
            self.line_with("Run ratingctl setup", lines)

    def test_authorities_of_the_host_are_the_default(self):
        self.use("good")
        [database] = self.doctor("--db-tls=verify")
        self.assertRegex(database, "(?i)^fail database .*certificate")

    def test_authorities_that_cannot_be_read_are_named(self):
        [database] = self.doctor("--db-tls=verify", "--db-tls-ca=/nowhere/ca.pem")
        self.assertRegex(database, "^fail database .*/nowhere/ca.pem")

    def test_any_certificate_encrypts(self):
        for name in "expired", "foreign", "misnamed":
            for mode in "preferred", "required":
                with self.subTest(name=name, mode=mode):
                    self.use(name)
                    _, encryption = self.doctor(f"--db-tls={mode}")
                    self.assertRegex(encryption, r"^warn encryption TLSv1\.3 .+ is not verified")

    def test_nothing_is_encrypted_on_this_host_by_default(self):
        _, encryption = self.doctor()
        self.assertRegex(encryption, "^ok encryption no encryption is needed, because .+ is on this host$")

    def test_every_host_of_a_list_is_verified(self):
        self.use("misnamed")
        options = [f"--db-host={HOST}:{self.port},127.0.0.3:{self.port}"]
        _, said = self.run_program("ratingctl", "doctor", *self.options(*options, *self.verified()))
        self.assertRegex(said, "(?i)fail +database .*certificate")


if __name__ == "__main__":
    unittest.main()
