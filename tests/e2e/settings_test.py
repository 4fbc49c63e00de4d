#!/usr/bin/env python3
"""What an administrator sets takes effect on every worker, without a restart. Runs a sandbox of its
own.

usage: settings_test.py [-v] [TestCase[.test]]
"""

import concurrent.futures
import random
import time
import unittest

from fault_sandbox import FaultSandbox
from voting import Voter, basic, poll

# The service promises that a change counts within two seconds; the rest is for a busy machine.
EFFECT_SECONDS = 5

# Of tests/sandbox/site.sql.
POST, PAGE, PRIVATE, TRASHED, ATTACHMENT = 1, 2, 8, 11, 13
APPROVED_COMMENT, WAITING_COMMENT = 1, 6


def fresh_object():
    return random.randrange(10**17, 9 * 10**17)


def vote_on(object_id, object_type="post", category="binary"):
    return {"object_id": object_id, "object_type": object_type, "category": category, "value": 1}


class SettingsTest(unittest.TestCase):
    """One sandbox for all tests, each of which leaves the defaults behind."""

    @classmethod
    def setUpClass(cls):
        cls.sandbox = FaultSandbox.shared()

    def setUp(self):
        self.voter = Voter(self.sandbox.service, f"settings {random.getrandbits(64):x}")
        self.addCleanup(self.voter.close)

    def change(self, **settings):
        self.sandbox.ratingctl("settings", "set", *(f"{n}={v}" for n, v in settings.items()))
        self.addCleanup(self.sandbox.ratingctl, "settings", "reset", *settings)

    def comes_to(self, status, method, path, fields=None, headers=()):
        """The first answer of this status; until a worker knows the settings, it gives others."""

        def expected_answer():
            answer = self.voter.ask(method, path, fields, headers)
            return answer if answer and answer.status == status else None

        return poll(expected_answer, f"{method} {path} {fields} gives {status}", EFFECT_SECONDS)

    def votes_come_to(self, status, fields, headers=()):
        return self.comes_to(status, "POST", "/rate", fields, headers)

    def error(self, answer):
        return answer.json()["code"], answer.json()["message"]


class EveryWorker(SettingsTest):
    def test_hears_of_a_change(self):
        for worker in self.sandbox.workers():
            with self.sandbox.worker_stopped(worker):
                self.change(enabled="false")
                self.votes_come_to(403, vote_on(fresh_object()))
                self.change(enabled="true")
                self.votes_come_to(200, vote_on(fresh_object()))


class Enabled(SettingsTest):
    def test_off_refuses_votes_and_nothing_else(self):
        object_id = fresh_object()
        self.votes_come_to(200, vote_on(object_id))
        self.change(enabled="false")
        refusal = self.votes_come_to(403, vote_on(object_id))
        self.assertEqual(("ratingd_disabled", "Ratings are switched off."), self.error(refusal))
        self.comes_to(200, "GET", f"/stats/{object_id}")
        self.comes_to(200, "DELETE", f"/rate?object_id={object_id}&category=binary")

    def test_off_is_said_before_the_body_is_read(self):
        self.change(enabled="false")
        self.votes_come_to(403, {"object_id": "nonsense"})


class RequireLogin(SettingsTest):
    EDITOR = {"Authorization": basic("editor", "editor")}

    def test_lets_only_users_vote(self):
        object_id = fresh_object()
        self.change(require_login="true")
        refusal = self.votes_come_to(401, vote_on(object_id))
        self.assertEqual("rest_not_logged_in", self.error(refusal)[0])
        self.votes_come_to(401, {"object_id": "nonsense"})
        self.votes_come_to(200, vote_on(object_id), self.EDITOR)
        self.comes_to(200, "GET", f"/stats/{object_id}")


