"""Compares the service's responses with /openapi.json.

The published schemas are open because later versions may add members. Here the schemas are closed, so that every
member, header, status and media type of a response must be in the description.
"""

import dataclasses
import datetime
import json
import re
import urllib.parse

import jsonschema

# Headers that any response may have, because the web server adds them or the text of the API description mentions
# them.
OF_ANY_ANSWER = {
    "access-control-allow-credentials", "access-control-allow-origin",
    "access-control-expose-headers", "allow", "cache-control", "connection", "content-length",
    "content-type", "date", "link", "ratelimit", "ratelimit-policy", "server", "set-cookie",
    "transfer-encoding", "vary", "x-content-type-options", "x-ratingd-login", "x-robots-tag",
    "x-wp-nonce",
}
# Files that the web server serves at the base path.
FILES = re.compile(r"/ratingd-[^/]*|/admin(/.*)?")
# The path of the network settings, which exist only on the first site of a network. The test cases run on a single
# site.
OF_NETWORK = "/settings/network"
# The allowed response statuses for a path or method that the API description does not contain.
UNROUTED_STATUSES = {400, 403, 404}
ANNOTATIONS = {"default", "description", "example", "examples", "format", "title"}
DECISIONS = {"anyOf", "const", "enum", "oneOf", "type"}

FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("date-time", raises=ValueError)
def is_time(text):
    return not isinstance(text, str) or bool(datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


@FORMATS.checks("date", raises=ValueError)
def is_date(text):
    return not isinstance(text, str) or bool(datetime.datetime.strptime(text, "%Y-%m-%d"))


class DescriptionError(Exception):
    """Raised if the description itself is invalid."""


@dataclasses.dataclass(frozen=True)
class Request:
    method: str
    target: str  # relative to the base path
    headers: tuple = ()  # pairs
    body: str = ""

    @property
    def path(self):
        return self.target.partition("?")[0]

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    @property
    def effective_method(self):
        """Returns the method that takes effect."""
        if self.method != "POST":
            return "GET" if self.method == "HEAD" else self.method
        if self.path.startswith("/public/"):
            return self.method
        overrides = [value for name, value in self.headers
                     if name.lower() == "x-http-method-override"]
        override = self.query.get("_method") or next(iter(overrides), "")
        return override.upper() or self.method

    @property
    def is_projected(self):
        """Returns whether the client requests only some of the members."""
        return "_fields" in self.body or any(name.startswith("_fields") for name in self.query)


class Description:
    """The description of the API. Safe for concurrent use."""

    def __init__(self, text):
        self._document = json.loads(text)
        self._patterns = [(pattern_of(path), path) for path in self._document["paths"]]
        # For each tuple (method, path, status), stores the description of the response and a validator for each
        # media type.
        self._answers = {}
        for method, path, operation in self._operations():
            for status, response_or_reference in operation["responses"].items():
                response = self._resolved(response_or_reference)
                self._answers[method, path, int(status)] = response, self._validators(response)
        self._error = self._validator({"$ref": "#/components/schemas/Error"}, "Error")
        self.seen = set()  # keys of _answers

    @property
    def voter_cookie(self):
        """Returns the name of the cookie that identifies an anonymous voter."""
        return self._document["components"]["securitySchemes"]["voter"]["name"]

    def problems(self, request, answer):
        """Returns lines that explain how the response (status, headers, body) differs from the description.
        Returns no lines if it does not differ."""
        if request.method == "OPTIONS" or FILES.fullmatch(request.path):
            return []
        operation = (request.effective_method, self._path_of(request.path))
        if not any(key[:2] == operation for key in self._answers):
            return self._unrouted(request, answer)
        key = (*operation, answer.status)
        if key not in self._answers:
            return [f"openapi.json: {' '.join(operation)} has no answer {answer.status}"]
        self.seen.add(key)
        response, validators = self._answers[key]
        found = self._header_problems(response, answer.headers)
        found += body_problems(request, validators, answer)
        return [f"openapi.json: {' '.join(map(str, key))}: {problem}" for problem in found]

    def never_successful(self):
        """Returns the operations that never succeeded."""
        successful = {key[:2] for key in self.seen if 200 <= key[2] < 300}
        return sorted({key[:2] for key in self._answers if key[1] != OF_NETWORK} - successful)

    def coverage(self):
        return f"{len(self.seen)} of {len(self._answers)} documented answers seen"

    def _operations(self):
        for path, item in self._document["paths"].items():
            for method, operation in item.items():
                yield method.upper(), path, operation

    def _path_of(self, path):
        decoded = urllib.parse.unquote(path, errors="replace").lower()
        return next((known for pattern, known in self._patterns if pattern.fullmatch(decoded)), None)

    def _unrouted(self, request, answer):
        if answer.status not in UNROUTED_STATUSES:
            return [f"openapi.json: {answer.status} of a path or method that is not described"]
        return body_problems(request, {"application/json": self._error}, answer)

    def _header_problems(self, response, found):
        described = {name.lower(): self._resolved(header)
                     for name, header in response.get("headers", {}).items()}
        problems = [f"the header {name} is missing" for name, header in described.items()
                    if header.get("required") and found.get(name) is None]
        for name, value in found.items():
            if name.lower() in described:
                validator = self._validator(described[name.lower()]["schema"], name)
                problems += messages(validator, of_header(value, validator.schema), name)
            elif name.lower() not in OF_ANY_ANSWER:
                problems.append(f"the header {name} is not described")
        return problems

    # --- Schemas ------------------------------------------------------------------------------

    def _validators(self, response):
        return {media_type: self._validator(content["schema"], media_type)
                for media_type, content in response.get("content", {}).items()}

    def _validator(self, schema, where):
        return jsonschema.Draft202012Validator(self._closed(schema, where), format_checker=FORMATS)

    def _resolved(self, value):
        while "$ref" in value:
            reference = value["$ref"]
            value = self._document
            for name in reference.removeprefix("#/").split("/"):
                value = value[name]
        return value

    def _closed(self, schema, where):
        """Returns the schema without references and "allOf". Its objects accept only the described members."""
        merged = self._merged(schema, where)
        if not DECISIONS & merged.keys():
            raise DescriptionError(f"{where}: a schema that says nothing")
        closed = {}
        for key, value in merged.items():
            if key == "properties":
                closed[key] = {name: self._closed(member, f"{where}/{name}")
                               for name, member in value.items()}
            elif key in ("anyOf", "oneOf"):
                closed[key] = [self._closed(choice, f"{where}/{key}") for choice in value]
            elif key in ("items", "additionalProperties") and isinstance(value, dict):
                closed[key] = self._closed(value, f"{where}/{key}")
            else:
                closed[key] = value
        if "object" in types_of(closed):
            closed.setdefault("additionalProperties", False)
        elif "array" in types_of(closed) and "items" not in closed:
            raise DescriptionError(f"{where}: an array of what?")
        return closed

    def _merged(self, schema, where):
        parts = [dict(schema)]
        if "$ref" in schema:
            parts.append(self._merged(self._resolved({"$ref": parts[0].pop("$ref")}), where))
        parts += [self._merged(part, where) for part in parts[0].pop("allOf", [])]
        merged = {}
        for part in parts:
            for key, value in part.items():
                self._merge(merged, key, value, where)
        return merged

    def _merge(self, merged, key, value, where):
        if key in ANNOTATIONS - {"format"}:
            return
        if key == "properties":
            known = merged.setdefault(key, {})
            for name, member in value.items():
                known[name] = {"allOf": [known[name], member]} if name in known else member
        elif key == "required":
            merged[key] = sorted({*merged.get(key, []), *value})
        elif merged.setdefault(key, value) != value:
            raise DescriptionError(f"{where}: {key} twice, and not the same")


def pattern_of(path):
    """Returns a pattern for the paths of an operation, in lower case."""
    parts = re.split(r"\{\w+\}", path.lower().rstrip("/"))
    return re.compile("[^/]+".join(map(re.escape, parts)) + "/?")


def types_of(schema):
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def of_header(value, schema):
    return int(value) if "integer" in types_of(schema) and value.isdecimal() else value


def body_problems(request, validators, answer):
    if request.method == "HEAD" or not validators:
        return [f"there is a body: {answer.body[:100]!r}"] if answer.body else []
    media_type = (answer.headers.get("Content-Type") or "none").partition(";")[0]
    if media_type not in validators:
        return [f"the media type {media_type} is not described"]
    validator = validators[media_type]
    if media_type != "application/json":
        return messages(validator, answer.body.decode(), "body")
    try:
        value = json.loads(answer.body)
    except ValueError as error:
        return [f"not JSON: {error}"]
    return messages(validator, value, "body", {"required"} if request.is_projected else ())


def messages(validator, value, where, ignored=()):
    return [f"{'/'.join([where, *map(str, error.absolute_path)])}: {error.message[:300]}"
            for error in validator.iter_errors(value) if error.validator not in ignored]
