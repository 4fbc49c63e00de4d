#!/usr/bin/env python3
"""Tests ratingd beside a real WordPress. Each WordPress user is the same user in ratingd, and nobody else is this
user. Starts its own sandboxes with WordPress."""

import base64
import dataclasses
import hashlib
import hmac
import json
import random
import unittest

from fault_sandbox import free_port, run_dir, wait_until  # first because it sets the module path
from browser import API, Browser
import ticket
from voting import basic
from wordpress_stack import WordPressStack

# The service guarantees that changes take effect within two seconds, but tests may have to wait longer on a busy
# machine.
EFFECT_SECONDS = 3
FIRST_ANONYMOUS_VOTER = 2**63


class Site(WordPressStack):
    def __init__(self):
        super().__init__(run_dir("e2e") / self.ENVIRONMENT, free_port())


class ProductionSite(Site):
    ENVIRONMENT = "production"


local_site = Site()


def setUpModule():
    local_site.start()
    unittest.addModuleCleanup(local_site.stop_cleanly)


@dataclasses.dataclass(frozen=True)
class User:
    id: int
    login: str
    password: str


@dataclasses.dataclass(frozen=True)
class ApplicationPassword:
    uuid: str
    header: dict  # the headers of a request


def new_object():
    return random.randrange(10**17, 9 * 10**17)


class WordPressTest(unittest.TestCase):
    stack = local_site

    def new_user(self, role):
        login = f"{role}_{random.getrandbits(64):x}"
        password = f"{random.getrandbits(64):x}"
        fields = {"user_login": login, "user_pass": password, "role": role,
                  "user_email": f"{login}@example.org"}
        return User(self.stack.call("wp_insert_user", fields), login, password)

    def new_application_password(self, user):
        create = "WP_Application_Passwords::create_new_application_password"
        password, item = self.stack.call(create, user.id, {"name": "test"})
        return ApplicationPassword(item["uuid"], {"Authorization": basic(user.login, password)})

    def new_browser(self):
        return Browser(self.stack.url)

    def log_in(self, user):
        """Returns a browser in which the user has logged in, and a WordPress nonce for it."""
        browser = self.new_browser()
        browser.log_in(user.login, user.password)
        return browser, {"X_WP_Nonce": browser.nonce()}

    def settings_status(self, browser, header):
        return browser.ask("GET", API + "/settings", **header).status

    def check_settings(self, expected, browser, header):
        """Checks that a change in WordPress takes effect here soon."""
        statuses = []

        def is_expected():
            statuses.append(self.settings_status(browser, header))
            return statuses[-1] == expected

        if not wait_until(is_expected, EFFECT_SECONDS):
            last = statuses[-1]
            self.fail(f"after {EFFECT_SECONDS} seconds /settings gave {last}, not {expected}")

    def check_error(self, status, code, answer):
        self.assertEqual(status, answer.status, answer.body)
        self.assertEqual(code, answer.json()["code"])

    def check_vote(self, answer):
        self.assertEqual(200, answer.status, answer.body)

    def voters_of(self, object_id):
        rows = self.stack.mariadb().execute(
            f"SELECT voter FROM wp_ratingd_votes WHERE object_id = {object_id}", "wordpress")
        return [int(row) for row in rows.split()]

    def check_anonymous(self, object_id):
        [voter] = self.voters_of(object_id)
        self.assertGreaterEqual(voter, FIRST_ANONYMOUS_VOTER)


class TicketTest(WordPressTest):
    """Tickets of WordPress's own programs, whose key ratingd reads from wp-config.php."""

    def ticket_of(self, user_id, line, body=b"", **claims):
        key = hmac.new(self.stack.call("wp_salt", "auth").encode(), b"ratingd ticket", hashlib.sha256).hexdigest()
        claims = ticket.claims_of("wordpress", str(user_id), self.stack.call("home_url"),
                                  **ticket.bound_to(line, body), **claims)
        return {"X_Ratingd_Ticket": ticket.sign(key, claims)}

    def test_votes_as_the_user(self):
        user, object_id = self.new_user("subscriber"), new_object()
        vote = {"object_id": object_id, "category": "binary", "value": 1}
        header = self.ticket_of(user.id, "POST /rate", json.dumps(vote).encode())
        self.check_vote(self.new_browser().ask("POST", API + "/rate", vote, **header))
        self.assertEqual([user.id], self.voters_of(object_id))

    def test_has_the_rights_that_it_names(self):
        browser = self.new_browser()
        line = "GET /settings"
        self.assertEqual(200, self.settings_status(browser, self.ticket_of(0, line, rights=["administer"])))
        self.assertEqual(403, self.settings_status(browser, self.ticket_of(0, line)))


