#!/usr/bin/env python3
"""Tests how the plugin's PHP code sends requests to ratingd: the address, the permissions, and what happens if
nobody responds."""

import base64
import contextlib
import http.client
import http.server
import json
import socket
import ssl
import subprocess
import threading
import time
import unittest

from fault_sandbox import free_port  # first because it sets the module path
from browser import API
from mariadb import ServerError
from plugin_sandbox import PluginTest, set_up_module, site
import ticket

# This plugin replaces the site's URL and the result of the ratingd_client_url filter with the values of options
# whose names begin with "test_". The function test_times() sends several requests during one page view.
HELPERS = """<?php
foreach ( array( 'home', 'siteurl' ) as $name ) {
	add_filter( "option_$name", function ( $url ) use ( $name ) {
		return get_option( "test_$name", $url );
	} );
}
add_filter( 'ratingd_client_url', function ( $url ) {
	return get_option( 'test_client', $url );
} );

function test_times( $count ) {
	$times = array();
	for ( $i = 0; $i < $count; ++$i ) {
		$started = microtime( true );
		$failed  = is_wp_error( Ratingd\\request( 'GET', '/settings' ) );
		$times[] = array( microtime( true ) - $started, $failed );
	}
	return $times;
}

function test_error( $path, $options ) {
	$error = Ratingd\\request( 'GET', $path, array(), $options );
	return array( $error->get_error_code(), $error->get_error_data()['status'] ?? null );
}

function test_password( $path ) {
	$_SERVER['PHP_AUTH_USER'] = 'wall';
	$_SERVER['PHP_AUTH_PW']   = 'other: \\"password';
	$answer = Ratingd\\request( 'GET', $path );
	return is_wp_error( $answer ) ? $answer->get_error_code() : $answer['success'];
}

function test_loopback( $url, $authority ) {
	add_filter( 'https_ssl_verify', function () use ( $authority ) {
		return $authority;
	} );
	$arguments = array( 'method' => 'GET', 'timeout' => 5, 'headers' => array( 'X-Ratingd-Ticket' => 'ticket' ) );
	return Ratingd\\ask( $url, $arguments, true )->get_error_message();
}
"""


def setUpModule():
    set_up_module()
    (site.run_dir / "wordpress/wp-content/mu-plugins/helpers.php").write_text(HELPERS)


class OtherProgram(http.server.BaseHTTPRequestHandler):
    """A server that stores the requests that it receives."""

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        self.do_GET()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def running(server):
    server.requests = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def other_program():
    return running(http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherProgram))


