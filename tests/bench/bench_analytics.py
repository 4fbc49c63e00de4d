#!/usr/bin/env python3
"""Measures each analytics endpoint on a site with few votes and on a site with many votes. Both sites have the
same number of objects. The requests go through nginx one after the other, to each site in turn.

"Cold" means that no response is cached for the next request (analytics_cache_seconds=0). "Warm" means the default
settings. The ratio compares the cold medians. A free range is a range without materialized lists. At the end, each
view of the owner's page is requested on the large site. All requests of a view are sent at the same time, as a
browser does.

RATINGD_BENCH_VOTES ("100000 10000000"), RATINGD_BENCH_OBJECTS (50000) and RATINGD_BENCH_DAYS (365) are the sizes
of the sites. RATINGD_BENCH_REQUESTS (100) is the number of requests for each question. Free ranges get a tenth of
this number. RATINGD_BENCH_MEMORY (2G) is the size of MariaDB's buffer pool. RATINGD_BUILD_DIR (build/release) is
the folder with the programs. RATINGD_RUN_DIR (build/bench-analytics) is the folder for the run and for the result,
bench-analytics.json. With RATINGD_BENCH_KEEP=yes the databases stay there, and the next run on the same day uses
them.
"""

import base64
import concurrent.futures
import contextlib
import dataclasses
import datetime
import http.client
import json
import os
import pathlib
import shutil
import statistics
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "sandbox"))

from environment import machine, mariadb_settings, versions
from mariadb import Mariadb, ServerError
from processes import wait_until
from report import report_failure
from stack import BASE_PATH, Stack, free_port, run_dir

FEW, MANY = (int(text) for text in
             os.environ.get("RATINGD_BENCH_VOTES", "100000 10000000").split())
OBJECTS = int(os.environ.get("RATINGD_BENCH_OBJECTS", "50000"))
DAYS = int(os.environ.get("RATINGD_BENCH_DAYS", "365"))
REQUESTS = int(os.environ.get("RATINGD_BENCH_REQUESTS", "100"))
MEMORY = os.environ.get("RATINGD_BENCH_MEMORY", "2G")
KEEP = os.environ.get("RATINGD_BENCH_KEEP") == "yes"
RUN_DIR = run_dir("bench-analytics")
TODAY = datetime.datetime.now(datetime.UTC).date()

