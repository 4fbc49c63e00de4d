#!/usr/bin/env python3
"""Tests that the service's metrics are correct. Its counts equal the counts of its clients, no matter what happens
to workers. Starts its own sandbox."""

import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from typing import ClassVar

from fault_sandbox import BUILD_DIR, REPOSITORY, TESTS, WORKERS, FaultSandbox
import exposition
from stack import free_port
from voting import VOTER_COOKIE, Voter, basic, poll

# "make test" unpacks Debian's prometheus package into a folder beside BUILD_DIR.
PROGRAMS = f"{BUILD_DIR.parent / 'prometheus/usr/bin'}:{os.environ['PATH']}"
PROMETHEUS, PROMTOOL = (shutil.which(name, path=PROGRAMS) for name in ("prometheus", "promtool"))
THREADS = 16
ROUNDS = 40  # rounds of each thread: a vote and two reads
STATS, RATE = ("GET", "/stats/{object_id}"), ("POST", "/rate")


class LoggingSandbox(FaultSandbox):
    def worker_command(self):
        return [*super().worker_command(), "--access-log=on", "--metrics-networks=203.0.113.0/24"]

    def doctor(self, subject):
        """Returns what doctor reports about a subject with the workers' database account."""
        command = [self.build_dir / "ratingctl", f"--wp-config={self.wp_config}", *self._own_files(), "doctor"]
        done = subprocess.run(command, env=self._account("ratingd"), capture_output=True, text=True,
                              check=True)
        [line] = [line for line in done.stdout.splitlines() if f" {subject} " in line]
        return line


