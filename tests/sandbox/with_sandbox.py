#!/usr/bin/env python3
"""Runs a command beside a sandbox of its own, on a free port, and passes on its exit code.

In the command's words {base_url} stands for the address of the API. A report of a sanitizer in the
workers' log is a failure, too.
"""

import argparse
import pathlib
import subprocess
import sys

from mariadb import ServerError
from report import report_failure
from stack import BASE_PATH, Stack, free_port


def run(stack, command):
    stack.start()
    try:
        words = [word.replace("{base_url}", stack.base_url) for word in command]
        return subprocess.run(words, check=False).returncode
    finally:
        stack.stop_cleanly()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--run-dir", type=pathlib.Path, required=True)
    parser.add_argument("--base-path", default=BASE_PATH)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()

    stack = Stack(arguments.run_dir, free_port(), arguments.build_dir, arguments.base_path)
    try:
        return run(stack, arguments.command)
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
