#!/usr/bin/env python3
"""Tests effects that take a long time to appear: overload, timeouts, and leaks during hours of work. Each test
prints its figures. Speeds are compared within one run because the other work on the machine changes.

RATINGD_SOAK_SECONDS (600) is the time for which votes are cast while parts fail and sums are damaged and repaired.
RATINGD_SOAK_REQUESTS (2000000) is the number of requests during which the workers' memory is watched.
RATINGD_SOAK_ROUNDS (3) rounds of RATINGD_SOAK_ROUND_SECONDS (6) measure overload. During overload, the share
RATINGD_SOAK_GOODPUT (0.8) of the votes per second must remain. RATINGD_SOAK_GROWTH (1024) is the number of KiB by
which a worker may grow in the second half of the requests. The default is less than a byte for each request."""

import json
import os
import random
import resource
import secrets
import statistics
import subprocess
import time
import unittest

from fault_case import REFUSAL_SECONDS, FaultCase
from fault_injection import FaultInjection
from fault_sandbox import TESTS, FaultSandbox
from mariadb import ServerError
from voting import expected_scale, fresh_objects, poll

SECONDS = int(os.environ.get("RATINGD_SOAK_SECONDS", "600"))
REQUESTS = int(os.environ.get("RATINGD_SOAK_REQUESTS", "2000000"))
ROUNDS = int(os.environ.get("RATINGD_SOAK_ROUNDS", "3"))
ROUND_SECONDS = int(os.environ.get("RATINGD_SOAK_ROUND_SECONDS", "6"))
LEAST_GOODPUT = float(os.environ.get("RATINGD_SOAK_GOODPUT", "0.8"))
MOST_GROWTH = int(os.environ.get("RATINGD_SOAK_GROWTH", "1024"))
OBJECTS = 10_000
KIB_OF_A_WORKER = 32 * 1024
WIDE_LIMITS = {"rate_limit_read": 1000000, "rate_limit_write": 1000000, "rate_limit_window_seconds": 1}