class ApplicationPasswordTest(WordPressTest):
    def setUp(self):
        self.browser = self.new_browser()

    def test_of_an_administrator_reads_and_changes_settings(self):
        header = self.new_application_password(self.new_user("administrator")).header
        self.check_settings(200, self.browser, header)
        settings = self.browser.ask("GET", API + "/settings", **header).json()["data"]
        changed = {**settings, "voter_cookie_days": settings["voter_cookie_days"] - 1}

        answer = self.browser.ask("POST", API + "/settings",
                                  {"voter_cookie_days": changed["voter_cookie_days"]}, **header)

        self.assertEqual(200, answer.status, answer.body)
        self.assertEqual(changed, answer.json()["data"])

    def test_opens_what_it_opens_in_wordpress(self):
        user = self.new_user("subscriber")
        header = self.new_application_password(user).header
        answer = self.browser.ask("GET", "/wp-json/wp/v2/users/me", **header)
        self.assertEqual(user.id, answer.json().get("id"), answer.body)
        self.check_settings(403, self.browser, header)
        object_id = new_object()
        self.check_vote(self.browser.rate(object_id, 1, **header))
        self.assertEqual([user.id], self.voters_of(object_id))

    def test_deleted_in_wordpress_shuts_the_door(self):
        user = self.new_user("administrator")
        password = self.new_application_password(user)
        self.check_settings(200, self.browser, password.header)
        delete = "WP_Application_Passwords::delete_application_password"
        self.stack.call(delete, user.id, password.uuid)
        self.check_settings(401, self.browser, password.header)

    def test_opens_to_a_name_with_tags_as_in_wordpress(self):
        user = self.new_user("administrator")
        password = self.new_application_password(user).header["Authorization"].split(" ")[1]
        _, _, secret = base64.b64decode(password).decode().partition(":")
        for name in [f"<b>{user.login}</b>", f"{user.login}<script>x</script>", f"x<{user.login}>"]:
            header = {"Authorization": basic(name, secret)}
            theirs = self.browser.ask("GET", "/wp-json/wp/v2/users/me", **header).status
            self.assertEqual(theirs, self.settings_status(self.browser, header), name)
        self.assertEqual(401, theirs)

    def test_of_a_deleted_user_shuts_the_door(self):
        user = self.new_user("administrator")
        header = self.new_application_password(user).header
        self.check_settings(200, self.browser, header)
        self.stack.call("wp_delete_user", user.id)
        self.check_settings(401, self.browser, header)


class PlainHttpTest(WordPressTest):
    """Passwords must not be sent without TLS, except on a developer's machine."""

    stack = ProductionSite()

    @classmethod
    def setUpClass(cls):
        cls.stack.start()
        cls.addClassCleanup(cls.stack.stop_cleanly)

    def test_ignores_application_passwords_as_wordpress_does(self):
        header = self.new_application_password(self.new_user("administrator")).header
        browser = self.new_browser()
        for path in ["/wp-json/wp/v2/users/me", API + "/settings"]:
            self.assertEqual(401, browser.ask("GET", path, **header).status, path)
        object_id = new_object()
        self.check_vote(browser.rate(object_id, 1, **header))
        self.check_anonymous(object_id)


class LoginTest(WordPressTest):
    def test_vote_counts_as_the_users(self):
        user = self.new_user("subscriber")
        browser, header = self.log_in(user)
        object_id = new_object()

        self.check_vote(browser.rate(object_id, 1, **header))

        self.assertEqual([user.id], self.voters_of(object_id))
        own = browser.ask("GET", API + "/me", **header).json()["data"]
        self.assertEqual([(object_id, 1)], [(row["object_id"], row["value"]) for row in own])

    def test_nonces_go_from_wordpress_to_ratingd_and_back(self):
        user = self.new_user("subscriber")
        browser, header = self.log_in(user)
        for path in [API + "/me", "/wp-json/wp/v2/users/me", API + "/me"]:
            answer = browser.ask("GET", path, **header)
            self.assertEqual(200, answer.status, f"{path}: {answer.body}")
            header = {"X_WP_Nonce": answer.headers["X-WP-Nonce"]}

    def test_shows_the_findings_of_health_to_an_administrator(self):
        for role, is_shown in [("administrator", True), ("editor", False)]:
            browser, header = self.log_in(self.new_user(role))
            answer = browser.ask("GET", API + "/health", X_Sandbox_Address="198.51.100.9", **header)
            subjects = {finding["subject"] for finding in answer.json().get("findings", [])}
            self.assertEqual(200, answer.status, role)
            self.assertEqual(is_shown, {"schema", "rights", "app passwords"} <= subjects, role)

    def test_without_a_nonce_votes_anonymously(self):
        browser, _ = self.log_in(self.new_user("subscriber"))
        object_id = new_object()
        answer = browser.rate(object_id, 1)
        self.check_vote(answer)
        self.assertIsNone(answer.headers["X-WP-Nonce"])
        self.assertEqual("no-nonce", answer.headers["X-Ratingd-Login"])
        self.check_anonymous(object_id)

    def test_with_a_stale_nonce_votes_anonymously_and_says_so(self):
        browser, _ = self.log_in(self.new_user("subscriber"))
        object_id = new_object()
        answer = browser.rate(object_id, 1, X_WP_Nonce="0123456789")
        self.check_vote(answer)
        self.assertEqual("stale", answer.headers["X-Ratingd-Login"])
        self.check_anonymous(object_id)

    def test_with_a_stale_nonce_opens_no_settings(self):
        browser, _ = self.log_in(self.new_user("administrator"))
        answer = browser.ask("GET", API + "/settings", X_WP_Nonce="0123456789")
        self.check_error(401, "rest_cookie_invalid_nonce", answer)

    def test_with_a_forged_cookie_is_limited_on_protected_routes_alone(self):
        browser, header = self.log_in(self.new_user("administrator"))
        forger = browser.twin()
        forger.forge_login()
        address = {"X_Sandbox_Address": f"2001:db8:{random.getrandbits(16):x}::1"}
        statuses = [self.settings_status(forger, {**header, **address}) for _ in range(100)]
        self.assertEqual({401, 429}, set(statuses))
        self.assertLess(statuses.count(401), 60)  # 30 at once, then one in ten seconds
        self.check_vote(forger.rate(new_object(), 1, **header, **address))
        self.assertEqual(200, self.settings_status(browser, header))

    def test_takes_over_the_anonymous_vote_of_the_browser(self):
        user = self.new_user("subscriber")
        browser = self.new_browser()
        object_id = new_object()
        self.check_vote(browser.rate(object_id, 0))
        browser.log_in(user.login, user.password)

        answer = browser.rate(object_id, 1, X_WP_Nonce=browser.nonce())

        self.check_vote(answer)
        binary = answer.json()["stats"]["binary"]
        self.assertEqual((1, 1, 0), (binary["total"], binary["positive"], binary["negative"]))
        self.assertEqual([user.id], self.voters_of(object_id))


