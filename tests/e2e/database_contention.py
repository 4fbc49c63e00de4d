"""Database clients that cause conflicts with the service."""

import contextlib
import subprocess
import threading

# The test's transactions execute this statement after BEGIN and before they lock totals. InnoDB ends a deadlock by
# rolling back the transaction that has changed fewer rows. The test's transactions usually change more rows than
# the service's transaction, so InnoDB rolls back the service's transaction.
BECOME_HEAVY = "UPDATE test_ballast SET n = n + 1;"


@contextlib.contextmanager
def ballast(sandbox):
    """Creates the table for BECOME_HEAVY."""
    sandbox.sql("CREATE TABLE test_ballast (n INT NOT NULL) ENGINE=InnoDB"
                " WITH digits AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
                " UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7)"
                " SELECT a.d AS n FROM digits a, digits b, digits c, digits d")
    try:
        yield
    finally:
        sandbox.sql("DROP TABLE test_ballast")


class RowLocker:
    """Locks the totals of "objects" from the last to the first, again and again until the block ends. The service
    locks them from the first to the last, so the two wait for each other. Needs the ballast table.
    """

    ROUNDS = 5  # rounds in one client run; lost() may miss the deadlocks of one run

    def __init__(self, sandbox, objects):
        self._sandbox = sandbox
        locks = "".join(
            f"SELECT COUNT(*) FROM wp_ratingd_totals WHERE object_id = {object_id} FOR UPDATE;\n"
            for object_id in sorted(objects, reverse=True))
        self._script = self.ROUNDS * f"BEGIN; {BECOME_HEAVY}\n{locks}COMMIT;\n"
        self._lost = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def lost(self):
        """Returns how many deadlocks ended with a rollback of this client's transaction."""
        return self._lost

    def _run(self):
        while not self._stop.is_set():
            done = subprocess.run(self._sandbox.client("--force"), input=self._script, text=True,
                                  capture_output=True, check=False)
            self._lost += done.stderr.count("ERROR 1213")