class LoadTest(FaultCase):
    """Runs voters and readers as fast as they can, from many addresses (tests/bench/requests.lua)."""

    @classmethod
    def start_sandbox(cls):
        return cls.start_alone(FaultSandbox("-load"))

    def setUp(self):
        self.change(**WIDE_LIMITS)

    def start_client(self, words, connections, seconds):
        """Starts the client with "words" as the arguments of requests.lua."""
        url = f"{self.sandbox.base_url}{'' if words[0] == 'mixed' else '/rate'}"
        return subprocess.Popen(
            ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--timeout=30s", "-s",
             TESTS / "bench/requests.lua", url, "--", "0", *words, secrets.token_hex(4)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result_of(self, client):
        output, errors = client.communicate()
        self.assertEqual(0, client.returncode, errors)
        result = json.loads(output.splitlines()[-1])
        self.assertEqual(0, result["broken"], result)
        answered = result["requests"] - result["refused"]
        return {**result, "goodput": answered / result["seconds"]}

    def cast(self, connections, seconds):
        return self.result_of(self.start_client(["vote", str(OBJECTS)], connections, seconds))

    def check_memory(self):
        memory = self.sandbox.resident_memory()
        self.tell(f"RssAnon {memory} KiB")
        self.assertLess(max(memory), KIB_OF_A_WORKER)


class Overload(LoadTest):
    SLOW_COMMIT_MILLISECONDS = 50

    @classmethod
    def start_sandbox(cls):
        return cls.start_alone(SlowDiskSandbox("-slow-disk"))

    def test_keeps_its_goodput(self):
        self.check_goodput([16, 32, 64, 128])

    def test_keeps_its_goodput_while_commits_are_slow(self):
        self.sandbox.fault_injection.slow_flushes(self.SLOW_COMMIT_MILLISECONDS)
        self.addCleanup(self.sandbox.fault_injection.slow_flushes, 0)
        self.check_goodput([64, 128, 256])

    def check_goodput(self, steps):
        """Checks the goodput with ten times the connections that reach the peak."""
        speeds = {connections: self.cast(connections, min(ROUND_SECONDS, 3))["goodput"] for connections in steps}
        best = max(speeds.values())
        peak = min(connections for connections in steps if speeds[connections] > 0.95 * best)
        self.tell("votes/s by connections " + ", ".join(f"{c}: {s:.0f}" for c, s in speeds.items()))
        ratios = []
        for _ in range(ROUNDS):
            alone, crowded = (self.cast(peak * factor, ROUND_SECONDS) for factor in (1, 10))
            ratios.append(crowded["goodput"] / alone["goodput"])
            self.tell(f"{alone['goodput']:.0f} votes/s at {peak} connections, {crowded['goodput']:.0f} at"
                      f" {10 * peak}: {ratios[-1]:.2f}; {crowded['refused']} refused,"
                      f" p50 {crowded['p50_ms']:.0f} ms, p99 {crowded['p99_ms']:.0f} ms")
        self.check_memory()
        self.check_back()
        self.assertGreaterEqual(statistics.median(ratios), LEAST_GOODPUT)
        self.sandbox.verify()

    def test_is_told_quickly_while_the_database_stands(self):
        for connections in (64, 640):
            with self.sandbox.tables_locked():
                # The clients keep voting after their first votes have been rejected.
                result = self.cast(connections, REFUSAL_SECONDS + ROUND_SECONDS)
            self.tell(f"{connections} voters while no query ends: {result['refused']} refused,"
                      f" p50 {result['p50_ms']:.0f} ms, p99 {result['p99_ms']:.0f} ms")
            self.check_back()
        self.check_memory()
        self.assertLess(result["p99_ms"], 1000 * REFUSAL_SECONDS)
        self.sandbox.verify()


class SlowDiskSandbox(FaultSandbox):
    def mariadb(self):
        path = self.run_dir / "fault_injection"
        if self.run_dir.exists() and not path.exists():
            self.fault_injection = FaultInjection(self.build_dir, path)
            self.mariadb_launcher = self.fault_injection.launcher
        return super().mariadb()


class StuckWorker(FaultCase):
    """A worker is stuck for longer than nginx waits for it."""

    VOTES = 300

    def setUp(self):
        self.change(**WIDE_LIMITS)

    def test_costs_nobody_more_than_the_timeout_of_nginx(self):
        with self.new_load(32, fresh_objects(400)) as load:
            load.wait_for_votes(300)
            with self.sandbox.worker_frozen():
                load.wait_for_everyone()  # including voters whose first request is at the stuck worker
                start, failed = time.monotonic(), len(load.failures)
                load.wait_for_votes(self.VOTES)
                speed = self.VOTES / (time.monotonic() - start)
                late = len(load.failures) - failed
            self.check_back()
            load.wait_for_votes(300)
        self.tell(f"{len(load.failures)} refused in all, {late} of them once nginx had given it up,"
                  f" {speed:.0f} votes/s then")
        self.assertNotIn(None, load.failures)
        self.check_nothing_lost_nothing_twice(load)


class Endurance(FaultCase):
    REPAIR_SECONDS = min(60, SECONDS / 3)  # the time from one repair to the next
    DAMAGES = (
        "UPDATE wp_ratingd_totals SET sum = sum + 7, bin0 = bin0 - 1 ORDER BY RAND() LIMIT 5",
        "DELETE FROM wp_ratingd_totals ORDER BY RAND() LIMIT 5",
        "UPDATE wp_ratingd_daily SET total = total + 1 ORDER BY RAND() LIMIT 9",
        "DELETE FROM wp_ratingd_daily ORDER BY RAND() LIMIT 9",
        "UPDATE wp_ratingd_site_daily SET bin10 = bin10 + 3",
        "DELETE FROM wp_ratingd_site_daily ORDER BY RAND() LIMIT 2",
        "UPDATE wp_ratingd_reach SET voters = voters + 2",
        "UPDATE wp_ratingd_voters SET last_day = last_day - INTERVAL 1 DAY ORDER BY RAND() LIMIT 9",
    )

    def setUp(self):
        self.change(**WIDE_LIMITS)

    def test_of_votes_while_things_break(self):
        box = self.sandbox
        faults = [box.kill_worker, box.cut_sessions, box.crash_database, box.freeze_database,
                  lambda: box.restart_worker(box.workers()[0])]
        start, faulted, repaired = time.monotonic(), 0, 0
        with self.new_load(32, fresh_objects(60)) as load:
            while (elapsed := time.monotonic() - start) < SECONDS:
                load.wait_for_votes(1000)
                random.choice(faults)()
                faulted += 1
                if elapsed >= repaired * self.REPAIR_SECONDS:
                    self.damage_and_repair()
                    repaired += 1
            load.wait_for_votes(300)
        self.tell(f"{load.answered()} votes, {faulted} faults, {repaired} repairs,"
                  f" {len(load.failures)} answers that were no 200")
        # After a repair, caches may return the old sums for the number of seconds in "cache-seconds".
        for object_id, values in load.totals().items():
            wanted = expected_scale(values)["distribution"]
            poll(lambda object_id=object_id, wanted=wanted: self.stats(object_id)["distribution"] == wanted,
                 f"the repaired sums of {object_id} are shown")
        self.check_nothing_lost_nothing_twice(load)

    def damage_and_repair(self):
        """Damages and repairs sums while people vote. Repeats commands that meet a lock."""
        for statement in random.sample(self.DAMAGES, 3):
            poll(lambda statement=statement: self.is_executed(statement), "sums are damaged")
        self.sandbox.ratingctl("rebuild")

    def is_executed(self, statement):
        try:
            self.sandbox.sql(statement)
        except ServerError:
            return False
        return True


class Memory(LoadTest):
    SLICE_SECONDS = max(1, min(5, REQUESTS // 400_000))

    def test_of_the_workers_does_not_grow(self):
        done, refused, samples = 0, 0, {0: self.sandbox.resident_memory()}
        while done < REQUESTS:
            client = self.start_client(["mixed", str(OBJECTS)], 64, self.SLICE_SECONDS)
            result = self.result_of(client)
            done, refused = done + result["requests"], refused + result["refused"]
            samples[done / REQUESTS] = self.sandbox.resident_memory()
        for at, memory in samples.items():
            self.tell(f"RssAnon {memory} KiB after {at:.0%} of {REQUESTS} requests")
        self.tell(f"{refused} of {done} requests refused")
        self.assertLess(refused, done / 1000)
        # Single samples differ by up to 2 MiB, because the allocator returns memory now and then, so compare the
        # medians of the third and the last quarter.
        self.assertGreaterEqual(len(samples), 4, "too few samples: give more requests")
        later = list(samples.values())[len(samples) // 2:]
        middle = len(later) // 2
        growth = [statistics.median(of_worker[middle:]) - statistics.median(of_worker[:middle])
                  for of_worker in zip(*later, strict=True)]
        self.assertLessEqual(max(growth), MOST_GROWTH)
        self.sandbox.verify()


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
