#!/usr/bin/env python3
"""Measures commands that handle all of a site's votes: demo-data, verify, export, clean, import. Each command runs
once alone and once while votes arrive. The votes are timed before and during the command. INSERT … SELECT of the
same rows into a table with the same columns and keys is the lower bound of an import.

RATINGD_BULK_VOTES (200000), RATINGD_BULK_OBJECTS (10000) and RATINGD_BULK_DAYS (365) are the size of the site.
RATINGD_BULK_RATE (300) is the number of votes per second. RATINGD_BULK_SECONDS (10) is the time for which votes
are measured before the commands. RATINGD_BENCH_MEMORY (2G) is the size of MariaDB's buffer pool. RATINGD_BUILD_DIR
(build/release) is the folder with the programs. RATINGD_RUN_DIR (build/bench-bulk) is the folder for the run and
for the result, bench-bulk.json.

usage: bench_bulk.py [ROW ...]   (all)
"""

import http.client
import json
import os
import pathlib
import secrets
import subprocess
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "sandbox"))

from environment import machine, mariadb_settings, versions
from mariadb import Mariadb, ServerError
from report import report_failure
from stack import BASE_PATH, Stack, free_port, run_dir

VOTES = int(os.environ.get("RATINGD_BULK_VOTES", "200000"))
OBJECTS = int(os.environ.get("RATINGD_BULK_OBJECTS", "10000"))
DAYS = int(os.environ.get("RATINGD_BULK_DAYS", "365"))
RATE = int(os.environ.get("RATINGD_BULK_RATE", "300"))
SECONDS = float(os.environ.get("RATINGD_BULK_SECONDS", "10"))
MEMORY = os.environ.get("RATINGD_BENCH_MEMORY", "2G")
RUN_DIR = run_dir("bench-bulk")
CLIENTS = 6


class Site(Stack):
    """The sandbox with a database whose buffer pool has a usual size."""

    def mariadb(self):
        server = super().mariadb()
        options = [f"--innodb-buffer-pool-size={MEMORY}", "--innodb-log-file-size=1G"]
        return Mariadb(server.folder, server.socket, server.log, options)

    def settle(self):
        """Waits until the server has finished the background work of earlier rows."""
        self.mariadb().execute("SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0.001,"
                               " GLOBAL innodb_max_dirty_pages_pct = 0")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._left_to_do() > 1000:
            time.sleep(0.2)
        self.mariadb().execute("SET GLOBAL innodb_max_dirty_pages_pct = 90,"
                               " GLOBAL innodb_max_dirty_pages_pct_lwm = 0")

    def _left_to_do(self):
        rows = self.mariadb().execute(
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_history_list_length',"
            " 'Innodb_buffer_pool_pages_dirty')")
        return max(int(row.split("\t")[1]) for row in rows.splitlines())

    def insert_select(self):
        """Returns the seconds of INSERT … SELECT for all votes."""
        self.mariadb().execute("CREATE TABLE wp_copy LIKE wp_ratingd_votes", "wordpress")
        begin = time.monotonic()
        self.mariadb().execute("INSERT INTO wp_copy SELECT * FROM wp_ratingd_votes", "wordpress")
        taken = time.monotonic() - begin
        self.mariadb().execute("DROP TABLE wp_copy", "wordpress")
        return taken


