#!/usr/bin/env python3
"""Computes the results of "make bench": medians, ratios, and the tables in docs/performance.md.

usage: bench_report.py build/bench/bench.json   (prints the tables of that run again)
"""

import dataclasses
import json
import pathlib
import statistics
import sys

QUANTILES = ("p50_ms", "p99_ms", "p999_ms")
# Maps program names to the columns that contain the programs' processor time. The processor time of all other
# programs is in the "workers" column.
PROGRAMS = {"client": "client", "nginx": "nginx", "mariadbd": "MariaDB", "php-fpm": "PHP"}
COLUMNS = ("client", "nginx", "workers", "MariaDB", "PHP")


@dataclasses.dataclass(frozen=True)
class Ratio:
    """One row's speed divided by another row's speed."""

    what: str
    row: str
    of: str
    goal: float = 0  # the minimum; 0 means that there is none
    factor: int = 1  # how much one request of the row counts


@dataclasses.dataclass(frozen=True)
class Limit:
    """A figure of a row that should be small."""

    what: str
    row: str
    key: str
    most: float


# --- Summary ------------------------------------------------------------------------------------


def summary_of(results, ratios, limits):
    """Returns the summary of each row's results. Comparisons with rows that were not measured are left out."""
    return {"ratios": [ratio_of(results, ratio) for ratio in ratios
                       if ratio.row in results and ratio.of in results],
            "limits": [dataclasses.asdict(limit) | spread(result[limit.key] for result in results[limit.row])
                       for limit in limits if limit.row in results],
            "medians": {name: medians_of(rounds) for name, rounds in results.items()}}


def ratio_of(results, ratio):
    # Compare the rows within each round, because the load on the machine changes from round to round.
    each = (ratio.factor * result["per_second"] / other["per_second"]
            for result, other in zip(results[ratio.row], results[ratio.of], strict=True))
    return dataclasses.asdict(ratio) | spread(each)


def spread(values):
    values = list(values)
    return {"median": statistics.median(values), "least": min(values), "greatest": max(values)}


def medians_of(rounds):
    keys = ["per_second", *QUANTILES, *(key for key in ("votes_per_commit", "beside_per_second")
                                       if all(key in result for result in rounds))]
    medians = {key: statistics.median(result[key] for result in rounds) for key in keys}
    if "cost_us" in rounds[0]:
        medians["cost_us"] = median_costs([result["cost_us"] for result in rounds])
    return medians


def median_costs(rounds):
    """Returns the microseconds of processor time per request by program."""
    return {name: statistics.median(costs.get(name, 0) for costs in rounds)
            for name in sorted({name for costs in rounds for name in costs})}


# --- Tables -------------------------------------------------------------------------------------


def tables_of(summary):
    """Returns the tables in the form of docs/performance.md."""
    return f"{goal_table(summary)}\n\n{row_table(summary)}"


def goal_table(summary):
    rows = [("", "median", "least", "greatest", "goal")]
    rows += [line_of(ratio, f"≥ {ratio['goal']:g}" if ratio["goal"] else "",
                     ratio["median"] < ratio["goal"]) for ratio in summary["ratios"]]
    rows += [line_of(limit, f"≤ {limit['most']:g}", limit["median"] > limit["most"])
             for limit in summary["limits"]]
    return markdown(rows)


def line_of(figure, goal, is_missed):
    return (figure["what"], *(short(figure[key]) for key in ("median", "least", "greatest")),
            f"{goal}, missed" if is_missed else goal)


def row_table(summary):
    rows = [("row", "per second", "p50 ms", "p99 ms", "p99.9 ms", *(f"{name} µs" for name in COLUMNS),
             "votes per commit")]
    for name, median in summary["medians"].items():
        costs = by_column(median.get("cost_us", {}))
        rows.append((f"`{name}`", f"{median['per_second']:,.0f}", *(short(median[key]) for key in QUANTILES),
                     *(f"{costs[column]:.0f}" if costs.get(column, 0) >= 0.5 else "" for column in COLUMNS),
                     f"{median['votes_per_commit']:.0f}" if "votes_per_commit" in median else ""))
    return markdown(rows)


def by_column(costs):
    columns = {}
    for program, cost in costs.items():
        column = PROGRAMS.get(program, "workers")
        columns[column] = columns.get(column, 0) + cost
    return columns


def short(number):
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:.0f}"


def markdown(rows):
    """Returns a Markdown table. The first row is the head. Numbers are aligned on the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]

    def line(cells):
        padded = [cell.rjust(width) if place else cell.ljust(width)
                  for place, (cell, width) in enumerate(zip(cells, widths, strict=True))]
        return f"| {' | '.join(padded)} |"
    rule = [("-" * width if place == 0 else "-" * (width - 1) + ":") for place, width in enumerate(widths)]
    return "\n".join([line(rows[0]), line(rule), *(line(row) for row in rows[1:])])


# --- History ------------------------------------------------------------------------------------


def history_line(result, date):
    """Returns one line of JSON with the figures that engineers compare between commits."""
    medians = result["medians"]

    def rounded(key):
        return {name: round(median[key], 1) for name, median in medians.items() if key in median}
    entry = {
        "date": date, "commit": result["versions"]["commit"], "machine": result["machine"],
        "others": result["others"], "seconds": result["settings"]["seconds"],
        "rounds": result["settings"]["rounds"],
        "ratios": {f"{ratio['row']} / {ratio['of']}": round(ratio["median"], 3) for ratio in result["ratios"]},
        "limits": {f"{limit['row']} {limit['key']}": round(limit["median"], 2) for limit in result["limits"]},
        "per_second": rounded("per_second"),
        "cost_us": {name: {column: round(cost, 1) for column, cost in by_column(median["cost_us"]).items()}
                    for name, median in medians.items() if "cost_us" in median},
        "votes_per_commit": rounded("votes_per_commit"),
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(tables_of(json.loads(pathlib.Path(sys.argv[1]).read_text())))
