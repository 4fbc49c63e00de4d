#!/usr/bin/env python3
"""Tests how the plugin handles stored ratings in a real WordPress: personal data, deletions, Site Health, and
WP-CLI. Debian has no WP-CLI package, so tests/sandbox/wordpress_cli.php replaces it."""

import datetime
import json
import re
import signal
import time
import unittest
import urllib.parse

from fault_sandbox import Session, free_port, wait_until  # first because it sets the module path
from browser import API, Browser
from mariadb import ServerError
from plugin_sandbox import PluginTest, import_votes, set_up_module, site
from voting import VOTER_COOKIE

setUpModule = set_up_module
EXPORT_PORTION = 500  # privacy.php



def bad_tickets(condition, test):
    """Makes WordPress's tickets invalid in requests with these arguments, until the test ends."""
    plugin = site.run_dir / "wordpress/wp-content/mu-plugins/bad-tickets.php"
    plugin.write_text(f"""<?php
add_filter( 'http_request_args', function ( $arguments ) {{
	if ( isset( $arguments['headers']['X-Ratingd-Ticket'] ) && ( {condition} ) ) {{
		$arguments['headers']['X-Ratingd-Ticket'] .= 'x';
	}}
	return $arguments;
}} );
""")
    test.addCleanup(plugin.unlink)


class ExportTest(PluginTest):
    def export(self, login, page=1):
        return site.call("Ratingd\\export_personal_data", f"{login}@example.org", page)

    def test_has_what_the_user_rated(self):
        (user, login), (other, _) = self.new_user(), self.new_user()
        post = self.new_post(post_title="Tea & <i>cake</i>")
        hidden = self.new_post(post_title="Secret", post_status="private")
        site.vote(user, post, value=0.7, category="scale")
        site.vote(user, post, value=-1, category="bipolar")
        site.vote(user, hidden, value=1)
        site.vote(user, hidden, value=0.6, category="scale")
        site.vote(other, post)

        answer = self.export(login)

        self.assertTrue(answer["done"])
        items = [{field["name"]: field["value"] for field in item["data"]} for item in answer["data"]]
        titles = [(item["Rated"], item.get("URL"), item["Rating"]) for item in items]
        link = site.call("get_permalink", post)
        self.assertEqual([("Tea & cake", link, "Dislike"), ("Tea & cake", link, "3.5 of 5"),
                          (f"post {hidden}", None, "Like"), (f"post {hidden}", None, "3 of 5")], titles)
        today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
        self.assertEqual({today}, {item[name][:10] for item in items for name in ("First rated", "Last changed")})

    def test_has_the_labels_of_criteria_and_reactions(self):
        self.set(facets="criterion,criterion-2,angry")
        names = {"criterion": {"label": "Качество", "group": "criteria"},
                 "criterion-2": {"label": "Сервис & Co", "group": "criteria"},
                 "angry": {"label": "Злой", "group": "reactions"}}
        site.call("update_option", "ratingd_names", names)
        self.addCleanup(site.call, "delete_option", "ratingd_names")
        user, login = self.new_user()
        post = self.new_post(post_title="Tea")
        site.vote(user, post, "post:criterion-2", value=0.8, category="scale")
        site.vote(user, post, "post:angry")
        items = [{field["name"]: field["value"] for field in item["data"]} for item in self.export(login)["data"]]
        self.assertEqual({("Tea: Сервис & Co", "4 of 5"), ("Tea", "Злой")},
                         {(item["Rated"], item["Rating"]) for item in items})

    def test_names_the_criterion_that_was_rated(self):
        self.set(facets="taste")
        user, login = self.new_user()
        post = self.new_post(post_title="Tea")
        site.vote(user, post, "post:taste")
        site.vote(user, post, "post:chapter")
        rated = [item["data"][0]["value"] for item in self.export(login)["data"]]
        self.assertEqual({"Tea: Taste", f"post:chapter {post}"}, set(rated))

    def test_has_reasons_as_text(self):
        user, login = self.new_user()
        import_votes(user, [1], value=0, reason="<b>Too</b>\nshort")
        [item] = self.export(login)["data"]
        self.assertIn({"name": "Reason", "value": "&lt;b&gt;Too&lt;/b&gt;<br />\nshort"}, item["data"])

    def test_has_the_scale_that_widgets_show(self):
        self.set(default_template_scale="simple/slider")
        self.assertEqual("7.5 of 10", site.call("Ratingd\\rating_in_words", "scale", 0.75))

    def test_has_pages_that_are_complete(self):
        user, login = self.new_user()
        count = 2 * EXPORT_PORTION + 3
        import_votes(user, range(10**6, 10**6 + count))

        pages = [self.export(login, page) for page in (1, 2, 3)]

        self.assertEqual([EXPORT_PORTION, EXPORT_PORTION, 3], [len(page["data"]) for page in pages])
        self.assertEqual([False, False, True], [page["done"] for page in pages])
        self.assertEqual(count, len({item["item_id"] for page in pages for item in page["data"]}))

    def test_of_a_stranger_is_empty(self):
        self.assertEqual({"data": [], "done": True}, self.export("stranger"))

    def test_fails_without_ratingd(self):
        user, login = self.new_user()
        site.vote(user, 1)
        self.without_ratingd()
        with self.assertRaisesRegex(ServerError, "cannot respond right now"):
            self.export(login)
        self.must_use("<?php add_filter( 'locale', function () { return 'de_DE'; } );")
        with self.assertRaisesRegex(ServerError, "Der Dienst kann gerade nicht antworten"):
            self.export(login)