class Voters:
    """Casts votes at a steady rate on all objects, each from a new voter, until the context ends. A vote's time is
    measured from the moment at which the vote was due, so that a stalled service is noticed."""

    def __init__(self, port):
        self.port = port
        self.milliseconds = []
        self.failures = []
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._vote, args=(number,))
                         for number in range(CLIENTS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def figures(self):
        ordered = sorted(self.milliseconds)
        if not ordered:
            return {"votes": 0, "failed": len(self.failures)}

        def quantile(share):
            return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)], 1)
        return {"votes": len(ordered), "failed": len(self.failures), "p50": quantile(0.5),
                "p99": quantile(0.99), "max": round(ordered[-1], 1)}

    def _vote(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        due = time.monotonic() + number / RATE
        count = 0
        while not self._over.wait(max(0, due - time.monotonic())):
            object_id = 1 + secrets.randbelow(OBJECTS)
            body = json.dumps({"object_id": object_id, "category": "binary", "value": count % 2})
            try:
                connection.request("POST", f"{BASE_PATH}/rate", body, {
                    "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin",
                    "X-Ratingd-Device": secrets.token_hex(16),
                    "X-Sandbox-Address": f"10.{number}.{count >> 8 & 255}.{count & 255}"})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    self.milliseconds.append(1000 * (time.monotonic() - due))
                else:
                    self.failures.append(answer.status)
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(str(error))
                connection.close()
            due += CLIENTS / RATE
            count += 1
        connection.close()


# --- Measuring ----------------------------------------------------------------------------------


def run(site, *words):
    """Runs a command. Returns its seconds and its maximum memory in MiB."""
    command = [site.build_dir / "ratingctl", f"--wp-config={site.wp_config}", *site._own_files(),
               f"--base-path={site.base_path}", *words]
    log = site.log_dir / "ratingctl.log"
    begin = time.monotonic()
    with log.open("ab") as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, env=site._account("ratingctl"))
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise ServerError(f"ratingctl {' '.join(words)} failed.", log)
    return {"seconds": round(time.monotonic() - begin, 2), "memory_mib": usage.ru_maxrss // 1024,
            "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2)}


def measure(site, asked):
    file = str(RUN_DIR / "votes.ndjson")
    pathlib.Path(file).unlink(missing_ok=True)
    steps = (("export", ("export", "--scope=ratings", file)),
             ("clean", ("clean", "ratings", "--all", "--confirm")),
             ("import", ("import", file)), ("verify", ("verify",)))
    rows = {"demo-data": run(site, "demo-data", f"--votes={VOTES}", f"--objects={OBJECTS}",
                             f"--days={DAYS}", "--seed=1", "--invent-posts")}
    site.mariadb().execute("ANALYZE TABLE wp_ratingd_votes, wp_ratingd_daily", "wordpress")
    rows["insert-select"] = {"seconds": round(site.insert_select(), 2)}
    site.settle()
    with Voters(site.port) as voters:
        time.sleep(SECONDS)
    usual = voters.figures()
    for name, words in steps:
        site.settle()
        rows[name] = run(site, *words)
    for name, words in steps[1:]:
        if asked and name not in asked:
            continue
        site.settle()
        with Voters(site.port) as voters:
            rows[f"{name} beside votes"] = run(site, *words) | voters.figures()
    run(site, "verify")
    return rows, usual


def show(rows, usual):
    print(f"{VOTES} votes on {OBJECTS} objects; {RATE} votes a second arrive: p50 {usual.get('p50')} ms,"
          f" p99 {usual.get('p99')} ms\n")
    print(f"{'':24}{'seconds':>9}{'a million':>11}{'MiB':>6}"
          f"{'votes':>8}{'failed':>8}{'p50':>8}{'p99':>8}{'max':>9}")
    for name, row in rows.items():
        million = row["seconds"] * 1_000_000 / VOTES
        tail = "".join(f"{row.get(key, ''):>{width}}" for key, width in
                       (("memory_mib", 6), ("votes", 8), ("failed", 8), ("p50", 8), ("p99", 8), ("max", 9)))
        print(f"{name:24}{row['seconds']:9.1f}{million:11.1f}{tail}")


def main():
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    site = Site(RUN_DIR / "site", free_port())
    try:
        site.start()
        try:
            rows, usual = measure(site, sys.argv[1:])
            about = {"mariadb": mariadb_settings(site), "versions": versions(site)}
        finally:
            site.stop()
    except ServerError as error:
        return report_failure(error)
    settings = {"votes": VOTES, "objects": OBJECTS, "days": DAYS, "rate": RATE}
    result = RUN_DIR / "bench-bulk.json"
    result.write_text(json.dumps({"machine": machine(), "settings": settings, **about, "usual": usual,
                                  "rows": rows}, indent=1) + "\n")
    show(rows, usual)
    print(f"\nAll of it: {result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
