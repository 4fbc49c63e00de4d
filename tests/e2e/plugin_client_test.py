#!/usr/bin/env python3
"""How the plugin's PHP asks ratingd: by which address, as whom, and what it does if nobody answers.

RATINGD_RUN_DIR (build/e2e) and RATINGD_BUILD_DIR (build/release) move it.

usage: plugin_client_test.py [-v] [TestCase[.test]]
"""

import contextlib
import http.server
import socket
import threading
import time
import unittest

from fault_sandbox import free_port  # first: it sets the path of the others
from mariadb import ServerError
from plugin_sandbox import PluginTest, set_up_module, site

# The site's address and the filter, as options, and what takes several requests of one page.
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
"""


def setUpModule():
    set_up_module()
    (site.run_dir / "wordpress/wp-content/mu-plugins/helpers.php").write_text(HELPERS)


class OtherProgram(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def other_program():
    server = http.server.HTTPServer(("127.0.0.1", 0), OtherProgram)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def silent_port():
    """It accepts connections and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield listener.getsockname()[1]


class ClientTest(PluginTest):
    def setUp(self):
        self.use()
        self.addCleanup(self.use)

    @staticmethod
    def use(**options):
        """The options of HELPERS, and nothing remembered."""
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

    def test_may_do_what_it_asks_for_alone(self):
        self.assertTrue(self.ask()["success"])
        self.assertTrue(self.ask("/analytics/users", rights=["administer", "see_persons"])["success"])
        self.assertEqual(["rest_forbidden", 403], site.call("test_error", "/settings", {"rights": []}))
        self.assertEqual(["rest_no_route", 404], site.call("test_error", "/nothing", {}))

    def test_does_not_trust_ports_that_anybody_can_open(self):
        for port, names in ((1023, ["loopback", "name"]), (1024, ["name"]), (8443, ["name"])):
            routes = site.call("Ratingd\\routes", f"https://example.org:{port}/wp-json/ratingd/v1")
            self.assertEqual(names, list(routes), port)
        self.use(home=f"http://nowhere.invalid:{site.port}")
        with self.assertRaisesRegex(ServerError, "cannot be reached"):
            self.ask()

    def test_goes_by_the_loopback_first(self):
        routes = site.call("Ratingd\\routes", "https://example.org/blog/wp-json/ratingd/v1")
        self.assertEqual([("loopback", "https://localhost/blog/wp-json/ratingd/v1"),
                          ("name", "https://example.org/blog/wp-json/ratingd/v1")], list(routes.items()))

    def test_uses_the_address_of_the_filter(self):
        self.use(home=f"http://nowhere.invalid:{free_port()}")
        with self.assertRaisesRegex(ServerError, "cannot be reached"):
            self.ask()
        self.use(home=f"http://nowhere.invalid:{free_port()}", client=site.base_url + "/")
        self.assertTrue(self.ask()["success"])

    def test_takes_no_other_program_for_ratingd(self):
        with other_program() as port:
            self.use(home=f"http://127.0.0.1:{port}")
            with self.assertRaisesRegex(ServerError, "Another program answered, with status 404"):
                self.ask()

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
        with self.assertRaisesRegex(ServerError, "did not answer a moment ago"):
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


if __name__ == "__main__":
    # Not of interest: that PHP outlives the object that started it.
    unittest.main(warnings="ignore")
