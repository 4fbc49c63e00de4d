#!/usr/bin/env python3
"""Measures how the cost of votes depends on their number: bytes per row and index, the time of each command that
reads or writes all votes, and votes per second while the tables fit in MariaDB's memory and when they no longer
fit. docs/sizing.md has the results.

RATINGD_SIZING_VOTES ("1000000 10000000") has the numbers of votes, one site after the other. Each site has one
object for a hundred votes. RATINGD_SIZING_POOLS ("1 1/4 1/16") are MariaDB's buffer pools as shares of the tables'
bytes. RATINGD_SIZING_SECONDS (20) is the time for which votes are measured with each pool. RATINGD_BENCH_MEMORY
(4G) is the buffer pool for everything else. RATINGD_BUILD_DIR (build/release) is the folder with the programs.
RATINGD_RUN_DIR (build/bench-sizing) is the folder for the run and for the results, which are named VOTES.json
after the number of votes.

usage: bench_sizing.py
"""

import fractions
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "sandbox"))

from environment import machine, versions
from mariadb import Mariadb, ServerError
from report import report_failure
from stack import REPOSITORY, Stack, free_port, run_dir

SIZES = [int(word) for word in os.environ.get("RATINGD_SIZING_VOTES", "1000000 10000000").split()]
POOLS = os.environ.get("RATINGD_SIZING_POOLS", "1 1/4 1/16").split()
SECONDS = int(os.environ.get("RATINGD_SIZING_SECONDS", "20"))
MEMORY = os.environ.get("RATINGD_BENCH_MEMORY", "4G")
RUN_DIR = run_dir("bench-sizing")
DAYS = 730
VOTES_PER_OBJECT = 100
CONNECTIONS = 64
LEAST_POOL = 32 << 20  # bytes
MOST_COPIED = 2_000_000  # votes; larger tables are not copied
MOST_MORE_VOTES = 100_000  # the votes that are added to each shape of the table when it does not fit in memory
VOTES = "wp_ratingd_votes"

# Alternative definitions of the votes table. The statements alter a copy of the votes table created with CREATE
# TABLE LIKE.
SHAPES = {
    "as it is": (),
    "object_type as a number": ("MODIFY object_type TINYINT UNSIGNED NOT NULL",),
    "without the key by_object": ("DROP KEY by_object",),
    "16 partitions by object": ("PARTITION BY KEY (object_id) PARTITIONS 16",),
    "without keys but the primary one": ("DROP KEY by_object, DROP KEY by_time, DROP KEY by_voter",),
}
NUMBERED = "wp_shape_1"  # the shape with numbers
# A unique key cannot span partitions, so a partitioned table accepts several votes by the same voter on the same
# object.
BY_TIME = ("DROP PRIMARY KEY, ADD PRIMARY KEY (object_id, object_type, category, voter, rated_at)",
           "PARTITION BY RANGE COLUMNS (rated_at) (%s)")


