#!/usr/bin/env python3
"""Tests front ends that sign tickets, without a CMS and beside WordPress. Starts its own sandboxes."""

import concurrent.futures
import functools
import json
import subprocess
import unittest

from fault_sandbox import Stack, free_port, run_dir  # first because it sets the module path
from headless_sandbox import HeadlessSandbox, WithTicketKeys, request
import ticket
from voting import basic, fresh_objects, poll

VISITORS = 1000
THREADS = 16


class TicketTest(unittest.TestCase):
    """Uses one sandbox for all tests of a class. At the end, no log may contain a ticket or a key."""

    make_sandbox = None

    @classmethod
    def setUpClass(cls):
        cls.sandbox = cls.make_sandbox()
        cls.addClassCleanup(cls.sandbox.check_logs)  # all programs have written their logs by then
        cls.addClassCleanup(cls.sandbox.stop_cleanly)
        cls.sandbox.start()

    def ask(self, method, path, *headers, fields=None):
        """Sends a request with these headers, which are pairs."""
        body = None
        if fields is not None:
            headers, body = (*headers, ("Content-Type", "application/json")), json.dumps(fields).encode()
        return request(self.sandbox.port, method, self.sandbox.base_path + path, body, headers)

    def ask_as(self, key_name, subject, method, path, fields=None, **claims):
        if key_name == "wordpress":  # whose tickets are valid for one request only
            claims |= ticket.bound_to(f"{method} {path}", json.dumps(fields).encode() if fields else b"")
        token = self.sandbox.sign(key_name, subject, **claims)
        return self.ask(method, path, ("X-Ratingd-Ticket", token), fields=fields)

    def vote_as(self, key_name, subject, object_id, value=1, **claims):
        return self.ask_as(key_name, subject, "POST", "/rate", binary(object_id, value), **claims)

    def own_rating(self, answer):
        """Returns the value of the binary rating in "answer", or None if there is none."""
        self.assertEqual(200, answer.status, answer.body)
        return answer.json()["user_ratings"].get("binary", {}).get("value")

    def assert_refused(self, status, code, answer):
        self.assertEqual((status, code), (answer.status, answer.json()["code"]), answer.body)

    def assert_bad_ticket(self, reason, *headers, method="GET", path="/me", fields=None):
        answer = self.ask(method, path, *headers, fields=fields)
        self.assert_refused(401, "ratingd_bad_ticket", answer)
        self.assertEqual(reason, answer.json()["data"]["reason"])


def binary(object_id, value=1):
    return {"object_id": object_id, "category": "binary", "value": value}


