"""The programs of a database server: the machine's MariaDB, or those in the folder that RATINGD_SERVER names."""

import os
import pathlib
import re
import subprocess


def chosen():
    return ServerSoftware(os.environ.get("RATINGD_SERVER", "/"))


class ServerSoftware:
    """MariaDB or MySQL, as Debian's packages have them below "root".

    Outside of / nothing is installed: the server runs with the loader and the libraries that are
    beside it, and needs neither a chroot nor the rights of root.
    """

    def __init__(self, root):
        self.root = pathlib.Path(root).absolute()
        mysqld = self.root / "usr/sbin/mysqld"
        # MariaDB has a mysqld, too: a link.
        self.is_mysql = mysqld.exists() and not mysqld.is_symlink()
        self._program = mysqld if self.is_mysql else self.root / "usr/sbin/mariadbd"

    def command(self):
        """The words that run the server."""
        if self.root == pathlib.Path("/"):
            return [self._program, "--no-defaults"]
        # Until Debian 12, packages have these beside usr/, too.
        [loader] = [*self.root.glob("lib*/ld-linux*.so.*"), *self.root.glob("usr/lib*/ld-linux*.so.*")]
        libraries = [*self.root.glob("lib/*-linux-gnu"), *self.root.glob("usr/lib/*-linux-gnu")]
        return [loader, "--library-path", ":".join(map(str, libraries)), self._program, "--no-defaults",
                f"--basedir={self.root / 'usr'}", f"--plugin-dir={self.root / 'usr/lib/mysql/plugin'}"]

    def version(self):
        """As "MySQL 9.7.4"."""
        said = subprocess.run([*self.command(), "--version"], check=True, capture_output=True, text=True).stdout
        return f"{'MySQL' if self.is_mysql else 'MariaDB'} {re.search('Ver ([0-9.]+)', said)[1]}"

    def start_options(self):
        """What a server needs to keep to its own folder, beside what both have."""
        return ["--mysqlx=OFF", "--secure-file-priv=NULL"] if self.is_mysql else []

    def redo_log_option(self, size):
        return f"--innodb-redo-log-capacity={size}" if self.is_mysql else f"--innodb-log-file-size={size}"

    def set_up_options(self):
        """Only for these moments, which would otherwise take seconds."""
        if self.is_mysql:
            return ["--initialize-insecure", "--skip-log-bin", "--innodb-flush-method=nosync"]
        return ["--bootstrap", "--silent-startup", "--log-warnings=0", "--enforce-storage-engine=",
                "--max-allowed-packet=8M", "--net-buffer-length=16K", self.redo_log_option("10M"),
                "--innodb-flush-log-at-trx-commit=0"]

    def set_up_statements(self):
        """What makes the server's own tables, without help texts, if it does not do that by itself; the
        account root has no password. As mariadb-install-db does it."""
        if self.is_mysql:
            return b""
        [tables] = self.root.glob("usr/share/*/*_system_tables.sql")
        version_prefix = tables.name.removesuffix("_system_tables.sql")
        files = [tables.with_name(f"{version_prefix}_{name}.sql")
                 for name in ("system_tables", "performance_tables", "system_tables_data")]
        return b"CREATE DATABASE mysql;\nUSE mysql;\n" + b"".join(file.read_bytes() for file in files)
