#!/usr/bin/env python3
"""Tests two sites from "ratingctl setup" to the first vote, doctor's findings, and the sites' removal."""

import contextlib
import os
import pathlib
import pwd
import re
import secrets
import shutil
import subprocess

from fault_sandbox import REPOSITORY, free_port, wait_until  # first because it sets the module path
from setup_machine import (
    CONFIG, ETC, OLD_PLUGIN, PLUGIN, PROGRAMS, RATINGCTL, RUN_DIR, SECONDS, SHOP, SITE_FILE, SetupTest, machine,
    run_tests, set_up_module, state
)


def setUpModule():
    set_up_module()


class TwoSites(SetupTest):
    @contextlib.contextmanager
    def slow_nginx(self):
        """Makes nginx slow. Like an nginx with many TLS hosts, it takes some seconds to load its configuration."""
        folder, nginx, path = RUN_DIR / "slow", shutil.which("nginx"), os.environ["PATH"]
        folder.mkdir(exist_ok=True)
        (folder / "nginx").write_text(f"""#!/bin/sh
            case $* in
              "-s reload") (sleep 6; {nginx} -s reload) >/dev/null 2>&1 & ;;
              *) exec {nginx} "$@" ;;
            esac""")
        (folder / "nginx").chmod(0o755)
        os.environ["PATH"] = f"{folder}:{path}"
        try:
            yield
        finally:
            os.environ["PATH"] = path

    def test_1_first_vote_of_the_first(self):
        log = RUN_DIR / "mariadb/general.log"
        machine.mariadb.execute(f"SET GLOBAL general_log_file = '{log}'; SET GLOBAL general_log = ON")
        with self.slow_nginx():
            said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--yes")
        machine.mariadb.execute("SET GLOBAL general_log = OFF")
        logged = log.read_text()
        self.assertIn("wp_ratingd_votes", logged)
        for name in ["db-password", "ratingctl-password"]:
            self.assertNotIn((ETC / name).read_text().strip(), logged)
        self.assertIn("systemd does not run on this host", said)
        self.assertRegex(said, r"\nfail +web server .* no worker answers. Run: systemctl status ratingd.socket")
        self.assertNotIn("The service is at", said)
        for name, mode in {"secret": 0o640, "db-password": 0o600, "ratingctl-password": 0o600}.items():
            status = (ETC / name).stat()
            self.assertEqual((0, 0, mode), (status.st_uid, status.st_gid, status.st_mode & 0o777), name)
            self.assertNotIn((ETC / name).read_text().split("\n")[0], said)
        machine.start_worker(ETC / "ratingd.conf", pathlib.Path("/run/ratingd/ratingd.sock"))
        self.assertTrue(wait_until(lambda: "ok" in machine.curl("/wp-json/ratingd/v1/health"), SECONDS))
        self.assertEqual(1, self.vote("/wp-json/ratingd/v1", 1))
        self.check_rates_published_only("/wp-json/ratingd/v1")

    def test_2_repeated_changes_nothing(self):
        before = state()
        self.assertIn("There is nothing to do.", self.setup("--nginx", SITE_FILE, "--yes"))
        self.assertIn("There is nothing to do.", self.setup())
        self.check_unchanged(before)

    def test_2_proof_that_a_killed_setup_left_is_dropped(self):
        before = state()
        machine.mariadb.execute("CREATE TABLE wordpress.wp_ratingd_proof (proof CHAR(64))")
        self.assertIn("drop the table `wordpress`.`wp_ratingd_proof`", self.setup("--yes"))
        self.check_unchanged(before)
        self.assertIn("There is nothing to do.", self.setup())

    def web_server(self, expected_status, *words):
        """Returns doctor's findings about the web server."""
        line = re.search(r"^(\w+ +web server .*)$", self.doctor(*words, expected=expected_status), re.MULTILINE)
        return re.sub(" +", " ", line[1])

    def serve(self, text):
        """Replaces nginx's file of the site until the test ends."""
        before = SITE_FILE.read_text()
        self.reload_nginx_with(text)
        self.addCleanup(self.reload_nginx_with, before)

    def reload_nginx_with(self, text):
        """Waits until new processes serve."""
        SITE_FILE.write_text(text)
        marker = f"/marker-{secrets.token_hex(8)}"
        SITE_FILE.write_text(text.replace("server_name example.org;",
                                          f"server_name example.org; location = {marker} {{ return 204; }}"))
        subprocess.run(["nginx", "-t", "-q"], check=True)
        subprocess.run(["nginx", "-s", "reload"], check=True)
        def is_new():
            answers = {machine.status(marker) for _ in range(8)}
            return answers == {"204"}
        self.assertTrue(wait_until(is_new, SECONDS))
        SITE_FILE.write_text(text)

    def certificate(self, name):
        """Returns the two certificate lines for nginx. The certificate is trusted until the test ends."""
        files = [RUN_DIR / f"{name}.{kind}" for kind in ("pem", "key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
                        "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
        trusted = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        before = trusted.read_text()
        self.addCleanup(trusted.write_text, before)
        trusted.write_text(before + files[0].read_text())
        return f"ssl_certificate {files[0]}; ssl_certificate_key {files[1]};"

    def test_2_web_server_is_asked(self):
        origin = machine.url()
        self.assertEqual(f"ok web server {origin} reaches this site's workers, at 127.0.0.1:{machine.port}",
                         self.web_server(0))

    def test_2_web_server_without_the_lines(self):
        text = SITE_FILE.read_text()
        self.serve(text.replace("include /etc/ratingd/nginx/ratingd.conf;", ""))
        said = self.web_server(1)
        self.assertRegex(said, r"^fail web server \S+ answers with status 404 from nginx.*, not from ratingd\.")
        self.assertIn(f"Run: ratingctl setup --nginx {SITE_FILE}", said)
        self.assertIn(said.split("server ", 1)[1], re.sub(" +", " ", self.setup(expected=1)))
        set_status = "UPDATE wordpress.wp_posts SET post_status = '{}' WHERE ID = 1"
        machine.mariadb.execute(set_status.format("draft"))
        self.addCleanup(machine.mariadb.execute, set_status.format("publish"))
        said = self.setup("--nginx", SITE_FILE, "--yes")
        self.assertIn("The service is at", said)
        self.assertIn('"object_id":2,', said)
        self.vote_as_shown(said)

    def test_2_web_server_that_was_not_reloaded(self):
        text = SITE_FILE.read_text()
        self.serve(text.replace("include /etc/ratingd/nginx/ratingd.conf;", ""))
        SITE_FILE.write_text(text)
        said = self.web_server(1)
        self.assertRegex(said, r"^fail web server \S+ answers with status 404 from nginx.*, not from ratingd\.")
        self.assertIn("nginx has not been reloaded since", said)
        self.assertTrue(said.endswith("Run: nginx -t && systemctl reload nginx"), said)
        self.assertIn("nginx -t && systemctl reload nginx", self.setup(expected=1))

    def test_2_web_server_that_asks_for_a_password(self):
        password = RUN_DIR / "htpasswd"
        password.write_text("guest:{PLAIN}secret\n")
        rule = f'server_name example.org; auth_basic "Staging"; auth_basic_user_file {password};'
        self.serve(SITE_FILE.read_text().replace("server_name example.org;", rule))
        said = self.web_server(0)
        self.assertRegex(said, r"^warn web server \S+ answers with status 401: the web server requires")
        self.assertIn("satisfy any", said)

    def test_2_web_server_that_refuses_this_host(self):
        text = SITE_FILE.read_text().replace("server_name example.org;", "server_name example.org; deny all;")
        self.serve(text)
        self.assertRegex(self.web_server(0), r"^warn web server \S+ answers with status 403: the web server")
        self.serve(text.replace("include /etc/ratingd/nginx/ratingd.conf;", ""))
        self.assertRegex(self.web_server(1), r"^fail web server \S+ answers with status 403.* lacks the line")

    def test_2_web_server_that_is_stopped(self):
        machine.stop_nginx()
        self.addCleanup(machine.start_nginx)
        said = self.web_server(1)
        self.assertRegex(said, "^fail web server nothing on this host accepts connections .* start nginx$")
        PLUGIN.unlink()
        said = self.setup("--yes")
        self.assertIn("fail  web server", said)
        self.assertNotIn("The service is at", said)

    def test_2_web_server_of_another_ratingd(self):
        other = RUN_DIR / "other-secret"
        other.unlink(missing_ok=True)
        self.ratingctl("init-secret", f"--secret-file={other}")
        said = self.web_server(1, f"--config={ETC}/ratingd.conf", f"--secret-file={other}")
        self.assertIn("leads to workers with another secret", said)
        self.assertIn("run: ratingctl reload", said)

    def test_2_web_server_with_the_lines_for_the_wrong_port(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        self.serve(SITE_FILE.read_text() + "server {\n    server_name example.org;\n"
                   f"    listen 127.0.0.1:{port} ssl;\n    {self.certificate('example.org')}\n}}\n")
        said = self.web_server(1)
        self.assertRegex(said, rf"^fail web server https://example.org:{port} answers with status 404 from nginx")
        self.assertIn(f"Only http, port {machine.port}, reaches this site's workers", said)

    def test_2_web_server_with_tls(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        def listen(name):
            return SITE_FILE.read_text().replace(
                "server_name example.org;",
                f"server_name example.org; listen [::1]:{port} ssl; {self.certificate(name)}")
        self.serve(listen("example.org"))
        self.assertRegex(self.web_server(0),
                         rf"^ok web server \S+ reaches this site's workers, at \[::1\]:{port}$")

    def test_2_web_server_with_a_certificate_of_another_name(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        self.serve(SITE_FILE.read_text().replace(
            "server_name example.org;",
            f"server_name example.org; listen 127.0.0.1:{port} ssl; {self.certificate('other.example')}"))
        self.assertRegex(self.web_server(0), "^warn web server .* but the certificate is not valid for example.org"
                                             r" \(.*example.org.*\)")

    def test_2_web_server_behind_one_that_ends_tls(self):
        self.set_option("wordpress", "home", f"https://example.org:{free_port()}")
        said = self.web_server(0)
        self.assertIn(f"requested at http, port {machine.port} of this host, reaches this site's workers", said)
        self.assertTrue(said.startswith("ok "), said)
        self.assertRegex(self.doctor(), r"\nwarn +web server +the workers treat requests for https://\S+ as sent"
                                        r" without TLS, so their cookies lack .*docs/proxies.md")

    def test_2_web_server_that_redirects(self):
        self.serve(f"server {{\n    listen 127.0.0.1:{machine.port};\n    server_name example.org;\n"
                   "    location / { return 301 https://www.example.org$request_uri; }\n}\n")
        self.assertRegex(self.web_server(1),
                         r"answers with status 301 from nginx\S*, to https://www.example.org/wp-json")

    def test_2_web_server_with_http_and_https_in_two_files(self):
        port = free_port()
        self.set_option("wordpress", "home", f"https://example.org:{port}")
        tls = SITE_FILE.with_name("example.org.ssl.conf")
        link = pathlib.Path("/etc/nginx/sites-enabled") / tls.name
        tls.write_text("server {\n    server_name example.org;\n    root /var/www;\n"
                       f"    listen 127.0.0.1:{port} ssl;\n    {self.certificate('example.org')}\n}}\n")
        link.symlink_to(tls)
        for path in [tls, link]:
            self.addCleanup(path.unlink)
        # Earlier versions added the line to the block that redirects.
        self.serve(SITE_FILE.read_text().replace("server_name example.org;", "server_name example.org;\n"
                   "    location / { return 301 https://$host$request_uri; }"))
        said = self.web_server(1)
        self.assertIn("lacks the line", said)
        self.assertIn(f"Run: ratingctl setup --nginx {tls}", said)
        self.setup("--nginx", tls, "--yes")
        self.assertRegex(self.web_server(0), rf"^ok web server \S+ reaches this site's workers, at \S+:{port}$")

    def test_2_web_server_with_another_account(self):
        config = pathlib.Path("/etc/nginx/nginx.conf")
        text = config.read_text()
        drop_in = pathlib.Path("/etc/systemd/system/ratingd.socket.d/10-web-server.conf")
        before = state()
        def restart_with(account):
            config.write_text(text.replace("user www-data;", f"user {account};"))
            machine.stop_nginx()
            machine.start_nginx()
        self.addCleanup(restart_with, "www-data")
        restart_with("daemon")
        said = self.web_server(1)
        self.assertIn("runs as daemon, which may not connect to /run/ratingd/ratingd.sock. Run: ratingctl setup",
                      said)
        self.assertIn("let the web server's account daemon connect", self.setup("--yes"))
        self.assertIn("\nSocketUser=daemon\n", drop_in.read_text())
        self.assertRegex(self.web_server(0), "^ok web server")
        restart_with("www-data")
        self.assertIn("let the web server's account www-data connect", self.setup("--yes"))
        self.assertRegex(self.web_server(0), "^ok web server")
        self.check_unchanged(before)

    def test_2_web_server_of_a_site_without_a_cms(self):
        conf = RUN_DIR / "none.conf"
        conf.write_text(f"cms = none\nsite-address = {machine.url()}\ndb-name = wordpress\ndb-user = ratingd\n"
                        f"db-password-file = {ETC}/db-password\n")
        words = [f"--config={conf}"]
        self.assertRegex(self.web_server(0, *words), "^ok web server .* reaches this site's workers")
        self.serve(SITE_FILE.read_text().replace("include /etc/ratingd/nginx/ratingd.conf;", ""))
        self.assertIn("Add to its server { } for example.org: include /etc/ratingd/nginx/ratingd.conf;",
                      self.web_server(1, *words))

    def test_2_workers_that_have_not_read_a_change(self):
        before = CONFIG.read_text()
        self.assertRegex(self.doctor(), r"\nwarn +workers +1 of 2 workers run")
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text(before + "define( 'NONCE_KEY', 'new' );\n")
        self.assertRegex(self.doctor(), r"\nwarn +workers +1 of 1 workers started .*Run: ratingctl reload\n")

    def test_2_disk_that_is_full(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", "/var/log"], check=True)
        self.addCleanup(subprocess.run, ["umount", "/var/log"], check=True)
        self.assertRegex(self.doctor(), r"\nok +disks .*/var/log.*/mariadb")
        pathlib.Path("/var/log/large").write_bytes(bytes(1990 << 10))
        self.assertRegex(self.doctor(expected=1), r"\nfail +disks +the disk with /var/log has 0 MiB left")
        pathlib.Path("/var/log/large").unlink()
        subprocess.run(["mount", "-o", "remount,nr_inodes=2", "/var/log"], check=True)
        pathlib.Path("/var/log/small").touch()
        self.assertRegex(self.doctor(expected=1), r"\nfail +disks .*/var/log cannot store another file")

    def test_2_plugin_is_kept_like_the_packages(self):
        before = state()
        self.assertRegex(self.ratingctl("doctor"), r"\nok +plugin +version (\S+), as ratingd \1,")
        (PLUGIN.parent / "ratingd/ratingd.php").write_text("<?php // of another version")
        OLD_PLUGIN.write_bytes((REPOSITORY / "tests/fixtures/ratingd-widgets.php").read_bytes())
        self.assertRegex(self.ratingctl("doctor"), r"\nwarn +plugin +version \?: 1 of \d+ files of the plugin")
        self.setup("--yes")
        self.check_unchanged(before)
        OLD_PLUGIN.write_text("<?php // changed by the operator")
        self.assertIn("There is nothing to do.", self.setup())
        OLD_PLUGIN.unlink()
        PLUGIN.unlink()
        self.assertRegex(self.ratingctl("doctor"), r"\nwarn +plugin +WordPress has no plugin")
        self.setup("--yes")

    def test_2_what_cannot_be_undone_is_said(self):
        machine.mariadb.execute("REVOKE SELECT ON wordpress.wp_ratingd_votes FROM ratingctl@localhost")
        self.set_option("wordpress", "siteurl", "nowhere")
        said = self.setup("--yes", expected=1)
        self.assertIn("This is not undone: grant them", said)
        self.assertIn("All other steps were undone.", said)

    def test_3_second_in_a_folder_of_the_same_server(self):
        said = self.setup("--site", "copy", "--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("this site is already set up (", said)
        self.setup("--site", "shop", "--nginx", SITE_FILE, "--yes")  # setup finds the only other site
        machine.start_worker(ETC / "sites/shop.conf", pathlib.Path("/run/ratingd/sites/shop.sock"))
        base = "/shop/wp-json/ratingd/v1"
        self.assertTrue(wait_until(lambda: "ok" in machine.curl(f"{base}/health"), SECONDS))
        self.assertIn("There is nothing to do.", self.setup("--site", "shop"))
        for post in [1, 2, 3]:
            self.assertEqual(1, self.vote(base, post))
        self.assertEqual(1, self.votes("/shop/?rest_route=/ratingd/v1/stats/3"))
        self.assertEqual(0, self.votes("/?rest_route=/ratingd/v1/stats/3"))
        self.assertEqual(1, self.votes("/wp-json/ratingd/v1/stats/1"))
        self.assertNotEqual((ETC / "secret").read_text(), (ETC / "sites/shop/secret").read_text())
        self.assertEqual(5, len(list(pathlib.Path("/run/ratingd/sites/shop").iterdir())))  # its own segments

    def test_4_flags_cannot_differ_from_what_is_set_up(self):
        before = state()
        for flag, value in {"--base-path": "/shop/wp-json/other/v1", "--blog-id": "2"}.items():
            said = self.setup("--site=shop", flag, value, "--yes", expected=1)
            self.assertIn(f"the site is set up with {flag[2:]}", said)
        self.assertIn("There is nothing to do.",
                      self.setup("--site=shop", "--base-path=/shop/wp-json/ratingd/v1", "--blog-id=1"))
        self.check_unchanged(before)

    def test_4_nginx_gets_files_that_are_made_again(self):
        file = ETC / "sites/shop/nginx/ratingd.conf"
        before = state()
        file.write_text("location /shop/ { return 404; }\n")
        subprocess.run(["nginx", "-s", "reload"], check=True)
        health = "/shop/wp-json/ratingd/v1/health"
        self.assertTrue(wait_until(lambda: "ok" not in machine.curl(health), SECONDS))
        self.assertIn("reload nginx, which reads these files", self.setup("--site=shop", "--yes"))
        self.assertIn("ok", machine.curl(health))
        self.check_unchanged(before)

    def test_4_files_that_nginx_refuses_are_undone(self):
        file = ETC / "sites/shop/nginx/ratingd.conf"
        before = state()
        self.addCleanup(self.check_unchanged, before)
        self.addCleanup(file.write_text, file.read_text())
        file.write_text("# of before\n")
        broken = pathlib.Path("/etc/nginx/conf.d/broken.conf")
        broken.write_text("no_such_directive;\n")
        self.addCleanup(broken.unlink)
        said = self.setup("--site=shop", "--yes", expected=1)
        self.assertIn("no_such_directive", said)
        self.assertEqual("# of before\n", file.read_text())

    def test_4_removal_leaves_no_line_that_nginx_reads(self):
        before = state()
        by_wildcard = pathlib.Path("/etc/nginx/conf.d/all.conf")
        by_wildcard.write_text("include /etc/ratingd/sites/shop/nginx/*upstream.conf;\n")
        text = SITE_FILE.read_text()
        upstream = "include /etc/ratingd/sites/shop/nginx/ratingd-upstream.conf;\n"
        SITE_FILE.write_text(text.replace(upstream, ""))
        said = self.setup("--site=shop", "--remove", "--yes", expected=1)
        self.assertIn("nginx would still read /etc/ratingd/sites/shop/nginx/ratingd-upstream.conf", said)
        by_wildcard.unlink()
        SITE_FILE.write_text(text)
        self.check_unchanged(before)

    def test_4_units_of_the_second_are_valid(self):
        units = sorted(pathlib.Path("/etc/systemd/system").glob("ratingd-shop*"))
        self.assertEqual(8, len(units))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], check=False, capture_output=True,
                              text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        of_the_first = {path.name for path in (REPOSITORY / "systemd").iterdir()}
        self.assertEqual(set(), of_the_first & {path.name for path in units})
        units[0].unlink()
        self.assertIn(f"write {units[0]}", self.setup("--site=shop", "--units"))

    def test_4_commands_are_for_the_site_that_is_named(self):
        self.ratingctl("--site", "shop", "verify")
        self.assertIn("workers   1 of 2", self.ratingctl("--site=shop", "status"))
        self.assertIn("`ratingd_shop`@`localhost`", self.ratingctl("--site=shop", "grants"))
        self.assertIn("/shop", self.ratingctl("--site=shop", "doctor"))
        before = (ETC / "secret").read_text()
        self.ratingctl("--site=shop", "rotate-secret")
        self.assertEqual(3, len((ETC / "sites/shop/secret").read_text().splitlines()))
        self.assertEqual(before, (ETC / "secret").read_text())

    def test_4_advice_of_doctor_is_for_the_site_that_is_named(self):
        self.addCleanup(self.ratingctl, "--site=shop", "migrate")
        machine.mariadb.execute("DELETE FROM shop.wp_ratingd_rollup_state")
        self.assertRegex(self.doctor("--site=shop", expected=1),
                         r"\nfail +zone .* Run: ratingctl --site shop migrate\n")

    def test_4_another_database_is_used_only_after_setup(self):
        before = SHOP.read_text()
        self.addCleanup(SHOP.write_text, before)
        worker = [PROGRAMS / "ratingd", "--config=/etc/ratingd/sites/shop.conf"]
        for changed, to, says in [("'DB_NAME', 'shop'", "'DB_NAME', 'wordpress'", "database = wordpress"),
                                  ("'localhost'", "'localhost:/srv/x.sock'", "server = /srv/x.sock"),
                                  ("'wp_'", "'w_'", "table-prefix = w_")]:
            SHOP.write_text(before.replace(changed, to))
            for command in [worker, [RATINGCTL, "--site=shop", "status"], [RATINGCTL, "--site=shop", "doctor"]]:
                done = subprocess.run(command, check=False, capture_output=True, text=True)
                self.assertEqual(1, done.returncode)
                self.assertIn(f'now has "{says}"', done.stderr)
                self.assertIn("If you made this change, run: ratingctl setup --site shop\n", done.stderr)

    def test_4_root_does_not_read_what_a_customer_puts_in_the_place_of_the_file(self):
        kept = SHOP.with_name("kept")
        SHOP.rename(kept)
        self.addCleanup(lambda: kept.rename(SHOP))
        customer = pwd.getpwnam("nobody").pw_uid
        refused = "a link on its path does not belong to the file's owner"
        for make, says in [(lambda: SHOP.symlink_to(CONFIG), refused),
                           (lambda: SHOP.symlink_to("/proc/kmsg"), refused),
                           (lambda: os.mkfifo(SHOP), "not a file")]:
            make()
            os.chown(SHOP, customer, customer, follow_symlinks=False)
            for command in ["status", "doctor", "verify"]:
                done = subprocess.run([RATINGCTL, "--site=shop", command], check=False, capture_output=True,
                                      text=True, timeout=SECONDS)
                self.assertEqual(1, done.returncode, done.stdout)
                self.assertIn(says, done.stderr)
            SHOP.unlink()

    def test_4_a_change_that_is_accepted_is_recorded(self):
        """The operator's change names another path of the real server."""
        before, after = SHOP.read_text(), state()
        real = pathlib.Path("/run/mysqld/again.sock")
        real.symlink_to(machine.mariadb.socket)
        self.addCleanup(real.unlink)
        SHOP.write_text(before.replace("'localhost'", f"'localhost:{real}'"))
        self.assertIn(f"server = {real}", self.setup("--site=shop", "--yes"))
        self.ratingctl("--site=shop", "status")
        SHOP.write_text(before)
        self.setup("--site=shop", "--yes")
        self.check_unchanged(after)

    def test_4_installation_of_the_version_before_works_until_it_is_recorded(self):
        before = state()
        (ETC / "checked-site").unlink()
        self.ratingctl("status")
        self.assertRegex(self.ratingctl("doctor"), r"\nwarn +site +.*Run: ratingctl setup\n")
        said = self.setup("--yes")
        self.assertIn("prove that the site's own account uses this database", said)
        self.assertRegex(said, r"\nok +site +as recorded in /etc/ratingd/checked-site\n")
        self.check_unchanged(before)

    def test_5_a_removed_site_leaves_the_other_and_its_votes(self):
        secret = (ETC / "sites/shop/secret").read_text()
        machine.mariadb.execute("CREATE TABLE shop.wp_ratingd_proof (proof CHAR(64))")  # a killed setup left this
        said = self.setup("--site", "shop", "--remove", "--yes")
        self.assertEqual("", machine.mariadb.execute("SHOW TABLES FROM shop LIKE '%proof'"))
        self.assertIn("The votes stay in the tables", said)
        self.assertEqual("3\n", machine.mariadb.execute("SELECT COUNT(*) FROM shop.wp_ratingd_votes"))
        left = [str(path.relative_to(ETC)) for path in (ETC / "sites").rglob("*")]
        self.assertEqual(["sites/shop", "sites/shop/secret"], sorted(left))
        self.assertNotIn("shop", SITE_FILE.read_text())
        self.assertEqual([], list(SHOP.parent.glob("wp-content/mu-plugins/*")))
        self.assertEqual("", machine.mariadb.execute("SELECT user FROM mysql.user WHERE user LIKE '%_shop'"))
        self.assertEqual(1, self.votes("/wp-json/ratingd/v1/stats/1"))
        # If the site is set up again, it still has its votes and recognizes its voters.
        self.setup("--site", "shop", "--yes")
        self.assertEqual(secret, (ETC / "sites/shop/secret").read_text())
        self.setup("--site", "shop", "--remove", "--yes")

    def test_5_lines_in_an_included_file_are_removed(self):
        folder = pathlib.Path("/etc/nginx/vhosts")
        folder.mkdir()
        moved = folder / "example.vhost"
        link = pathlib.Path("/etc/nginx/sites-enabled/example.org.conf")
        moved.write_text(SITE_FILE.read_text())
        including = pathlib.Path("/etc/nginx/conf.d/vhosts.conf")
        including.write_text("include vhosts/*.vhost;\n")
        link.unlink()
        for name in ["README", ".example.org.swp"]:  # nginx does not read them
            (folder / name).write_text("}} what\n")
        self.setup("--site", "shop", "--nginx", moved, "--yes")
        self.assertIn("sites/shop", moved.read_text())
        self.setup("--site", "shop", "--remove", "--yes")
        self.assertEqual(SITE_FILE.read_text(), moved.read_text())
        link.symlink_to(SITE_FILE)
        including.unlink()
        shutil.rmtree(folder)
        subprocess.run(["nginx", "-s", "reload"], check=True)

    def test_5_removal_without_the_database_prints_the_statement_that_is_left(self):
        self.setup("--site=shop", "--wp-config", SHOP, "--nginx", SITE_FILE, "--yes")
        with machine.without_database():
            said = self.setup("--site=shop", "--remove", "--yes")
        self.assertIn("First start the database server", said)
        self.assertNotIn("not removed", said)
        self.assertEqual([], list(SHOP.parent.glob("wp-content/mu-plugins/*")))
        [statement] = re.findall(r"run: (DROP USER .*)", said)
        self.assertEqual("2\n", self.accounts_of_shop())
        machine.mariadb.execute(statement)
        self.assertEqual("0\n", self.accounts_of_shop())

    def test_5_removal_without_a_configuration_prints_the_statement_that_is_left(self):
        self.setup("--site=shop", "--wp-config", SHOP, "--nginx", SITE_FILE, "--yes")
        file = ETC / "sites/shop.conf"
        file.write_text(file.read_text() + "no-such-option = 1\n")
        said = self.setup("--site=shop", "--remove", "--yes")
        self.assertIn("no-such-option", said)
        [statement] = re.findall(r"run: (DROP USER .*)", said)
        machine.mariadb.execute(statement)
        self.assertEqual("0\n", self.accounts_of_shop())
        self.assertIn("The WordPress plugin and the database accounts were not removed", said)
        shutil.rmtree(SHOP.parent / "wp-content/mu-plugins")

    @staticmethod
    def accounts_of_shop():
        return machine.mariadb.execute("SELECT COUNT(*) FROM mysql.user WHERE user LIKE '%_shop'")

    def test_6_removal_leaves_nginx_as_it_was(self):
        self.setup("--remove", "--yes")
        self.assertNotIn("ratingd", SITE_FILE.read_text())
        self.assertEqual({"nginx", "ratingctl.conf", "ratingd.conf", "secret", "sites"},
                         {path.name for path in ETC.iterdir()})
        self.assertEqual([], list(PLUGIN.parent.iterdir()))
        self.assertEqual("1\n", machine.mariadb.execute("SELECT COUNT(*) FROM wordpress.wp_ratingd_votes"))
        self.assertEqual("", machine.mariadb.execute("SELECT user FROM mysql.user WHERE user LIKE 'rating%'"))
        self.assertIn("There is nothing to do.", self.setup("--remove", "--yes"))

    def test_7_plugin_is_in_the_release_whose_wp_config_is_a_link(self):
        """Tools such as Deployer and Capistrano keep wp-config.php and the uploads in a shared folder."""
        folder = pathlib.Path("/var/www/deployed")
        self.addCleanup(shutil.rmtree, folder)
        release = folder / "releases/1"
        for each in [release / "wp-includes", release / "wp-content", folder / "shared/wp-content/uploads"]:
            each.mkdir(parents=True)
        (release / "wp-settings.php").write_text("<?php\n")
        (folder / "shared/wp-config.php").write_text(SHOP.read_text())
        (release / "wp-config.php").symlink_to("../../shared/wp-config.php")
        (folder / "current").symlink_to("releases/1")
        self.setup("--site=shop", "--wp-config", folder / "current/wp-config.php", "--yes")
        loader = release / "wp-content/mu-plugins" / PLUGIN.name
        self.assertTrue(loader.exists())
        self.assertRegex(self.doctor("--site=shop", expected=1), r"\nok +plugin +version \S+, as ratingd")
        self.setup("--site=shop", "--remove", "--yes")
        self.assertFalse(loader.exists())


if __name__ == "__main__":
    run_tests()