class MetricsTest(unittest.TestCase):
    """Uses one sandbox for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.sandbox = LoggingSandbox.shared()

    def ask(self, path, **headers):
        """Sends a request from this host, unless the headers name another address."""
        request = urllib.request.Request(self.sandbox.base_url + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.headers, answer.read().decode()

    def scrape(self):
        status, headers, text = self.ask("/metrics")
        self.assertEqual(200, status)
        self.assertEqual("text/plain; version=0.0.4; charset=utf-8", headers["Content-Type"])
        return exposition.parse(text)

    def requests_in(self, families):
        """Returns (method, route, status) -> number for the requests of the test."""
        found = collections.Counter()
        for (_, pairs), number in families["ratingd_http_requests_total"].samples.items():
            labels = dict(pairs)
            if labels["route"] in (STATS[1], RATE[1]):
                found[labels["method"], labels["route"], int(labels["status"])] = int(number)
        return found

    def work(self, meanwhile=lambda: None):
        """Votes and reads in several threads. Returns the responses."""
        run = random.getrandbits(64)
        objects = [random.randrange(10**17, 9 * 10**17) for _ in range(5)]

        def one(number):
            voter, answered = Voter(self.sandbox.service, f"count {run:x} {number}"), []
            for _ in range(ROUNDS):
                object_id = random.choice(objects)
                answered.append((*RATE, voter.vote(object_id, random.randrange(1001))))
                answered.append((*STATS, voter.ask("GET", f"/stats/{object_id}")))
                answered.append((*STATS, voter.ask("GET", f"/stats/0{object_id}x")))  # 400
            voter.close()
            return [(method, route, answer.status) for method, route, answer in answered]

        with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
            works = [threads.submit(one, number) for number in range(THREADS)]
            meanwhile()
            return collections.Counter(each for work in works for each in work.result())


class Counts(MetricsTest):
    ATTEMPTS = 5  # attempts to get a round without a 503

    def round(self, disturb=lambda: None, meanwhile=lambda: None):
        """Returns the responses from a round. On a busy machine, a vote with status 503 may still be stored, so a
        round with such a vote says nothing about votes and is repeated."""
        answered = collections.Counter()
        for _ in range(self.ATTEMPTS):
            before = self.scrape()
            disturb()
            now = self.work(meanwhile)
            after = self.check_requests(before, now)
            answered += now
            if not any(status == 503 for *_, status in now):
                self.check_decisions(before, after, now)
                return answered
        raise AssertionError(f"requests were answered 503 in each of {self.ATTEMPTS} rounds: {answered}")

    def check_requests(self, before, answered):
        """Checks that exactly the requests that got a response have been counted."""
        after = self.scrape()
        counted = self.requests_in(after)
        counted.subtract(self.requests_in(before))
        self.assertEqual(answered, +counted)
        for method, route in (STATS, RATE):
            number = sum(count for key, count in answered.items() if key[:2] == (method, route))
            self.assertEqual(number, self.grown(
                before, after, "ratingd_http_request_duration_seconds_count", method=method, route=route))
        return after

    def check_decisions(self, before, after, answered):
        once = THREADS * ROUNDS
        self.assertEqual({(*RATE, 200): once, (*STATS, 200): once, (*STATS, 400): once}, answered)
        votes = answered[(*RATE, 200)]
        decided = [self.grown(before, after, "ratingd_votes_total", outcome=outcome)
                   for outcome in ("stored", "unchanged")]
        self.assertEqual(votes, sum(decided))
        self.assertEqual(votes, self.grown(before, after, "ratingd_vote_batch_size_sum"))
        looked = [self.grown(before, after, "ratingd_stats_cache_lookups_total", result=result)
                  for result in ("hit", "miss")]
        self.assertEqual(answered[(*STATS, 200)], sum(looked))

    @staticmethod
    def grown(before, after, name, **labels):
        return (exposition.value(after, name, **labels)
                - exposition.value(before, name, **labels))

    def test_are_exact_over_workers_that_are_killed_and_restarted(self):
        box = self.sandbox
        before, answered = self.scrape(), collections.Counter()
        for fault in [lambda: None, box.kill_worker, lambda: None, box.kill_worker, box.kill_worker]:
            answered += self.round(disturb=fault)
        # No request is lost if a worker stops normally, even during a request.
        for worker in box.workers():
            answered += self.round(meanwhile=lambda worker=worker: box.restart_worker(worker))
        self.check_requests(before, answered)
        poll(lambda: exposition.value(self.scrape(), "ratingd_workers") == WORKERS,
             "all workers are shown again")
        print(f"exact: {answered.total()} requests, also over kills and restarts", file=sys.stderr)

    def test_miss_nothing_that_was_answered_when_workers_are_killed_at_work(self):
        """If a worker dies after it has counted a request and before it sends the response, another worker handles
        the request, which is then counted twice."""
        box, kills = self.sandbox, 4
        before = self.scrape()
        answered = self.work(lambda: [box.kill_worker() for _ in range(kills)])
        counted = self.requests_in(self.scrape())
        counted.subtract(self.requests_in(before))
        for key in [(*RATE, 200), (*STATS, 200), (*STATS, 400)]:
            self.assertGreaterEqual(counted[key], answered[key], key)
        self.assertLessEqual(counted.total(), answered.total() + kills * THREADS)

    def test_name_workers_by_few_numbers(self):
        for _ in range(3):
            self.sandbox.kill_worker()
        poll(lambda: self.seats() == {"1", "2"}, "two workers have the first two seats")

    def seats(self):
        samples = self.scrape()["ratingd_worker_start_time_seconds"].samples
        return {value for _, labels in samples for name, value in labels}


class Watchers(MetricsTest):
    def test_alone_see_the_metrics(self):
        for address, status in [("127.0.0.1", 200), ("203.0.113.9", 200), ("198.51.100.1", 404)]:
            found, _, text = self.ask("/metrics", **{"X-Sandbox-Address": address})
            self.assertEqual(status, found, address)
            self.assertEqual(status == 200, "ratingd_workers" in text)
        self.assertEqual(404, self.ask("/metrics", **{"X-Forwarded-For": "127.0.0.1"})[0])

    def test_may_be_administrators_from_anywhere(self):
        for user, status in [("admin", 200), ("subscriber", 404), ("nobody", 404)]:
            headers = {"X-Sandbox-Address": f"198.51.100.{random.randrange(2, 250)}",
                       "Authorization": basic(user, user)}
            self.assertEqual(status, self.ask("/metrics", **headers)[0], user)
            self.assertEqual(status == 200, "schema_wanted" in self.ask("/health", **headers)[2], user)

    def test_are_told_while_the_database_is_away(self):
        box = self.sandbox
        box.kill_database()
        try:
            families = self.scrape()
            self.assertEqual(0, exposition.value(families, "ratingd_database_up"))
            self.assertNotIn("ratingd_schema_version", families)
            status, _, text = self.ask("/health")
            self.assertEqual(503, status)
            health = json.loads(text)["data"]["health"]
            self.assertEqual(("away", None, False, True), (
                health["database"], health["schema"], health["ready"], health["alive"]))
            status, _, text = self.ask("/health", **{"X-Sandbox-Address": "198.51.100.1"})
            self.assertEqual((503, False), (status, "health" in json.loads(text)["data"]))
            # Replace a worker with a new worker that has never been connected to the database.
            box.kill_worker()
            box.restart_worker(box.workers()[0])
            poll(lambda: self.ask("/health")[0] == 503, "a worker answers")
            self.assertEqual(200, self.ask("/metrics")[0])
        finally:
            box.start_mariadb()
        poll(lambda: self.ask("/health")[0] == 200, "it is healthy again")
        self.assertEqual(1, exposition.value(self.scrape(), "ratingd_database_up"))
        with box.worker_stopped(box.workers()[0]):
            poll(lambda: self.ask("/health")[0] == 200, "the other worker is healthy again, too")


class Persons(MetricsTest):
    def test_see_the_same_by_ratingctl(self):
        self.work()
        families = self.scrape()
        text = self.sandbox.ratingctl("status")
        lines = dict(line.split(None, 1) for line in text.splitlines())
        self.assertRegex(lines["workers"], rf"^{WORKERS} of {WORKERS}, the last one started at 20")
        stored = exposition.value(families, "ratingd_votes_total", outcome="stored")
        self.assertTrue(lines["votes"].startswith(f"{stored:.0f} stored, "), text)
        self.assertRegex(lines["requests"], r"^\d+, \d+ refused, 0 failed; half within \S+ ms, 99 %")
        self.assertRegex(lines["schema"], r"^version \d+")

    def test_are_told_of_a_proxy_that_nginx_does_not_know(self):
        def visit(address, visitor):
            self.ask("/templates", **{"X-Sandbox-Address": address, "X-Forwarded-For": visitor})

        for i in range(60):
            visit(f"198.51.100.{i}", f"198.51.100.{i}")
        self.assertRegex(self.sandbox.doctor("proxies"), "^ok ")
        for i in range(60):
            visit("10.0.0.1", f"198.51.100.{i}")
        self.assertRegex(self.sandbox.doctor("proxies"), r"^warn .* 60 visitors\b.*docs/proxies\.md")
        # Requests from two addresses show that no proxy hides the visitors' addresses.
        self.ask("/templates", **{"X-Sandbox-Address": "198.51.100.77"})
        self.assertRegex(self.sandbox.doctor("proxies"), "^ok .* no proxy seems to hide the visitors' addresses")


class Browsers(MetricsTest):
    def vote(self, **headers):
        data = b'{"object_id":1,"category":"binary","value":1}'
        request = urllib.request.Request(self.sandbox.base_url + "/rate", data, headers=headers)
        urllib.request.urlopen(request, timeout=30).close()

    def test_whose_headers_do_not_arrive_are_noticed(self):
        for _ in range(20):
            self.vote()
        self.assertRegex(self.sandbox.doctor("browsers"), r"^warn .*Sec-Fetch-Site.*docs/proxies\.md")
        self.vote(**{"Sec-Fetch-Site": "same-origin"})
        self.assertRegex(self.sandbox.doctor("browsers"), "^ok ")


class Log(MetricsTest):
    def test_has_a_line_for_each_request_without_what_is_secret(self):
        status, headers, _ = self.ask("/stats/77?_wpnonce=s3cret", Cookie=f"{VOTER_COOKIE}=s3cret",
                                      **{"X-Sandbox-Address": "198.51.100.33"})
        self.assertEqual(200, status)
        identifier = headers["X-Request-Id"]
        [line] = poll(lambda: re.findall(f".* request={identifier} .*", self.sandbox.log()), "a line")
        self.assertRegex(line, r"level=info event=request_answered request=\w{32} method=GET "
                               r'route="?/stats/\{object_id\}"? path=/wp-json/ratingd/v1/stats/77 '
                               r"status=200 bytes=\d+ microseconds=\d+$")
        self.assertNotIn("s3cret", self.sandbox.log())
        self.assertNotIn("198.51.100.33", self.sandbox.log())

    def test_says_more_after_a_signal_and_less_after_another(self):
        self.signal(signal.SIGUSR1, "level=info event=log_level_changed level=debug")
        self.signal(signal.SIGUSR2, 'level=info event=log_level_changed level=configured')
        # The workers continue to respond to requests.
        self.assertEqual(200, self.ask("/health")[0])

    def signal(self, number, line):
        before = self.sandbox.log().count(line)
        for worker in self.sandbox.workers():
            worker.signal(number)
        poll(lambda: self.sandbox.log().count(line) == before + WORKERS, f"all workers say: {line}")


class Files(MetricsTest):
    """The shipped files for Prometheus and Grafana use only existing metrics."""

    DOCUMENTS = ["docs/prometheus-alerts.yml", "docs/grafana-dashboard.json", "docs/monitoring.md"]
    OF_DOCTOR = {"ratingd_doctor_status", "ratingd_doctor_timestamp_seconds"}  # tests/admin/doctor_test.cpp
    OF_NETWORKS = {"ratingd_site_requests_total", "ratingd_site_votes_total"}  # network_test.py

    def test_name_metrics_that_are_there(self):
        self.work()
        names = exposition.names(self.scrape())
        for document in self.DOCUMENTS:
            named = set(re.findall(r"\bratingd_[a-z_]+[a-z]\b", (REPOSITORY / document).read_text()))
            self.assertGreater(len(named), 8, document)
            families = {re.sub("_(bucket|sum|count)$", "", name) for name in names}
            self.assertEqual(set(), named - names - families - self.OF_NETWORKS - self.OF_DOCTOR, document)

    def test_document_says_all_of_them(self):
        text = (REPOSITORY / "docs/monitoring.md").read_text()
        self.assertEqual([], [name for name in self.scrape() if f"`{name}" not in text])

    def test_dashboard_is_one(self):
        dashboard = json.loads((REPOSITORY / "docs/grafana-dashboard.json").read_text())
        panels = dashboard["panels"]
        self.assertEqual(len(panels), len({panel["id"] for panel in panels}))
        for panel in panels:
            self.assertTrue(panel["title"])
            self.assertTrue(all(target["expr"] for target in panel["targets"]), panel["title"])


@unittest.skipUnless(PROMETHEUS and PROMTOOL, "Debian's package prometheus is neither unpacked nor installed")
class Alerts(MetricsTest):
    RULES = REPOSITORY / "docs/prometheus-alerts.yml"

    def test_are_sound(self):
        for words in (["check", "rules", self.RULES],
                      ["test", "rules", TESTS / "fixtures/prometheus_alerts_test.yml"]):
            done = subprocess.run([PROMTOOL, *words], check=False, capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_like_the_metrics(self):
        """promtool reports metrics that break its conventions."""
        self.work()
        done = subprocess.run([PROMTOOL, "check", "metrics"], check=False, input=self.ask("/metrics")[2],
                              capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))

    def test_fire(self):
        """Uses the shipped rules, but without their delays. promtool tests the delays."""
        folder, port = self.sandbox.run_dir / "prometheus", free_port()
        folder.mkdir()
        (folder / "alerts.yml").write_text(re.sub(r"for: \w+", "for: 0s", self.RULES.read_text()))
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["alerts.yml"],
            "scrape_configs": [{"job_name": "ratingd",
                                "metrics_path": self.sandbox.base_path + "/metrics",
                                "static_configs": [{"targets": [f"127.0.0.1:{self.sandbox.port}"]}]}]}))
        with (self.sandbox.log_dir / "prometheus.log").open("w") as log:
            server = subprocess.Popen(
                [PROMETHEUS, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}",
                 f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        poll(lambda: self.is_scraped(port), "Prometheus has the workers' numbers")
        self.assertEqual(set(), self.firing(port))
        with self.sandbox.worker_stopped(self.sandbox.workers()[0]):
            poll(lambda: self.firing(port) == {"RatingdWorkerDown"}, "an alert fires")
        poll(lambda: not self.firing(port), "it is over")
        self.sandbox.kill_database()
        poll(lambda: "RatingdDatabaseDown" in self.firing(port), "another one fires")
        self.sandbox.start_mariadb()
        poll(lambda: "RatingdDatabaseDown" not in self.firing(port), "it is over, too")

    def is_scraped(self, port):
        try:
            found = self.api(port, "query?query=ratingd_workers")
        except OSError:
            return False
        return bool(found["result"])

    # Ignore the alerts that the test environment causes, for example by sending votes without browser headers.
    OF_THIS_MACHINE: ClassVar[set] = {"RatingdCheckWarns"}

    def firing(self, port):
        return {alert["labels"]["alertname"] for alert in self.api(port, "alerts")["alerts"]
                if alert["state"] == "firing"} - self.OF_THIS_MACHINE

    @staticmethod
    def api(port, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}", timeout=10) as answer:
            return json.load(answer)["data"]


if __name__ == "__main__":
    # Ignore Python's warning that the MariaDB server is still running.
    unittest.main(warnings="ignore")
