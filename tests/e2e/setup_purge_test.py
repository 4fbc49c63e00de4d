#!/usr/bin/env python3
"""Tests a purge of the package without an earlier removal. nginx still includes its files."""

import os
import pathlib
import re
import shutil
import subprocess

from fault_sandbox import REPOSITORY  # first because it sets the module path
from setup_machine import ETC, PROGRAMS, SITE_FILE, SetupTest, run_tests, set_up_module, state


def setUpModule():
    set_up_module()


class Purged(SetupTest):
    """The package is purged, but nginx's files still have its lines. dpkg has already removed its own files from
    /etc."""

    INCLUDES = ETC / "nginx"
    FILES = {"ratingd-upstream.conf", "ratingd.conf", "ratingd-errors.conf", "ratingd-error-headers.conf",
             "ratingd-network.conf"}

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())
        self.addCleanup(self.install)
        own = {"example-site.conf", "private.conf"}  # no file includes these
        self.assertEqual(self.FILES | own, {path.name for path in self.INCLUDES.iterdir()})

    def install(self):
        shutil.rmtree(self.INCLUDES, ignore_errors=True)
        shutil.copytree(REPOSITORY / "nginx", self.INCLUDES)
        self.include_in_site("")

    def include_in_site(self, lines, where="server_name example.org;"):
        text = re.sub(r".*\binclude .*\n", "", SITE_FILE.read_text())
        SITE_FILE.write_text(text.replace(where, f"{where}\n{lines}") if lines else text)

    def purge(self):
        shutil.rmtree(self.INCLUDES)
        done = subprocess.run(["sh", REPOSITORY / "debian/postrm", "purge"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def kept(self):
        """Returns the files that stay. All are empty."""
        kept = list(self.INCLUDES.iterdir()) if self.INCLUDES.exists() else []
        self.assertEqual([], [path for path in kept if path.stat().st_size > 0])
        return {path.name for path in kept}

    def add_conf(self, name, text=None, link=None):
        path = pathlib.Path("/etc/nginx/conf.d") / name
        path.symlink_to(link) if link else path.write_text(text)
        self.addCleanup(path.unlink)
        return path

    def test_account_of_nginx_is_forgotten(self):
        folder = pathlib.Path("/etc/systemd/system/ratingd.socket.d")
        folder.mkdir(parents=True)
        (folder / "10-web-server.conf").write_text("[Socket]\nSocketUser=nginx\n")
        self.purge()
        self.assertFalse(folder.exists())

    def check_nginx(self, says=""):
        done = subprocess.run(["nginx", "-t"], check=False, capture_output=True, text=True)
        self.assertEqual(not says, done.returncode == 0, done.stderr)
        self.assertIn(says, done.stderr)

    def test_leaves_nothing_that_nginx_does_not_include(self):
        said = self.purge()
        self.assertEqual(set(), self.kept())
        self.assertNotIn("nginx", said)

    def test_leaves_what_nginx_includes_and_names_the_line(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        said = self.purge()
        self.assertEqual({"ratingd.conf"}, self.kept())
        self.assertRegex(said, r"ratingd: /etc/nginx/sites-enabled/example.org.conf:\d+ includes"
                               r" /etc/ratingd/nginx/ratingd.conf, which stays, empty")
        self.check_nginx()

    def test_leaves_all_if_nginx_cannot_say_what_it_includes(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        broken = self.add_conf("broken.conf", "no_such_directive;\n")
        said = self.purge()
        self.assertEqual(self.FILES, self.kept())
        self.assertIn('unknown directive "no_such_directive"', said)
        self.assertIn("ratingd: nginx cannot start before this is corrected", said)
        broken.write_text("")
        self.check_nginx()

    def test_leaves_what_nginx_includes_by_a_link(self):
        self.add_conf("rating.conf", link="/etc/ratingd/nginx/ratingd-upstream.conf")
        said = self.purge()
        self.assertEqual(self.FILES, self.kept())
        self.assertIn("/etc/nginx/conf.d/rating.conf", said)
        self.assertNotIn("cannot start", said)
        self.check_nginx()

    def test_says_what_nginx_misses_in_empty_files(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf; location /x { return 200 $ratingd_route; }")
        said = self.purge()
        self.assertIn('unknown "ratingd_route" variable', said)
        self.assertIn("ratingd: nginx cannot start before this is corrected", said)

    def printed_command(self, said):
        [command] = re.findall(r"^    (sudo .*)$", said, re.MULTILINE)
        return command

    def delete_folder(self, command, systemctl='exec nginx -s "$1"'):
        """Runs the command that the purge printed, with stand-ins for two programs. Returns its status."""
        for name, script in [("sudo", 'exec "$@"'), ("systemctl", systemctl)]:
            program = PROGRAMS / name
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            self.addCleanup(program.unlink, missing_ok=True)
        return subprocess.run(["sh", "-c", command], check=False, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"})

    def check_no_folder_is_left(self):
        self.assertEqual([], list(ETC.glob("nginx*")))
        self.check_nginx()

    def test_printed_command_deletes_the_folder_that_nothing_includes(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        command = self.printed_command(self.purge())
        self.include_in_site("")
        self.assertEqual(0, self.delete_folder(command).returncode)
        self.check_no_folder_is_left()

    def test_printed_command_leaves_files_that_another_site_includes(self):
        other = self.add_conf("other.conf",
                              "server { listen 127.0.0.1:1; include /etc/ratingd/nginx/ratingd.conf; }\n")
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        command = self.printed_command(self.purge())
        self.include_in_site("")
        done = self.delete_folder(command)
        self.assertEqual(1, done.returncode)
        self.assertIn(f'"/etc/ratingd/nginx/ratingd.conf" failed (2: No such file or directory) in {other}:1',
                      done.stderr)
        self.assertEqual({"ratingd.conf"}, self.kept())
        self.check_nginx()
        other.write_text("")
        self.assertEqual(0, self.delete_folder(command).returncode)
        self.check_no_folder_is_left()

    def test_printed_command_leaves_files_that_a_link_includes(self):
        self.add_conf("rating.conf", link="/etc/ratingd/nginx/ratingd-upstream.conf")
        command = self.printed_command(self.purge())
        self.assertEqual(1, self.delete_folder(command).returncode)
        self.assertEqual(self.FILES, self.kept())
        self.check_nginx()

    def test_printed_command_leaves_the_folder_if_nginx_does_not_reload(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        command = self.printed_command(self.purge())
        self.include_in_site("")
        self.assertEqual(1, self.delete_folder(command, systemctl="exit 5").returncode)
        self.assertEqual({"ratingd.conf"}, self.kept())
        self.assertEqual(0, self.delete_folder(command).returncode)
        self.check_no_folder_is_left()

    def test_printed_command_does_not_touch_an_older_copy(self):
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        command = self.printed_command(self.purge())
        self.include_in_site("")
        old = ETC / "nginx.old/mine.conf"
        old.parent.mkdir()
        self.addCleanup(shutil.rmtree, old.parent)
        old.touch()
        self.assertEqual(1, self.delete_folder(command).returncode)
        self.assertTrue(old.exists())
        self.assertEqual({"ratingd.conf"}, self.kept())

    def test_leaves_changes_of_a_further_site_s_units(self):
        """"systemctl edit" stores changes in a folder that is named like the unit."""
        self.include_in_site("include /etc/ratingd/nginx/ratingd.conf;")
        units = pathlib.Path("/etc/systemd/system")
        change = units / "ratingd-shop@.service.d/override.conf"
        made = [units / name for name in ("ratingd-shop@.service", "ratingd-shop.target",
                                          "ratingd-shop-sites.timer",
                                          "ratingd-shop.target.wants/ratingd-shop@3.service")]
        for path in [ETC / "sites/shop.conf", change, *made]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.addCleanup(shutil.rmtree, ETC / "sites")
        self.addCleanup(shutil.rmtree, change.parent)
        self.purge()
        self.assertEqual([], [path for path in made if path.exists()])
        self.assertTrue(change.exists())
        self.assertEqual({"ratingd.conf"}, self.kept())
        self.check_nginx()

    def test_is_installed_again_without_a_question(self):
        """dpkg would ask about files that already exist."""
        self.add_conf("rating.conf", link="/etc/ratingd/nginx/ratingd-upstream.conf")
        self.purge()
        subprocess.run(["sh", REPOSITORY / "debian/preinst", "install"], check=True)
        self.assertEqual(set(), self.kept())


if __name__ == "__main__":
    run_tests()
