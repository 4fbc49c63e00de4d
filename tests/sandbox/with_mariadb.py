#!/usr/bin/env python3
"""Runs a command with a new database server and returns the command's exit code.

    with_mariadb.py COMMAND...

RATINGD_TEST_DB_SOCKET names the server's socket for the command. The account root has no password.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mariadb import Mariadb, ServerError
from report import report_failure

MEMORY = "/dev/shm"
MEMORY_BYTES = 3 * 2**30  # a server needs less than half of a GiB, but other servers run beside it


def parent():
    """Returns the parent of the server's folder. A test creates and drops dozens of tables, each of which waits
    for a disk several times, so the folder is in memory if enough memory is free. Otherwise the folder is in the
    folder for temporary files, because a socket's path must be short."""
    has_memory = os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    return MEMORY if has_memory and "TMPDIR" not in os.environ else None


def main():
    with tempfile.TemporaryDirectory(prefix="database-", dir=parent()) as name:
        folder = pathlib.Path(name)
        # Do not sync files to disk, because the data do not need to survive a crash.
        options = ["--innodb-flush-method=nosync", "--loose-debug-no-sync"]
        server = Mariadb(folder, folder / "socket", folder / "log", options)
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
