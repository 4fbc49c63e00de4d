"""Reads .case files, whose format tests/cases/README.md describes."""

import base64
import dataclasses
import json
import re

NEEDS_WORDPRESS = "@needs-wordpress"
ROWS = "@each "
VOTED = "@voted "
ANY = " <any>"
# The users in tests/sandbox/site.sql, with their passwords and the permissions of their roles. The first password
# of each user is an application password.
USERS = {
    "admin": (("AdminSandboxPassword0001", "admin"), ["administer", "see_persons", "see_unpublished"]),
    "editor": (("EditorSandboxPassword001", "editor"), ["see_unpublished"]),
    "subscriber": (("SubscriberSandboxPass001", "subscriber"), []),
}


class CaseError(Exception):
    """Raised if the case itself is invalid, or if there was no response to compare."""


@dataclasses.dataclass
class Head:
    """The lines before a body: the first line, "Name: value", "!Name" and "@directive words"."""

    first: str = ""
    headers: list = dataclasses.field(default_factory=list)
    absent: list = dataclasses.field(default_factory=list)
    directives: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Exchange:
    line: int
    request: Head
    request_body: str
    expected: Head
    expected_body: str


@dataclasses.dataclass
class Case:
    """"row" contains the words of the case's row. It is empty if the case has no rows."""

    row: str
    exchanges: list


# --- Exchanges --------------------------------------------------------------------------------


def read_head(lines):
    head = Head(first=lines[0])
    for line in lines[1:]:
        if line.startswith("#"):
            continue
        if line.startswith("!"):
            head.absent.append(line[1:])
        elif line.startswith("@"):
            head.directives.append(line[1:].split(" ", 3))
        elif ":" in line:
            name, value = line.split(":", 1)
            head.headers.append((name, value.strip()))
        else:
            raise CaseError(f"neither a header nor a directive: {line}")
    return head


def read_message(lines):
    """Splits one side of an exchange at its first empty line."""
    text = "\n".join(lines).strip("\n")
    head, _, body = text.partition("\n\n")
    return read_head(head.split("\n")), body.strip("\n")


def vote(line, number):
    """Returns the exchange for the line "@voted WHO ID CATEGORY VALUE [TYPE]"."""
    words = line.split()[1:]
    if len(words) not in (4, 5):
        raise CaseError(f"line {number}: {VOTED}needs WHO ID CATEGORY VALUE [TYPE]")
    who, object_id, category, value, *object_type = words
    request = Head("POST /rate")
    if who in USERS:
        credentials = base64.b64encode(f"{who}:{USERS[who][0][0]}".encode()).decode()
        request.headers.append(("Authorization", f"Basic {credentials}"))
    elif who != "program":
        request.directives.append(["browser", who])
    fields = f'"object_id":{object_id},"category":"{category}","value":{value}'
    type_sent = f',"object_type":"{object_type[0]}"' if object_type else ""
    return Exchange(number, request, f"{{{fields}{type_sent}}}", Head("=> 200"),
                    f'{{"success":true,{fields}{type_sent},"...":"<any>"}}')


def told_by(directives):
    """Returns the body for "@missing" and "@invalid", and the other directives."""
    missing = [name for word, *names in directives if word == "missing" for name in " ".join(names).split(", ")]
    invalid = {name: (code, sentence)
               for _, name, code, sentence in (words for words in directives if words[0] == "invalid")}
    others = [words for words in directives if words[0] not in ("missing", "invalid")]
    if missing:
        body = {"code": "rest_missing_callback_param", "message": f"Missing parameter(s): {', '.join(missing)}",
                "data": {"status": 400, "params": missing}}
    elif invalid:
        body = {"code": "rest_invalid_param", "message": f"Invalid parameter(s): {', '.join(invalid)}",
                "data": {"status": 400, "params": {name: sentence for name, (_, sentence) in invalid.items()},
                         "details": {name: {"code": code, "message": sentence, "data": "<pattern>"}
                                     for name, (code, sentence) in invalid.items()}}}
    else:
        return "", others
    return json.dumps(body), others


def read_exchange(lines, number):
    """Reads the lines of one exchange and of the votes before it. "number" is the number of the first line in the
    file."""
    exchanges = []
    while lines and (not lines[0] or lines[0].startswith(("#", VOTED))):
        if lines[0].startswith(VOTED):
            exchanges.append(vote(lines[0], number))
        lines, number = lines[1:], number + 1
    turn = next((i for i, line in enumerate(lines) if line.startswith("=> ")), None)
    if not turn:
        raise CaseError(f"line {number}: an exchange needs a request and a line '=> STATUS'")
    request, request_body = read_message(lines[:turn])
    expected, expected_body = read_message(lines[turn:])
    if expected.first.endswith(ANY) and not expected_body:
        expected.first, expected_body = expected.first.removesuffix(ANY), ANY.strip()
    told, expected.directives = told_by(expected.directives)
    if told and expected_body:
        raise CaseError(f"line {number}: the answer has two bodies")
    return [*exchanges, Exchange(number, request, request_body, expected, told or expected_body)]


# --- Files ------------------------------------------------------------------------------------


def read_exchanges(lines):
    exchanges, start = [], 0
    for end, line in enumerate([*lines, "---"]):
        if line == "---":
            exchanges += read_exchange(lines[start:end], start + 1)
            start = end + 1
    return exchanges


def read_case(path):
    """Returns one case, or one case for each row."""
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[0].startswith(NEEDS_WORDPRESS):
        lines[0] = ""
    begin = next((i for i, line in enumerate(lines) if line and not line.startswith("#")), 0)
    if not lines[begin].startswith(ROWS):
        return [Case("", read_exchanges(lines))]
    names = lines[begin].split()[1:]
    end = next((i for i, line in enumerate(lines) if i > begin and not line), len(lines))
    head, rows = [""] * (end + 1), lines[begin + 1:end]
    if not rows:
        raise CaseError(f"{path}: {ROWS}needs rows")
    return [Case(row, read_exchanges([*head, *in_row(names, row, lines[end + 1:])])) for row in rows]


def in_row(names, row, lines):
    """Returns the lines with the cells of a row in place of their names. Two or more spaces separate the cells."""
    cells = re.split(" {2,}", row.strip())
    if len(cells) != len(names):
        raise CaseError(f"not a cell for each of {', '.join(names)}: {row}")
    text = "\n".join(lines)
    for name, cell in zip(names, cells, strict=True):
        if f"{{{{{name}}}}}" not in text:
            raise CaseError(f"nothing has {{{{{name}}}}}")
        text = text.replace(f"{{{{{name}}}}}", cell)
    return text.split("\n")


def reason_to_skip(path):
    """Returns why the case needs WordPress, from its line "@needs-wordpress REASON". Empty if it does not need
    WordPress."""
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    directive, _, reason = first.partition(" ")
    if directive != NEEDS_WORDPRESS:
        return ""
    if not reason:
        raise CaseError(f"{path}: {NEEDS_WORDPRESS} must say why")
    return reason
