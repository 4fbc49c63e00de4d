#!/usr/bin/env python3
"""Measures the cost of hosts and nodes in a Galera cluster: votes per second and their latency with one server,
with three nodes, and with two hosts that write to one node or to two. Everything shares one machine, so more nodes
mean more work for the same processors. The result shows only the cost of certification and conflicts, not the gain
from more machines.

Rows are measured in turn, round after round, and the result is the median. Each vote comes from a new voter with
another address. RATINGD_BENCH_SECONDS (5) and RATINGD_BENCH_ROUNDS (3) set the length. RATINGD_BUILD_DIR
(build/release) is the folder with the programs. RATINGD_RUN_DIR (build/faults) is the prefix of the folders for
the run. Needs root.

usage: bench_galera.py
"""

import dataclasses
import json
import os
import pathlib
import secrets
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from fault_sandbox import TESTS  # first because it sets the module path
import private_network
from galera_cluster import Cluster, GaleraHost
from mariadb import ServerError

SECONDS = int(os.environ.get("RATINGD_BENCH_SECONDS", "5"))
ROUNDS = int(os.environ.get("RATINGD_BENCH_ROUNDS", "3"))
CONNECTIONS = 64  # the total for all hosts
SPREAD, HOT = 1000, 1  # objects


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    hosts: tuple  # the hosts that receive votes
    orders: tuple = ()  # the order of nodes that each host prefers
    objects: int = SPREAD


def all_rows():
    for objects in (SPREAD, HOT):
        yield Row("1 host, 1 server", ("alone",), ((0,),), objects)
        yield Row("1 host, 3 nodes", ("a",), ((0, 1, 2),), objects)
        yield Row("2 hosts, 3 nodes, writing to one", ("a", "b"), ((0, 1, 2), (0, 1, 2)), objects)
        yield Row("2 hosts, 3 nodes, writing to two", ("a", "b"), ((0, 1, 2), (1, 2, 0)), objects)


def prefer(host, order):
    """Makes the host's workers use these nodes in this order."""
    if host.order == order:
        return
    host.order = order
    for worker in host.workers():
        host.restart_worker(worker)


def load(host, row):
    command = ["wrk", "-t1", f"-c{CONNECTIONS // len(row.hosts)}", f"-d{SECONDS}s", "--timeout=10s",
               "-s", TESTS / "bench/requests.lua", f"{host.base_url}/rate", "--", "0", "vote",
               str(row.objects), secrets.token_hex(4)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result_of(client):
    output, errors = client.communicate()
    if client.returncode != 0:
        raise ServerError(f"wrk failed: {errors.strip()}")
    return json.loads(output.splitlines()[-1])


def counted(host):
    """Returns how many votes and transactions the host's workers have handled since their start, and how many
    repetitions followed conflicts."""
    metrics = host.metrics()
    sizes = {suffix: value for (suffix, _), value in metrics["ratingd_vote_batch_size"].samples.items()}
    return [sizes["_sum"], sizes["_count"], sum(metrics["ratingd_vote_retries_total"].samples.values())]


def measure(hosts, row):
    used = [hosts[name] for name in row.hosts]
    for host, order in zip(used, row.orders, strict=True):
        prefer(host, order)
    before = [counted(host) for host in used]
    results = [result_of(client) for client in [load(host, row) for host in used]]
    votes, commits, repeated = (sum(column) for column in zip(*(
        [now - then for now, then in zip(counted(host), old, strict=True)]
        for host, old in zip(used, before, strict=True)), strict=True))
    refused = sum(result["refused"] + result["broken"] for result in results)
    requests = sum(result["requests"] for result in results)
    return {"per_second": sum((result["requests"] - result["refused"]) / result["seconds"]
                              for result in results),
            "p50_ms": max(result["p50_ms"] for result in results),
            "p99_ms": max(result["p99_ms"] for result in results),
            "votes_per_commit": votes / max(commits, 1), "repeated": repeated / max(commits, 1),
            "refused": refused / requests}


def table_of(results):
    yield ("| hosts and nodes | objects | votes/s | p50 ms | p99 ms | votes per commit |"
           " commits repeated | answers of 503 |")
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for row, rounds in results.items():
        median = {key: statistics.median(result[key] for result in rounds) for key in rounds[0]}
        yield (f"| {row.name} | {row.objects:,} | {median['per_second']:,.0f} | {median['p50_ms']:.1f} |"
               f" {median['p99_ms']:.1f} | {median['votes_per_commit']:.1f} | {median['repeated']:.0%} |"
               f" {median['refused']:.1%} |")


def run(cluster, hosts):
    for name in ("alone", "a"):
        hosts[name].ratingctl("settings", "set", "rate_limit_write=1000000", "rate_limit_window_seconds=1")
    rows = list(all_rows())
    results = {row: [] for row in rows}
    for number in range(ROUNDS + 1):
        for row in rows:
            result = measure(hosts, row)
            if number:  # the first round warms up
                results[row].append(result)
            print(f"round {number}: {row.name}, {row.objects} objects: {result['per_second']:.0f} /s",
                  file=sys.stderr)
    print("\n".join(table_of(results)))
    for node in cluster.nodes:
        hosts["a"].ratingctl("verify", f"--db-host={node.address}")
    hosts["alone"].ratingctl("verify")


def main():
    private_network.enter()
    cluster, hosts = Cluster(), {}
    try:
        cluster.start()
        hosts["alone"] = GaleraHost([cluster.add_server()], "alone", (0,))
        hosts["a"] = GaleraHost(cluster.nodes, "a", (0, 1, 2))
        hosts["b"] = GaleraHost(cluster.nodes, "b", (1, 2, 0), hosts["a"])
        for host in hosts.values():
            host.start()
        run(cluster, hosts)
    finally:
        for host in hosts.values():
            host.stop()
        cluster.close()


if __name__ == "__main__":
    main()
