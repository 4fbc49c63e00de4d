#!/usr/bin/env python3
"""Tests "ratingctl setup --apache" and its removal, with Debian's Apache and its programs. ("make e2e" unpacks
them.)
"""

import contextlib
import os
import pathlib
import shutil
import subprocess

from fault_sandbox import BUILD_DIR, REPOSITORY, free_port, wait_until
from setup_machine import (
    CONFIG, ETC, RATINGCTL, RUN_DIR, SECONDS, SHOP, SetupTest, machine, run_tests, set_up_module, state
)

PACKAGE = BUILD_DIR.parent.absolute() / "apache2"
APACHE = pathlib.Path("/etc/apache2")
HOST_FILE = APACHE / "sites-available/example.org.conf"
LINE = "    IncludeOptional /etc/ratingd/apache/ratingd.conf\n"
MODULES = ["mpm_event", "authz_core", "dir", "env", "mime"]  # Debian enables these modules, among others


def setUpModule():
    os.environ["PATH"] += f":{PACKAGE / 'usr/sbin'}:/usr/sbin"
    set_up_module()


class Apache(SetupTest):
    """Apache serves example.org in place of nginx, whose file was removed."""

    def setUp(self):
        self.port = free_port()
        shutil.rmtree(APACHE, ignore_errors=True)
        shutil.copytree(PACKAGE / "etc/apache2", APACHE, symlinks=True)
        shutil.copytree(REPOSITORY / "apache", ETC / "apache", dirs_exist_ok=True)
        (APACHE / "ports.conf").write_text(f"Listen 127.0.0.1:{self.port}\nServerName localhost\n")
        for folder in ["mods-enabled", "sites-enabled", "conf-enabled"]:
            (APACHE / folder).mkdir(exist_ok=True)
        for folder in ["/var/log/apache2", "/var/www/html", "/run/lock", "/run/ratingd-nginx"]:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        self.run_program("a2enmod", "-q", *MODULES)
        HOST_FILE.write_text(f"<VirtualHost *:{self.port}>\n    ServerName example.org\n"
                             "    DocumentRoot /var/www/html\n</VirtualHost>\n")
        site = pathlib.Path("/etc/nginx/sites-enabled/example.org.conf")
        target = site.readlink()
        site.unlink()
        self.addCleanup(site.symlink_to, target)

    def run_program(self, *words):
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def start_apache(self):
        self.run_program("a2ensite", "-q", "example.org")
        self.run_program("apache2ctl", "start")
        self.addCleanup(self.run_program, "apache2ctl", "stop")

    @contextlib.contextmanager
    def slow_apache(self):
        """Makes Apache's old processes respond for some seconds after a reload."""
        folder, program, path = RUN_DIR / "slow", shutil.which("apache2ctl"), os.environ["PATH"]
        folder.mkdir(exist_ok=True)
        (folder / "apache2ctl").write_text(f"""#!/bin/sh
            case $* in
              graceful) (sleep 3; {program} graceful) >/dev/null 2>&1 & ;;
              *) exec {program} "$@" ;;
            esac""")
        (folder / "apache2ctl").chmod(0o755)
        os.environ["PATH"] = f"{folder}:{path}"
        try:
            yield
        finally:
            os.environ["PATH"] = path

    def start_private_nginx(self):
        config = ETC / "nginx/private.conf"  # workers of root would not belong to www-data
        command = ["nginx", "-e", "stderr", "-c", config, "-g", "daemon off; user www-data;"]
        nginx = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)

    def ask(self, path):
        done = subprocess.run(["curl", "-sS", "--fail", "--max-time", "5", "--resolve",
                               f"example.org:{self.port}:127.0.0.1", f"http://example.org:{self.port}{path}"],
                              check=False, capture_output=True, text=True)
        return done.stdout

    def test_passes_requests_on_and_leaves_as_it_was(self):
        before = HOST_FILE.read_bytes()
        self.set_option("wordpress", "home", f"http://example.org:{self.port}")
        self.set_option("wordpress", "siteurl", f"http://example.org:{self.port}")
        self.assertIn("Apache does not read", self.setup("--apache", HOST_FILE, "--wp-config", CONFIG, "--yes",
                                                         expected=1))
        self.start_apache()
        nothing = state()
        said = self.setup("--wp-config", CONFIG, "--yes")
        self.assertIn("Apache does not pass requests to ratingd yet. To let setup do this, run: "
                      f"{RATINGCTL.name} setup --apache {HOST_FILE}", said)
        self.assertNotIn("Apache", self.setup("--site", "shop", "--wp-config", SHOP, "--dry-run"))
        said = self.setup("--apache", HOST_FILE, "--yes", "--dry-run")
        self.assertIn("enable Apache's modules headers, proxy, proxy_http, rewrite", said)
        self.assertEqual(before, HOST_FILE.read_bytes())

        machine.start_worker(ETC / "ratingd.conf", pathlib.Path("/run/ratingd/ratingd.sock"))
        self.start_private_nginx()
        self.assertTrue(wait_until(pathlib.Path("/run/ratingd-nginx/http.sock").exists, SECONDS))
        with self.slow_apache():
            said = self.setup("--apache", HOST_FILE, "--yes")
        self.assertRegex(said, r"(?m)^ok +web server ")
        self.assertNotIn("fail ", said)
        self.assertEqual(1, HOST_FILE.read_text().count(LINE))
        self.assertTrue(wait_until(lambda: '"status"' in self.ask("/wp-json/ratingd/v1/health"), SECONDS))
        self.assertRegex(self.doctor(), r"\nok +web server ")
        self.assertIn("There is nothing to do.", self.setup("--apache", HOST_FILE, "--yes"))
        self.run_program("apache2ctl", "stop")
        self.assertTrue(wait_until(lambda: self.ask("/wp-json/ratingd/v1/health") == "", SECONDS))
        self.assertIn("apache2ctl configtest, then: systemctl start apache2", self.doctor(expected=1))
        self.run_program("apache2ctl", "start")

        said = self.setup("--remove", "--yes")
        self.assertIn(f"remove ratingd's line from {HOST_FILE}", said)
        self.assertEqual(before, HOST_FILE.read_bytes())
        self.assertTrue(wait_until(lambda: self.ask("/wp-json/ratingd/v1/health") == "", SECONDS))
        self.drop_remaining_data()
        self.check_unchanged(nothing)

    def test_every_file_of_the_site_gets_the_line(self):
        """certbot writes the <VirtualHost> for https to a file of its own."""
        port = free_port()
        tls = HOST_FILE.with_name("example.org-le-ssl.conf")
        tls.write_text(HOST_FILE.read_text().replace(f"*:{self.port}", f"*:{port}"))
        ports = APACHE / "ports.conf"
        ports.write_text(ports.read_text() + f"Listen 127.0.0.1:{port}\n")
        self.run_program("a2ensite", "-q", tls.stem)
        self.set_option("wordpress", "home", f"http://example.org:{port}")
        self.start_apache()
        said = self.setup("--apache", HOST_FILE, "--wp-config", CONFIG, "--yes")
        for file in [HOST_FILE, tls]:
            self.assertIn(f"in the site's <VirtualHost> in {file}", said)
            self.assertEqual(1, file.read_text().count(LINE), file)
        tls.write_text(tls.read_text().replace(LINE, ""))
        self.run_program("apache2ctl", "graceful")
        command = f"ratingctl setup --apache {tls}"
        def told():
            return self.doctor(expected=1)
        self.assertTrue(wait_until(lambda: f"in {tls} does not include" in told(), SECONDS), told())
        self.assertIn(f"Run: {command}", told())
        self.assertIn(f"in {tls} to ratingd yet. To let setup do this, run: {command}", self.setup(expected=1))
        self.setup("--apache", tls, "--yes")
        self.setup("--remove", "--yes")
        for file in [HOST_FILE, tls]:
            self.assertEqual(0, file.read_text().count(LINE), file)
        self.drop_remaining_data()

    def test_a_broken_configuration_is_left_as_it_was(self):
        self.start_apache()
        broken = APACHE / "conf-enabled/broken.conf"
        broken.write_text("NoSuchDirective on\n")
        before = state(), HOST_FILE.read_bytes()
        said = self.setup("--apache", HOST_FILE, "--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("Apache refuses its configuration: ", said)
        self.assertIn("NoSuchDirective", said)
        self.assertIn("All steps were undone.", said)
        self.assertEqual(before[1], HOST_FILE.read_bytes())
        self.assertEqual([], list(pathlib.Path(APACHE / "mods-enabled").glob("proxy*")))
        broken.unlink()

    def test_finds_virtual_hosts_wherever_apache_reads_them(self):
        elsewhere = APACHE / "hosts/example.org.conf"
        elsewhere.parent.mkdir()
        HOST_FILE.rename(elsewhere)
        (APACHE / "conf-enabled/hosts.conf").write_text(f"Include {elsewhere.parent}/*.conf\n")
        self.assertIn(f" --apache {elsewhere}", self.setup("--wp-config", CONFIG, "--dry-run"))
        said = self.setup("--apache", elsewhere, "--wp-config", CONFIG, "--dry-run")
        self.assertIn(f"in the site's <VirtualHost> in {elsewhere}", said)

    def test_a_file_of_another_site_is_refused(self):
        self.start_apache()
        HOST_FILE.write_text(HOST_FILE.read_text().replace("example.org", "other.example"))
        said = self.setup("--apache", HOST_FILE, "--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("no <VirtualHost> with a DocumentRoot has the ServerName or ServerAlias example.org", said)
        for words in [["--nginx", "/etc/nginx/nginx.conf"], ["--site", "shop"]]:
            self.assertIn("--apache cannot be combined", self.setup("--apache", HOST_FILE, *words, expected=1))


if __name__ == "__main__":
    run_tests()
