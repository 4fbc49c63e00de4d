"""A stack whose site is a real WordPress, Debian's, behind the same nginx."""

import glob
import json
import os
import shutil
import subprocess

from mariadb import ServerError
from processes import Process, wait_until
from stack import REPOSITORY, SANDBOX, START_SECONDS, TEMPLATES, Stack

# Debian's, or another version that was unpacked somewhere.
INSTALLED = os.environ.get("RATINGD_WORDPRESS", "/usr/share/wordpress")
PLUGIN = REPOSITORY / "web/wordpress"  # the folder "ratingd" and the loader beside it
ADMINISTRATOR = "admin"  # the login and the password


class WordPressStack(Stack):
    # WordPress has an account of its own; ratingd's are given over what wp-config.php says.
    WP_CONFIG_ACCOUNT = "wordpress"

    account_passwords = "no"

    def call(self, function, *arguments):
        """Calls a function of WordPress, as a script of an administrator does."""
        return json.loads(self._php("wordpress_call.php", function, json.dumps(arguments)))

    def install_plugin(self, sources=()):
        """As a must-use plugin: the folder, and the loader beside it. "sources": where they are, if not here."""
        folder = self._folder / "wp-content/mu-plugins"
        sources = sources or (PLUGIN, self.build_dir / "plugin")  # its files, and its translations
        for source in sources:
            shutil.copytree(source / "ratingd", folder / "ratingd", dirs_exist_ok=True)
        shutil.copy(sources[0] / "ratingd-mu-loader.php", folder)

    # --- Steps of a start ---------------------------------------------------------------------

    @property
    def _folder(self):
        return self.run_dir / "wordpress"

    @property
    def _php_socket(self):
        return self._socket_dir() / "php-fpm.sock"

    def _create_site(self):
        # A copy, for PHP resolves links and would find Debian's wp-config.php beside the originals.
        # Ours lies one folder up, where WordPress looks for it, too.
        debians_own = shutil.ignore_patterns("wp-config.php", ".htaccess")
        shutil.copytree(INSTALLED, self._folder, ignore=debians_own)
        self.mariadb().execute(
            "CREATE USER wordpress@localhost IDENTIFIED BY 'wordpress';"
            "GRANT ALL ON wordpress.* TO wordpress@localhost;"
        )
        self._php("wordpress_install.php", self.url, ADMINISTRATOR)
        self._start_php()

    def _start_php(self):
        config = self.run_dir / "php-fpm.conf"
        log = self.log_dir / "php-fpm.log"
        self._fill(
            "php-fpm.conf.in",
            config,
            # As root, PHP insists on being told so.
            USER_DIRECTIVE="user = root" if os.geteuid() == 0 else "",
            LOG=log,
            SOCKET=self._php_socket,
        )
        root = ["--allow-to-run-as-root"] if os.geteuid() == 0 else []
        with log.open("ab") as output:
            child = subprocess.Popen(
                [_php_fpm(), "--nodaemonize", f"--fpm-config={config}", *root],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # an interrupt from the terminal must not reach it
            )
        self._remember(Process.of("php-fpm", child.pid))
        wait_until(lambda: self._php_socket.exists() or child.poll() is not None, START_SECONDS)
        if not self._php_socket.exists():
            raise ServerError("PHP-FPM did not start.", log)

    def _site_locations(self):
        text = (TEMPLATES / "wordpress-locations.conf.in").read_text()
        return text.replace("@FOLDER@", str(self._folder)).replace(
            "@SOCKET@", str(self._php_socket)
        )

    def _php(self, script, *words):
        """Runs a script of this folder; returns what it printed."""
        compiled = self.run_dir / "opcache"  # else each process would compile WordPress
        compiled.mkdir(exist_ok=True)
        options = ["display_errors=stderr", "sendmail_path=/bin/true", "opcache.enable_cli=1",
                   "opcache.file_cache_only=1", f"opcache.file_cache={compiled}"]
        command = ["php", *(f"-d{option}" for option in options), SANDBOX / script, self._folder, *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=self.run_dir)
        if done.returncode != 0 or done.stderr:
            raise ServerError(f"{script} {words[0]} failed:\n{(done.stdout + done.stderr).strip()}")
        return done.stdout


def _php_fpm():
    """Debian has the version in the program's name, and the folder in root's path alone."""
    found = sorted(glob.glob("/usr/sbin/php-fpm*"))
    if not found:
        raise ServerError("PHP-FPM is not installed.")
    return found[-1]