class EndOfLoginTest(WordPressTest):
    """Somebody has copies of cookies and of a nonce that were valid."""

    def setUp(self):
        self.user = self.new_user("administrator")
        self.browser, self.header = self.log_in(self.user)
        self.copy = self.browser.twin()
        self.check_settings(200, self.copy, self.header)

    def test_is_logging_out(self):
        self.browser.log_out()
        self.check_settings(401, self.copy, self.header)

    def test_is_a_new_password(self):
        self.stack.call("wp_set_password", "another one", self.user.id)
        self.check_settings(401, self.copy, self.header)

    def test_is_the_end_of_the_user(self):
        self.stack.call("wp_delete_user", self.user.id)
        self.check_settings(401, self.copy, self.header)


class RoleTest(WordPressTest):
    def test_takes_effect_both_ways(self):
        user = self.new_user("subscriber")
        browser, header = self.log_in(user)
        for role, status in [("subscriber", 403), ("administrator", 200), ("subscriber", 403)]:
            self.stack.call("wp_update_user", {"ID": user.id, "role": role})
            self.check_settings(status, browser, header)


class NeighbourTest(WordPressTest):
    def test_tables_of_wordpress_are_left_alone(self):
        administrator = self.new_user("administrator")
        password = self.new_application_password(administrator).header
        browser, nonce = self.log_in(self.new_user("subscriber"))
        visitor = self.new_browser()
        tables = self.tables_of_wordpress()
        before = self.checksums(tables)

        self.check_settings(200, visitor, password)
        object_id = new_object()
        self.check_vote(visitor.rate(object_id, 1))
        self.check_vote(browser.rate(object_id, 1, **nonce))
        self.check_vote(visitor.rate(object_id, 1, **password))
        wrong = {"Authorization": basic(administrator.login, "wrong")}
        self.assertEqual(401, self.settings_status(visitor, wrong))
        change = visitor.ask("POST", API + "/settings", {"cooldown_seconds": 0}, **password)
        self.assertEqual(200, change.status, change.body)
        self.assertEqual(200, browser.ask("GET", API + "/me", **nonce).status)

        self.assertEqual(tables, self.tables_of_wordpress())
        self.assertEqual(before, self.checksums(tables))

    def test_pages_are_served_by_wordpress(self):
        visitor = self.new_browser()
        for path in ["/", "/hello-world/"]:
            page = visitor.ask("GET", path)
            self.assertEqual(200, page.status, path)
            self.assertIn(b"Welcome to WordPress", page.body)
        index = visitor.ask("GET", "/wp-json/")
        self.assertEqual(200, index.status)
        self.assertIn("wp/v2", index.json()["namespaces"])
        self.assertEqual("ratingd/v1", visitor.ask("GET", API).json()["namespace"])

    def tables_of_wordpress(self):
        tables = self.stack.mariadb().execute("SHOW TABLES", "wordpress").split()
        return [table for table in tables if not table.startswith("wp_ratingd_")]

    def checksums(self, tables):
        return self.stack.mariadb().execute(f"CHECKSUM TABLE {', '.join(tables)}", "wordpress")


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
