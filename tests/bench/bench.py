#!/usr/bin/env python3
"""Measures ratingd, programs that show its upper bounds, and the software that it replaces. All of them run on one
machine, behind one nginx.

Rows are measured in turn, round after round, and compared within each round. The result is the median of the
rounds because only ratios are meaningful on a shared machine. Client, nginx, workers, PHP and MariaDB share the
machine and listen on the loopback.

Before each row that votes, all votes and sums are reset to the state at the start. So each row begins with equal
tables, and all its voters and most of its addresses are new.

RATINGD_BENCH_SECONDS (8) and RATINGD_BENCH_ROUNDS (3) set the length. RATINGD_BUILD_DIR (build/release) is the
folder with the programs. RATINGD_RUN_DIR (build/bench) is the folder for the run and for the result, bench.json.

usage: bench.py [--history] [ROW ...]   (default: all; rows to which a ratio compares a named row are added)
  --history   appends the result to history.jsonl beside this program
"""

import argparse
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "sandbox"))

import processor_time
from bench_report import Limit, Ratio, history_line, summary_of, tables_of
from bench_site import BenchSite
from environment import first_line, machine, mariadb_settings, versions
from mariadb import ServerError
from processes import wait_until
from report import report_failure
from stack import REPOSITORY, WORKERS, free_port, run_dir

HISTORY = pathlib.Path(__file__).with_name("history.jsonl")
SECONDS = int(os.environ.get("RATINGD_BENCH_SECONDS", "8"))
ROUNDS = int(os.environ.get("RATINGD_BENCH_ROUNDS", "3"))
CLIENT_THREADS, CONNECTIONS = 2, 64
OF_PHP = 8  # connections; with PHP's two processes, more connections would only wait
WORKER_THREADS = 64
OBJECTS = 10_000
VOTERS = 500  # reads send the cookies of these voters
BATCH = 20
RATED_OBJECT = 4
# The settings that limit the number of requests from one address. With WIDE_LIMIT, requests are counted but never
# rejected.
WIDE_LIMIT = ("rate_limit_read=1000000", "rate_limit_write=1000000", "rate_limit_window_seconds=1")
NARROW_LIMIT = ("rate_limit_read=60", "rate_limit_window_seconds=60")


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    url: str
    words: tuple = ("get",)  # the arguments of requests.lua
    cookies: tuple = ()  # the cookies of voters, for reads and votes
    connections: int = CONNECTIONS
    half_of: str = ""  # this row runs at half the speed of the row with this name
    beside: "Row | None" = None  # the requests of other clients during the row
    refuses: bool = False  # the "beside" clients reach a low limit
    checks: bool = False  # the service checks that objects are published

    @property
    def votes(self):
        return self.words[0] in ("vote", "bare_vote", "facets_vote", "mixed", "evenly_mixed")


RATIOS = [
    Ratio("`GET /public/stats/{id}` of a hot object / ceiling", "public_stats", "ceiling", 2.0),
    Ratio("`GET /stats/{id}` / ceiling", "stats", "ceiling", 1.2),
    Ratio("the same with a voter's cookie / ceiling", "stats_of_voter", "ceiling", 1.15),
    Ratio("the same without the cache of totals / ceiling", "stats_uncached", "ceiling"),
    Ratio(f"`GET /stats?object_ids=` ({BATCH}), objects / single GETs", "stats_batch", "stats", 5, BATCH),
    Ratio("`POST /rate` / ceiling", "rate", "ceiling", 0.32),
    Ratio("the same without token and `Sec-Fetch-Site` / ceiling", "rate_without_token", "ceiling", 0.32),
    Ratio("`POST /rate` with 256 connections / ceiling with as many", "rate_256", "ceiling_256", 0.40),
    Ratio("`POST /rate` of published content only / `POST /rate`", "rate_published", "rate"),
    Ratio("`POST /rate` / one transaction per vote", "rate", "rate_one_by_one", 3),
    Ratio("`POST /rate` on one object / spread votes", "rate_one_object", "rate", 0.90),
    Ratio("`POST /rate` with three facets / votes with one value", "rate_facets", "rate", 0.60),
    Ratio("95 % reads and 5 % votes by a power law / ceiling", "mixed", "ceiling", 0.80),
    Ratio("the same spread evenly over 10,000 objects / ceiling", "evenly_mixed", "ceiling", 0.75),
    Ratio("the same by a power law with a voter's cookie / ceiling", "mixed_of_voters", "ceiling", 0.60),
    Ratio("the same by a power law on each of two hosts / half of one host's", "mixed_of_two_hosts", "mixed",
          0.50, 2),
    Ratio("`GET` beside 1,000 refused clients / `GET` alone", "stats_beside_refused", "stats"),
    Ratio("`GET /stats/{id}` / plugin of WordPress", "stats", "php_stats", 100),
    Ratio("`POST /rate` / plugin of WordPress", "rate", "php_rate", 50),
]