@contextlib.contextmanager
def silent_port():
    """Yields a port that accepts connections but sends nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield listener.getsockname()[1]


class ClientBase(PluginTest):
    def setUp(self):
        self.use()
        self.addCleanup(self.use)

    @staticmethod
    def use(**options):
        """Sets the options of HELPERS, and forgets the remembered route."""
        for name in ("home", "siteurl", "client"):
            if name in options:
                site.call("update_option", f"test_{name}", options[name])
            else:
                site.call("delete_option", f"test_{name}")
        for name in ("ratingd_away", "ratingd_route"):
            site.call("delete_transient", name)

    @staticmethod
    def ask(path="/settings", **options):
        return site.call("Ratingd\\request", "GET", path, [], options)

    @staticmethod
    def has_curl():
        return site.call("extension_loaded", "curl")


class ClientTest(ClientBase):
    def test_may_do_what_it_asks_for_alone(self):
        self.assertTrue(self.ask()["success"])
        self.assertTrue(self.ask("/analytics/users", rights=["administer", "see_persons"])["success"])
        self.assertEqual(["rest_forbidden", 403], site.call("test_error", "/settings", {"rights": []}))
        self.assertEqual(["rest_no_route", 404], site.call("test_error", "/nothing", {}))

    def test_does_not_trust_ports_that_anybody_can_open(self):
        below = ["loopback", "name"] if self.has_curl() else ["name"]
        for port, names in ((1023, below), (1024, ["name"]), (8443, ["name"])):
            routes = site.call("Ratingd\\routes", f"https://example.org:{port}/wp-json/ratingd/v1")
            self.assertEqual(names, list(routes), port)
        self.use(home=f"http://nowhere.invalid:{site.port}")
        with self.assertRaisesRegex(ServerError, "cannot be reached"):
            self.ask()

    def test_goes_by_the_loopback_first(self):
        base = "https://example.org/blog/wp-json/ratingd/v1"
        # Without cURL, the plugin cannot connect to a host whose name differs from the name in the certificate.
        names = ["loopback", "name"] if self.has_curl() else ["name"]
        self.assertEqual([(name, base) for name in names], list(site.call("Ratingd\\routes", base).items()))

    def test_uses_the_address_of_the_filter(self):
        self.use(home=f"http://nowhere.invalid:{free_port()}")
        with self.assertRaisesRegex(ServerError, "cannot be reached"):
            self.ask()
        self.use(home=f"http://nowhere.invalid:{free_port()}", client=site.base_url + "/")
        self.assertTrue(self.ask()["success"])

    def test_takes_no_other_program_for_ratingd(self):
        with other_program() as other:
            self.use(home=f"http://127.0.0.1:{other.server_port}")
            with self.assertRaisesRegex(ServerError, r"Another program responded instead of ratingd \(HTTP "
                                                     r"status 404\)"):
                self.ask()

    def test_sends_the_password_of_the_web_server_to_the_site_alone(self):
        sent = []
        with other_program() as other:
            for option, path in (("home", ""), ("client", API)):
                self.use(**{option: f"http://127.0.0.1:{other.server_port}{path}"})
                site.call("test_password", "/settings")
                sent.append(other.requests.pop()[2].get("Authorization"))
        self.assertEqual(["Basic " + base64.b64encode(b'wall:other: "password').decode(), None], sent)

    def test_needs_only_its_ticket_if_the_web_server_has_a_password(self):
        self.assertTrue(site.call("test_password", "/settings"))

    def test_waits_a_second_and_only_once(self):
        with silent_port() as port:
            self.use(home=f"http://127.0.0.1:{port}")
            (first, failed), (second, also_failed) = site.call("test_times", 2)
            self.assertTrue(failed and also_failed)
            self.assertTrue(0.5 < first < 2.5, first)
            self.assertLess(second, 0.2)
            [[other_page, _]] = site.call("test_times", 1)
            self.assertLess(other_page, 0.2)

    def test_asks_again_after_a_program_reached_ratingd(self):
        with silent_port() as port:
            self.use(home=f"http://127.0.0.1:{port}")
            site.call("test_times", 1)
        site.call("delete_option", "test_home")
        with self.assertRaisesRegex(ServerError, "did not respond to the previous request"):
            self.ask()
        self.assertTrue(self.ask(timeout=5)["success"])
        self.assertTrue(self.ask()["success"])

    def test_waits_longer_if_it_is_told_to(self):
        with silent_port() as port:
            self.use(home=f"http://127.0.0.1:{port}")
            started = time.monotonic()
            with self.assertRaisesRegex(ServerError, "cannot be reached"):
                self.ask(timeout=3)
            self.assertGreater(time.monotonic() - started, 3)


class StolenTicketTest(ClientBase):
    """Another program takes the site's place, stores the requests and sends them to ratingd."""

    # The request headers of an attacker, who must not be able to read the metrics.
    THIEF = {"X-Sandbox-Address": "198.51.100.9"}

    def stolen(self, *arguments):
        """Returns the requests that a call to Ratingd\\request() sends."""
        with other_program() as other:
            self.use(client=f"http://127.0.0.1:{other.server_port}{API}")
            with self.assertRaisesRegex(ServerError, "Another program responded"):
                site.call("Ratingd\\request", *arguments)
        self.use()
        return other.requests

    def replay(self, request, method=None, path=None, body=None):
        """Sends a stolen request. Returns the status of the response, and the reason why a ticket was refused."""
        headers = {"X-Ratingd-Ticket": request[2]["X-Ratingd-Ticket"], "Content-Type": "application/json",
                   **self.THIEF}
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
        connection.request(method or request[0], path or request[1], request[3] if body is None else body, headers)
        with contextlib.closing(connection), connection.getresponse() as answer:
            return answer.status, json.load(answer).get("data", {}).get("reason")

    @staticmethod
    def claims(request):
        part = request[2]["X-Ratingd-Ticket"].split(".")[1]
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))

    def test_has_the_rights_of_its_request_alone(self):
        for arguments, rights in ((["GET", "/settings"], ["administer"]),
                                  (["GET", "/settings", [], {"rights": []}], [])):
            [request] = self.stolen(*arguments)
            self.assertEqual(rights, self.claims(request)["rights"])
        with other_program() as other:
            self.use(client=f"http://127.0.0.1:{other.server_port}{API}")
            site.call("Ratingd\\health", 1)
        self.assertEqual([[]], [self.claims(request)["rights"] for request in other.requests])

    def test_sends_its_request_once(self):
        [request] = self.stolen("GET", "/settings")
        self.assertEqual((200, None), self.replay(request))
        self.assertEqual((401, "used"), self.replay(request))

    def test_sends_no_other_request(self):
        order = {"scope": "ratings", "object_id": 987654321, "confirm": True}
        [request] = self.stolen("POST", "/data/clean", order)
        worse = json.dumps({"scope": "ratings", "all": True, "confirm": True}).encode()
        for other in ({"body": worse}, {"path": API + "/settings"}, {"path": API + "/data/clean?all=true"},
                      {"path": API + "/data/clean/"}, {"method": "PUT", "path": API + "/settings"}):
            self.assertEqual((401, "other_request"), self.replay(request, **other), other)
        self.assertEqual((200, None), self.replay(request))
        self.assertEqual((401, "used"), self.replay(request))

    def test_is_too_late_after_half_a_minute(self):
        key = site.ticket_key
        now = int(time.time())
        for made, expected in ((now - 35, (401, "expired")), (now - 20, (200, None))):
            claims = ticket.claims_of("wordpress", "0", site.url, iat=made, rights=["administer"],
                                      request="GET /settings", body=[], jti=f"made at {made:020}")
            request = ("GET", API + "/settings", {"X-Ratingd-Ticket": ticket.sign(key, claims)}, b"")
            self.assertEqual(expected, self.replay(request))

    def test_of_the_cms_for_any_request_is_refused(self):
        claims = ticket.claims_of("wordpress", "0", site.url, rights=["administer"])
        request = ("GET", API + "/settings", {"X-Ratingd-Ticket": ticket.sign(site.ticket_key, claims)}, b"")
        self.assertEqual((401, "unbound"), self.replay(request))

    def test_is_not_given_to_a_program_without_the_certificate(self):
        if not self.has_curl():
            self.skipTest("PHP has no extension curl")
        for name, is_right in (("site.invalid", True), ("other.invalid", False)):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherProgram)
            # The host name site.invalid cannot be resolved, so a response can come only from the loopback address.
            address = f"https://site.invalid:{server.server_port}"
            self.use(home=address, siteurl=address)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            certificate = self.certificate(name)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            with running(server):
                url = f"{address}{API}/settings"
                error = site.call("test_loopback", url, str(certificate))
            self.assertIn("status 404" if is_right else "SSL", error)
            hosts = [headers["Host"] for _, _, headers, _ in server.requests]
            self.assertEqual([f"site.invalid:{server.server_port}"] if is_right else [], hosts)

    @staticmethod
    def certificate(name):
        """Returns a file with a certificate and its key."""
        path = site.run_dir / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes",
                        "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", path, "-out",
                        f"{path}.crt"], check=True, capture_output=True)
        path.write_text(path.read_text() + (path.parent / f"{path.name}.crt").read_text())
        return path


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
