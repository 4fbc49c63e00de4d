"""Tests of run_cases itself: that a case which should fail does fail."""

import http.server
import pathlib
import tempfile
import threading
import unittest

import run_cases


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with the body it was sent, and shows the request in headers."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
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

    def run_text(self, text, ticket_key=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.case")
            path.write_text(text, encoding="utf-8")
            return run_cases.run_case(path, "a", self.base_url, ticket_key=ticket_key)

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
                self.assertEqual(reason, run_cases.reason_to_skip(path))
                self.assertEqual(1, len(run_cases.read_case(path)))
            path.write_text("@needs-wordpress\nGET /\n\n=> 200\n", encoding="utf-8")
            self.assertRaises(run_cases.CaseError, run_cases.reason_to_skip, path)

    def test_a_malformed_case_fails(self):
        for text in ["", "POST /\n", "=> 200\n", "POST /\nnonsense\n\n=> 200\n",
                     "POST /{{nonsense}}\n\n=> 200\n"]:
            self.assertTrue(self.run_text(text), text)


if __name__ == "__main__":
    unittest.main()
