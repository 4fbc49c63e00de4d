"""Reports failed commands."""

import sys

LINES = 40


def report_failure(error):
    """Prints a ServerError with the end of its log. Returns the exit code."""
    print(error, file=sys.stderr)
    if error.log is not None and error.log.exists():
        lines = error.log.read_text(errors="replace").splitlines()[-LINES:]
        print(f"\nThe last lines of {error.log}:", *lines, sep="\n", file=sys.stderr)
    return 1
