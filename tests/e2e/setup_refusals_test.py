#!/usr/bin/env python3
"""Tests what "ratingctl setup" refuses, and that it undoes everything after a failure."""

import os
import pathlib
import shutil
import subprocess

from setup_machine import (
    CONFIG, ETC, PASSWORD, PLUGIN, RATINGCTL, SHOP, SITE_FILE, SetupTest, machine, run_tests, set_up_module,
    state
)


def setUpModule():
    set_up_module()


class Refused(SetupTest):
    """A refused setup changes nothing."""

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_several_sites_are_listed(self):
        said = self.setup("--yes", expected=1)
        self.assertIn(f"--wp-config {CONFIG}  (database wordpress)", said)
        self.assertIn(f"--wp-config {SHOP}  (database shop)", said)

    def test_commands_before_it_name_it(self):
        for words in [["doctor"], ["status"], ["verify"]]:
            done = subprocess.run([RATINGCTL, *words], check=False, capture_output=True, text=True)
            self.assertEqual(1, done.returncode)
            self.assertRegex(done.stderr, r"\nThe site is not set up yet. Run: ratingctl setup\n$")

    def test_nobody_can_be_asked(self):
        self.assertIn("with --yes", self.setup("--wp-config", CONFIG, expected=2))

    def test_operator_says_no(self):
        said = self.answer_after(lambda: None, "--wp-config", CONFIG, answer="n")
        self.assertTrue(said.endswith("Continue? [y/N] Nothing was changed.\n"), said)

    def test_another_setup_runs(self):
        def run_another():
            self.assertIn("another setup runs", self.setup("--wp-config", CONFIG, "--yes", expected=1))
            self.assertIn("--dry-run", self.setup("--wp-config", CONFIG, "--dry-run"))
        self.answer_after(run_another, "--wp-config", CONFIG, answer="n")

    def test_dry_run_shows_all(self):
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--dry-run")
        for action in ["link /etc/ratingd/wp-config.php", "write /etc/ratingd/db-password (0600)",
                       "create the secret", "prove that the site's own account uses this database",
                       "write /etc/ratingd/checked-site", "database = wordpress",
                       "create the database accounts ratingd@localhost", "grant",
                       "create the tables wp_ratingd_", str(PLUGIN), "doctor", f"add to {SITE_FILE}"]:
            self.assertIn(action, said)
        self.assertIn("Nothing was changed", said)

    def test_site_in_a_folder_needs_a_name(self):
        self.assertIn("--site shop", self.setup("--wp-config", SHOP, "--yes", expected=1))

    def test_address_that_is_no_address(self):
        for path in ["/x\naccess-log = on\n#", "/\x1b[2J"]:
            self.set_option("shop", "home", machine.url() + path)
            said = self.setup("--site=shop", "--wp-config", SHOP, "--yes", expected=1)
            self.assertIn("the site's address must begin with http:// or https://", said)
            self.assertNotIn("\x1b", said)
            self.assertNotIn("\naccess-log", said)

    def test_address_that_cannot_be_a_base_path(self):
        for path in ["/a;b", "/{x}", "/a b", "/../x"]:
            self.set_option("shop", "home", machine.url() + path)
            said = self.setup("--site=shop", "--wp-config", SHOP, "--yes", expected=1)
            self.assertIn("Choose a path with --base-path", said)

    def test_flags_that_make_no_sense(self):
        for words in [["--site", "Shop"], ["--site=reload"], ["--base-path=/x"],
                      ["--remove", f"--nginx={SITE_FILE}"], ["--wp-config=/nowhere"], ["--units"]]:
            self.setup("--yes", *words, expected=1)
        self.assertIn("has no option --db-port", self.setup("--db-port=1", expected=2))

    def test_site_in_a_folder_that_cannot_be_shown_is_not_offered(self):
        folder = pathlib.Path("/var/www/\x1b[2J")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(CONFIG, folder / "wp-config.php")
        said = self.setup("--yes", expected=1)
        self.assertIn(f"--wp-config {SHOP}", said)
        self.assertNotIn("\x1b", said)

    def test_found_file_is_shown_as_a_word_for_the_shell(self):
        folder = pathlib.Path("/var/www/it's;touch pwned")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(CONFIG, folder / "wp-config.php")
        said = self.setup("--yes", expected=1)
        self.assertIn("--wp-config '/var/www/it'\\''s;touch pwned/wp-config.php'  (database wordpress)", said)

    def test_wordpress_that_is_not_installed_yet(self):
        machine.mariadb.execute("RENAME TABLE wordpress.wp_options TO wordpress.kept")
        self.addCleanup(machine.mariadb.execute, "RENAME TABLE wordpress.kept TO wordpress.wp_options")
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("/wp-admin/install.php", said)

    def test_configuration_that_names_another_wp_config(self):
        """The other file would not be checked."""
        for name in ["ratingd.conf", "ratingctl.conf"]:
            file = ETC / name
            text = file.read_text()
            self.addCleanup(file.write_text, text)
            file.write_text(text.replace("wp-config = /etc/ratingd/wp-config.php", f"wp-config = {SHOP}"))
            said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
            self.assertIn(f"{file} has the line \"wp-config = {SHOP}\"", said)
            self.assertIn("wp-config = /etc/ratingd/wp-config.php", said)
            file.write_text(text.replace("wp-config = /etc/ratingd/wp-config.php", f"wp-config = {CONFIG}"))
            self.setup("--wp-config", CONFIG, "--dry-run")
            file.write_text(text)

    def test_account_that_somebody_else_has(self):
        machine.mariadb.execute("CREATE USER ratingctl@localhost IDENTIFIED BY 'other'")
        self.addCleanup(machine.mariadb.execute, "DROP USER ratingctl@localhost")
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("the database account ratingctl@localhost exists", said)

    def test_file_that_has_no_server_of_the_site(self):
        said = self.setup("--wp-config", CONFIG, "--nginx=/etc/nginx/nginx.conf", "--yes", expected=1)
        self.assertIn("server_name example.org", said)


