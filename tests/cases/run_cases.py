#!/usr/bin/python3
"""Sends the requests of .case files to a running service and compares the responses.

The format of the files is described in tests/cases/README.md. Each response must also be one that the
service's own /openapi.json describes.
"""

import argparse
import base64
import binascii
import concurrent.futures
import contextlib
import dataclasses
import datetime
import difflib
import http.client
import json
import pathlib
import re
import secrets
import socket
import sys
import urllib.parse
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "sandbox"))

import openapi
import ticket
from case_files import USERS, CaseError, read_case, reason_to_skip

TIMEOUT_SECONDS = 15
CATALOG = pathlib.Path(__file__).resolve().parents[2] / "web/languages/ratingd.pot"
PARALLEL_CASES = 8


# --- Sending ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Names:
    """The {{names}} of one case: values that are unique to this run, and values that @save stored."""

    def __init__(self, case_name, base_url, has_passwords=True, of_service=None):
        """"of_service" contains the values that the service itself publishes."""
        url = urllib.parse.urlsplit(base_url)
        self.values = {
            "origin": f"{url.scheme}://{url.netloc}",
            "base_path": url.path,
            "namespace": url.path.removeprefix("/wp-json/").rstrip("/"),
            "challenge": ('Basic realm="ratingd", charset="UTF-8"' if has_passwords
                          else 'Bearer realm="ratingd"'),
            "agent": f"{case_name} {secrets.token_hex(8)}",
            "token": secrets.token_hex(16),
            "network": f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}",
            **(of_service or {}),
        }

    def replace(self, text):
        return re.sub(r"\{\{(\w+)(?: (\d+) ([^}]+))?\}\}", self._value, text)

    def _value(self, match):
        name, count, piece = match.groups()
        if name == "repeat" and count:
            return piece * int(count)
        if re.fullmatch(r"id\d*", name):
            # Random ids have exactly 18 digits, so that the length of a request body containing the id is known in
            # advance.
            fresh = str(10**17 + secrets.randbelow(9 * 10**17))
            return self.values.setdefault(name, fresh)
        if name not in self.values:
            raise CaseError(f"unknown name {{{{{name}}}}}")
        return self.values[name]


