"""Runs a stack whose site is Debian's WordPress."""

import glob
import json
import os
import shutil
import subprocess

from mariadb import ServerError
from processes import Process, wait_until
from stack import REPOSITORY, SANDBOX, START_SECONDS, TEMPLATES, Stack

# The folder that contains WordPress: RATINGD_WORDPRESS, or by default the folder of Debian's package.
INSTALLED = os.environ.get("RATINGD_WORDPRESS", "/usr/share/wordpress")
PLUGIN = REPOSITORY / "web/wordpress"  # the folder "ratingd" and the loader beside it
ADMINISTRATOR = "admin"  # the login and the password


class WordPressStack(Stack):
    # WordPress uses this database account. ratingd uses its own accounts, which take precedence over the account
    # in wp-config.php.
    WP_CONFIG_ACCOUNT = "wordpress"

    account_passwords = "no"

    def call(self, function, *arguments):
        """Calls a function of WordPress as an administrator's script does."""
        return json.loads(self._php("wordpress_call.php", function, json.dumps(arguments)))

    def install_plugin(self, sources=()):
        """Installs the plugin as a must-use plugin: the folder and its loader. "sources" are other folders that
        contain them."""
        folder = self._folder / "wp-content/mu-plugins"
        sources = sources or (PLUGIN, self.build_dir / "plugin")  # its files, and its translations
        for source in sources:
            shutil.copytree(source / "ratingd", folder / "ratingd", dirs_exist_ok=True)
        shutil.copy(sources[0] / "ratingd-mu-loader.php", folder)

    # --- Steps of start() ---------------------------------------------------------------------

    @property
    def _folder(self):
        return self.run_dir / "wordpress"

    @property
    def _php_socket(self):
        return self._socket_dir() / "php-fpm.sock"

    def _create_site(self):
        # Copy WordPress instead of linking to it, because PHP resolves links and would find Debian's wp-config.php
        # next to the original files. The sandbox's own wp-config.php is in the parent folder, where WordPress also
        # looks for it.
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
            # When run as root, PHP-FPM starts only if a "user" directive is set.
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
                start_new_session=True,  # protects it from an interrupt at the terminal
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
        """Runs a script in this folder. Returns its output."""
        compiled = self.run_dir / "opcache"  # otherwise, each process would compile WordPress
        compiled.mkdir(exist_ok=True)
        options = ["display_errors=stderr", "sendmail_path=/bin/true", "opcache.enable_cli=1",
                   "opcache.file_cache_only=1", f"opcache.file_cache={compiled}"]
        command = ["php", *(f"-d{option}" for option in options), SANDBOX / script, self._folder, *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=self.run_dir)
        if done.returncode != 0 or done.stderr:
            raise ServerError(f"{script} {words[0]} failed:\n{(done.stdout + done.stderr).strip()}")
        return done.stdout


def _php_fpm():
    """In Debian, the program's name contains the version, and its folder is only in root's path."""
    found = sorted(glob.glob("/usr/sbin/php-fpm*"))
    if not found:
        raise ServerError("PHP-FPM is not installed.")
    return found[-1]
