#!/usr/bin/env python3
"""Tests a site on which Apache uses the port. WordPress is behind Apache. ratingd is behind a private nginx that
only Apache reaches, as in docs/apache.md. The client is curl, over TLS."""

import json
import os
import re
import subprocess
import unittest

from fault_sandbox import REPOSITORY, free_port  # first because it sets the module path
from mariadb import ServerError
from processes import Process, wait_until
from stack import SHIPPED_NGINX, START_SECONDS
from tls_site import API, TlsSite, new_object, vote
from wordpress_stack import ADMINISTRATOR

SHIPPED_RUN = "/run/ratingd-nginx"
# The rewrite rules that WordPress writes to .htaccess.
HTACCESS = """
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
"""


class Site(TlsSite):
    def __init__(self):
        super().__init__("apache")
        self.compressing_port = free_port()

    def worker_command(self):
        return [*super().worker_command(), "--access-log=on"]

    def _configure_nginx(self, config):
        self._ship("ratingd-network.conf", {})
        self._ship("private.conf", {
            "# include /etc/ratingd/nginx/ratingd-network.conf": "include /etc/ratingd/nginx/ratingd-network.conf",
            SHIPPED_NGINX: f"{self.run_dir}/",
            f"{SHIPPED_RUN}/http.sock": self.front_socket,
            f"{SHIPPED_RUN}/nginx.pid": self.run_dir / "nginx.pid",
            SHIPPED_RUN: self.run_dir / "nginx-temp",
            "error_log stderr": f"error_log {self.log_dir}/nginx-error.log",
        })
        text = (self.run_dir / "private.conf").read_text()
        config.write_text(("user root;\n" if os.geteuid() == 0 else "") + text)

    @property
    def front_socket(self):
        return self._socket_dir() / "http.sock"

    def start_nginx(self):
        super()._start_nginx()

    def _start_nginx(self):
        self.start_nginx()
        self._make_certificate()
        shipped = "\n".join((REPOSITORY / "apache" / name).read_text()
                            for name in ("ratingd.conf", "ratingd-network.conf"))
        (self.run_dir / "apache-ratingd.conf").write_text(
            shipped.replace(f"{SHIPPED_RUN}/http.sock", str(self.front_socket)))
        (self._folder / ".htaccess").write_text(HTACCESS)
        self._open_to_apache()
        config = self.run_dir / "apache.conf"
        # Apache refuses to run as root.
        user = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        self._fill("apache.conf.in", config, USER_DIRECTIVES=user, RUN_DIR=self.run_dir, LOG_DIR=self.log_dir,
                   PORT=self.port, COMPRESSING_PORT=self.compressing_port, FRONT_SOCKET=self.front_socket,
                   CERTIFICATE=self.certificate, KEY=self.key, FOLDER=self._folder,
                   PHP_SOCKET=self._php_socket)
        done = subprocess.run(["apache2", "-d", self.run_dir, "-f", config], check=False, capture_output=True,
                              text=True)
        pid = self.run_dir / "apache.pid"
        if done.returncode != 0 or not wait_until(pid.exists, START_SECONDS):
            raise ServerError(f"Apache did not start. {done.stderr.strip()}")
        self._remember(Process.of("apache2", int(pid.read_text())))

    def _open_to_apache(self):
        """Lets Apache's account read the folder."""
        for folder in (self.run_dir, self._socket_dir()):
            folder.chmod(0o711)
        self._php_socket.chmod(0o666)


site = Site()


def setUpModule():
    site.start()
    unittest.addModuleCleanup(site.stop_cleanly)


