"""Tests run_cases itself: a case that should fail must fail. Also checks how the cases are written."""

import collections
import http.server
import pathlib
import re
import tempfile
import threading
import types
import unittest

import case_files
import run_cases

FOLDER = pathlib.Path(__file__).resolve().parent


class Echo(http.server.BaseHTTPRequestHandler):
    """Returns the body of the request. The response is a success for /rate, and shows the request in its headers.
    A request can choose headers of the response with names that begin with "X-Answer"."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/base/rate":
            body = b'{"success":true,' + body[1:]
        self.send_response(int(self.headers.get("X-Answer-Status", 200)))
        self.send_header("Cache-Control", self.headers.get("X-Answer-Cache", "no-store"))
        self.send_header("Content-Type", self.headers.get("X-Answer-Type", "text/plain"))
        self.send_header("X-Type", self.headers.get("Content-Type", "none"))
        self.send_header("X-Target", self.path)
        self.send_header("X-Cookie", self.headers.get("Cookie", "none"))
        self.send_header("X-Agent", self.headers.get("User-Agent", "none"))
        self.send_header("X-Authorization", self.headers.get("Authorization", "none"))
        self.send_header("X-Ticket", self.headers.get("X-Ratingd-Ticket", "none"))
        self.send_header("Set-Cookie", "voter=7; Path=/")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class RunCases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.base_url = f"http://127.0.0.1:{cls.server.server_port}/base"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def run_text(self, text, ticket_key=None, description=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.case")
            path.write_text(text, encoding="utf-8")
            _, failures = run_cases.run_file(path, "a", self.base_url, description, ticket_key)
            return failures

    def body_passes(self, expected, actual):
        return not self.run_text(f"POST /x\n\n{actual}\n\n=> 200\n\n{expected}\n")

    def test_equal_bodies_pass_whatever_the_order_of_members(self):
        self.assertTrue(self.body_passes('{"a":1,"b":[null,"x"]}', '{"b":[null,"x"],"a":1}'))

    def test_another_body_fails(self):
        for expected, actual in [("1", "2"), ("1", "1.0"), ("0", "-0"), ("1", '"1"'),
                                 ("true", "1"), ("null", "false"), ("[1]", "[1,2]"),
                                 ("[1,2]", "[1]"), ('{"a":1}', '{"a":1,"b":2}'),
                                 ('{"a":1,"b":2}', '{"a":1}'), ("[1,2]", "[2,1]"),
                                 ('{"a":1}', '{"a":1,"a":1}'), ("1", "NaN"), ("1", "one"),
                                 ("1", ""), ("", "1")]:
            self.assertFalse(self.body_passes(expected, actual), f"{expected} and {actual}")

    def test_placeholders_accept_what_they_say(self):
        self.assertTrue(self.body_passes('"<any>"', "[1]"))
        self.assertEqual([], self.run_text("POST /x\n\n[1]\n\n=> 200 <any>\nX-Target: /base/x\n"))
        self.assertTrue(self.body_passes('{"a":1,"...":"<any>"}', '{"a":1,"b":2}'))
        self.assertTrue(self.body_passes('"<integer>"', "-12"))
        self.assertTrue(self.body_passes('"<string>"', '"12"'))

    def test_placeholders_refuse_the_rest(self):
        for expected, actual in [('"<integer>"', "1.5"), ('"<integer>"', '"1"'),
                                 ('"<string>"', "1"), ('"<now>"', '"2001-01-01T00:00:00Z"'),
                                 ('"<now>"', '"now"'), ('{"a":"<any>"}', "{}"),
                                 ('{"a":1,"...":"<any>"}', '{"b":1}')]:
            self.assertFalse(self.body_passes(expected, actual), f"{expected} and {actual}")

    def test_status_and_headers_are_compared(self):
        for head in ["=> 404", "=> 200\nX-Target: /base/y", "=> 200\nX-Target: /.*y/",
                     "=> 200\nX-Absent: 1", "=> 200\nX-Absent: /.*/", "=> 200\n!X-Target"]:
            self.assertTrue(self.run_text(f"POST /x\n\n{head}\n"), head)
        self.assertFalse(self.run_text("POST /x\n\n=> 200\nX-Target: /.*x/\n!X-Absent\n"))

    def test_a_browser_keeps_its_cookies_to_itself(self):
        self.assertEqual([], self.run_text(
            "POST /\n@browser alice\n\n=> 200\nX-Cookie: none\n---\n"
            "POST /\n@browser alice\n\n=> 200\nX-Cookie: voter=7\n---\n"
            "POST /\n@browser bob\n\n=> 200\nX-Cookie: none\n---\n"
            "POST /\n\n=> 200\nX-Cookie: none\n"))

    def test_a_saved_value_is_used(self):
        self.assertEqual([], self.run_text(
            "POST /x{{id}}\n\n=> 200\n@save path X-Target /base(.*)/\n---\n"
            "POST {{path}}\n\n=> 200\nX-Target: /base/x{{id}}\n"))

    def test_escapes_send_raw_bytes(self):
        self.assertEqual([], self.run_text('POST /\n@escapes\n\n"\\x41\\xc3\\xa4"\n\n=> 200\n\n"Aä"\n'))

    def test_a_body_is_json_unless_the_case_says_otherwise(self):
        for header, media_type in [("", "application/json"), ("Content-Type: text/csv\n", "text/csv"),
                                   ("!Content-Type\n", "none")]:
            text = f"POST /\n{header}\n1\n\n=> 200\nX-Type: {media_type}\n\n1\n"
            self.assertEqual([], self.run_text(text))

    def test_each_row_is_a_case(self):
        rows = ('# What it shows.\n@each word  number\none    1\ntwo x  2\n\n'
                'POST /{{id}}\n\n["{{word}}",{{number}}]\n\n')
        self.assertEqual([], self.run_text(rows + '=> 200\n\n["{{word}}",{{number}}]\n'))
        self.assertEqual(2, len(self.run_text(rows + '=> 404\n\n["{{word}}",{{number}}]\n')))
        [[where, *_]] = self.run_text(rows + '=> 200\n\n["{{word}}",1]\n')
        self.assertIn(":6: POST /{{id}} two x  2", where)
        for head in ["@each word\n\n", "@each word\none  two\n\n", "@each other\none\n\n"]:
            self.assertTrue(self.run_text(head + "POST /{{word}}\n\n=> 200\n"), head)

    def test_votes_before_an_exchange_must_succeed(self):
        self.assertEqual([], self.run_text(
            "@voted alice {{id}} binary 1\n# Another.\n@voted program 7 scale 0.5 page\n"
            "@voted admin 7 bipolar -1\n"
            "POST /\n@browser alice\n\n=> 200\nX-Cookie: voter=7\n"))
        for vote in ["@voted alice 7 binary 01", "@voted alice 7 binary"]:
            self.assertTrue(self.run_text(f"{vote}\nPOST /\n\n=> 200\n"), vote)

    def answered(self, body, expected, headers=""):
        return self.run_text("POST /\nX-Answer-Status: 400\nX-Answer-Type: application/json\n"
                             f"{headers}\n{body}\n\n=> 400\n{expected}\n")

    def test_errors_about_parameters_are_told_in_short(self):
        told = ('{"code":"rest_invalid_param","message":"Invalid parameter(s): a, b","data":{"status":400,'
                '"params":{"a":"a must be 1.","b":"b must not be empty."},"details":{'
                '"a":{"code":"out","message":"a must be 1.","data":{"pattern":"a must be {n}.","values":{"n":1}}},'
                '"b":{"code":"in","message":"b must not be empty.","data":null}}}}')
        run_cases.TEXTS.update({"a must be {n}.", "b must not be empty."})
        expected = "@invalid a out a must be 1.\n@invalid b in b must not be empty."
        self.assertEqual([], self.answered(told, expected))
        for wrong in [expected.replace("1.", "2."), expected.replace("out", "in"), expected.split("\n")[0],
                      "@missing a, b", expected + "\n\n{}", "@invalid a"]:
            self.assertTrue(self.answered(told, wrong), wrong)
        self.assertTrue(self.answered(told.replace('{"n":1}', '{"n":2}'), expected))
        self.assertEqual([], self.answered(
            '{"code":"rest_missing_callback_param","message":"Missing parameter(s): a, b",'
            '"data":{"status":400,"params":["a","b"]}}', "@missing a, b"))

    def test_errors_must_not_be_kept(self):
        error = '{"code":"x"}'
        self.assertEqual([], self.answered(error, "\n" + error))
        self.assertTrue(self.answered(error, "\n" + error, "X-Answer-Cache: private\n"))

    def test_sentences_must_be_those_of_their_patterns(self):
        run_cases.TEXTS.update({"{a} is {b} for {c}.", "one of {n}"})
        body = ('[{"message":"x is one of 2 for 2 days.","pattern":"{a} is {b} for {c}.","values":{"a":"x",'
                '"b":{"pattern":"one of {n}","values":{"n":2}},"c":{"number":2,"unit":"day"}}}]')
        self.assertEqual([], self.answered(body, '\n"<any>"'))
        for wrong in [("of 2", "of 3"), ("days", "day"), ('"a":', '"d":1,"a":')]:
            self.assertTrue(self.answered(body.replace(*wrong), '\n"<any>"'), wrong)

    def test_nobody_rated_is_said_in_short(self):
        for actual in ['{"total":0,"positive":0,"negative":0,"average":null,"last_rated_at":null}',
                       '{"total":0,"average":null,"distribution":[0,0,0,0,0,0,0,0,0,0,0],"last_rated_at":null}',
                       '{"total":0,"average":null,"last_rated_at":null,"of_a_later_version":0}']:
            self.assertTrue(self.body_passes('"<unrated>"', actual))
            for wrong in [("null", "0"), (":0", ":1"), (":0", ':"0"'), ('"total":0,', "")]:
                self.assertFalse(self.body_passes('"<unrated>"', actual.replace(*wrong, 1)), wrong)
        for actual in ["null", "{}", '{"total":0,"average":null,"distribution":[0,1],"last_rated_at":null}']:
            self.assertFalse(self.body_passes('"<unrated>"', actual))

    def test_a_left_out_header_is_not_sent(self):
        self.assertEqual([], self.run_text("POST /\n!User-Agent\n\n=> 200\nX-Agent: none\n"))

    def test_tickets_replace_the_passwords_of_the_site_s_users_only(self):
        request = "POST /\nAuthorization: Basic {}\n\n=> 200\nX-Authorization: {}\nX-Ticket: {}\n"
        for password, authorization, ticket in [("YWRtaW46YWRtaW4=", "none", r"/[\w-]+\.[\w-]+\.[\w-]+/"),
                                                ("YWRtaW46b3RoZXI=", "Basic YWRtaW46b3RoZXI=", "none")]:
            text = request.format(password, authorization, ticket)
            self.assertEqual([], self.run_text(text, ticket_key="k" * 32))
        self.assertEqual([], self.run_text(
            request.format("YWRtaW46YWRtaW4=", "Basic YWRtaW46YWRtaW4=", "none")))

    def test_a_case_says_why_it_needs_wordpress(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.case")
            for text, reason in [("GET /", ""), ("@needs-wordpress for its users\nGET /", "for its users")]:
                path.write_text(text + "\n\n=> 200\n", encoding="utf-8")
                self.assertEqual(reason, case_files.reason_to_skip(path))
                self.assertEqual(1, len(case_files.read_case(path)))
            path.write_text("@needs-wordpress\nGET /\n\n=> 200\n", encoding="utf-8")
            self.assertRaises(case_files.CaseError, case_files.reason_to_skip, path)

    def test_a_malformed_case_fails(self):
        for text in ["", "POST /\n", "=> 200\n", "POST /\nnonsense\n\n=> 200\n",
                     "POST /{{nonsense}}\n\n=> 200\n"]:
            self.assertTrue(self.run_text(text), text)

    def test_values_of_the_service_have_names(self):
        text = ("POST /{{voter_cookie}}\n\n=> 200\nX-Target: /base/ratings\n"
                "@save name X-Target /({{voter_cookie}})/\n")
        self.assertTrue(self.run_text(text))
        description = types.SimpleNamespace(voter_cookie="ratings", problems=lambda *_: [])
        self.assertEqual([], self.run_text(text, description=description))


def complete_objects(value):
    """Returns the member names of each object that allows no additional members."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    found = {names for part in parts for names in complete_objects(part)}
    return found | ({frozenset(value)} if isinstance(value, dict) and "..." not in value else set())


