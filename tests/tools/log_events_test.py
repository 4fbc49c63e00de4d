#!/usr/bin/env python3
"""Checks that docs/monitoring.md describes every event that the service logs, and no other event."""

import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENT = REPOSITORY / "docs/monitoring.md"

LEVELS = ("debug", "info", "warning", "error")
CALL = re.compile(r"\blog_?\s*(?:\.|->)\s*(debug|info|warning|error|write)\s*\(")
# Matches a string literal, or a conditional expression with two string literals.
EVENT = re.compile(r'\s*(?:[\w.()]+\s*\?\s*"([^"]*)"\s*:\s*)?"([^"]*)"\s*[,)]')
# Event names have the form <subject>_<participle>. Only a few events, which report lasting states, end with an
# adjective such as "full".
FORM = re.compile(r"[a-z]+(?:_[a-z]+)*_(?:[a-z]+ed|[a-z]+ing|lost|timed_out|full|unknown)")


def logged_events(text, name):
    """Returns pairs of an event and its level, in source order."""
    events = []
    for call in CALL.finditer(text):
        event = EVENT.match(text, call.end())
        if event is None or call[1] == "write":
            line = text.count("\n", 0, call.start()) + 1
            raise ValueError(f"{name}:{line}: the event is no literal")
        events += [(literal, call[1]) for literal in event.groups() if literal is not None]
    return events


def events_of_source():
    files = [path for folder in ("lib", "fcgi") for suffix in ("cpp", "h")
             for path in sorted((REPOSITORY / folder).rglob(f"*.{suffix}"))
             if path.stem != "log"]
    return [event for path in files
            for event in logged_events(path.read_text(), path.relative_to(REPOSITORY))]


def events_of_document():
    table = DOCUMENT.read_text().partition("| event | level | meaning | action |\n")[2]
    rows = table.partition("\n\n")[0].splitlines()[1:]
    return [tuple(cell.strip(" `") for cell in row.strip("|").split("|")) for row in rows]


class LogEventsTest(unittest.TestCase):
    def test_are_found_in_source(self):
        text = 'log_.warning("a_failed", {});\napp.log.info(is_new ? "b_added"\n : "b_changed");'
        self.assertEqual(logged_events(text, "example"),
                         [("a_failed", "warning"), ("b_added", "info"), ("b_changed", "info")])
        with self.assertRaisesRegex(ValueError, "example:2"):
            logged_events('\nlog.info(name);', "example")
        self.assertGreater(len(events_of_source()), 30)

    def test_have_one_form_and_one_level(self):
        levels = {}
        for event, level in events_of_source():
            self.assertRegex(event, rf"\A{FORM.pattern}\Z")
            self.assertEqual(levels.setdefault(event, level), level, event)

    def test_are_all_in_the_table_and_no_others(self):
        rows = events_of_document()
        for row in rows:
            self.assertEqual(len(row), 4, row)
            self.assertIn(row[1], LEVELS, row)
            self.assertTrue(row[2] and row[3], row)
        self.assertEqual([row[0] for row in rows], sorted({row[0] for row in rows}))
        self.assertEqual(sorted((event, level) for event, level, *_ in rows),
                         sorted(set(events_of_source())))

    def test_named_by_alerts_and_documents_exist(self):
        known = {event for event, _ in events_of_source()}
        for path in [*(REPOSITORY / "docs").glob("*.*"), *(REPOSITORY / "tests/e2e").glob("*.py")]:
            for event in re.findall(r"\bevent=(\w+)", path.read_text()):
                self.assertIn(event, known, path.name)


if __name__ == "__main__":
    unittest.main()