class FrontEnds(TicketTest):
    make_sandbox = HeadlessSandbox

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sandbox.start_front_ends()

    def test_are_all_logged(self):
        """Makes sure that the logs contain something to check."""
        request(self.sandbox.shop_ports["shop"], "GET", "/products/1")
        for name, part in {"shops-access.log": "GET /products/1", "nginx-access.log": "/stats/1",
                           "ratingd.log": "/stats/"}.items():
            poll(lambda name=name, part=part: part in self.sandbox.log(name), f"{name} has {part}")

    def test_a_thousand_visitors_behind_one_address_are_a_thousand_voters(self):
        for product, shop in enumerate(["shop", "market"], start=1):
            with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
                list(threads.map(functools.partial(self.visit, shop, product), range(VISITORS)))
            stats = self.ask("GET", f"/stats/{product}?object_type=product").json()["stats"]["scale"]
            self.assertEqual(VISITORS, stats["total"], shop)
            self.assertEqual([VISITORS // 5 if tenth in (2, 4, 6, 8, 10) else 0 for tenth in range(11)],
                             stats["distribution"])
            # Only the ticket key of "shop" may forward visitors' addresses, so all votes from "market" have the
            # same address.
            addresses = VISITORS if shop == "shop" else 1
            self.assertEqual(f"{VISITORS} {VISITORS} {addresses}", " ".join(self.sandbox.mariadb().execute(
                "SELECT COUNT(*), COUNT(DISTINCT voter), COUNT(DISTINCT address) FROM wp_ratingd_votes"
                f" WHERE object_id = {product} AND object_type = 'product'", self.sandbox.DATABASE).split()))
        self.sandbox.ratingctl("verify")

    def visit(self, shop, product, number):
        """Rates. Then checks that the response contains the voter's own rating and no other rating."""
        port = self.sandbox.shop_ports[shop]
        address = f"2001:db8:{number:x}:7::1"
        stars = number % 5 + 1
        common = [("X-Sandbox-Address", address)]
        path = f"/products/{product}"
        if number % 10 == 0:
            answer = request(port, "GET", path, None, common)
            self.assertEqual(200, answer.status, answer.body)
            self.assertIn(b"Your rating: none<", answer.body)
        answer = request(port, "POST", path, f"stars={stars}".encode(),
                         [*common, ("Origin", f"http://127.0.0.1:{port}")])
        self.assertEqual((303, path), (answer.status, answer.headers["Location"]), answer.body)
        cookie = answer.headers["Set-Cookie"].split(";")[0]
        answer = request(port, "GET", path, None, [*common, ("Cookie", cookie)])
        self.assertEqual(200, answer.status, answer.body)
        self.assertIn(f"Your rating: {stars}.0 stars<", answer.body.decode())

    def test_errors_of_ratingd_reach_the_log_without_a_ticket(self):
        port = self.sandbox.shop_ports["shop"]
        origin = [("Origin", f"http://127.0.0.1:{port}")]
        answer = request(port, "POST", "/products/2", b"stars=9", origin)
        self.assertEqual(502, answer.status)
        log = self.sandbox.log("shop.log")
        self.assertIn("ratingd answered 400 rest_invalid_param: Invalid parameter(s): value", log)

    def test_votes_of_foreign_pages_are_refused(self):
        for port, path, body in [(self.sandbox.shop_ports["shop"], "/products/2", b"stars=1"),
                                 (self.sandbox.php_port, "/", b"value=1")]:
            for headers in ([], [("Origin", "https://evil.example")], [("Origin", "null")]):
                answer = request(port, "POST", path, body, headers)
                self.assertEqual(403, answer.status, answer.body)
                self.assertNotIn("Set-Cookie", answer.headers)

    def test_unknown_products_are_not_asked_for(self):
        for path in ["/products/3", "/products/constructor", "/", "/products/1?x"]:
            self.assertEqual(404, request(self.sandbox.shop_ports["shop"], "GET", path).status)

    def test_php_page_counts_each_visitor_once(self):
        port = self.sandbox.php_port
        headers = [("Origin", f"http://127.0.0.1:{port}"), ("Content-Type", "application/x-www-form-urlencoded")]
        self.assertIn(b"Your rating: none<", request(port, "GET", "/").body)
        cookies = []
        for likes in (1, 2, 3):
            answer = request(port, "POST", "/", b"value=1", headers)
            self.assertEqual(200, answer.status, answer.body)
            self.assertIn(f"Likes: {likes}<", answer.body.decode())
            cookies.append(("Cookie", answer.headers["Set-Cookie"].split(";")[0]))
        answer = request(port, "POST", "/", b"value=0", [*headers, cookies[0]])
        self.assertIn("Likes: 2<", answer.body.decode())
        for cookie, own in zip(cookies, (0, 1, 1), strict=True):
            answer = request(port, "GET", "/", None, [cookie])
            self.assertIn(f"Your rating: {own}<", answer.body.decode())
        answer = request(port, "POST", "/", b"value=<b>", headers)
        self.assertEqual(502, answer.status, answer.body)


class Tickets(TicketTest):
    """Tickets of a service without a CMS, through nginx."""

    make_sandbox = HeadlessSandbox

    def test_two_are_refused(self):
        first, second = (("X-Ratingd-Ticket", self.sandbox.sign("shop", subject)) for subject in "78")
        bearer = ("Authorization", f"Bearer {first[1]}")
        for headers in [(first, second), (first, first), (first, bearer)]:
            self.assert_bad_ticket("two_tickets", *headers)

    def test_count_before_cookie_token_and_basic(self):
        first, second = fresh_objects(2)
        anonymous = self.ask("POST", "/rate", ("Sec-Fetch-Site", "same-origin"), fields=binary(first))
        proofs = [("Cookie", anonymous.headers["Set-Cookie"].split(";")[0]), ("X-Ratingd-Device", "d" * 32)]
        header = ("X-Ratingd-Ticket", self.sandbox.sign("shop", f"first {first}"))
        self.assertIsNone(self.own_rating(self.ask("GET", f"/stats/{first}", header, *proofs)))
        answer = self.ask("POST", "/rate", header, *proofs, fields=binary(second))
        self.assertNotIn("Set-Cookie", answer.headers)
        self.assertIsNone(self.own_rating(self.ask("GET", f"/stats/{second}", *proofs)))

    def test_of_a_removed_key_are_refused_and_are_no_anonymous_votes(self):
        [object_id] = fresh_objects(1)
        self.sandbox.add_ticket_key("retired")
        bearer = ("Authorization", "Bearer " + self.sandbox.sign("retired", "7"))
        self.sandbox.ratingctl("ticket-key", "remove", "retired")
        self.sandbox.restart_workers()
        self.assert_bad_ticket("removed_key", bearer, method="POST", path="/rate", fields=binary(object_id))
        self.assertEqual(0, self.ask("GET", f"/stats/{object_id}").json()["stats"]["binary"]["total"])
        metrics = self.ask("GET", "/metrics").body.decode()
        self.assertIn('ratingd_tickets_total{issuer="retired",result="removed_key"} ', metrics)

    def test_that_nginx_just_lets_pass_get_json(self):
        answer = self.ask("GET", "/stats/1", ("X-Ratingd-Ticket", "x" * 7000))
        self.assert_refused(401, "ratingd_bad_ticket", answer)
        foreign = self.ask("GET", "/stats/1", ("Authorization", "Bearer " + "x" * 7000))
        self.assertEqual(200, foreign.status, foreign.body)

    def test_name_visitors_of_their_own_issuer(self):
        [object_id] = fresh_objects(1)
        for total, key_name in enumerate(["shop", "market"], start=1):
            answer = self.vote_as(key_name, "Zoë | 1", object_id)
            self.assertEqual(total, answer.json()["stats"]["binary"]["total"], answer.body)
            self.assertIsNone(answer.json()["previous_value"])

    def test_take_the_visitor_s_own_vote_back_only(self):
        [object_id] = fresh_objects(1)
        path = f"/rate?object_id={object_id}&category=binary"
        self.vote_as("shop", f"one {object_id}", object_id)
        self.assert_refused(404, "ratingd_not_found",
                            self.ask_as("shop", f"two {object_id}", "DELETE", path))
        answer = self.ask_as("shop", f"one {object_id}", "DELETE", path)
        self.assertEqual(0, answer.json()["stats"]["binary"]["total"], answer.body)

    def test_of_both_keys_count_during_a_rotation(self):
        [object_id] = fresh_objects(1)
        old = self.sandbox.keys["market"]
        self.vote_as("market", "rotated", object_id)
        new = self.sandbox.add_ticket_key("market")
        self.sandbox.restart_workers()
        path = f"/stats/{object_id}"
        claims = ticket.claims_of("market", "rotated", self.sandbox.url)
        old_header, new_header = (("X-Ratingd-Ticket", ticket.sign(key, claims)) for key in (old, new))
        for header in (old_header, new_header):
            self.assertEqual(1, self.own_rating(self.ask("GET", path, header)))
        self.sandbox.ratingctl("ticket-key", "remove", "market", "--older")
        self.sandbox.restart_workers()
        self.assertEqual(1, self.own_rating(self.ask("GET", path, new_header)))
        self.assert_bad_ticket("bad_signature", old_header, path=path)

    def test_of_a_new_secret_file_name_the_same_visitors(self):
        [object_id] = fresh_objects(1)
        self.vote_as("shop", "kept", object_id)
        (self.sandbox.run_dir / "secret").rename(self.sandbox.run_dir / "secret.old")
        self.sandbox.ratingctl("init-secret")
        for name, options in self.sandbox.ticket_keys.items():
            self.sandbox.add_ticket_key(name, *options)
        self.sandbox.restart_workers()
        self.assertEqual(1, self.own_rating(self.ask_as("shop", "kept", "GET", f"/stats/{object_id}")))
        answer = self.vote_as("shop", "kept", object_id, 0)
        self.assertEqual((1, 1), (answer.json()["previous_value"], answer.json()["stats"]["binary"]["total"]))

    def test_need_no_table_of_a_cms(self):
        tables = self.sandbox.mariadb().execute("SHOW TABLES", self.sandbox.DATABASE).split()
        self.assertTrue(tables)
        self.assertEqual([], [name for name in tables if not name.startswith("wp_ratingd_")])
        self.assertIn("site-address is", self.sandbox.ratingctl("doctor"))


class WordPressSandbox(WithTicketKeys, Stack):
    ticket_keys = {"app": ("--cms-users", "--rights", "administer"), "shop": ()}

    def __init__(self):
        super().__init__(f"{run_dir('headless')}-wordpress", free_port())


class BesideWordPress(TicketTest):
    EDITOR = "2"

    make_sandbox = WordPressSandbox

    def voters(self, object_id):
        return self.sandbox.mariadb().execute(
            f"SELECT voter FROM wp_ratingd_votes WHERE object_id = {object_id}", "wordpress").split()

    def test_a_ticket_of_a_cms_user_votes_as_the_user(self):
        [object_id] = fresh_objects(1)
        answer = self.vote_as("app", self.EDITOR, object_id)
        self.assertEqual(200, answer.status, answer.body)
        login = ("Authorization", basic("editor", "editor"))
        self.assertEqual(1, self.own_rating(self.ask("GET", f"/stats/{object_id}", login)))
        answer = self.ask("POST", "/rate", login, fields=binary(object_id, 0))
        self.assertEqual((1, 1), (answer.json()["previous_value"], answer.json()["stats"]["binary"]["total"]))
        self.assertEqual([self.EDITOR], self.voters(object_id))

    def test_a_visitor_with_the_number_of_a_user_is_not_the_user(self):
        [object_id] = fresh_objects(1)
        self.assertEqual(200, self.vote_as("shop", self.EDITOR, object_id).status)
        self.assertNotIn(self.EDITOR, self.voters(object_id))
        login = ("Authorization", basic("editor", "editor"))
        self.assertIsNone(self.own_rating(self.ask("GET", f"/stats/{object_id}", login)))

    def test_rights_are_of_ticket_and_key_whoever_the_user_is(self):
        administrator = "1"
        self.assert_refused(403, "rest_forbidden", self.ask_as("app", administrator, "GET", "/settings"))
        answer = self.ask_as("app", self.EDITOR, "GET", "/settings", rights=["administer"])
        self.assertEqual(200, answer.status, answer.body)

    def test_subjects_that_are_no_users_ids_are_refused(self):
        for subject in ["editor", "02", "-1", "2 "]:
            self.assert_bad_ticket("malformed", ("X-Ratingd-Ticket", self.sandbox.sign("app", subject)))

    def test_wordpress_s_own_key_comes_from_its_salts(self):
        self.sandbox.keys["wordpress"] = self.key_of_wordpress()
        [object_id] = fresh_objects(1)
        self.assertEqual(200, self.vote_as("wordpress", self.EDITOR, object_id).status)
        self.assertEqual([self.EDITOR], self.voters(object_id))
        answer = self.ask_as("wordpress", "0", "GET", "/settings", rights=["administer"])
        self.assertEqual(200, answer.status, answer.body)

        self.addCleanup(self.sandbox.restart_workers)
        self.addCleanup(setattr, self.sandbox, "worker_options", ())
        self.sandbox.worker_options = ("--wp-tickets=no",)
        self.sandbox.restart_workers()
        header = ("X-Ratingd-Ticket", self.sandbox.sign("wordpress", self.EDITOR))
        self.assert_bad_ticket("removed_key", header)
        self.assertEqual(200, self.vote_as("app", self.EDITOR, object_id).status)

    def key_of_wordpress(self):
        """Computes the key as PHP does in WordPress."""
        folder = self.sandbox.run_dir / "salts"
        folder.mkdir()
        (folder / "wp-settings.php").touch()
        code = (f"define( 'ABSPATH', '{folder}/' ); require '{self.sandbox.wp_config}';"
                "echo hash_hmac( 'sha256', 'ratingd ticket', AUTH_KEY . AUTH_SALT );")
        return subprocess.run(["php", "-r", code], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    # Ignore Python's warning that a database server is still running.
    unittest.main(warnings="ignore")