class EraseTest(PluginTest):
    def erase(self, login, page=1):
        return site.call("Ratingd\\erase_personal_data", f"{login}@example.org", page)

    def request(self, login):
        """Adds a confirmed request of the user to the list in Tools, Erase Personal Data. Returns its id."""
        email = f"{login}@example.org"
        return site.call("wp_create_user_request", email, "remove_personal_data", [], "confirmed")

    def click(self, request):
        """Sends the request that the page's script sends to this plugin."""
        browser = self.log_in()
        page = browser.ask("GET", "/wp-admin/erase-personal-data.php").body.decode()
        [nonce] = re.findall(rf'data-request-id="{request}"\s+data-nonce="(\w+)"', page)
        index = list(site.call("apply_filters", "wp_privacy_personal_data_erasers", {})).index("ratingd") + 1
        form = {"action": "wp-privacy-erase-personal-data", "eraser": index, "id": request, "page": 1,
                "security": nonce}
        return browser.submit("/wp-admin/admin-ajax.php", form).json()

    def test_removes_the_votes_and_corrects_the_sums(self):
        (user, login), (other, _) = self.new_user(), self.new_user()
        post = self.new_post()
        site.vote(user, post, value=1)
        site.vote(user, post, value=0.5, category="scale")
        site.vote(other, post, value=0)

        answer = self.erase(login)

        self.assertEqual({"items_removed": True, "items_retained": False, "messages": [], "done": True}, answer)
        self.assertEqual([], self.votes_of(user))
        self.assertEqual([other], self.voters_of(post))
        stats = Browser(site.url).ask("GET", f"{API}/public/stats/{post}").json()["stats"]
        self.assertEqual((1, 0), (stats["binary"]["total"], stats["scale"]["total"]))
        self.check_sums()
        self.assertFalse(self.erase(login)["items_removed"])

    def test_is_what_the_page_of_wordpress_does(self):
        user, login = self.new_user()
        site.vote(user, self.new_post())
        answer = self.click(self.request(login))
        self.assertTrue(answer["success"], answer)
        self.assertEqual((True, True), (answer["data"]["items_removed"], answer["data"]["done"]))
        self.assertEqual([], self.votes_of(user))

    def test_fails_without_ratingd(self):
        user, login = self.new_user()
        site.vote(user, self.new_post())
        request = self.request(login)
        self.without_ratingd()

        answer = self.click(request)

        self.assertFalse(answer["success"], answer)
        self.assertEqual("request-confirmed", site.call("get_post_status", request))
        self.ratingd_is_back()
        self.assertEqual(1, len(self.votes_of(user)))
        self.assertTrue(self.click(request)["data"]["items_removed"])

    def erase_the_rest(self, login):
        page = 2
        while not self.erase(login, page)["done"]:
            page += 1

    def test_goes_on_if_it_takes_long(self):
        user, login = self.new_user()
        site.vote(user, self.new_post())
        workers = site.workers()
        for worker in workers:
            worker.signal(signal.SIGSTOP)
            self.addCleanup(worker.signal, signal.SIGCONT)
        started = time.monotonic()
        first = self.erase(login)
        self.assertLess(time.monotonic() - started, 25)
        self.assertEqual((True, False), (first["items_removed"], first["done"]))
        self.assertEqual(1, len(self.votes_of(user)))
        for worker in workers:
            worker.signal(signal.SIGCONT)
        site.forget_failure()

        self.erase_the_rest(login)

        self.assertEqual([], self.votes_of(user))

    def test_waits_for_another_change_of_many_ratings(self):
        user, login = self.new_user()
        post = self.new_post()
        site.vote(user, post)
        session = Session(["mariadb", "--no-defaults", "--skip-ssl", f"--socket={site.mariadb().socket}",
                           "--user=root", "--batch", "--skip-column-names", "--unbuffered", "wordpress"])
        self.addCleanup(session.close)
        session.run(f"BEGIN; SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = {post} FOR UPDATE;")
        self.assertFalse(self.erase(login)["done"])
        self.assertEqual(1, len(self.votes_of(user)))
        session.run("ROLLBACK;")

        self.erase_the_rest(login)

        self.assertEqual([], self.votes_of(user))

    def test_is_not_done_if_the_database_fails(self):
        user, login = self.new_user()
        site.vote(user, self.new_post())
        self.without_ratingd()
        site.sql("RENAME TABLE wp_ratingd_settings TO hidden_settings")
        try:
            for function in ("erase_personal_data", "export_personal_data"):
                with self.assertRaisesRegex(ServerError, "cannot respond right now"):
                    site.call(f"Ratingd\\{function}", f"{login}@example.org")
        finally:
            site.sql("RENAME TABLE hidden_settings TO wp_ratingd_settings")

    def test_is_done_without_tables(self):
        _, login = self.new_user()
        self.without_ratingd()
        site.sql("RENAME TABLE wp_ratingd_votes TO hidden_votes")
        try:
            self.assertTrue(self.erase(login)["done"])
        finally:
            site.sql("RENAME TABLE hidden_votes TO wp_ratingd_votes")

    def test_of_a_stranger_is_done(self):
        self.assertTrue(self.erase("stranger")["done"])