class ThroughApache(unittest.TestCase):
    def test_votes_are_taken_over_https(self):
        fields = vote()
        answer = site.curl(API + "/rate", fields=fields)
        self.assertEqual(200, answer.status, answer.body)
        for attribute in ["Secure", "HttpOnly", "SameSite="]:
            self.assertIn(attribute, answer.headers["set-cookie"])
        stats = site.curl(f"{API}/public/stats/{fields['object_id']}").json()["stats"]
        self.assertEqual(1, stats["binary"]["total"])

    def test_https_is_not_the_client_s_word(self):
        answer = site.curl(API + "/rate", "--header", "X-Forwarded-Proto: http", fields=vote())
        self.assertIn("Secure", answer.headers["set-cookie"])

    def test_the_host_is_the_client_s(self):
        answer = site.curl(API + "/rate", "--header", f"Origin: {site.url}", fields=vote())
        self.assertEqual(200, answer.status, answer.body)

    def test_pages_are_wordpress_s(self):
        for path in ["/", "/hello-world/", "/wp-json/", "/wp-login.php", "/wp-json/ratingd/v10"]:
            answer = site.curl(path)
            self.assertNotIn("ratelimit-policy", answer.headers, path)
            self.assertIn(answer.status, [200, 404], path)
        self.assertEqual(200, site.curl("/hello-world/").status)

    def test_scripts_and_the_owner_s_page_are_there(self):
        for path, kind in [("ratingd-widget.js", "text/javascript"), ("admin/", "text/html"),
                           ("admin/ratingd-admin.css", "text/css")]:
            answer = site.curl(f"{API}/{path}", "--compressed")
            self.assertEqual(200, answer.status, path)
            self.assertIn(kind, answer.headers["content-type"])
            self.assertEqual(["gzip"], answer.headers["content-encoding"].split(), path)

    def test_conditional_requests_hold(self):
        path = f"{API}/stats/{new_object()}"
        etag = site.curl(path).headers["etag"]
        self.assertEqual(304, site.curl(path, "--compressed", "--header", f"If-None-Match: {etag}").status)

    def test_paths_arrive_as_they_were_sent(self):
        answer = site.curl(f"{API}/stats/%31")
        self.assertEqual((200, 1), (answer.status, answer.json()["object_id"]))

    def test_large_imports_are_read(self):
        password, _ = site.call("WP_Application_Passwords::create_new_application_password", 1, {"name": "Import"})
        options = ["--user", f"{ADMINISTRATOR}:{password}", "--header", "Expect:"]
        line = json.dumps({"kind": "rating", "object_type": "post"}) + " " * (1 << 20)
        answer = site.curl(API + "/data/import", *options, fields=line + "\n")
        self.assertNotEqual("ratingd_body_too_large", answer.json().get("code"), answer.body)
        answer = site.curl(API + "/data/import", *options, fields="x" * (65 << 20))
        self.assertEqual(("ratingd_body_too_large", 67108864),
                         (answer.json()["code"], answer.json()["data"]["limit"]))

    def test_request_ids_are_in_both_logs(self):
        answer = site.curl(f"{API}/stats/{new_object()}")
        request_id = answer.headers["x-request-id"]
        self.assertRegex(request_id, "^[0-9a-f]{32}$")
        log = site.log_dir / "apache-access.log"
        self.assertTrue(wait_until(lambda: request_id in log.read_text(), 5))


class PlainPermalinks(unittest.TestCase):
    def test_take_a_vote(self):
        for route in ["/ratingd/v1/rate", "%2Fratingd%2Fv1%2Frate", "%2fratingd/v1%2frate"]:
            for front in ["/?", "/index.php?", "/?lang=en&", "//?"]:
                fields = vote()
                answer = site.curl(f"{front}rest_route={route}", fields=fields)
                self.assertEqual(200, answer.status, f"{front}{route}: {answer.body}")
                self.assertEqual(fields["object_id"], answer.json()["object_id"])
                self.assertIn("Secure", answer.headers["set-cookie"])

    def test_of_others_are_wordpress_s(self):
        for route in ["/wp/v2/posts", "/ratingd/v10/rate", "/ratingd/v1/admin/"]:
            answer = site.curl(f"/?rest_route={route}")
            self.assertNotIn("ratelimit-policy", answer.headers, route)
            self.assertIn("https://api.w.org/", answer.headers.get("link", ""), route)


class CompressedByApache(unittest.TestCase):
    """Apache adds the content coding's name to the ETag."""

    def check(self, path, coding, suffix):
        url = f"http://127.0.0.1:{site.compressing_port}{API}{path}"
        accept = ["--header", f"Accept-Encoding: {coding}", "--output", "/dev/null", "--dump-header", "-"]
        first = site.curl(url, *accept)
        self.assertEqual((200, coding), (first.status, first.headers.get("content-encoding")), first)
        etag = first.headers["etag"]
        self.assertTrue(etag.endswith(f'{suffix}"'), etag)
        for _ in range(3):
            self.assertEqual(304, site.curl(url, *accept, "--header", f"If-None-Match: {etag}").status)
        changed = etag.replace(suffix, "0" + suffix)
        self.assertEqual(200, site.curl(url, *accept, "--header", f"If-None-Match: {changed}").status)

    def test_own_answers_are_not_sent_again(self):
        for coding, suffix in [("gzip", "-gzip"), ("br", "-br")]:
            self.check(f"/stats/{new_object()}", coding, suffix)

    def test_shared_answers_are_not_sent_again(self):
        for coding, suffix in [("gzip", "-gzip"), ("br", "-br")]:
            self.check(f"/public/stats/{new_object()}", coding, suffix)


