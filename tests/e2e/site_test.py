#!/usr/bin/env python3
"""Tests the shipped example site over real TLS: WordPress and ratingd behind one nginx. The client is curl."""

import re
import shutil
import socket
import ssl
import subprocess
import unittest

from fault_sandbox import REPOSITORY, free_port  # first because it sets the module path
from stack import SHIPPED_NGINX
from tls_site import API, TlsSite, new_object, vote
from voting import poll


class Site(TlsSite):
    NGINX_CONF = "nginx-site.conf.in"

    def __init__(self):
        super().__init__("site")
        self.plain_port = free_port()

    def _start_nginx(self):
        self._make_certificate()
        self._ship("example-site.conf", {
            SHIPPED_NGINX: f"{self.run_dir}/",
            "/etc/ssl/certs/example.org.pem": self.certificate,
            "/etc/ssl/private/example.org.key": self.key,
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "    listen [::]:80;\n": "",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            "    listen [::]:443 ssl http2;\n": "",
            "server_name example.org;": "server_name 127.0.0.1;",
            "#set_real_ip_from 192.0.2.0/24;": "set_real_ip_from 127.0.0.1;",
            "#real_ip_header": "real_ip_header",
            "#real_ip_recursive": "real_ip_recursive",
            "/usr/share/wordpress;": f"{self._folder};",
            "/var/lib/wordpress/wp-content/": f"{self._folder}/wp-content/",
            "/run/php/php-fpm.sock": self._php_socket,
        })
        (self.run_dir / "example-site.conf").rename(self.run_dir / "site.conf")
        # Debian's nginx snippet for PHP includes the file fastcgi.conf from the folder of nginx's configuration.
        shutil.copy("/etc/nginx/fastcgi.conf", self.run_dir)
        super()._start_nginx()


site = Site()


def setUpModule():
    site.start()
    unittest.addModuleCleanup(site.stop_cleanly)


def behind_proxy(address):
    return ["--header", f"X-Forwarded-For: {address}"]


class Tls(unittest.TestCase):
    def test_takes_a_vote_over_http_2(self):
        answer = site.curl(API + "/rate", "--http2", fields=vote())
        self.assertEqual((200, "HTTP/2"), (answer.status, answer.protocol), answer.body)
        cookie = answer.headers["set-cookie"]
        for attribute in ["Secure", "HttpOnly", "SameSite="]:
            self.assertIn(attribute, cookie)

    def test_is_1_2_or_1_3(self):
        for version in ["1.2", "1.3"]:
            answer = site.curl(API + "/health", f"--tlsv{version}", "--tls-max", version)
            self.assertEqual(200, answer.status, answer.body)
        context = ssl.create_default_context(cafile=site.certificate)
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with (socket.create_connection(("127.0.0.1", site.port)) as plain,
              self.assertRaises((ssl.SSLError, ConnectionError))):
            context.wrap_socket(plain, server_hostname="127.0.0.1")

    def test_is_where_plain_http_leads(self):
        answer = site.curl(f"http://127.0.0.1:{site.plain_port}{API}/health?a=b")
        self.assertEqual((308, f"https://127.0.0.1{API}/health?a=b"),
                         (answer.status, answer.headers["location"]))


class PlainPermalinks(unittest.TestCase):
    def test_take_a_vote(self):
        for route in ["/ratingd/v1/rate", "%2Fratingd%2Fv1%2Frate"]:
            for front in ["/?", "/index.php?", "/?lang=en&", "//?", "//index.php?"]:
                fields = vote()
                answer = site.curl(f"{front}rest_route={route}", fields=fields)
                self.assertEqual(200, answer.status, f"{front}{route}: {answer.body}")
                self.assertEqual(fields["object_id"], answer.json()["object_id"])

    def test_of_another_site_are_not_ours(self):
        for front in ["/two/", "/two/index.php", "/hello-world/"]:
            fields = vote()
            answer = site.curl(f"{front}?rest_route=/ratingd/v1/rate", fields=fields)
            self.assertEqual(404, answer.status, f"{front}: {answer.body}")
            stats = site.curl(f"{API}/stats/{fields['object_id']}").json()["stats"]
            self.assertEqual(0, stats["binary"]["total"], front)

    def test_give_the_parameters_on(self):
        first, second = new_object(), new_object()
        answer = site.curl(f"/?rest_route=/ratingd/v1/stats&object_ids={first},{second}")
        self.assertEqual(200, answer.status, answer.body)
        self.assertIn(str(second), answer.body)

    def test_meet_the_same_bounds(self):
        large = "x" * (1 << 20) + "x"
        answer = site.curl("/?rest_route=/ratingd/v1/rate", fields=large)
        self.assertEqual(400, answer.status, answer.body)
        self.assertEqual(65536, answer.json()["data"]["limit"])
        for front in ["/ratingd/v1", "%2Fratingd%2Fv1%2Fdata%2Fimport"]:
            route = front if "%" in front else front + "/data/import"
            answer = site.curl(f"/?rest_route={route}", fields=large)  # a client without the permission is told so
            self.assertEqual(401, answer.status, answer.body)

    def test_meet_the_same_limit(self):
        route = f"{site.url}/?rest_route=/ratingd/v1/stats/1"
        answers = site.curl(route, *behind_proxy("203.0.116.7"),
                            *[word for _ in range(700) for word in ("--url", route)])
        self.assertIn("ratingd_rate_limited", answers.body)

    def test_of_others_are_wordpress_s(self):
        for route in ["/wp/v2/posts", "/ratingd/v10/rate", "/"]:
            answer = site.curl(f"/?rest_route={route}")
            self.assertNotIn("ratelimit-policy", answer.headers, route)
            self.assertIn("https://api.w.org/", answer.headers.get("link", ""), route)


