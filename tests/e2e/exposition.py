"""Reads Prometheus's text format, version 0.0.4. Rejects everything that breaks the rules of the format:
https://prometheus.io/docs/instrumenting/exposition_formats/
"""

import dataclasses
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN")
OF_HISTOGRAM = ("_bucket", "_sum", "_count")


@dataclasses.dataclass
class Family:
    name: str
    type: str
    help: str
    samples: dict = dataclasses.field(default_factory=dict)  # (suffix, labels) -> number


def parse(text):
    """Returns families by name. Raises ValueError with the line."""
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    families, family = {}, None
    lines = iter(text[:-1].split("\n"))
    for line in lines:
        if line.startswith("# HELP "):
            family = _begin(line, next(lines, ""), families)
        elif family is None:
            raise ValueError(f"a sample of nothing: {line}")
        else:
            _add(family, line)
    for family in families.values():
        if family.type == "histogram":
            _check_histogram(family)
    return families


def _begin(line, next_line, families):
    match = re.fullmatch(rf"# HELP ({NAME}) (\S.*)", line)
    type_match = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", next_line)
    if not match or not type_match or match[1] != type_match[1]:
        raise ValueError(f"{line}\n{next_line}")
    family = Family(match[1], type_match[2], match[2])
    if family.name in families:
        raise ValueError(f"twice: {line}")
    if family.name.endswith("_total") != (family.type == "counter"):
        raise ValueError(f"counters, and they alone, end with _total: {line}")
    families[family.name] = family
    return family


def _add(family, line):
    match = SAMPLE.fullmatch(line)
    if not match or not NUMBER.fullmatch(match[3]):
        raise ValueError(line)
    suffix = match[1].removeprefix(family.name)
    suffixes = OF_HISTOGRAM if family.type == "histogram" else ("",)
    if not match[1].startswith(family.name) or suffix not in suffixes:
        raise ValueError(f"of no family, or of another one than {family.name}: {line}")
    labels = re.findall(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"', match[2] or "")
    if len(dict(labels)) != len(labels):
        raise ValueError(f"a label twice: {line}")
    key = suffix, frozenset(labels)
    if key in family.samples:
        raise ValueError(f"twice: {line}")
    family.samples[key] = float(match[3])


def _check_histogram(family):
    series = {}
    for (suffix, pairs), value in family.samples.items():
        labels = dict(pairs)
        bound = labels.pop("le", None)
        if (suffix == "_bucket") != (bound is not None):
            raise ValueError(f"{family.name}: le belongs to _bucket")
        series.setdefault(frozenset(labels.items()), {})[bound or suffix] = value
    for labels, values in series.items():
        sums = {values.pop(name, None) for name in ("_sum", "_count")}
        buckets = [values[bound] for bound in values]
        bounds = [float(bound) for bound in values]
        if None in sums or not bounds or bounds[-1] != float("inf"):
            raise ValueError(f"{family.name}: something is missing")
        if bounds != sorted(set(bounds)) or buckets != sorted(buckets):
            raise ValueError(f"{family.name} {labels}: buckets do not grow")
        if family.samples["_count", labels] != buckets[-1]:
            raise ValueError(f"{family.name} {labels}: _count is not the last bucket")


def value(families, name, **labels):
    """Returns the sum of the samples that have at least these labels, or 0 if there is none."""
    wanted = labels.items()
    for suffix in ("", *OF_HISTOGRAM):
        family = families.get(name.removesuffix(suffix) if suffix else name)
        if family and (suffix == "" or (family.type == "histogram" and name.endswith(suffix))):
            return sum(number for (of, pairs), number in family.samples.items()
                       if of == suffix and wanted <= pairs)
    return 0


def total(families, name):
    """Returns the sum over all labels."""
    return sum(families[name].samples.values())


def names(families):
    """Returns the names of all samples."""
    return {family.name + suffix for family in families.values() for suffix, _ in family.samples}