class FoldersOfANetwork(unittest.TestCase):
    """This site is not a network, so ratingd refuses requests in folders by their path."""

    def test_lead_to_ratingd(self):
        log = site.log_dir / "ratingd.log"
        for path, sent in [(f"/two{API}/stats/%31?object_type=post", f"/two{API}/stats/%31"),
                           (f"/two{API}/stats/1", f"/two{API}/stats/1"),
                           ("/two/?rest_route=/ratingd/v1/stats/2", f"/two{API}/stats/2"),
                           ("/two/index.php?rest_route=%2Fratingd/v1%2Fstats/3", f"/two{API}%2Fstats/3")]:
            answer = site.curl(path)
            self.assertEqual((404, "rest_no_route"), (answer.status, answer.json()["code"]), path)
            line = f"request={answer.headers['x-request-id']} method=GET route=none path={sent} "
            self.assertTrue(wait_until(lambda: line in log.read_text(), 5), line)  # noqa: B023

    def test_have_the_scripts(self):
        answer = site.curl(f"/two{API}/ratingd-widget.js", "--compressed")
        self.assertEqual((200, ["gzip"]), (answer.status, answer.headers["content-encoding"].split()))

    def test_of_others_are_wordpress_s(self):
        for path in [f"/two/three{API}/stats/1", f"/two{API}0/stats/1", "/two/?rest_route=/wp/v2/posts",
                     "/two/?rest_route=/ratingd/v1/admin/"]:
            self.assertNotIn("x-request-id", site.curl(path).headers, path)


class Addresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The allowance for a vote comes back only after 12 seconds."""
        site.ratingctl("settings", "set", "rate_limit_window_seconds=3600")
        cls.addClassCleanup(site.ratingctl, "settings", "reset", "rate_limit_window_seconds")

        def applies():
            return "w=3600" in site.curl(API + "/rate", fields=vote()).headers["ratelimit-policy"]
        assert wait_until(applies, 10), "the setting does not apply"

    def remaining(self, *options):
        answer = site.curl(API + "/rate", *options, fields=vote())
        self.assertEqual(200, answer.status, answer.body)
        return int(re.search(r"r=(\d+)", answer.headers["ratelimit"])[1])

    def test_are_those_that_apache_saw(self):
        """Each client has a separate loopback address. The X-Forwarded-For header of a client does not count."""
        first = self.remaining("--interface", "127.0.1.7")
        for forged in ["198.51.100.1", "127.0.9.9, 198.51.100.2"]:
            first -= 1
            self.assertEqual(first, self.remaining("--interface", "127.0.1.7", "--header",
                                                   f"X-Forwarded-For: {forged}"))
        self.assertGreater(self.remaining("--interface", "127.0.2.7"), first)


class WithoutNginx(unittest.TestCase):
    def test_the_answer_is_json_and_wordpress_stays(self):
        nginx = next(process for process in site.processes() if process.name == "nginx")
        self.assertTrue(nginx.stop(35))
        try:
            for path in [API + "/rate", f"/two{API}/rate", "/two/?rest_route=/ratingd/v1/rate"]:
                answer = site.curl(path, fields=vote())
                self.assertEqual((503, "ratingd_unavailable"), (answer.status, answer.json()["code"]), path)
                self.assertEqual("1", answer.headers["retry-after"])
                self.assertEqual("*", answer.headers["access-control-allow-origin"])
                self.assertRegex(answer.headers["content-type"], "^application/json")
            self.assertEqual(200, site.curl("/hello-world/").status)
        finally:
            site.front_socket.unlink(missing_ok=True)
            site.start_nginx()
        # Although earlier requests failed, Apache forwards the next request to nginx without delay.
        self.assertEqual(200, site.curl(API + "/rate", fields=vote()).status)


class PrivateNginx(unittest.TestCase):
    def test_listens_on_nothing_else(self):
        text = (REPOSITORY / "nginx/private.conf").read_text()
        listens = re.findall(r"^\s*listen (\S+)", text, re.MULTILINE)
        self.assertEqual([f"unix:{SHIPPED_RUN}/http.sock"], listens)

    def test_is_valid(self):
        done = subprocess.run(["nginx", "-t", "-e", "stderr", "-p", f"{site.run_dir}/", "-c",
                               site.run_dir / "nginx.conf"], check=False, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("[warn]", done.stderr)


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