class Revote(SettingsTest):
    def refused_change(self, status, headers=()):
        """The refusal of a changed vote, and its object, once a worker knows the settings."""

        def refusal():
            object_id = fresh_object()
            self.voter.ask("POST", "/rate", vote_on(object_id), headers)
            answer = self.voter.ask("POST", "/rate", {**vote_on(object_id), "value": 0}, headers)
            return (answer, object_id) if answer and answer.status == status else None

        return poll(refusal, f"a changed vote gives {status}", EFFECT_SECONDS)

    def test_never_lets_nobody_change_or_take_back(self):
        self.change(revote="never")
        refusal, object_id = self.refused_change(403)
        self.assertEqual("ratingd_already_rated", self.error(refusal)[0])
        self.comes_to(403, "DELETE", f"/rate?object_id={object_id}&category=binary")

    def test_never_lets_the_same_vote_be_repeated(self):
        self.change(revote="never")
        _, object_id = self.refused_change(403)
        self.assertEqual(200, self.voter.ask("POST", "/rate", vote_on(object_id)).status)

    def test_cooldown_says_how_long(self):
        self.change(revote="cooldown", revote_cooldown_hours="2")
        refusal, _ = self.refused_change(429)
        self.assertEqual("ratingd_cooldown", self.error(refusal)[0])
        wait = refusal.json()["data"]["retry_after"]
        self.assertEqual(str(wait), refusal.headers["Retry-After"])
        self.assertTrue(7100 < wait <= 7200, wait)

    def test_binds_users_but_not_administrators(self):
        self.change(revote="never")
        self.refused_change(403, {"Authorization": basic("editor", "editor")})
        admin = {"Authorization": basic("admin", "admin")}
        for value in (1, 0):
            fields = {**vote_on(POST), "value": value}
            self.assertEqual(200, self.voter.ask("POST", "/rate", fields, admin).status)


class TwoAdministrators(SettingsTest):
    ADMIN = {"Authorization": basic("admin", "admin")}

    def test_at_once_do_not_lose_each_others_changes(self):
        changes = [("cooldown_seconds", 5), ("bayesian_prior_weight", 20), ("hold_threshold", 50),
                   ("rate_limit_read", 5000), ("voter_cookie_days", 100)]
        self.addCleanup(self.sandbox.ratingctl, "settings", "reset", *(n for n, _ in changes))
        voters = [Voter(self.sandbox.service, "administrator") for _ in changes]
        with concurrent.futures.ThreadPoolExecutor(len(changes)) as threads:
            list(threads.map(self.save, voters, changes))
        for voter in voters:
            voter.close()
        data = self.comes_to(200, "GET", "/settings", headers=self.ADMIN).json()["data"]
        self.assertEqual(dict(changes), {name: data[name] for name, _ in changes})

    def save(self, voter, change):
        """One that waits too long for the others is told to repeat it."""
        def is_saved():
            answer = voter.ask("POST", "/settings", dict([change]), self.ADMIN)
            self.assertIn(answer.status, (200, 503))
            return answer.status == 200

        poll(is_saved, f"{change} is saved")


class DefaultTemplates(SettingsTest):
    ADMIN = {"Authorization": basic("admin", "admin")}

    def test_are_shown_once_every_worker_knows(self):
        self.change(default_template_bipolar="simple/like-dislike")
        for worker in self.sandbox.workers():
            with self.sandbox.worker_stopped(worker):
                poll(self.shows_like_dislike, "the chosen template is shown", EFFECT_SECONDS)

    def shows_like_dislike(self):
        answer = self.voter.ask("POST", "/preview", {"category": "bipolar"})
        return answer and answer.json()["template"] == "simple/like-dislike"


class WhatMayBeRated(SettingsTest):
    def test_unknown_objects_are_not_found(self):
        self.change(object_check="known")
        refusal = self.votes_come_to(404, vote_on(fresh_object()))
        self.assertEqual(("ratingd_not_found", "There is no such post."), self.error(refusal))
        for object_id, object_type in [(TRASHED, "post"), (PAGE, "product"), (99, "comment")]:
            self.votes_come_to(404, vote_on(object_id, object_type))
        for object_id, object_type in [(PRIVATE, "post"), (WAITING_COMMENT, "comment")]:
            self.votes_come_to(200, vote_on(object_id, object_type))

    def test_unpublished_objects_are_not_found(self):
        self.change(object_check="published")
        for object_id, object_type in [(PRIVATE, "post"), (WAITING_COMMENT, "comment")]:
            self.votes_come_to(404, vote_on(object_id, object_type))
        for object_id, object_type in [(POST, "post"), (PAGE, "post"), (PAGE, "page"),
                                       (ATTACHMENT, "attachment"), (APPROVED_COMMENT, "comment")]:
            self.votes_come_to(200, vote_on(object_id, object_type))


