"""The programs of a database server: this machine's MariaDB, or the programs in the folder that RATINGD_SERVER
names."""

import os
import pathlib
import re
import subprocess


def chosen():
    return ServerSoftware(os.environ.get("RATINGD_SERVER", "/"))


class ServerSoftware:
    """MariaDB or MySQL from Debian's packages, which are unpacked below "root".

    If "root" is not /, nothing is installed. The server runs with the loader and the libraries in "root", and
    needs neither a chroot nor root permissions.
    """

    def __init__(self, root):
        self.root = pathlib.Path(root).absolute()
        mysqld = self.root / "usr/sbin/mysqld"
        # MariaDB installs mysqld as a symbolic link.
        self.is_mysql = mysqld.exists() and not mysqld.is_symlink()
        self._program = mysqld if self.is_mysql else self.root / "usr/sbin/mariadbd"

    def command(self):
        """Returns the words that run the server."""
        if self.root == pathlib.Path("/"):
            return [self._program, "--no-defaults"]
        # In packages for Debian 12 and earlier, the libraries may also be in /lib.
        [loader] = [*self.root.glob("lib*/ld-linux*.so.*"), *self.root.glob("usr/lib*/ld-linux*.so.*")]
        libraries = [*self.root.glob("lib/*-linux-gnu"), *self.root.glob("usr/lib/*-linux-gnu")]
        return [loader, "--library-path", ":".join(map(str, libraries)), self._program, "--no-defaults",
                f"--basedir={self.root / 'usr'}", f"--plugin-dir={self.root / 'usr/lib/mysql/plugin'}"]

    def version(self):
        """Returns a text such as "MySQL 9.7.4"."""
        said = subprocess.run([*self.command(), "--version"], check=True, capture_output=True, text=True).stdout
        return f"{'MySQL' if self.is_mysql else 'MariaDB'} {re.search('Ver ([0-9.]+)', said)[1]}"

    def start_options(self):
        """Returns the options that keep a server in its own folder, in addition to the options for both kinds of
        servers."""
        return ["--mysqlx=OFF", "--secure-file-priv=NULL"] if self.is_mysql else []

    def redo_log_option(self, size):
        return f"--innodb-redo-log-capacity={size}" if self.is_mysql else f"--innodb-log-file-size={size}"

    def set_up_options(self):
        """Returns options that make the setup of the server several seconds faster."""
        if self.is_mysql:
            return ["--initialize-insecure", "--skip-log-bin", "--innodb-flush-method=nosync"]
        return ["--bootstrap", "--silent-startup", "--log-warnings=0", "--enforce-storage-engine=",
                "--max-allowed-packet=8M", "--net-buffer-length=16K", self.redo_log_option("10M"),
                "--innodb-flush-log-at-trx-commit=0"]

    def set_up_statements(self):
        """Returns the statements that make the server's own tables, without help texts, unless the server makes
        them by itself. The account root has no password, as with mariadb-install-db."""
        if self.is_mysql:
            return b""
        [tables] = self.root.glob("usr/share/*/*_system_tables.sql")
        version_prefix = tables.name.removesuffix("_system_tables.sql")
        files = [tables.with_name(f"{version_prefix}_{name}.sql")
                 for name in ("system_tables", "performance_tables", "system_tables_data")]
        return b"CREATE DATABASE mysql;\nUSE mysql;\n" + b"".join(file.read_bytes() for file in files)
