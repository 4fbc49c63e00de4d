"""Tests that openapi.py reports answers that differ from the description."""

import email.message
import json
import types
import unittest

from openapi import Description, DescriptionError, Request

THING = {"type": "object", "required": ["name"],
         "properties": {"name": {"type": "string"},
                        "made_at": {"type": "string", "format": "date-time"}}}
SCHEMAS = {
    "Error": {"type": "object", "required": ["code", "data"],
              "properties": {"code": {"type": "string"},
                             "data": {"type": "object", "required": ["status"],
                                      "properties": {"status": {"type": "integer"}}}}},
    "Success": {"type": "object", "required": ["success"], "properties": {"success": {"const": True}}},
    "Thing": THING,
    "Answer": {"allOf": [{"$ref": "#/components/schemas/Success"},
                         {"type": "object", "required": ["data"],
                          "properties": {"data": {"$ref": "#/components/schemas/Thing"}}}]},
}
NOT_FOUND = {"allOf": [{"$ref": "#/components/schemas/Error"},
                       {"type": "object", "properties": {"code": {"const": "not_found"}}}]}


def description(answer=None):
    content = {"application/json": {"schema": answer or {"$ref": "#/components/schemas/Answer"}}}
    operation = {"responses": {
        "200": {"headers": {"X-Count": {"required": True, "schema": {"type": "integer"}}},
                "content": content},
        "304": {"description": "Not modified."},
        "404": {"content": {"application/json": {"schema": NOT_FOUND}}}}}
    return Description(json.dumps({"paths": {"/": {"get": operation},
                                             "/things/{id}": {"get": operation, "delete": operation}},
                                   "components": {"schemas": SCHEMAS}}))


def answer(status=200, body=None, **headers):
    message = email.message.Message()
    for name, value in {"Content_Type": "application/json; charset=UTF-8", **headers}.items():
        message[name.replace("_", "-")] = value
    text = body if isinstance(body, str) else json.dumps(body)
    return types.SimpleNamespace(status=status, headers=message,
                                 body=b"" if body is None else text.encode())


GOOD = {"success": True, "data": {"name": "a", "made_at": "2026-11-21T05:00:00Z"}}
ERROR = {"code": "not_found", "data": {"status": 404}}


class Answers(unittest.TestCase):
    def problems(self, found, request="GET /things/1", headers=(), body=""):
        return description().problems(Request(*request.split(" "), headers, body), found)

    def passes(self, *arguments, **words):
        self.assertEqual([], self.problems(*arguments, **words))

    def fails(self, *arguments, **words):
        self.assertNotEqual([], self.problems(*arguments, **words))

    def test_as_described_pass(self):
        good = answer(body=GOOD, X_Count="7")
        for request in ["GET /things/1", "GET /Things/%31/", "GET /things/1?a=b", "GET ", "GET /"]:
            self.passes(good, request)
        self.passes(answer(404, ERROR))
        self.passes(answer(304))
        self.passes(answer(X_Count="7"), "HEAD /things/1")

    def test_with_another_body_fail(self):
        for body in [{"success": True}, {"success": False, "data": GOOD["data"]}, "nonsense", "", None,
                     {**GOOD, "more": 1}, {**GOOD, "data": {"name": "a", "more": 1}},
                     {**GOOD, "data": {"name": 1}},
                     {**GOOD, "data": {"name": "a", "made_at": "2026-11-21 05:00:00"}}]:
            self.fails(answer(body=body, X_Count="7"))
        self.fails(answer(304, body=GOOD))
        self.fails(answer(404, {**ERROR, "code": "gone"}))

    def test_with_another_status_header_or_media_type_fail(self):
        self.fails(answer(500, ERROR))
        self.fails(answer(body=GOOD))
        self.fails(answer(body=GOOD, X_Count="many"))
        self.fails(answer(body=GOOD, X_Count="7", X_More="1"))
        self.fails(answer(body=GOOD, X_Count="7", Content_Type="text/html"))

    def test_of_a_projection_may_lack_members(self):
        part = answer(body={"success": True, "data": {}}, X_Count="7")
        self.passes(part, "GET /things/1?_fields=a")
        self.passes(part, "GET /things/1", body='{"_fields":"a"}')
        self.fails(part)
        self.fails(answer(body={"success": True, "more": {}}, X_Count="7"), "GET /things/1?_fields=a")

    def test_of_what_is_not_described_are_errors(self):
        for request in ["GET /nothing", "PUT /things/1", "GET /things/1/2"]:
            self.passes(answer(404, ERROR), request)
            self.fails(answer(200, GOOD, X_Count="7"), request)
            self.fails(answer(404, GOOD), request)

    def test_follow_an_override_of_the_method(self):
        good = answer(body=GOOD, X_Count="7")
        self.passes(good, "POST /things/1?_method=delete")
        self.passes(good, "POST /things/1", headers=[("X-HTTP-Method-Override", "DELETE")])
        self.fails(good, "POST /things/1")


class Coverage(unittest.TestCase):
    def test_names_operations_without_a_success(self):
        found = description()
        found.problems(Request("GET", "/things/1"), answer(body=GOOD, X_Count="7"))
        found.problems(Request("DELETE", "/things/1"), answer(404, ERROR))
        self.assertEqual([("DELETE", "/things/{id}"), ("GET", "/")], found.never_successful())
        self.assertEqual("2 of 9 documented answers seen", found.coverage())


class Descriptions(unittest.TestCase):
    def test_that_say_nothing_are_refused(self):
        for schema in [{"description": "Something."}, {"type": "array"},
                       {"type": "object", "properties": {"a": {"description": "Anything."}}},
                       {"allOf": [{"type": "string"}, {"type": "integer"}]}]:
            with self.assertRaises(DescriptionError):
                description(schema)


if __name__ == "__main__":
    unittest.main()