class Failed(SetupTest):
    """A failed setup undoes everything that it did before."""

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_nginx_refuses_what_it_has(self):
        broken = pathlib.Path("/etc/nginx/conf.d/broken.conf")
        broken.write_text("no_such_directive;\n")
        self.addCleanup(broken.unlink)
        said = self.setup("--wp-config", CONFIG, "--nginx", SITE_FILE, "--yes", expected=1)
        self.assertIn("no_such_directive", said)
        self.assertIn("All steps were undone.", said)

    def test_doctor_finds_a_failure(self):
        self.set_option("wordpress", "siteurl", "nowhere")
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("fail  address", said)

    def test_file_that_nginx_does_not_read(self):
        other = pathlib.Path("/etc/nginx/sites-available/other.conf")
        shutil.copy(SITE_FILE, other)
        self.addCleanup(other.unlink)
        said = self.setup("--wp-config", CONFIG, "--nginx", other, "--yes", expected=1)
        self.assertIn("sites-enabled", said)


class HostileContent(SetupTest):
    """The web server owns wp-content, and an attacker controls it."""

    ENABLED = pathlib.Path("/etc/nginx/sites-enabled")

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def link_plugins(self):
        PLUGIN.parent.symlink_to(self.ENABLED)
        owner = PLUGIN.parent.parent.stat()
        os.chown(PLUGIN.parent, owner.st_uid, owner.st_gid, follow_symlinks=False)
        self.addCleanup(PLUGIN.parent.unlink)

    def test_link_in_place_of_the_folder(self):
        self.link_plugins()
        said = self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertIn(f"{PLUGIN.parent} is a link that does not belong to root", said)
        self.assertNotIn("write the WordPress plugin", said)

    def test_link_that_appears_after_the_question(self):
        said = self.answer_after(self.link_plugins, "--wp-config", CONFIG)
        self.assertIn(f"create the folder {PLUGIN.parent}", said)
        self.assertIn("All steps were undone.", said)

    def test_folder_that_becomes_a_link_after_the_question(self):
        def exchange():
            PLUGIN.parent.rmdir()
            self.link_plugins()
        PLUGIN.parent.mkdir()
        said = self.answer_after(exchange, "--wp-config", CONFIG)
        self.assertIn("is a link that does not belong to root", said)

    def test_file_that_appears_after_the_question(self):
        PLUGIN.parent.mkdir()
        self.addCleanup(PLUGIN.parent.rmdir)
        def link():
            PLUGIN.symlink_to("/etc/shadow")
            self.addCleanup(PLUGIN.unlink)
        said = self.answer_after(link, "--wp-config", CONFIG)
        self.assertIn("was changed by somebody else meanwhile", said)

    def test_edited_file_of_nginx_is_not_overwritten(self):
        before = SITE_FILE.read_text()
        self.addCleanup(SITE_FILE.write_text, before)
        said = self.answer_after(lambda: SITE_FILE.write_text(before + "# of the operator\n"),
                                "--wp-config", CONFIG, "--nginx", SITE_FILE)
        self.assertIn(f"{SITE_FILE} was changed by somebody else meanwhile", said)
        self.assertIn("# of the operator", SITE_FILE.read_text())

    def test_configuration_that_names_a_folder_of_the_system(self):
        before = CONFIG.read_text()
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text(before + f"define( 'WPMU_PLUGIN_DIR', '{self.ENABLED}' );\n")
        said = self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertIn("WordPress's folder mu-plugins was not found", said)
        self.assertNotIn("write the WordPress plugin", said)


