"""Another client of the database, made to get in the service's way."""

import contextlib
import subprocess
import threading

# In a transaction between BEGIN and its locks: InnoDB ends a deadlock by rolling back the transaction that has
# changed less, so that mostly the service's transaction is rolled back.
BECOME_HEAVY = "UPDATE test_ballast SET n = n + 1;"


@contextlib.contextmanager
def ballast(sandbox):
    """The table of BECOME_HEAVY."""
    sandbox.sql("CREATE TABLE test_ballast (n INT NOT NULL) ENGINE=InnoDB"
                " WITH digits AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
                " UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7)"
                " SELECT a.d AS n FROM digits a, digits b, digits c, digits d")
    try:
        yield
    finally:
        sandbox.sql("DROP TABLE test_ballast")


class RowLocker:
    """Locks the totals of "objects" from the last to the first, again and again until the block
    ends, while the service locks them from the first to the last: so each waits for the other.
    Needs the ballast.
    """

    ROUNDS = 5  # in one run of the client: as many deadlocks may not be in lost() yet

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
        """How many deadlocks ended with this client's transaction given up."""
        return self._lost

    def _run(self):
        while not self._stop.is_set():
            done = subprocess.run(self._sandbox.client("--force"), input=self._script, text=True,
                                  capture_output=True, check=False)
            self._lost += done.stderr.count("ERROR 1213")