class Pages(unittest.TestCase):
    def test_are_wordpress_s(self):
        for path in ["/", "/hello-world/", "/wp-json/", "/wp-login.php"]:
            answer = site.curl(path)
            self.assertEqual(200, answer.status, path)
        self.assertEqual(200, site.curl("/wp-includes/css/dashicons.min.css").status)

    def test_keep_programs_and_hidden_files_to_themselves(self):
        content = site.run_dir / "wordpress/wp-content"
        (content / "secret.php").write_text("<?php echo 'run';")
        (site.run_dir / "wordpress/.env").write_text("secret")
        for path in ["/wp-content/secret.php", "/.env", "/wp-content/none.php/secret.php"]:
            self.assertEqual(404, site.curl(path).status, path)


class ErrorsOfNginx(unittest.TestCase):
    def check(self, status, code, answer):
        self.assertEqual(status, answer.status, answer.body)
        self.assertEqual(code, answer.json()["code"])
        self.assertRegex(answer.headers["content-type"], "^application/json")
        self.assertEqual("no-store", answer.headers["cache-control"])
        self.assertEqual("nosniff", answer.headers["x-content-type-options"])
        self.assertEqual("noindex", answer.headers["x-robots-tag"])
        self.assertEqual("Origin", answer.headers["vary"])
        self.assertRegex(answer.headers["x-request-id"], "^[0-9a-f]{32}$")

    def test_body_too_large(self):
        answer = site.curl(API + "/rate", fields="x" * (1 << 20) + "x")
        self.check(400, "ratingd_body_too_large", answer)

    def test_line_too_long_for_nginx(self):
        """nginx does not know the path, so it returns the server's own page. No worker sees the request."""
        answer = site.curl(API + "/stats/1?" + "x" * 9000, "--http1.1")
        self.assertEqual(414, answer.status)

    def test_workers_away(self):
        for worker in [p for p in site.processes() if p.name == "ratingd"]:
            self.assertTrue(worker.stop(35))
        try:
            answer = site.curl(API + "/rate", fields=vote())
            self.check(503, "ratingd_unavailable", answer)
            self.assertEqual("1", answer.headers["retry-after"])
            self.assertEqual("*", answer.headers["access-control-allow-origin"])
            self.assertEqual(200, site.curl("/hello-world/").status)
        finally:
            (site.run_dir / "sockets/ratingd.sock").unlink()
            site._start_workers()
        self.assertEqual(200, site.curl(API + "/rate", fields=vote()).status)

    def test_unknown_method(self):
        answer = site.curl(API + "/rate", "--request", "PUT")
        self.assertEqual("application/json", answer.headers["content-type"].split(";")[0])
        self.assertGreaterEqual(answer.status, 400)


class BehindProxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The allowance for a vote comes back only after 12 seconds."""
        site.ratingctl("settings", "set", "rate_limit_window_seconds=3600")
        def applies():
            return "w=3600" in site.curl(API + "/rate", fields=vote()).headers["ratelimit-policy"]
        poll(applies, "the setting applies")

    def remaining(self, address):
        answer = site.curl(API + "/rate", *behind_proxy(address), fields=vote())
        self.assertEqual(200, answer.status, answer.body)
        return int(re.search(r"r=(\d+)", answer.headers["ratelimit"])[1])

    def test_limits_count_the_address_of_the_header(self):
        first = self.remaining("203.0.113.7")
        self.assertEqual(first - 1, self.remaining("203.0.113.7"))
        self.assertEqual(first, self.remaining("203.0.114.7"))

    def test_addresses_that_a_client_made_up_do_not_count(self):
        """The proxy appends the client's true address to the header that the client sent."""
        first = self.remaining("198.51.100.1, 203.0.115.7")
        self.assertEqual(first - 1, self.remaining("198.51.100.2, 203.0.115.7"))


class ShippedFiles(unittest.TestCase):
    def test_are_all_in_use(self):
        """"nginx -t" reads each shipped file. The site includes all files except ratingd-errors.conf, private.conf
        (which apache_test.py reads) and ratingd-network.conf (which network_paths_test.py reads)."""
        names = {path.name for path in (REPOSITORY / "nginx").iterdir()}
        self.assertEqual({"example-site.conf", "ratingd.conf", "ratingd-upstream.conf",
                          "ratingd-errors.conf", "ratingd-error-headers.conf", "ratingd-network.conf",
                          "private.conf"}, names)
        config = site.run_dir / "nginx.conf"
        text = config.read_text()
        alone = site.run_dir / "alone.conf"
        with_errors = (site.run_dir / "site.conf").read_text().replace(
            "    root ", f"    include {site.run_dir}/ratingd-errors.conf;\n    root ")
        (site.run_dir / "with-errors.conf").write_text(with_errors)
        alone.write_text(text.replace("/site.conf", "/with-errors.conf"))
        for file in [config, alone]:
            done = subprocess.run(["nginx", "-t", "-e", "stderr", "-p", f"{site.run_dir}/", "-c", file],
                                  check=False, capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertNotIn("[warn]", done.stderr)


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