class TicketUsers:
    """Sends tickets of the sandbox's users in place of their passwords."""

    def __init__(self, key, audience):
        self._key = key
        self._audience = audience

    def replace(self, header):
        """Returns the ticket header in place of a user's Basic credentials. Other headers stay."""
        name, value = header
        scheme, _, credentials = value.partition(" ")
        if name.lower() != "authorization" or scheme.lower() != "basic":
            return header
        try:
            user, _, password = base64.b64decode(credentials, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return header
        passwords, rights = USERS.get(user, ((), ()))
        if password not in passwords:
            return header
        claims = ticket.claims_of("cases", user, self._audience, rights=rights)
        return "X-Ratingd-Ticket", ticket.sign(self._key, claims)


class Client:
    """Speaks HTTP/1.1 over plain sockets, so that it can send requests that HTTP libraries refuse to send."""

    def __init__(self, base_url, ticket_key=None):
        url = urllib.parse.urlsplit(base_url)
        self.address = (url.hostname, url.port or 80)
        self.base_path = url.path.rstrip("/")
        self.jars = {}
        self.users = TicketUsers(ticket_key, f"{url.scheme}://{url.netloc}") if ticket_key else None

    def send(self, exchange, names):
        words = {words[0]: words[1:] for words in exchange.request.directives}
        jar = self.jars.setdefault(words["browser"][0], {}) if "browser" in words else None
        method, _, target = names.replace(exchange.request.first).partition(" ")
        body = encode(names.replace(exchange.request_body), "escapes" in words)
        head = [f"{method} {self.base_path}{target} HTTP/1.1"]
        head += [f"{name}: {value}" for name, value in self._headers(exchange, names, body, jar)]
        text = encode("\r\n".join(head) + "\r\n\r\n", "escapes" in words)
        answer = self._exchange_bytes(method, text + body)
        if jar is not None:
            keep_cookies(jar, answer.headers.get_all("Set-Cookie", []))
        return answer

    def _headers(self, exchange, names, body, jar):
        own = [(name, names.replace(value)) for name, value in exchange.request.headers]
        if self.users:
            own = [self.users.replace(header) for header in own]
        given = {name.lower() for name, _ in own}
        given.update(name.lower() for name in exchange.request.absent)
        usual = {"Host": f"{self.address[0]}:{self.address[1]}", "Connection": "close",
                 "User-Agent": names.values["agent"],
                 "X-Sandbox-Address": names.values["network"] + "::1"}
        if body:
            usual["Content-Type"] = "application/json"
        if body and "transfer-encoding" not in given:
            usual["Content-Length"] = str(len(body))
        if jar is not None:
            usual["Sec-Fetch-Site"] = "same-origin"
        if jar:
            usual["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
        return [(name, value) for name, value in usual.items() if name.lower() not in given] + own

    def _exchange_bytes(self, method, request):
        try:
            with socket.create_connection(self.address, timeout=TIMEOUT_SECONDS) as connection:
                # The service may reject a long body before the client has sent all of it. Read the response even
                # if sending the body has failed.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    connection.sendall(request)
                response = http.client.HTTPResponse(connection, method=method)
                response.begin()
                return Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise CaseError(f"no answer: {error!r}") from error


def encode(text, with_escapes):
    """Encodes a text as UTF-8. With "@escapes", \\xNN becomes the byte NN."""
    if not with_escapes:
        return text.encode()
    pieces = re.split(r"\\x([0-9a-fA-F]{2})", text)
    return b"".join(bytes.fromhex(piece) if i % 2 else piece.encode()
                    for i, piece in enumerate(pieces))


def keep_cookies(jar, set_cookies):
    for line in set_cookies:
        pair, *attributes = [part.strip() for part in line.split(";")]
        name, _, value = pair.partition("=")
        if "max-age=0" in (attribute.lower() for attribute in attributes):
            jar.pop(name, None)
        else:
            jar[name] = value


# --- Comparing --------------------------------------------------------------------------------


class Number(str):
    """A JSON number that is compared by its text because 1, 1.0 and -0 count as different values."""

    def __eq__(self, other):
        return isinstance(other, Number) and str(self) == str(other)

    __hash__ = str.__hash__


def unique_members(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("an object has a name twice")
    return dict(pairs)


def read_json(text):
    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse,
                      object_pairs_hook=unique_members)


def is_now(value):
    try:
        moment = datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")
        moment = moment.replace(tzinfo=datetime.UTC)
    except (TypeError, ValueError):
        return False
    age = datetime.datetime.now(datetime.UTC) - moment
    return abs(age) < datetime.timedelta(minutes=2)


def is_pattern(value):
    """Returns whether a value is the pattern by which a sentence is translated. A sentence that equals its pattern
    has no pattern beside it."""
    return value is None or (isinstance(value, dict) and set(value) == {"pattern", "values"})


def is_unrated(value):
    """Returns whether a value is the statistics of a category in which nobody has rated. Every number is zero, and
    every value that needs a rating is null."""
    def is_zero(figure):
        return figure == Number("0") or (isinstance(figure, list) and all(map(is_zero, figure)))

    return (isinstance(value, dict) and {"total", "average", "last_rated_at"} <= value.keys() and
            is_zero(value["total"]) and value["average"] is None and value["last_rated_at"] is None and
            all(figure is None or is_zero(figure) for figure in value.values()))


PLACEHOLDERS = {
    "<any>": lambda _: True,
    "<string>": lambda value: isinstance(value, str) and not isinstance(value, Number),
    "<integer>": lambda value: isinstance(value, Number) and re.fullmatch(r"-?\d+", value),
    "<now>": is_now,
    "<pattern>": is_pattern,
    "<unrated>": is_unrated,
}


def settle(expected, actual):
    """Returns "expected" with the actual values in place of all placeholders that they satisfy. Only real
    differences remain."""
    if type(expected) is str and expected in PLACEHOLDERS:
        return actual if PLACEHOLDERS[expected](actual) else expected
    if isinstance(expected, dict) and isinstance(actual, dict):
        settled = {name: settle(value, actual.get(name)) if name in actual else value
                   for name, value in expected.items() if name != "..."}
        return {**actual, **settled} if "..." in expected else settled
    if isinstance(expected, list) and isinstance(actual, list):
        both = [settle(*pair) for pair in zip(expected, actual, strict=False)]
        return both + expected[len(both):]
    return expected


def pretty(value, indent=""):
    """Returns the lines of "value". Its members are ordered by name."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        members = [f"{deeper}{json.dumps(name)}: {pretty(member, deeper)}"
                   for name, member in sorted(value.items())]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + ",\n".join(deeper + pretty(item, deeper) for item in value) + f"\n{indent}]"
    if isinstance(value, list):
        return "[" + ", ".join(pretty(item) for item in value) + "]"
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def compare_body(expected, actual):
    """Returns the lines of the difference. Returns no lines if both are equal."""
    if expected == "<any>":
        return []
    if not expected:
        return [f"the body should be empty, it is: {actual[:300]!r}"] if actual else []
    wanted = read_json(expected)
    try:
        found = read_json(actual.decode())
    except ValueError as error:
        return [f"the body is not JSON ({error}): {actual[:300]!r}"]
    wanted = settle(wanted, found)
    if wanted == found:
        return []
    return list(difflib.unified_diff(pretty(wanted).split("\n"), pretty(found).split("\n"),
                                     "expected body", "actual body", lineterm=""))


def matches(pattern, value):
    if len(pattern) > 1 and pattern[0] == pattern[-1] == "/":
        return value is not None and re.fullmatch(pattern[1:-1], value)
    return value == pattern


def header_of(answer, name):
    values = answer.headers.get_all(name)
    return None if values is None else ", ".join(values)


def compare_headers(expected, answer, names):
    differences = []
    for name, pattern in expected.headers:
        value = header_of(answer, name)
        if not matches(names.replace(pattern), value):
            shown = "absent" if value is None else value
            differences.append(f"{name}: expected {names.replace(pattern)}, it is {shown}")
    for name in expected.absent:
        if header_of(answer, name) is not None:
            differences.append(f"{name}: should be absent, it is {header_of(answer, name)}")
    return differences


def compare(exchange, answer, names):
    differences = []
    status = exchange.expected.first.removeprefix("=> ")
    if status != str(answer.status):
        differences.append(f"status: expected {status}, it is {answer.status}")
    differences += compare_headers(exchange.expected, answer, names)
    if answer.status >= 400 and header_of(answer, "Cache-Control") != "no-store":
        differences.append("Cache-Control: an error must be no-store")
    differences += compare_body(names.replace(exchange.expected_body), answer.body)
    return differences


def save_values(exchange, answer, names):
    """Runs the "@save NAME HEADER [/PATTERN/]" lines."""
    for word, name, header, *pattern in exchange.expected.directives:
        if word != "save":
            raise CaseError(f"unknown directive @{word} in an answer")
        value = header_of(answer, header)
        found = re.search(names.replace(pattern[0]).strip("/") if pattern else "(.*)", value or "")
        if value is None or not found:
            raise CaseError(f"nothing to save: {header} is {value}")
        names.values[name] = found.group(1)


# --- Running ----------------------------------------------------------------------------------


def request_of(exchange, names):
    method, _, target = names.replace(exchange.request.first).partition(" ")
    return openapi.Request(method, target, tuple(exchange.request.headers), exchange.request_body)


def texts_of_catalog():
    lines = re.findall(r'^msgid ("[^"].*")$', CATALOG.read_text(encoding="utf-8"), re.MULTILINE)
    return {json.loads(line) for line in lines}


TEXTS = texts_of_catalog()


def untranslatable(answer):
    """Returns the patterns of a response's sentences that are missing in the translation catalog. Patterns
    that begin with "^" are regular expressions from the API's description."""
    found = re.findall(r'"pattern":("(?!\^)(?:[^"\\]|\\.)*")', answer.body.decode(errors="replace"))
    return [f"not in web/languages/ratingd.pot: {text}" for text in map(json.loads, found) if text not in TEXTS]


def filled(pattern, values):
    """Returns the sentence of a pattern. A value may be a sentence or a duration."""
    def value(match):
        found = values.get(match[1], match[0])
        if not isinstance(found, dict):
            return str(found)
        if "unit" in found:
            return f"{found['number']} {found['unit']}" + ("" if found["number"] == Number("1") else "s")
        return filled(found["pattern"], found.get("values") or {})

    return re.sub(r"\{(\w+)\}", value, pattern)


def other_sentences(value):
    """Returns differences between a sentence in a response and its translatable form. Both must be the same
    sentence. If there is no pattern, the sentence itself is the pattern."""
    found = []
    if isinstance(value, dict) and isinstance(value.get("message"), str):
        data = value.get("data")
        source = value if "pattern" in value else data if isinstance(data, dict) and "pattern" in data else None
        if source and filled(source["pattern"], source.get("values") or {}) != value["message"]:
            found = [f"{source['pattern']!r} with its values is not {value['message']!r}"]
        elif source and not all(f"{{{name}}}" in source["pattern"] for name in source.get("values") or {}):
            found = [f"{source['pattern']!r} does not need each of {source['values']}"]
        elif "code" in value and "data" in value and data is None and value["message"] not in TEXTS:
            found = [f"neither translatable nor with a pattern: {value['message']!r}"]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return found + [problem for part in parts for problem in other_sentences(part)]


def translation_problems(answer):
    is_json = (answer.headers.get("Content-Type") or "").startswith("application/json")
    told = other_sentences(read_json(answer.body.decode())) if is_json and answer.body else []
    return untranslatable(answer) + told


def run_file(path, name, base_url, description=None, ticket_key=None):
    """Returns the number of cases, and the error lines for each case that failed."""
    try:
        cases = read_case(path)
    except (CaseError, ValueError) as error:
        return 1, [[str(path), str(error)]]
    of_service = {"voter_cookie": description.voter_cookie} if description else None
    results = [run_case(path, case, Names(name, base_url, not ticket_key, of_service),
                        Client(base_url, ticket_key), description) for case in cases]
    return len(cases), [lines for lines in results if lines]


def run_case(path, case, names, client, description):
    where = str(path)
    try:
        for exchange in case.exchanges:
            where = f"{path}:{exchange.line}: {exchange.request.first} {case.row}".rstrip()
            answer = client.send(exchange, names)
            differences = compare(exchange, answer, names)
            differences += translation_problems(answer)
            if description:
                differences += description.problems(request_of(exchange, names), answer)
            if differences:
                return [where, *differences, f"request id: {header_of(answer, 'X-Request-Id')}"]
            save_values(exchange, answer, names)
    except (CaseError, ValueError) as error:
        return [where, str(error)]
    return []


def read_description(base_url):
    with urllib.request.urlopen(f"{base_url}/openapi.json", timeout=TIMEOUT_SECONDS) as answer:
        return openapi.Description(answer.read())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--base-url", required=True,
                        help="where the service is, e.g. http://127.0.0.1:8080/wp-json/ratingd/v1")
    parser.add_argument("--cases", required=True, type=pathlib.Path, help="folder of .case files")
    parser.add_argument("--ticket-key", type=pathlib.Path, metavar="FILE",
                        help="the service has no CMS: users come with tickets that are signed with this "
                             'secret of the ticket key "cases"; cases that need WordPress are skipped')
    parser.add_argument("filter", nargs="?", default="", help="run only cases whose name has this")
    return parser.parse_args()


def run_all(paths, base_url, description, ticket_key):
    """Runs the files concurrently. Returns the number of cases, and the error lines for the failed cases."""
    with concurrent.futures.ThreadPoolExecutor(PARALLEL_CASES) as pool:
        results = list(pool.map(lambda item: run_file(item[1], item[0], base_url, description, ticket_key),
                                paths.items()))
    return sum(count for count, _ in results), [lines for _, failures in results for lines in failures]


def find_files(options):
    paths = {str(path.relative_to(options.cases).with_suffix("")): path
             for path in sorted(options.cases.rglob("*.case"))}
    return {name: path for name, path in paths.items() if options.filter in name}


def main():
    options = arguments()
    paths = find_files(options)
    if not paths:
        print(f"no case in {options.cases} has '{options.filter}' in its name")
        return 1
    try:
        description = read_description(options.base_url)
    except (OSError, ValueError, openapi.DescriptionError) as error:
        print(f"{options.base_url}/openapi.json: {error}")
        return 1
    ticket_key = options.ticket_key.read_text().strip() if options.ticket_key else None
    skipped = [name for name, path in paths.items() if ticket_key and reason_to_skip(path)]
    for name in skipped:
        print(f"skipped {name}: {reason_to_skip(paths.pop(name))}")
    count, failures = run_all(paths, options.base_url, description, ticket_key)
    for lines in failures:
        print("FAILED " + "\n    ".join(lines) + "\n")
    unseen = [] if options.filter or skipped else description.never_successful()
    for operation in unseen:
        print(f"no case has a success of {' '.join(operation)}")
    print(f"openapi.json: {description.coverage()}")
    print(f"{count - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
