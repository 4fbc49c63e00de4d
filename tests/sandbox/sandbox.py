#!/usr/bin/env python3
"""Runs a site to look at and to try: MariaDB, two ratingd workers, and nginx.

    sandbox.py start    starts it
    sandbox.py run      starts it, casts some votes, shows one vote and commands to try next
    sandbox.py stop     ends exactly the programs that were started
    sandbox.py status   prints which programs run

RATINGD_RUN_DIR (build/run) and RATINGD_HTTP_PORT (8080) move it, so that several sandboxes can
run at the same time. RATINGD_BUILD_DIR (build/release) is the folder of its programs.
"""

import os
import sys

import demo
from mariadb import ServerError
from report import report_failure
from stack import Stack, run_dir


def port():
    text = os.environ.get("RATINGD_HTTP_PORT", "8080")
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise ServerError(f"RATINGD_HTTP_PORT must be a port, 1 to 65535, not {text!r}.")
    return int(text)


def start(stack):
    if stack.is_running():
        raise ServerError(f"A sandbox runs in {stack.run_dir} already.")
    stack.start()
    print(stack.base_url)
    return 0


def run(stack):
    if stack.is_running():
        stack.port = stack.known_port()
        print(f"The sandbox runs already: {stack.base_url}")
        return 0 if report_processes(stack) else 1
    stack.start()
    try:
        demo.cast_votes(stack.base_url)
        demo.show(stack.base_url)
    except BaseException:
        stack.stop()
        raise
    print(f"\nLogs: {stack.log_dir}\nEnd it: make stop")
    return 0


def stop(stack):
    was_running = stack.is_running()
    killed = stack.stop()
    for process in killed:
        print(f"{process.name} ({process.pid}) did not end by itself and was killed.")
    print("Stopped." if was_running else "Nothing was running.")
    return 1 if killed else 0


def status(stack):
    if not stack.is_running():
        print("Nothing is running.")
        return 3
    stack.port = stack.known_port()
    print(stack.base_url)
    return 0 if report_processes(stack) else 1


def report_processes(stack):
    """Prints the state of the processes. Returns whether all are alive."""
    alive = [process.is_alive() for process in stack.processes()]
    for process, lives in zip(stack.processes(), alive, strict=True):
        print(f"  {process.name} ({process.pid}){'' if lives else ' has ended'}")
    if not all(alive):
        print("It is not whole: make stop, then make run.")
    return all(alive)


def main():
    commands = {"start": start, "run": run, "stop": stop, "status": status}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return commands[sys.argv[1]](Stack(run_dir("run"), port()))
    except ServerError as error:
        return report_failure(error)


sys.exit(main())
