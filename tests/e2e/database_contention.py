"""Another client of the database, made to get in the service's way."""

import subprocess
import threading


class RowLocker:
    """Locks the totals of "objects" from the last to the first, again and again until the block
    ends, while the service locks them from the first to the last: so each waits for the other.

    InnoDB gives up the transaction that has done less. This one first changes many rows of a table
    of its own, so that mostly the service's transaction is the one given up.
    """

    ROWS = 3000
    ROUNDS = 5  # in one run of the client: as many deadlocks may not be in lost() yet

    def __init__(self, sandbox, objects):
        self._sandbox = sandbox
        locks = "".join(
            f"SELECT COUNT(*) FROM wp_ratingd_totals WHERE object_id = {object_id} FOR UPDATE;\n"
            for object_id in sorted(objects, reverse=True))
        self._script = self.ROUNDS * f"BEGIN; UPDATE test_ballast SET n = n + 1;\n{locks}COMMIT;\n"
        self._lost = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._sandbox.sql("CREATE TABLE test_ballast (n INT NOT NULL) ENGINE=InnoDB"
                          f" SELECT seq AS n FROM seq_1_to_{self.ROWS}")
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._sandbox.sql("DROP TABLE test_ballast")

    def lost(self):
        """How many deadlocks ended with this client's transaction given up."""
        return self._lost

    def _run(self):
        while not self._stop.is_set():
            done = subprocess.run(self._sandbox.client("--force"), input=self._script, text=True,
                                  capture_output=True, check=False)
            self._lost += done.stderr.count("ERROR 1213")