PERIODS = ("today", "7d", "30d", "90d", "this_week", "this_month", "this_year", "all")
# Maps the name of a range to its first and last days, each given as the number of days before today. The first
# range covers almost all days, and the second range covers about half of all days.
FREE_RANGES = {"a year": (DAYS - 1, 1), "half a year": (DAYS * 3 // 4, DAYS // 4 + 3)}
LISTS_SECONDS = 300  # the maximum time until all lists are ready
MOST_NAMED_RATIO, MOST_FREE_RATIO = 3, 4
MOST_NAMED_MS, MOST_FREE_MS = 100, 300
MOST_VIEW_REQUESTS, MOST_VIEW_MS = 3, 300

# Each question has a name, a path and a query. If the service can answer a question in several ways, the
# question's name also indicates which way is measured.
QUESTIONS = (
    ("stats", "stats", ""),
    ("top-rated", "top-rated", ""),
    ("top-rated by average", "top-rated", "metric=average&min_ratings=5&category=scale"),
    ("top-rated, a later page", "top-rated", "metric=wilson&page=2&category=binary"),
    ("recent", "recent", ""),
    ("recent of a category", "recent", "category=bipolar&object_type=post"),
    ("trends", "trends", ""),
    ("trends-by-category", "trends-by-category", ""),
    ("distribution", "distribution", ""),
    ("top-posts-overview", "top-posts-overview", ""),
    ("titles", "top-rated", "search=post%2012"),
    ("users", "users", ""),
    ("users by last activity", "users", "orderby=last_rated_at&category=scale&object_type=post"),
    ("user-details", "user-details/{user}", ""),
    ("post-details", "post-details/{post}", ""),
)

# Maps each view of the owner's page to the requests sent by the view. The requests are paths below the base path.
VIEWS = {
    "overview": ("analytics/stats?period=30d", "analytics/trends-by-category?period=30d",
                 "analytics/top-posts-overview?period=30d"),
    "content": ("analytics/top-rated?period=30d&per_page=20",),
    "one post": ("analytics/post-details/{post}?period=30d",),
    "search": ("analytics/top-rated?period=30d&search=post%2012",),
    "people": ("analytics/users?period=30d",),
    "one person": ("analytics/user-details/{user}?period=30d",),
    "held": ("data/held",),
    "settings": ("settings",),
    "health": ("health",),
}


class Site(Stack):
    """The sandbox with demo data. Its database may be reused by the next run."""

    def __init__(self, votes):
        super().__init__(RUN_DIR / str(votes), free_port())
        self.votes = votes
        self.database = RUN_DIR / f"database-{votes}-{OBJECTS}-{DAYS}-{TODAY}"
        self.made_in = None

    def mariadb(self):
        return Mariadb(self.database, self._socket_dir() / "mariadb.sock",
                       self.log_dir / "mariadb.log",
                       [f"--innodb-buffer-pool-size={MEMORY}", "--innodb-log-file-size=1G"])

    def ask(self, path, query, connection):
        """Sends a request. Returns the seconds until the response."""
        begin = time.monotonic()
        answer = self.get(f"analytics/{path}?{query}", connection)
        body = answer.read()
        taken = time.monotonic() - begin
        # Accept a missing page, because a list on a small site may have only one page.
        if answer.status != 200 and b"rest_invalid_page_number" not in body:
            raise ServerError(f"{path}?{query}: {answer.status} {body.decode()}")
        return taken

    def open_view(self, requests):
        """Sends "requests" together. Returns the milliseconds until the first and until the last response."""
        begin = time.monotonic()

        def ask(path):
            with contextlib.closing(self.connect()) as connection:
                answer = self.get(path, connection)
                if answer.status != 200:
                    raise ServerError(f"{path}: {answer.status}")
                answer.read()
            return 1000 * (time.monotonic() - begin)

        with concurrent.futures.ThreadPoolExecutor(len(requests)) as threads:
            taken = list(threads.map(ask, requests))
        return min(taken), max(taken)

    def get(self, path, connection):
        """Sends a request as an administrator."""
        word = base64.b64encode(b"admin:admin").decode()
        connection.request("GET", f"{BASE_PATH}/{path}", headers={"Authorization": f"Basic {word}"})
        return connection.getresponse()

    def set_cache_seconds(self, seconds):
        """Changes the setting. Returns when the workers use it."""
        self.ratingctl("settings", "set", f"analytics_cache_seconds={seconds}")

        def is_known():
            connection = self.connect()
            with contextlib.closing(connection):
                answer = self.get("analytics/stats", connection)
                answer.read()
            return answer.headers["Cache-Control"] == f"private, max-age={seconds}"

        # Each worker reads the settings separately. If eight responses in a row show the new settings, all workers
        # have probably read them.
        if not wait_until(lambda: all(is_known() for _ in range(8)), 10):
            raise ServerError("The workers do not hear of a setting.", self.log_dir / "ratingd.log")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def wait_for_lists(self):
        def are_ready():
            return self.mariadb().execute(
                "SELECT COUNT(*) FROM wp_ratingd_kept_periods WHERE as_of >= UTC_DATE()",
                "wordpress").strip() == str(len(PERIODS))
        if not wait_until(are_ready, LISTS_SECONDS):
            raise ServerError("The lists do not get ready.", self.log_dir / "ratingd.log")

    def most_active(self):
        """Returns the object and the user with the most votes."""
        def first(sql):
            return self.mariadb().execute(f"{sql} LIMIT 1", "wordpress").strip()
        return {"post": first("SELECT object_id FROM wp_ratingd_daily GROUP BY object_id"
                              " ORDER BY SUM(total) DESC"),
                "user": first("SELECT user_id FROM wp_ratingd_users GROUP BY user_id"
                              " ORDER BY SUM(total) DESC")}

    def _create_database(self):
        if self._is_made():
            self.start_mariadb()
            self.mariadb().execute("UPDATE wp_options SET option_value ="
                                   f" '{self.url}' WHERE option_name IN ('home', 'siteurl')",
                                   "wordpress")
        else:
            shutil.rmtree(self.database, ignore_errors=True)
            super()._create_database()

    def _start_workers(self):
        if not self._is_made():
            self._make_data()
        super()._start_workers()

    def _is_made(self):
        return (self.database / "made").exists()

    def _make_data(self):
        # The posts and users must exist, because the responses contain their titles and names.
        self.mariadb().execute(
            "INSERT IGNORE INTO wp_posts (ID, post_title, post_name, post_content, post_excerpt,"
            " to_ping, pinged, post_content_filtered, post_date, post_date_gmt)"
            " SELECT seq, CONCAT('Post ', seq), CONCAT('post-', seq), '', '', '', '', '',"
            f" '2025-01-01', '2025-01-01' FROM seq_1_to_{OBJECTS};"
            "INSERT IGNORE INTO wp_users (ID, user_login, display_name)"
            " SELECT seq, CONCAT('user', seq), CONCAT('User ', seq)"
            f" FROM seq_1_to_{self.votes // 100 + 3}", "wordpress")
        begin = time.monotonic()
        self.ratingctl("demo-data", f"--votes={self.votes}", f"--objects={OBJECTS}", f"--days={DAYS}",
                       "--seed=1", "--invent-posts")
        made = time.monotonic()
        self.ratingctl("verify")
        self.made_in = {"demo_data_seconds": made - begin,
                        "verify_seconds": time.monotonic() - made}
        print(f"{self.votes} votes: made in {made - begin:.0f} s, verified in "
              f"{time.monotonic() - made:.0f} s", file=sys.stderr)
        self.mariadb().execute("ANALYZE TABLE wp_posts, wp_users, wp_ratingd_votes,"
                               " wp_ratingd_daily, wp_ratingd_user_daily", "wordpress")
        (self.database / "made").touch()


# --- Measuring ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Question:
    name: str
    period: str
    path: str
    query: str

    @property
    def is_free(self):
        return self.period in FREE_RANGES


def free_range(name):
    first, last = (TODAY - datetime.timedelta(days) for days in FREE_RANGES[name])
    return f"from={first}&to={last}"


def questions(most_active):
    periods = [(name, f"period={name}") for name in PERIODS]
    periods += [(name, free_range(name)) for name in FREE_RANGES]
    return [Question(name, period, path.format(**most_active), f"{days}&{query}".rstrip("&"))
            for name, path, query in QUESTIONS for period, days in periods]


def quantiles(times):
    """Converts durations in seconds to quantiles in milliseconds."""
    ordered = sorted(1000 * taken for taken in times)
    return {"p50": statistics.median(ordered), "p95": ordered[(len(ordered) * 95 - 1) // 100]}


def measure(sites):
    """Returns the figures of each site by (name, period). The sites are measured in turn, so other work on the
    machine affects all of them."""
    connections = [site.connect() for site in sites]
    asked = [questions(site.most_active()) for site in sites]
    results = {}
    for answers, cache in (("cold", 0), ("warm", 10)):
        for site in sites:
            site.set_cache_seconds(cache)
        for same in zip(*asked, strict=True):
            count = max(REQUESTS // 10, 3) if same[0].is_free else REQUESTS
            times = [[site.ask(question.path, question.query, connection)
                      for site, question, connection in zip(sites, same, connections, strict=True)]
                     for _ in range(count + 1)]
            figures = results.setdefault((same[0].name, same[0].period), [{} for _ in sites])
            for place, of_site in enumerate(zip(*times, strict=True)):
                figures[place][answers] = {"first": 1000 * of_site[0], **quantiles(of_site[1:])}
    return results


def measure_views(site):
    """Returns, for each view, the number of requests and the medians until the first and the last response. No
    response is cached."""
    site.set_cache_seconds(0)
    most_active = site.most_active()
    views = {}
    for name, paths in VIEWS.items():
        requests = [path.format(**most_active) for path in paths]
        times = [site.open_view(requests) for _ in range(max(REQUESTS // 5, 3))]
        first, complete = (statistics.median(each) for each in zip(*times, strict=True))
        views[name] = {"requests": len(requests), "first": first, "complete": complete}
    return views


@contextlib.contextmanager
def running(votes):
    site = Site(votes)
    site.start()
    try:
        site.wait_for_lists()
        yield site
    finally:
        site.stop()
        if not KEEP:
            shutil.rmtree(site.database, ignore_errors=True)


# --- Results ------------------------------------------------------------------------------------


def compare(results):
    rows = []
    for (name, period), (few, many) in results.items():
        ratio = many["cold"]["p50"] / few["cold"]["p50"]
        is_free = period in FREE_RANGES
        most_ms, most_ratio = ((MOST_FREE_MS, MOST_FREE_RATIO) if is_free
                               else (MOST_NAMED_MS, MOST_NAMED_RATIO))
        missed = many["cold"]["p95"] >= most_ms or ratio > most_ratio
        rows.append({"name": name, "period": period, "few": few, "many": many, "ratio": ratio,
                     "missed": missed})
    return rows


def show(rows):
    print(f"\nmilliseconds, of {FEW} and of {MANY} votes, and the ratio\n")
    print(f"{'':26}{'':12}{'cold p50':>16} {'cold p95':>16} {'ratio':>6} {'warm p50':>16}")
    for row in rows:
        few, many = row["few"], row["many"]
        pairs = [f"{few[answers][what]:7.1f} {many[answers][what]:8.1f}"
                 for answers, what in (("cold", "p50"), ("cold", "p95"), ("warm", "p50"))]
        print(f"{row['name']:26}{row['period']:12}{pairs[0]} {pairs[1]} {row['ratio']:6.2f}"
              f" {pairs[2]}{'   MISSED' if row['missed'] else ''}")
    print(f"\nNamed periods: at most {MOST_NAMED_RATIO} times as long, p95 below {MOST_NAMED_MS} ms. "
          f"Free ranges: at most {MOST_FREE_RATIO} times as long, p95 below {MOST_FREE_MS} ms.")


def show_views(views):
    print(f"\nmilliseconds until a view of the owner's page has its figures, of {MANY} votes\n")
    print(f"{'':26}{'requests':>10} {'first':>8} {'complete':>9}")
    for name, figures in views.items():
        missed = figures["requests"] > MOST_VIEW_REQUESTS or figures["first"] > MOST_VIEW_MS
        print(f"{name:26}{figures['requests']:>10} {figures['first']:>8.1f} {figures['complete']:>9.1f}"
              f"{'   MISSED' if missed else ''}")
    print(f"\nAt most {MOST_VIEW_REQUESTS} requests, the first figure within {MOST_VIEW_MS} ms.")


def main():
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    try:
        with running(FEW) as few, running(MANY) as many:
            rows = compare(measure((few, many)))
            views = measure_views(many)
            about = [{"made_in": site.made_in, "mariadb": mariadb_settings(site),
                      "versions": versions(site)} for site in (few, many)]
    except ServerError as error:
        return report_failure(error)
    result = RUN_DIR / "bench-analytics.json"
    settings = {"votes": [FEW, MANY], "objects": OBJECTS, "days": DAYS, "requests": REQUESTS}
    result.write_text(json.dumps({"machine": machine(), "settings": settings,
                                  "sites": about, "rows": rows, "views": views}, indent=1) + "\n")
    show(rows)
    show_views(views)
    print(f"\nAll of it: {result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
