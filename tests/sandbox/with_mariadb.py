#!/usr/bin/env python3
"""Runs a command beside a database server of its own and passes on its exit code.

    with_mariadb.py COMMAND...

The command finds the server by RATINGD_TEST_DB_SOCKET; the account root has no password.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from mariadb import Mariadb, ServerError
from report import report_failure


def main():
    # Below the system's folder for temporary files: the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="ratingd-") as name:
        folder = pathlib.Path(name)
        # Nothing here is to outlive a crash, and a test makes and drops dozens of tables.
        server = Mariadb(folder, folder / "socket", folder / "log", ["--innodb-flush-method=nosync"])
        try:
            server.install()
            process = server.start()
        except ServerError as error:
            return report_failure(error)
        try:
            environment = {**os.environ, "RATINGD_TEST_DB_SOCKET": str(server.socket)}
            return subprocess.run(sys.argv[1:], check=False, env=environment).returncode
        finally:
            process.stop(30)


sys.exit(main())
