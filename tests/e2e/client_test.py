#!/usr/bin/env python3
"""Tests the npm package that web/npm/pack.sh makes, and the clients that web/npm/generate.sh makes with two other
generators. Runs web/npm/client.test.mjs with a new service.

RATINGD_RUN_DIR (build/e2e) is the folder for the run, and RATINGD_BUILD_DIR (build/release) the folder with the
programs. Other arguments are passed to Node.js.

usage: client_test.py [--test-name-pattern=…]
"""

import json
import os
import shutil
import subprocess
import sys

from fault_sandbox import REPOSITORY, free_port, run_dir  # first because it sets the module path
from headless_sandbox import WithTicketKeys, request
from mariadb import ServerError
from report import report_failure
from standalone_stack import StandaloneStack

PACKAGE = REPOSITORY / "web/npm"


class Service(WithTicketKeys, StandaloneStack):
    ticket_keys = {"app": (), "desk": ("--rights", "administer,see_persons")}

    def __init__(self):
        super().__init__(run_dir("e2e"), free_port())


def install_package(service):
    """Returns a folder in which Node.js finds the package and its test."""
    folder = service.run_dir / "client"
    installed = folder / "node_modules/ratingd-client"
    installed.mkdir(parents=True)
    (folder / "openapi.json").write_bytes(request(service.port, "GET", f"{service.base_path}/openapi.json").body)
    subprocess.run([PACKAGE / "pack.sh", folder, folder], check=True)
    [archive] = folder.glob("*.tgz")
    subprocess.run(["tar", "-xzf", archive, "-C", installed, "--strip-components=1"], check=True)
    subprocess.run([PACKAGE / "generate.sh", folder, folder / "others", service.base_url], check=True)
    shutil.copy(PACKAGE / "client.test.mjs", folder)
    return folder


def run_node(service):
    description = {"url": service.url, "baseUrl": service.base_url, "keys": service.keys}
    environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
    command = ["node", "--test", *sys.argv[1:], install_package(service) / "client.test.mjs"]
    return subprocess.run(command, check=False, env=environment).returncode


def main():
    service = Service()
    try:
        service.start()
        try:
            return run_node(service)
        finally:
            service.stop_cleanly()
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