class ComputedConfiguration(SetupTest):
    """The configuration of Docker's image, in which PHP reads the values from the environment."""

    FILE = ETC / "wordpress.php"

    def setUp(self):
        self.addCleanup(self.check_unchanged, state())

    def test_missing_values_are_named_at_once_and_inserted(self):
        before = CONFIG.read_text()
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text("""<?php
define( 'DB_NAME', getenv_docker('WORDPRESS_DB_NAME', 'wordpress') );
define( 'DB_USER', getenv_docker('WORDPRESS_DB_USER', 'example username') );
define( 'DB_PASSWORD', getenv_docker('WORDPRESS_DB_PASSWORD', 'example password') );
define( 'DB_HOST', 'localhost' );
define( 'LOGGED_IN_KEY', getenv_docker('WORDPRESS_LOGGED_IN_KEY', 'x') );
define( 'NONCE_KEY', 'it\\'s known' );
$table_prefix = getenv_docker('WORDPRESS_TABLE_PREFIX', 'wp_');
""")
        self.addCleanup(lambda: self.FILE.unlink(missing_ok=True))
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("DB_NAME, DB_USER, DB_PASSWORD, $table_prefix, LOGGED_IN_KEY", said)
        self.assertIn(f"run:\n  ratingctl setup --wp-config {self.FILE}\n", said)
        self.assertEqual(0o640, self.FILE.stat().st_mode & 0o777)
        self.assertEqual({self.FILE.name, "nginx", "ratingd.conf", "ratingctl.conf"},
                         {path.name for path in ETC.iterdir()})
        text = self.FILE.read_text()
        self.assertEqual(5, text.count("VALUE )") + text.count("= VALUE;"), text)
        said = self.setup("--wp-config", self.FILE, "--yes", expected=1)
        self.assertIn("lacks values for DB_NAME", said)
        for name, value in {"DB_NAME": "wordpress", "DB_USER": "wordpress", "LOGGED_IN_KEY": "key",
                            "DB_PASSWORD": PASSWORD.replace("\\", "\\\\").replace("'", "\\'")}.items():
            text = text.replace(f"'{name}', VALUE", f"'{name}', '{value}'")
        self.FILE.write_text(text.replace("= VALUE", "= 'wp_'"))
        said = self.setup("--wp-config", self.FILE, "--dry-run")
        self.assertIn("create the database accounts ratingd@localhost", said)
        self.assertIn(str(PLUGIN), said)

    def test_login_keys_in_an_included_file(self):
        before = CONFIG.read_text()
        self.addCleanup(CONFIG.write_text, before)
        CONFIG.write_text(before + "require __DIR__ . '/wp-salts.php';\n")
        self.addCleanup(lambda: self.FILE.unlink(missing_ok=True))
        said = self.setup("--wp-config", CONFIG, "--yes", expected=1)
        self.assertIn("LOGGED_IN_KEY, LOGGED_IN_SALT, NONCE_KEY, NONCE_SALT", said)
        self.assertIn("or a file that it includes defines them", said)
        text = self.FILE.read_text()
        self.assertEqual(6, text.count("VALUE )"), text)
        self.FILE.write_text(text.replace("VALUE )", "'' )"))
        self.setup("--wp-config", self.FILE, "--dry-run")
        # WordPress has generated its keys, so the included file defines none.
        self.FILE.unlink()
        for name in ["logged_in_key", "logged_in_salt", "nonce_key", "nonce_salt"]:
            machine.mariadb.execute("INSERT INTO wordpress.wp_options (option_name, option_value) VALUES"
                                    f" ('{name}', '{name}')")
            self.addCleanup(machine.mariadb.execute,
                            f"DELETE FROM wordpress.wp_options WHERE option_name = '{name}'")
        self.setup("--wp-config", CONFIG, "--dry-run")
        self.assertFalse(self.FILE.exists())


if __name__ == "__main__":
    run_tests()
