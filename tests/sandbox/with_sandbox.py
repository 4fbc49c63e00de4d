#!/usr/bin/env python3
"""Runs a command with a new sandbox on a free port and returns the command's exit code.

In the command's arguments, {base_url} stands for the URL of the API. With --cms none, {ticket_key} stands for the
file with the secret of the ticket key "cases". A sanitizer's report in the workers' log is also a failure.
"""

import argparse
import pathlib
import subprocess
import sys

from mariadb import ServerError
from report import report_failure
from stack import BASE_PATH, Stack, free_port
from standalone_stack import StandaloneStack

STACKS = {"wordpress": Stack, "none": StandaloneStack}


def run(stack, command):
    stack.start()
    try:
        values = {"{base_url}": stack.base_url}
        if isinstance(stack, StandaloneStack):
            values["{ticket_key}"] = str(stack.ticket_key_file)
        words = command
        for name, value in values.items():
            words = [word.replace(name, value) for word in words]
        return subprocess.run(words, check=False).returncode
    finally:
        stack.stop_cleanly()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--run-dir", type=pathlib.Path, required=True)
    parser.add_argument("--base-path", default=BASE_PATH)
    parser.add_argument("--cms", choices=STACKS, default="wordpress")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()

    make_stack = STACKS[arguments.cms]
    stack = make_stack(arguments.run_dir, free_port(), arguments.build_dir, arguments.base_path)
    try:
        return run(stack, arguments.command)
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