class PrivacyPolicyTest(PluginTest):
    def text(self):
        return site.call("Ratingd\\privacy_policy_text")

    def test_follows_the_settings(self):
        self.assertIn(f"<code>{VOTER_COOKIE}</code>", self.text())
        self.assertIn("kept for 365 days", self.text())
        self.assertIn("deleted after 30 days", self.text())
        self.assertIn("until you withdraw them", self.text())
        self.assertNotIn("low rating", self.text())
        self.set(voter_cookie_days=7, store_address="none", retention_months=24, low_vote_reasons="true")
        self.assertIn("why you gave a low rating", self.text())
        self.assertIn("kept for 7 days", self.text())
        self.assertIn("it is not stored with your rating", self.text())
        self.assertIn("After 24 months", self.text())

    def test_is_in_the_guide(self):
        guide = self.log_in().ask("GET", "/wp-admin/options-privacy.php?tab=policyguide")
        self.assertIn(VOTER_COOKIE.encode(), guide.body)


class DeletionTest(PluginTest):
    def waiting(self):
        return site.call("Ratingd\\waiting_deletions")

    def test_keeps_the_votes_by_default(self):
        user, _ = self.new_user()
        post = self.new_post()
        site.vote(user, post)
        before = site.requests_to_ratingd()
        site.call("wp_delete_user", user)
        site.call("wp_delete_post", post, True)
        self.assertEqual([user], self.voters_of(post))
        self.assertEqual(before, site.requests_to_ratingd())

    def test_erases_the_votes_of_a_user(self):
        self.set(on_user_deleted="erase")
        (user, _), (other, _) = self.new_user(), self.new_user()
        post = self.new_post()
        site.vote(user, post)
        site.vote(other, post)
        site.call("wp_delete_user", user)
        self.assertEqual([other], self.voters_of(post))
        self.assertEqual([], self.waiting())
        self.check_sums()

    def test_removes_the_votes_on_a_post(self):
        self.set(on_object_deleted="remove")
        user, _ = self.new_user()
        page, kept = self.new_post(post_type="page"), self.new_post()
        for object_type in ("post", "page", "photo"):
            site.vote(user, page, object_type)
        site.vote(user, kept)
        site.call("wp_trash_post", page)
        self.assertEqual([user], self.voters_of(page))

        site.call("wp_delete_post", page, True)

        self.assertEqual([], self.voters_of(page) + self.voters_of(page, "page"))
        self.assertEqual([user], self.voters_of(page, "photo"))  # the id is not a post
        self.assertEqual([user], self.voters_of(kept))
        self.check_sums()

    def test_removes_the_votes_on_criteria_of_a_post(self):
        self.set(on_object_deleted="remove", facets="taste")
        user, _ = self.new_user()
        post = self.new_post()
        for object_type in ("post", "post:taste", "post:chapter"):
            site.vote(user, post, object_type)
        site.call("wp_delete_post", post, True)
        self.assertEqual([], self.voters_of(post) + self.voters_of(post, "post:taste"))
        self.assertEqual([user], self.voters_of(post, "post:chapter"))  # "chapter" is not a criterion

    def test_removes_the_votes_on_attachments_and_comments(self):
        self.set(on_object_deleted="remove")
        user, _ = self.new_user()
        post = self.new_post()
        file = self.new_post(post_type="attachment", post_status="inherit")
        comment = site.call("wp_insert_comment", {"comment_post_ID": post, "comment_content": "Words."})
        site.vote(user, file, "attachment")
        site.vote(user, comment, "comment")
        site.call("wp_delete_attachment", file, True)
        site.call("wp_delete_post", post, True)  # this also deletes the comment
        self.assertEqual([], self.votes_of(user))

    def test_removes_the_votes_on_terms_and_authors(self):
        self.set(on_object_deleted="remove")
        (user, _), (author, _) = self.new_user(), self.new_user("author")
        term = site.call("wp_insert_term", f"Term {user}", "category")["term_id"]
        site.vote(user, term, "term")
        site.vote(user, term, "post")  # of another id
        site.vote(user, author, "author")
        site.call("wp_delete_term", term, "category")
        site.call("wp_delete_user", author)
        self.assertEqual([[str(term), "post"]], [vote[:2] for vote in self.votes_of(user)])

    def test_asks_once_for_each_object_with_votes(self):
        self.set(on_object_deleted="remove")
        user, _ = self.new_user()
        posts = [self.new_post(post_status="trash") for _ in range(40)]
        for post in posts[::10]:
            site.vote(user, post)
        before = site.requests_to_ratingd()
        browser = self.log_in()
        lists = browser.ask("GET", "/wp-admin/edit.php?post_status=trash&post_type=post").body.decode()
        nonce = re.search(r'name="_wpnonce" value="(\w+)"', lists)[1]
        form = {"post_status": "trash", "post_type": "post", "delete_all": "Empty Trash", "_wpnonce": nonce}
        # After the request, WordPress redirects to the page in the Referer header.
        referer = site.url + "/wp-admin/edit.php"
        answer = browser.ask("GET", f"/wp-admin/edit.php?{urllib.parse.urlencode(form)}", Referer=referer)
        self.assertEqual(200, answer.status)
        self.assertEqual([], [post for post in posts if site.call("get_post", post)])
        self.assertTrue(wait_until(lambda: not self.votes_of(user), 5))
        self.assertLessEqual(site.requests_to_ratingd() - before, 4 + 1)  # and one of the list's page

    @staticmethod
    def seconds_to_delete(user, post):
        started = time.monotonic()
        site.call("wp_delete_user", user)
        site.call("wp_delete_post", post, True)
        return time.monotonic() - started

    def test_loses_nothing_while_ratingd_is_away(self):
        self.set(on_object_deleted="remove", on_user_deleted="erase")
        (user, _), (other, _) = self.new_user(), self.new_user()
        post = self.new_post()
        site.vote(user, post)
        site.vote(other, post)
        third = self.new_post()
        site.vote(user, third)
        usual = self.seconds_to_delete(self.new_user()[0], self.new_post())
        self.without_ratingd()

        self.assertLess(self.seconds_to_delete(user, post), 5 + 3 * usual)
        self.assertEqual(2, len(self.waiting()))
        self.assertTrue(site.call("wp_next_scheduled", "ratingd_run_deletions"))
        site.call("do_action", "ratingd_run_deletions")
        self.assertEqual(2, len(self.waiting()))

        self.ratingd_is_back()
        site.call("do_action", "ratingd_run_deletions")
        self.assertEqual([], self.waiting())
        self.assertEqual([], self.voters_of(post) + self.voters_of(third))
        self.check_sums()


    def test_a_refusal_is_tried_rarely_and_delays_nobody(self):
        self.set(on_user_deleted="erase")
        user, _ = self.new_user()
        site.vote(user, self.new_post())
        # In this test, the service rejects WordPress's ticket for the deletion of user 99.
        bad_tickets("false !== strpos( (string) $arguments['body'], '\"user_id\":99,' )", self)
        site.call("add_option", "ratingd_deletions_stuck", {"orders": [{"user_id": 99}]})
        self.addCleanup(site.call, "delete_option", "ratingd_deletions_stuck")
        pauses = []
        for _ in range(2):
            site.call("do_action", "ratingd_run_deletions")
            stored = site.call("get_option", "ratingd_deletions_stuck")
            pauses.append(stored["pause"])
            site.call("update_option", "ratingd_deletions_stuck", {**stored, "failed_at": 1})
        self.assertEqual([300, 600], pauses)
        site.call("update_option", "ratingd_deletions_stuck", {**stored, "pause": 80000, "failed_at": 1})
        site.call("do_action", "ratingd_run_deletions")
        self.assertEqual(86400, site.call("get_option", "ratingd_deletions_stuck")["pause"])

        site.call("wp_delete_user", user)

        self.assertEqual([], self.votes_of(user))
        self.assertEqual(["ratingd_deletions_stuck"], self.waiting())
        [problem] = site.call("Ratingd\\problems_of_deletions")
        self.assertEqual(stored["error"], problem["text"])
        self.assertTrue(problem["text"])

    def test_many_are_stored_meanwhile(self):
        self.set(on_user_deleted="erase")
        helpers = site.run_dir / "wordpress/wp-content/mu-plugins/many.php"
        helpers.write_text("""<?php
function test_many( $count ) {
	for ( $i = 0; $i < $count; ++$i ) {
		Ratingd\\note_deleted_user( 10**8 + $i );
	}
	$waiting = Ratingd\\stored_deletions();
	return array_map( 'count', array_values( array_column( $waiting, 'orders' ) ) );
}
""")
        self.addCleanup(helpers.unlink)
        self.without_ratingd()
        self.assertEqual([200, 200], site.call("test_many", 450))
        stored = site.call("Ratingd\\stored_deletions")
        for name in stored:
            self.addCleanup(site.call, "delete_option", name)
        self.assertEqual([50, 200, 200], sorted(len(entry["orders"]) for entry in stored.values()))