class Limits(SettingsTest):
    def test_client_that_follows_retry_after_gets_through(self):
        self.change(cooldown_seconds="3")
        refusal = self.first_refusal(self.voter)
        self.assertEqual("ratingd_cooldown", self.error(refusal)[0])
        wait = int(refusal.headers["Retry-After"])
        self.assertEqual(wait, refusal.json()["data"]["retry_after"])
        time.sleep(wait)
        self.assertEqual(200, self.voter.ask("POST", "/rate", vote_on(fresh_object())).status)

    def test_workers_share_what_an_address_may(self):
        self.change(max_new_voters_per_address_per_object="1")
        for worker in self.sandbox.workers():  # a new one knows the settings
            self.sandbox.restart_worker(worker)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(self.vote_as_somebody, [fresh_object()] * 20))
        self.assertEqual([200] + [429] * 19, sorted(answers))

    def first_refusal(self, voter):
        """To votes on one object after another."""

        def refusal():
            answer = voter.ask("POST", "/rate", vote_on(fresh_object()))
            return answer if answer and answer.status == 429 else None

        return poll(refusal, "a vote is refused", EFFECT_SECONDS)

    def vote_as_somebody(self, object_id):
        voter = Voter(self.sandbox.service, f"somebody {random.getrandbits(64):x}")
        self.addCleanup(voter.close)
        one_address = {"X-Sandbox-Address": "192.0.2.9"}
        return voter.ask("POST", "/rate", vote_on(object_id), one_address).status


class AllowedOrigins(SettingsTest):
    ORIGIN = "https://shop.example.org"

    def test_may_vote_and_read_with_credentials(self):
        origin = {"Origin": self.ORIGIN}
        refusal = self.votes_come_to(403, vote_on(fresh_object()), origin)
        self.assertEqual("ratingd_bad_origin", self.error(refusal)[0])

        self.change(allowed_origins=self.ORIGIN)
        self.check_credentials(self.votes_come_to(200, vote_on(fresh_object()), origin))
        preflight = {**origin, "Access-Control-Request-Method": "DELETE"}

        def allows_all():
            answer = self.voter.ask("OPTIONS", "/rate", headers=preflight)
            methods = answer.headers["Access-Control-Allow-Methods"] if answer else None
            return answer if methods == "OPTIONS, POST, DELETE" else None

        self.check_credentials(poll(allows_all, "a preflight is answered", EFFECT_SECONDS))

    def test_others_hear_who_may(self):
        self.change(allowed_origins=self.ORIGIN)
        self.votes_come_to(200, vote_on(fresh_object()), {"Origin": self.ORIGIN})

        def hears():
            answer = self.voter.ask("POST", "/rate", vote_on(fresh_object()),
                                    {"Origin": "https://evil.example"})
            self.assertEqual(403, answer.status if answer else None)
            return self.ORIGIN in self.error(answer)[1]

        poll(hears, "the refusal names the allowed origin", EFFECT_SECONDS)

    def test_of_apps_have_schemes_of_their_own(self):
        origins = ("capacitor://localhost", "ionic://localhost", "app://-", "http://tauri.localhost")
        for origin in origins:
            self.votes_come_to(403, vote_on(fresh_object()), {"Origin": origin})
        self.change(allowed_origins=",".join(origins))
        for origin in origins:
            self.check_credentials(self.votes_come_to(200, vote_on(fresh_object()), {"Origin": origin}), origin)

    def test_null_has_a_setting_of_its_own(self):
        self.votes_come_to(403, vote_on(fresh_object()), {"Origin": "null"})
        self.change(allow_null_origin="true")
        self.check_credentials(self.votes_come_to(200, vote_on(fresh_object()), {"Origin": "null"}), "null")

    def check_credentials(self, answer, origin=ORIGIN):
        self.assertEqual(origin, answer.headers["Access-Control-Allow-Origin"])
        self.assertEqual("true", answer.headers["Access-Control-Allow-Credentials"])


if __name__ == "__main__":
    # Not of interest: that MariaDB outlives the object that started it.
    unittest.main(warnings="ignore")