class Site(Stack):
    def __init__(self, votes):
        super().__init__(RUN_DIR / "site", free_port())
        self.votes = votes
        self.objects = max(1, votes // VOTES_PER_OBJECT)
        self.more_votes = min(MOST_MORE_VOTES, votes // 10)
        self.pool = MEMORY

    def mariadb(self):
        server = super().mariadb()
        # InnoDB's redo log is as large as on a busy site. With a smaller log, InnoDB would often have to write
        # pages because the log is full.
        options = [f"--innodb-buffer-pool-size={self.pool}", "--innodb-log-file-size=1G",
                   "--skip-innodb-buffer-pool-load-at-startup"]
        return Mariadb(server.folder, server.socket, server.log, options)

    def restart_mariadb(self, pool):
        """Restarts the server with an empty buffer pool of this many bytes."""
        [process] = [each for each in self.processes() if each.name == "mariadbd" and each.is_alive()]
        if not process.stop(300):
            raise ServerError("MariaDB did not stop in time.")
        self.pool = pool
        self.start_mariadb()

    def sql(self, statement):
        return self.mariadb().execute(statement, "wordpress")

    def row(self, statement):
        return self.sql(statement).strip().split("\t")

    def timed(self, *words):
        begin = time.monotonic()
        self.ratingctl(*words)
        return round(time.monotonic() - begin, 1)

    def timed_sql(self, statement):
        begin = time.monotonic()
        self.sql(statement)
        return round(time.monotonic() - begin, 1)

    def tables(self):
        return self.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'wordpress'"
                        " AND table_name LIKE 'wp\\_ratingd\\_%' AND table_type = 'BASE TABLE'").split()

    def pages(self):
        """Returns how many pages were read from the disk and written to it since the start."""
        rows = self.sql("SHOW GLOBAL STATUS WHERE Variable_name IN"
                        " ('Innodb_buffer_pool_reads', 'Innodb_pages_written')").splitlines()
        values = dict(row.split("\t") for row in rows)
        return int(values["Innodb_buffer_pool_reads"]), int(values["Innodb_pages_written"])


# --- Measurements -------------------------------------------------------------------------------


def bytes_of_keys(site, table):
    """Returns the size of each table key in bytes, summed over all partitions."""
    site.sql(f"ANALYZE TABLE {table}")
    rows = site.sql("SELECT index_name, SUM(stat_value) * @@innodb_page_size FROM mysql.innodb_index_stats"
                    " WHERE database_name = 'wordpress' AND stat_name = 'size'"
                    f" AND (table_name = '{table}' OR table_name LIKE '{table}#P#%') GROUP BY 1")
    return {name: int(size) for name, size in (row.split("\t") for row in rows.splitlines())}


def sizes_of(site):
    """Returns the rows and bytes of each table that grows with votes."""
    sizes = {}
    for table in site.tables():
        keys = bytes_of_keys(site, table)
        if sum(keys.values()) > 1 << 20:
            sizes[table] = {"rows": int(site.row(f"SELECT COUNT(*) FROM {table}")[0]), "keys": keys}
    return sizes


def fill(site, name, changes, order):
    """Fills a votes table that has another shape, in this order. Returns the seconds and bytes."""
    site.sql(f"CREATE TABLE {name} LIKE {VOTES};" + "".join(f"ALTER TABLE {name} {each};" for each in changes))
    columns = site.row("SELECT GROUP_CONCAT(column_name ORDER BY ordinal_position)"
                       " FROM information_schema.columns"
                       f" WHERE table_schema = 'wordpress' AND table_name = '{name}'")[0]
    values = columns.replace("object_type", "1") if name == NUMBERED else columns
    seconds = site.timed_sql(f"INSERT INTO {name} ({columns}) SELECT {values} FROM {VOTES} ORDER BY {order}")
    return {"seconds": seconds, "keys": bytes_of_keys(site, name)}


def months():
    """Returns partitions that cover a month each."""
    firsts = [(2020 + number // 12, number % 12 + 1) for number in range(12 * 12)]
    return ", ".join(f"PARTITION p{year}{month:02} VALUES LESS THAN ('{year}-{month:02}-01')"
                     for year, month in firsts)


def shapes_of(site):
    """Measures each shape. A site fills it in the order of time. Then more votes are added while the memory can
    hold only a sixteenth of the first shape."""
    shapes = {**SHAPES, "partitions by month": (BY_TIME[0], BY_TIME[1] % months())}
    names = {shape: f"wp_shape_{place}" for place, shape in enumerate(shapes)}
    results = {shape: fill(site, names[shape], changes, "rated_at") for shape, changes in shapes.items()}
    site.restart_mariadb(max(LEAST_POOL, sum(results["as it is"]["keys"].values()) // 16))
    for shape, name in names.items():
        object_type = "1" if name == NUMBERED else "'post'"
        before = site.pages()
        results[shape]["more_votes"] = site.more_votes
        results[shape]["more_seconds"] = site.timed_sql(
            f"INSERT IGNORE INTO {name} (object_id, object_type, category, voter, value, created_at, rated_at)"
            f" SELECT 1 + FLOOR(RAND(seq) * {site.objects}), {object_type}, 0,"
            " (1 << 63) | FLOOR(RAND(seq + 1e9) * (1 << 62)), 1000, NOW(6), NOW(6)"
            f" FROM seq_1_to_{site.more_votes}")
        read, _ = (now - then for now, then in zip(site.pages(), before, strict=True))
        results[shape]["more_pages_read"] = round(read / site.more_votes, 2)
        site.sql(f"DROP TABLE {name}")
    site.restart_mariadb(MEMORY)
    return results


def commands_of(site):
    """Returns the seconds of each command that handles all votes."""
    site.restart_mariadb(MEMORY)
    export, dump, backup = RUN_DIR / "export.ndjson", RUN_DIR / "dump.sql", RUN_DIR / "backup"
    seconds = {"verify": site.timed("verify"), "export": site.timed("export", "--scope=ratings", str(export)),
               "migrate": site.timed("migrate"), "backup": site.timed("backup", str(backup)),
               "restore": site.timed("restore", "--replace", str(backup))}
    result = {"export_bytes": export.stat().st_size, "backup_bytes": backup.stat().st_size}
    export.unlink()
    backup.unlink()
    begin = time.monotonic()
    with dump.open("wb") as output:
        subprocess.run(["mariadb-dump", "--no-defaults", f"--socket={site.mariadb().socket}", "--user=root",
                        "--single-transaction", "--quick", "wordpress", *site.tables()], stdout=output, check=True)
    seconds["mariadb-dump"] = round(time.monotonic() - begin, 1)
    result["dump_bytes"] = dump.stat().st_size
    dump.unlink()
    seconds["add a column"] = site.timed_sql(f"ALTER TABLE {VOTES} ADD COLUMN extra INT NOT NULL DEFAULT 0")
    seconds["drop the column"] = site.timed_sql(f"ALTER TABLE {VOTES} DROP COLUMN extra")
    seconds["make a key"] = site.timed_sql(
        f"ALTER TABLE {VOTES} ADD KEY again (object_id, object_type, category, rated_at)")
    site.sql(f"ALTER TABLE {VOTES} DROP KEY again")
    seconds["write the table again"] = site.timed_sql(f"ALTER TABLE {VOTES} FORCE")
    seconds["rebuild"] = site.timed("rebuild")
    return {"seconds": seconds, **result}


def votes_with(site, share, size):
    pool = max(LEAST_POOL, int(fractions.Fraction(share) * size * (1.3 if share == "1" else 1)))
    site.restart_mariadb(pool)
    load(site, SECONDS)  # fills the memory
    before = site.pages()
    result = load(site, SECONDS)
    stored = result["requests"] - result["refused"]
    read, written = ((now - then) / max(stored, 1) for now, then in zip(site.pages(), before, strict=True))
    return {"pool_bytes": pool, "per_second": round(stored / result["seconds"]), "p50_ms": result["p50_ms"],
            "p99_ms": result["p99_ms"], "refused": result["refused"], "broken": result["broken"],
            "pages_read_per_vote": round(read, 2), "pages_written_per_vote": round(written, 2)}


def load(site, seconds):
    """Casts votes of new voters on all objects equally often, which is harder than real traffic."""
    command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout=10s",
               "-s", REPOSITORY / "tests/bench/requests.lua", f"{site.base_url}/rate", "--", "0", "vote",
               str(site.objects), secrets.token_hex(4)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(site):
    site.ratingctl("settings", "set", "rate_limit_write=1000000", "rate_limit_window_seconds=1")
    result = {"votes": site.votes, "objects": site.objects, "days": DAYS, "machine": machine(),
              "versions": versions(site)}
    result["demo_data_seconds"] = site.timed("demo-data", f"--votes={site.votes}",
                                             f"--objects={site.objects}", f"--days={DAYS}", "--seed=1",
                                             "--invent-posts")
    report(result, "tables", sizes_of(site))
    if site.votes <= MOST_COPIED:
        report(result, "shapes", shapes_of(site))
    size = sum(sum(table["keys"].values()) for table in result["tables"].values())
    report(result, "votes_per_second", {share: votes_with(site, share, size) for share in POOLS})
    report(result, "commands", commands_of(site))
    site.ratingctl("verify")
    return result


# --- Results ------------------------------------------------------------------------------------


def report(result, part, values):
    result[part] = values
    (RUN_DIR / f"{result['votes']}.json").write_text(json.dumps(result, indent=1) + "\n")
    print(f"{result['votes']:,} votes: {part}: {json.dumps(values)}", flush=True)


def show(result):
    votes = result["votes"]
    print(f"\n{votes:,} votes on {result['objects']:,} objects; bytes per vote")
    for name, table in result["tables"].items():
        keys = ", ".join(f"{key} {size / votes:.1f}" for key, size in table["keys"].items())
        print(f"  {name:28}{sum(table['keys'].values()) / votes:8.1f}   {table['rows']:>12,} rows   {keys}")
    for share, row in result["votes_per_second"].items():
        print(f"  buffer pool {share:>5} of the tables: {row['per_second']:>6} votes/s, p99 {row['p99_ms']} ms,"
              f" {row['pages_read_per_vote']} pages read and {row['pages_written_per_vote']} written per vote,"
              f" {row['refused']} refused")
    for name, seconds in result["commands"]["seconds"].items():
        print(f"  {name:28}{seconds:8.1f} s")
    for name, shape in result.get("shapes", {}).items():
        print(f"  {name:34}{sum(shape['keys'].values()) / votes:8.1f} bytes, filled in {shape['seconds']} s;"
              f" {shape['more_votes']:,} more: {shape['more_seconds']} s,"
              f" {shape['more_pages_read']} pages read per vote")


def main():
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    results = []
    for votes in SIZES:
        site = Site(votes)
        try:
            site.start()
            try:
                results.append(measure(site))
            finally:
                site.stop()
        except ServerError as error:
            return report_failure(error)
    for result in results:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