class MenuTest(PluginTest):
    def test_counts_held_votes_up_to_a_hundred(self):
        site.sql("""INSERT INTO wp_ratingd_held
                    SELECT 900000 + seq, 'post', 0, 1, 1, NOW() FROM seq_1_to_120""")
        self.addCleanup(site.sql, "DELETE FROM wp_ratingd_held WHERE object_id > 900000")
        self.assertEqual(100, site.call("Ratingd\\held_votes"))
        page = self.log_in().ask("GET", "/wp-admin/index.php").body.decode()
        self.assertIn('count-100"><span aria-hidden="true">99+</span>', page)
        self.assertIn("99+ held votes", page)


class SiteHealthTest(PluginTest):
    PATH = "/wp-json/ratingd-plugin/v1/site-health"

    def result(self, browser=None):
        browser = browser or self.log_in()
        return browser.ask("GET", self.PATH, X_WP_Nonce=browser.nonce())

    def test_is_shown_to_administrators_alone(self):
        self.assertEqual(401, Browser(site.url).ask("GET", self.PATH).status)
        _, login = self.new_user("editor")
        self.assertEqual(403, self.result(self.log_in(login)).status)
        self.assertEqual(200, self.result().status)

    def test_is_asked_for_by_the_page(self):
        page = self.log_in().ask("GET", "/wp-admin/site-health.php").body.decode()
        # The page contains JSON in which slashes may be escaped.
        self.assertTrue(self.PATH in page.replace("\\/", "/"))

    def test_finds_nothing_bad_in_a_sandbox(self):
        answer = self.result().json()
        self.assertIn(answer["status"], ("good", "recommended"), answer)
        self.assertEqual("ratingd", answer["test"])

    def test_says_that_ratingd_is_away(self):
        self.without_ratingd()
        answer = self.result().json()
        self.assertEqual(("critical", "Visitors cannot rate at the moment"), (answer["status"], answer["label"]))
        self.assertIn("ratingctl doctor", answer["description"])

    def test_says_that_wordpress_is_refused(self):
        bad_tickets("true", self)
        answer = site.call("Ratingd\\site_health_result")
        self.assertEqual(("critical", "Ratings need your attention"), (answer["status"], answer["label"]))
        self.assertIn("WordPress cannot prove its identity to ratingd", answer["description"])
        self.assertIn("wp-tickets", answer["description"])

    def test_says_that_it_is_looked_for_at_another_prefix(self):
        self.must_use("<?php add_filter( 'rest_url_prefix', function () { return 'api'; } );")
        answer = site.call("Ratingd\\site_health_result")
        self.assertEqual(("critical", "Ratings need your attention"), (answer["status"], answer["label"]))
        self.assertIn(f"WordPress looks for ratingd at {site.url}/api/ratingd/v1", answer["description"])
        self.assertIn("base-path", answer["description"])
        self.assertRegex(site.doctor(), r"(?m)^warn +web server .*pages call /api/ratingd/v1, .*base-path")

    def test_is_found_by_doctor_where_pages_call_it(self):
        self.assertNotIn("pages call", site.doctor())

    def test_is_found_by_doctor_with_plain_permalinks(self):
        before = site.call("get_option", "permalink_structure")
        self.addCleanup(site.call, "update_option", "permalink_structure", before)
        site.call("update_option", "permalink_structure", "")
        self.assertNotIn("pages call", site.doctor())

    def test_says_that_wordpress_does_not_reach_it(self):
        plugin = site.run_dir / "wordpress/wp-content/mu-plugins/route.php"
        plugin.write_text("<?php add_filter( 'ratingd_client_url', function () {"
                          f" return 'http://127.0.0.1:{free_port()}'; }} );\n")
        self.addCleanup(site.forget_failure)
        self.addCleanup(plugin.unlink)
        answer = site.call("Ratingd\\site_health_result")
        self.assertEqual(("critical", "Ratings need your attention"), (answer["status"], answer["label"]))
        self.assertIn("WordPress cannot reach the service", answer["description"])

    def test_shows_what_the_checks_of_ratingd_found(self):
        site.sql("""INSERT INTO wp_ratingd_settings VALUES ('revote', '"damaged"')""")
        self.addCleanup(site.ratingctl, "settings", "reset", "revote")
        browser = self.log_in()
        descriptions = []

        def shows_it():
            descriptions.append(self.result(browser).json()["description"])
            return "<h4>Settings</h4>" in descriptions[-1]

        # ratingd caches the results of its checks for ten seconds.
        self.assertTrue(wait_until(shows_it, 15), descriptions[-1])
        self.assertIn("revote", descriptions[-1])

    def test_translates_what_the_checks_found(self):
        findings = [{"subject": "clock", "health": "warn", "title": "Clocks", "text": "English",
                     "advice": "The clocks of the web server and the database differ. Synchronize both clocks.",
                     "pattern": "the database's clock is {time} behind this host's clock. "
                                "Synchronize both clocks (NTP)",
                     "values": {"time": {"number": 2, "unit": "minute"}}},
                    {"subject": "zone", "health": "ok", "title": "Time zone", "text": ""},
                    {"subject": "engine", "health": "warn", "title": "Table storage engine",
                     "text": "this check was skipped, because the database took too long to respond"},
                    {"subject": "settings", "health": "warn", "title": "Settings", "text": "English",
                     "pattern": "A stored setting has no effect. {reason} To remove the setting, run: "
                                "ratingctl settings reset {name}",
                     "values": {"reason": {"pattern": "The stored value of the \"{title}\" setting is damaged.",
                                           "values": {"title": {"pattern": "Time zone"}}}, "name": "{reason}"}},
                    {"subject": "novel", "health": "fail", "text": "a <b>"}]
        self.must_use("<?php add_filter( 'locale', function () { return 'de_DE'; } );")
        problems = site.call("Ratingd\\problems_of_findings", findings)
        minutes = site.call("human_time_diff", 0, 120)
        self.assertEqual(
            [(2, "novel", "", "a <b>"),
             (1, "Uhren", "Die Uhren von Webserver und Datenbank weichen voneinander ab. Bitte synchronisieren.",
              f"Die Uhr der Datenbank geht gegenüber diesem Server nach ({minutes}). "
              "Bitte beide synchronisieren (NTP)."),
             (1, "Typ der Tabellen", "", "Nicht geprüft: Die Datenbank braucht zu lange für ihre Antwort."),
             (1, "Einstellungen", "", "Eine gespeicherte Einstellung hat keine Wirkung. "
              "Was zu „Zeitzone“ gespeichert ist, ist beschädigt. "
              "Zum Entfernen auf dem Server: ratingctl settings reset {reason}")],
            [(p["severity"], p["heading"], p["advice"], p["text"]) for p in problems])
        html = site.call("Ratingd\\site_health_description", problems)
        self.assertIn("<code>a &lt;b&gt;</code>", html)
        self.assertNotIn("<p></p>", html)

    def test_has_a_title_of_all_that_is_checked(self):
        findings = site.call("Ratingd\\request", "GET", "/health")["findings"]
        self.assertEqual([], [one for one in findings if one["title"] == one["subject"]])

    def test_is_in_the_information(self):
        page = self.log_in().ask("GET", "/wp-admin/site-health.php?tab=debug").body.decode()
        self.assertIn("health-check-accordion-block-ratingd", page)
        self.assertIn(site.base_url, page)