def repeated_objects(cases):
    """Returns the member names of complete objects with four or more members, if more than two files contain these
    objects. "cases" contains the name of each file and the bodies that it expects."""
    files = collections.defaultdict(set)
    for name, bodies in cases:
        for names in set().union(*map(complete_objects, bodies)):
            files[names].add(name)
    return {names: where for names, where in files.items() if len(names) >= 4 and len(where) > 2}


def expected_bodies(path):
    names = re.compile(r"\{\{\w+( [^}]*)?\}\}")
    for case in case_files.read_case(path):
        for exchange in case.exchanges:
            if exchange.expected_body not in ("", "<any>"):
                yield run_cases.read_json(names.sub("1", exchange.expected_body))


class Cases(unittest.TestCase):
    def test_name_the_members_that_they_are_about(self):
        cases = [(path.name, list(expected_bodies(path))) for path in FOLDER.rglob("*.case")]
        for names, files in repeated_objects(cases).items():
            self.fail(f"{', '.join(sorted(files))} name all of {', '.join(sorted(names))}: "
                      'name the members that the case is about, and end the object with "...":"<any>"')

    def test_may_repeat_a_small_object_or_a_part_of_an_object(self):
        four = {"a": 1, "b": 2, "c": 3, "d": 4}
        for value, is_repeated in [(four, True), ({"x": [four]}, True), ({**four, "...": "<any>"}, False),
                                   ({"a": 1, "b": 2, "c": 3}, False)]:
            self.assertEqual(is_repeated, bool(repeated_objects([(name, [value]) for name in "xyz"])))
            self.assertEqual({}, repeated_objects([("x", [value]), ("y", [value]), ("y", [value])]))


if __name__ == "__main__":
    unittest.main()