LIMITS = [
    Limit("p99 of `GET` at half load beside votes at half load, ms", "stats_beside_votes", "p99_ms", 5),
]


# --- Rows -------------------------------------------------------------------------------------


def make_rows(site):
    fixed = site.run_dir / "fixed-response"
    fixed.write_bytes(response_like(f"{site.base_url}/stats/{RATED_OBJECT}"))
    ceiling = site.add_pool("ceiling", [site.build_dir / "tests/bench/ceiling", str(WORKER_THREADS),
                                        fixed])
    one_by_one = site.add_pool("one_by_one", site.worker_command("--batch-limit=1"))
    uncached = site.add_pool("uncached", site.worker_command("--cache-seconds=0"))
    second_host = site.add_host("second_host")
    stats = f"stats/{RATED_OBJECT}"
    cookies = [voter_cookie(site.base_url, number) for number in range(VOTERS)]
    batch = ",".join(str(number) for number in range(1, BATCH + 1))
    votes = ("vote", str(OBJECTS))
    return [
        Row("ceiling", f"{ceiling}/{stats}"),
        Row("public_stats", f"{site.base_url}/public/{stats}"),
        Row("stats", f"{site.base_url}/{stats}"),
        Row("stats_of_voter", f"{site.base_url}/{stats}", ("get", *cookies)),
        Row("stats_uncached", f"{uncached}/{stats}"),
        Row("stats_batch", f"{site.base_url}/stats?object_ids={batch}&object_type=post"),
        Row("rate", f"{site.base_url}/rate", votes),
        Row("rate_published", f"{site.base_url}/rate", votes, checks=True),
        Row("rate_without_token", f"{site.base_url}/rate", ("bare_vote", str(OBJECTS))),
        Row("rate_one_object", f"{site.base_url}/rate", ("vote", "1")),
        Row("rate_facets", f"{site.base_url}/rate", ("facets_vote", str(OBJECTS))),
        Row("rate_one_by_one", f"{one_by_one}/rate", votes),
        Row("mixed", site.base_url, ("mixed", str(OBJECTS))),
        Row("evenly_mixed", site.base_url, ("evenly_mixed", str(OBJECTS))),
        Row("mixed_of_voters", site.base_url, ("mixed", str(OBJECTS)), cookies=tuple(cookies)),
        Row("mixed_of_two_hosts", site.base_url, ("mixed", str(OBJECTS)), connections=CONNECTIONS // 2,
            beside=Row("mixed_of_the_other", second_host, ("mixed", str(OBJECTS)), connections=CONNECTIONS // 2)),
        Row("ceiling_256", f"{ceiling}/{stats}", connections=256),
        Row("rate_256", f"{site.base_url}/rate", votes, connections=256),
        # In this benchmark, some clients read statistics while other clients vote.
        Row("stats_beside_votes", f"{site.base_url}/{stats}", half_of="stats",
            beside=Row("votes_beside", f"{site.base_url}/rate", votes, half_of="rate")),
        Row("stats_beside_refused", f"{site.base_url}/{stats}", ("strangers",), refuses=True,
            beside=Row("crowd", f"{site.base_url}/{stats}", ("thousand",))),
        Row("php_stats", f"{site.baseline_url}/{stats}", connections=OF_PHP),
        Row("php_rate", f"{site.baseline_url}/rate", votes, connections=OF_PHP),
    ]


def asked_for(rows, names):
    """Returns the rows with these names and the rows to which they are compared. Returns all rows if there are no
    names."""
    unknown = set(names) - {row.name for row in rows}
    if unknown:
        raise SystemExit(f"bench: no such row: {', '.join(sorted(unknown))}; there are"
                         f" {', '.join(row.name for row in rows)}")
    if not names:
        return rows
    wanted = set(names) | {ratio.of for ratio in RATIOS if ratio.row in names}
    wanted |= {each.half_of for row in rows if row.name in names for each in (row, row.beside) if each}
    return [row for row in rows if row.name in wanted]


def response_like(url):
    """Returns a response with the same headers and length, in the form that a FastCGI program sends."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        of_nginx = {"server", "date", "connection", "transfer-encoding", "content-length", "cache-status"}
        headers = [f"{name}: {value}" for name, value in answer.headers.items()
                   if name.lower() not in of_nginx]
        return "\r\n".join(["Status: 200", *headers, "", ""]).encode() + answer.read()


def voter_cookie(base_url, number):
    """Returns the cookie of a new voter with a separate address, who has rated RATED_OBJECT."""
    vote = {"object_id": RATED_OBJECT, "category": "binary", "value": 1}
    request = urllib.request.Request(
        f"{base_url}/rate", data=json.dumps(vote).encode(),
        headers={"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin",
                 "X-Sandbox-Address": f"2001:db8:{number:x}::1"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Set-Cookie"].split(";", 1)[0]


def load(row, seconds, pace=0.0):
    """Starts the client. Each connection pauses "pace" milliseconds between requests."""
    words = [*row.words, secrets.token_hex(4), *row.cookies] if row.votes else row.words
    command = ["wrk", f"-t{CLIENT_THREADS}", f"-c{row.connections}", f"-d{seconds}s", "--timeout=10s",
               "-s", REPOSITORY / "tests/bench/requests.lua", row.url, "--", f"{pace:.3f}", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result_of(client):
    output, errors = client.communicate()
    if client.returncode != 0:
        raise ServerError(f"wrk failed: {errors.strip()}")
    result = json.loads(output.splitlines()[-1])
    return {**result, "per_second": result["requests"] / result["seconds"]}


def pace_of(row, results):
    """Returns the pace for half the speed of another row in the last round."""
    if not row.half_of or not results[row.half_of]:
        return 0.0
    return 2000 * row.connections / results[row.half_of][-1]["per_second"]


@contextlib.contextmanager
def only_published_content(site):
    site.ratingctl("settings", "set", "object_check=published")
    time.sleep(2)  # until all workers have read the settings
    try:
        yield
    finally:
        site.ratingctl("settings", "reset", "object_check")
        time.sleep(2)


def measure(site, row, seconds, results):
    with only_published_content(site) if row.checks else contextlib.nullcontext():
        return measure_row(site, row, seconds, results)


def measure_row(site, row, seconds, results):
    if row.votes or (row.beside and row.beside.votes):
        site.restore_tables()
    if row.beside:
        return measure_beside(site, row, seconds, results)
    batches = site.vote_batches()
    before = processor_time.used(site.processes())
    result = result_of(load(row, seconds, pace_of(row, results)))
    used = processor_time.used(site.processes())
    result["cost_us"] = processor_time.cost_per_request(before, used, result["requests"])
    commits, votes = (now - then for now, then in zip(site.vote_batches(), batches, strict=True))
    return {**result, "votes_per_commit": votes / commits} if row.votes and commits else result


def measure_beside(site, row, seconds, results):
    if row.refuses:
        set_limits(site, *NARROW_LIMIT)
    try:
        others = load(row.beside, seconds, pace_of(row.beside, results))
        result = result_of(load(row, seconds, pace_of(row, results)))
        beside = result_of(others)
    finally:
        if row.refuses:
            set_limits(site, *WIDE_LIMIT)
    if not row.refuses:
        result = {**result, **{key: result[key] + beside[key] for key in ("refused", "broken")}}
    return {**result, "beside": beside, "beside_per_second": beside["per_second"]}


def set_limits(site, *settings):
    """Changes limits. Returns when the workers use them."""
    site.ratingctl("settings", "set", *settings)
    quota = settings[0].split("=")[1]

    def is_heard():
        request = urllib.request.Request(f"{site.base_url}/stats/{RATED_OBJECT}",
                                         headers={"X-Sandbox-Address": "192.0.2.1"})
        try:
            answer = urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as refusal:  # the client has reached the other limit
            answer = refusal
        with answer:
            return f"q={quota};" in answer.headers["RateLimit-Policy"]

    # Each worker reads the settings separately. If eight responses in a row show the new settings, all workers
    # have probably read them.
    if not wait_until(lambda: all(is_heard() for _ in range(8)), 10):
        raise ServerError("The workers do not hear of a setting.")


def measure_all(site, rows):
    """Returns the results of each row by name, round by round."""
    site.remember_tables()
    results = {row.name: [] for row in rows}
    for row in rows:
        measure(site, row, 1, results)  # warms up connections, caches and tables
    for turn in range(ROUNDS):
        for row in rows:
            result = measure(site, row, SECONDS, results)
            results[row.name].append(result)
            print(f"round {turn + 1}: {row.name:20} {result['per_second']:9.0f} /s", file=sys.stderr)
    return results


# --- Results ----------------------------------------------------------------------------------


def environment_of(site):
    return {
        "machine": machine(),
        "versions": {**versions(site), "wrk": first_line("wrk", "--version")},
        "settings": {
            "seconds": SECONDS, "rounds": ROUNDS, "client_threads": CLIENT_THREADS,
            "connections": CONNECTIONS, "processes": WORKERS, "threads_each": WORKER_THREADS,
            "objects": OBJECTS, "mariadb": mariadb_settings(site)},
    }


def show(summary):
    print(f"\n{tables_of(summary)}")
    print(f"\nOther programs took {summary['others']:.0%} of the processors' time.")
    print("RssAnon of the workers in MiB, before and after:"
          f" {summary['rss_mib_before']}, {summary['rss_mib']}")
    for name, median in summary["medians"].items():
        if "beside_per_second" in median:
            print(f"Beside {name}: {median['beside_per_second']:,.0f} /s")


def errors_of(results):
    """Refused or broken requests would distort a measurement."""
    return [f"{name}: {result['refused']} refused, {result['broken']} broken requests"
            for name, rounds in results.items() for result in rounds
            if result["refused"] or result["broken"]]


def run(site, names, keeps_history):
    site.start()
    try:
        set_limits(site, *WIDE_LIMIT, "facets=taste,service,price")
        site.add_posts(OBJECTS)
        rows = asked_for(make_rows(site), names)
        memory = site.resident_memory()
        machine_before, before = processor_time.of_machine(), processor_time.used(site.processes())
        results = measure_all(site, rows)
        used = sum(processor_time.used(site.processes()).values()) - sum(before.values())
        others = processor_time.share_of_others(machine_before, processor_time.of_machine(), used)
        summary = {**summary_of(results, RATIOS, LIMITS), "others": round(others, 2), "rss_mib_before": memory,
                   "rss_mib": site.resident_memory(), **environment_of(site)}
        site.ratingctl("verify")
    finally:
        site.stop()
    path = site.run_dir / "bench.json"
    path.write_text(json.dumps({**summary, "rows": results}, indent=1) + "\n")
    show(summary)
    print(f"\nAll of it: {path}")
    errors = errors_of(results)
    print("\n".join(errors), end="\n" if errors else "")
    if keeps_history and not errors:
        with HISTORY.open("a") as history:
            history.write(history_line(summary, datetime.datetime.now(datetime.UTC).date().isoformat()))
    return 1 if errors else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--history", action="store_true")
    asked = parser.parse_args()
    if asked.history and asked.rows:
        parser.error("--history is for all rows")
    site = BenchSite(run_dir("bench"), int(os.environ.get("RATINGD_HTTP_PORT", "0")) or free_port())
    try:
        return run(site, asked.rows, asked.history)
    except ServerError as error:
        return report_failure(error)


if __name__ == "__main__":
    sys.exit(main())