class CliTest(PluginTest):
    def test_shows_the_status(self):
        said = site.cli("status", "--format=json")
        rows = {row["subject"]: row["text"] for row in json.loads(said) if not row["health"]}
        self.assertEqual(("yes", "ok"), (rows["ready"], rows["database"]))

    def test_fails_without_ratingd(self):
        self.without_ratingd()
        clean = ("clean", "ratings", "--user-id=7", "--yes")
        for words in [("status",), ("export",), ("settings", "list"), clean]:
            self.assertIn("Error: The service cannot respond", site.cli(*words, status=1))

    def test_exports_and_imports(self):
        user, _ = self.new_user()
        for object_id in (71, 72):
            site.vote(user, object_id)
        path = site.run_dir / "votes.ndjson"
        site.cli("export", path, f"--user-id={user}")
        self.assertEqual({"kind": "end", "rows": 2}, json.loads(path.read_text().splitlines()[-1]))
        self.assertEqual(path.read_text(), site.cli("export", f"--user-id={user}"))
        before = self.votes_of(user)
        site.ratingctl("clean", "ratings", "--user", str(user), "--confirm")

        self.assertIn("2 read, 2 new", site.cli("import", path))

        self.assertEqual(before, self.votes_of(user))
        csv = site.run_dir / "votes.csv"
        site.cli("export", csv, f"--user-id={user}", "--format=csv")
        self.assertIn("2 read, 0 new, 0 changed, 2 kept", site.cli("import", csv))

    def test_says_what_an_import_refused(self):
        path = site.run_dir / "bad.ndjson"
        path.write_text('{"kind":"rating"}\n{"kind":"end","rows":1}\n')
        said = site.cli("import", path, status=1)
        self.assertIn("Warning: Line 1: ", said)
        self.assertIn("1 refused", said)
        path.write_text("")
        self.assertIn("not complete", site.cli("import", path, status=1))
        self.assertIn("cannot be read", site.cli("import", "/nowhere", status=1))

    def test_names_the_command_for_a_large_file(self):
        path = site.run_dir / "large file.ndjson"
        with path.open("wb") as file:
            file.truncate(64 * 1024 * 1024 + 1)
        self.assertIn(f"sudo ratingctl import '{path}'", site.cli("import", path, status=1))
        path.unlink()

    def test_cleans_after_a_question(self):
        user, _ = self.new_user()
        site.vote(user, 73)
        clean = ("clean", "ratings", f"--user-id={user}")
        self.assertIn("cannot be undone", site.cli(*clean, answer="n\n"))
        self.assertEqual(1, len(self.votes_of(user)))
        self.assertIn("Deleted 1 ratings.", site.cli(*clean, answer="y\n"))
        self.assertEqual([], self.votes_of(user))
        self.assertIn("nothing to delete", site.cli(*clean, "--yes"))
        site.cli("clean", "ratings", "--yes", status=1)
        site.cli("clean", "ratings", "--all", "--user-id=7", "--yes", status=1)

    def test_reads_and_changes_settings(self):
        self.assertEqual("replace\n", site.cli("settings", "get", "revote"))
        changes = {"revote": "never", "enabled": "false", "blocked_agents": "bad,worse", "scale_maximum": "5"}
        self.addCleanup(site.ratingctl, "settings", "reset", *changes)
        site.cli("settings", "set", *(f"{name}={value}" for name, value in changes.items()))
        rows = json.loads(site.cli("settings", "list", "--changed", "--format=json"))
        self.assertEqual(changes, {row["name"]: row["value"] for row in rows if row["name"] in changes})
        self.assertIn("Error: ", site.cli("settings", "set", "revote=always", status=1))
        self.assertEqual("never\n", site.cli("settings", "get", "revote"))
        site.cli("settings", "reset", *changes)
        self.assertEqual("replace\n", site.cli("settings", "get", "revote"))
        site.cli("settings", "get", "nothing", status=1)


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
