#!/usr/bin/env python3
"""Tests the results of "make bench"."""

import json
import pathlib
import re
import unittest

import bench
import processor_time
from bench_report import Limit, Ratio, goal_table, history_line, row_table, summary_of

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/performance.md"
RATIOS = [Ratio("slow of fast", "slow", "fast", 0.5), Ratio("objects of slow", "fast", "slow", factor=20),
          Ratio("of what was not measured", "slow", "other")]
LIMITS = [Limit("p99 of fast", "fast", "p99_ms", 5), Limit("p99 of other", "other", "p99_ms", 5)]


def result(per_second, p99_ms=1.0, **more):
    return {"per_second": per_second, "p50_ms": 0.5, "p99_ms": p99_ms, "p999_ms": 2.0, **more}


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


class Summary(unittest.TestCase):
    def setUp(self):
        self.results = {
            "fast": [result(1000, 4), result(4000, 6), result(2000, 7)],
            "slow": [result(500, cost_us={"nginx": 10, "ratingd": 30.0}, votes_per_commit=30),
                     result(1000, cost_us={"nginx": 12, "one_by_one": 1.0}, votes_per_commit=40),
                     result(200, cost_us={"nginx": 11, "ratingd": 20.0}, votes_per_commit=20)]}
        self.summary = summary_of(self.results, RATIOS, LIMITS)

    def test_compares_round_by_round(self):
        [ratio, of_objects] = self.summary["ratios"]
        self.assertEqual((0.25, 0.1, 0.5), (ratio["median"], ratio["least"], ratio["greatest"]))
        self.assertEqual(80, of_objects["median"])

    def test_leaves_out_what_was_not_measured(self):
        self.assertEqual(["slow of fast", "objects of slow"], [ratio["what"] for ratio in self.summary["ratios"]])
        self.assertEqual(["p99 of fast"], [limit["what"] for limit in self.summary["limits"]])

    def test_has_medians_of_costs(self):
        median = self.summary["medians"]["slow"]
        self.assertEqual({"nginx": 11, "one_by_one": 0, "ratingd": 20}, median["cost_us"])
        self.assertEqual((500, 30), (median["per_second"], median["votes_per_commit"]))
        self.assertNotIn("votes_per_commit", self.summary["medians"]["fast"])

    def test_marks_missed_goals(self):
        lines = [cells_of(line) for line in goal_table(self.summary).splitlines()]
        self.assertEqual([["slow of fast", "0.25", "0.10", "0.50", "≥ 0.5, missed"],
                          ["objects of slow", "80.0", "40.0", "200", ""],
                          ["p99 of fast", "6.00", "4.00", "7.00", "≤ 5, missed"]], lines[2:])
        summary = summary_of({"fast": [result(2)], "slow": [result(1)]}, RATIOS, LIMITS)
        self.assertNotIn("missed", goal_table(summary))

    def test_sums_the_workers_of_all_pools(self):
        [head, _, fast, slow] = [cells_of(line) for line in row_table(self.summary).splitlines()]
        by_name = dict(zip(head, slow, strict=True))
        self.assertEqual(("`slow`", "11", "20", "", "30"), tuple(by_name[name] for name in (
            "row", "nginx µs", "workers µs", "MariaDB µs", "votes per commit")))
        self.assertEqual(["`fast`", "2,000"], fast[:2])

    def test_becomes_one_line_of_history(self):
        about = {"others": 0.1, "versions": {"commit": "abc"}, "machine": {"cpus": 2},
                 "settings": {"seconds": 8, "rounds": 3}}
        line = history_line({**self.summary, **about}, "2026-01-02")
        self.assertEqual(1, line.count("\n"))
        entry = json.loads(line)
        self.assertEqual(("2026-01-02", "abc"), (entry["date"], entry["commit"]))
        self.assertEqual({"slow / fast": 0.25, "fast / slow": 80}, entry["ratios"])
        self.assertEqual({"fast p99_ms": 6}, entry["limits"])
        self.assertEqual({"slow": {"nginx": 11, "workers": 20}}, entry["cost_us"])


class Rows(unittest.TestCase):
    def test_come_with_those_that_they_need(self):
        rows = [bench.Row("all", ""), bench.Row("votes", "", ("vote",)), bench.Row("alone", ""),
                bench.Row("both", "", half_of="all", beside=bench.Row("others", "", half_of="votes"))]
        self.assertEqual(["all", "votes", "both"], [row.name for row in bench.asked_for(rows, ["both"])])
        self.assertEqual(rows, bench.asked_for(rows, []))
        with self.assertRaisesRegex(SystemExit, "no such row: none"):
            bench.asked_for(rows, ["none"])

    def test_have_half_the_speed_that_the_other_row_had_at_last(self):
        row = bench.Row("half", "", half_of="all", connections=10)
        self.assertEqual(20, bench.pace_of(row, {"all": [result(5), result(1000)]}))
        self.assertEqual(0, bench.pace_of(row, {"all": []}))
        self.assertEqual(0, bench.pace_of(bench.Row("all", ""), {}))

    def test_are_those_of_the_document(self):
        figures = [figure.what for figure in (*bench.RATIOS, *bench.LIMITS)]
        documented = re.findall(r"^\| (.+?) +\|.*[≥≤] ", DOCUMENT.read_text(), re.MULTILINE)
        with_goal = [figure.what for figure in bench.RATIOS if figure.goal] + [
            limit.what for limit in bench.LIMITS]
        self.assertEqual(with_goal, documented)
        for figure in figures:
            self.assertIn(f"| {figure} ", DOCUMENT.read_text())


class ProcessorTime(unittest.TestCase):
    def test_is_read_behind_any_name(self):
        stat = "7 (a) b (c) S 3 7 7 0 -1 4194304 100 0 0 0 250 50 9 9 20 0 66 0 1000 1 1"
        self.assertEqual((7, 3, 300 / processor_time.TICKS), processor_time.time_of(stat))

    def test_is_that_of_the_requests(self):
        before, after = {"nginx": 1.0, "idle": 2.0}, {"nginx": 1.5, "idle": 2.0, "ratingd": 0.2}
        self.assertEqual({"nginx": 50.0, "ratingd": 20.0},
                         processor_time.cost_per_request(before, after, 10_000))

    def test_of_others_is_what_is_left(self):
        # The columns in /proc/stat are user, nice, system, idle, iowait, irq, softirq, steal, guest and
        # guest_nice.
        ticks = processor_time.TICKS
        before, after = ("cpu  " + " ".join(str(seconds * ticks) for seconds in line) for line in (
            (100, 0, 50, 1000, 5, 1, 2, 0, 0, 0), (104, 1, 52, 1010, 6, 1, 3, 1, 0, 0)))
        self.assertAlmostEqual((9 - 7) / 20, processor_time.share_of_others(before, after, 7))
        self.assertEqual(0, processor_time.share_of_others(before, after, 12))


if __name__ == "__main__":
    unittest.main()
