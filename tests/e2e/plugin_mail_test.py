#!/usr/bin/env python3
"""Tests the email with the figures, which a real WordPress sends to a real mail server, and its settings. Also
runs web/mail.test.cjs in a browser."""

import datetime
import json
import os
import re
import subprocess
import time
import unittest

from fault_sandbox import REPOSITORY, wait_until  # first because it sets the module path
from browser import Browser
from mail_catcher import MailCatcher
import plugin_sandbox
from plugin_sandbox import PluginTest, import_votes, site
from stack import SANDBOX
from wordpress_stack import ADMINISTRATOR

BROWSER_TEST = REPOSITORY / "web/mail.test.cjs"
DAY = 86400
MOUSE = "<b>Tom & Jerry</b> <script>alert(1)</script>"
# The texts that the tests need from WordPress's own translation.
WORDPRESS_TEXTS = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "text direction"
msgid "ltr"
msgstr "@DIRECTION@"
"""
catcher = MailCatcher(site.run_dir / "mails")


def set_environment(environment):
    """Changes the environment type in wp-config.php. The sandbox's type is "local"."""
    text = site.wp_config.read_text()
    line = re.compile(r"(define\( 'WP_ENVIRONMENT_TYPE', )'\w+'")
    assert line.search(text)
    site.wp_config.write_text(line.sub(rf"\1'{environment}'", text))


def setUpModule():
    plugin_sandbox.set_up_module()
    set_environment("production")
    site.ratingctl("settings", "set", "analytics_cache_seconds=0")
    catcher.start()
    unittest.addModuleCleanup(catcher.stop)
    site.must_use("smtp", catcher.plugin())
    languages = site.run_dir / "wordpress/wp-content/languages"
    languages.mkdir(exist_ok=True)
    for locale, direction in (("de_DE", "ltr"), ("ar", "rtl")):
        texts = WORDPRESS_TEXTS.replace("@DIRECTION@", direction)
        command = ["msgfmt", "--output-file", languages / f"{locale}.mo", "-"]
        subprocess.run(command, check=True, input=texts, text=True)


class MailTest(PluginTest):
    """Votes are cast today, so the emails are sent tomorrow."""

    def setUp(self):
        catcher.clear()
        site.sql("DELETE FROM wp_options WHERE option_name LIKE 'ratingd\\_mail%'")
        site.ratingctl("clean", "ratings", "--all", "--confirm")
        # Noon, so that the hours after it belong to the same day.
        self.tomorrow = (int(time.time()) // DAY + 1) * DAY + DAY // 2
        self.addCleanup(site.call, "delete_option", "ratingd_mail")

    def choose(self, *users, every="day", **more):
        self.settings = {"every": every, "users": list(users), "reasons": False,
                         "site": site.call("Ratingd\\mail_site"), **more}
        site.call("update_option", "ratingd_mail", self.settings)

    def chosen(self):
        return site.call("get_option", "ratingd_mail")["users"]

    def deliver(self, now=None):
        return site.call("Ratingd\\deliver_mail", now or self.tomorrow)

    def only_mail(self):
        [mail] = catcher.mails()
        return mail

    @staticmethod
    def part(mail, kind):
        return mail.get_body((kind,)).get_content()

    def stop_path(self, mail):
        [url] = re.findall(r"<(http\S*)>", mail["List-Unsubscribe"])
        self.assertIn(url, self.part(mail, "plain"))
        self.assertTrue(url.startswith(site.url + "/"))
        return url.removeprefix(site.url)

    def rate(self, title="Bread", values=(1,), category="scale"):
        post = self.new_post(post_title=title)
        for value in values:
            user, _ = self.new_user()
            site.vote(user, post, value=value, category=category)
        self.assertTrue(wait_until(lambda: self.is_listed(post), 20))
        return post

    @staticmethod
    def is_listed(post):
        """Lists may be some seconds older than totals."""
        today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
        query = {"from": today, "to": today, "per_page": 100}
        rows = site.call("Ratingd\\request", "GET", "/analytics/top-rated", query)["data"]
        return post in [row["object_id"] for row in rows]


    def rate_before_today(self):
        """Until six in the morning, the last email is the one about the day before yesterday."""
        post = self.new_post(post_title="Bread")
        for days in (1, 2):
            day = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
            moment = day.strftime("%Y-%m-%dT12:00:00.000000Z")
            import_votes(6 + days, [post], created_at=moment, rated_at=moment)


class ContentTest(MailTest):
    def test_has_the_figures_as_text_and_as_html(self):
        self.choose(1)
        posts = [self.rate(f"Post {i}", (0.2 * i, 0.2 * i)) for i in range(1, 6)] + [self.rate("Worst", (0, 0))]
        self.assertEqual(1, self.deliver())
        mail = self.only_mail()
        self.assertEqual("multipart/alternative", mail.get_content_type())
        self.assertEqual(["text/plain", "text/html"], [part.get_content_type() for part in mail.iter_parts()])
        self.assertEqual(("admin@example.org", "[Sandbox] 12 new ratings yesterday", "auto-generated"),
                         (mail["To"], mail["Subject"], mail["Auto-Submitted"]))
        text = self.part(mail, "plain")
        self.assertIn("New ratings: 12 (+12 compared with the day before)", text)
        best = text[text.index("Best rated"):text.index("Lowest rated")]
        self.assertEqual([f"Post {i}" for i in range(5, 0, -1)], re.findall(r"- (.*)", best))
        self.assertIn("Average: 5.0 of 5 (2 votes)", best)
        self.assertIn(site.call("get_permalink", posts[4]), best)
        self.assertEqual(["Worst"], re.findall(r"- (.*)", text[text.index("Lowest rated"):]))
        html = self.part(mail, "html")
        for words in ("New ratings: 12", ">Post 5<", ">Worst<", "Average: 5.0 of 5 (2 votes)"):
            self.assertIn(words, html)

    def test_of_a_week_has_the_last_whole_week(self):
        # 2026-11-29 is a Sunday. In this test, weeks begin on Mondays.
        noon = int(datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.UTC).timestamp())
        this_week = ("2026-11-23", "2026-11-29")
        periods = {"week": [("2026-11-16", "2026-11-22"), this_week, this_week],
                   "day": [(day, day) for day in ("2026-11-28", "2026-11-29", "2026-12-05")]}
        for every, expected in periods.items():
            days = [site.call("Ratingd\\mail_period", every, noon + more * DAY) for more in (0, 1, 7)]
            self.assertEqual(expected, [(period["first"], period["last"]) for period in days], every)
        # At five in the morning, it is too early for the email.
        night = site.call("Ratingd\\mail_period", "day", noon - 7 * 3600)
        self.assertEqual("2026-11-27", night["last"])

    def test_says_what_waits_for_a_decision(self):
        self.choose(1)
        import_votes(7, [1], held=["one_agent"], held_at="2026-01-02T03:04:05.000000Z")
        self.assertEqual(1, self.deliver())
        link = site.url + "/wp-admin/admin.php?page=ratingd#/held"
        text = self.part(self.only_mail(), "plain")
        self.assertIn(f"Votes waiting for your decision: 1\n{link}", text)

    def test_is_not_sent_if_there_is_nothing_to_say(self):
        self.choose(1)
        self.assertEqual(0, self.deliver())
        self.assertEqual([], catcher.mails())

    # WordPress stores site names and titles as HTML. Some plugins have sent such names and titles in emails
    # without decoding the HTML (wp-statistics #249, two-factor #412).
    def test_has_titles_as_they_are_read(self):
        self.choose(1)
        name = site.call("get_option", "blogname")
        self.addCleanup(site.call, "update_option", "blogname", name)
        site.call("update_option", "blogname", "Tom & Jerry's \"Café\"")
        self.rate(MOUSE)
        self.rate("x" * 500)
        self.assertEqual(1, self.deliver())
        mail = self.only_mail()
        self.assertEqual("[Tom & Jerry's \"Café\"] 2 new ratings yesterday", mail["Subject"])
        self.assertIn("- Tom & Jerry", self.part(mail, "plain"))
        html = self.part(mail, "html")
        self.assertIn("Tom &amp; Jerry", html)
        self.assertNotIn("<script>", html)
        self.assertIn("- " + "x" * 79 + "…\n", self.part(mail, "plain"))

    def test_has_no_line_breaks_in_headers(self):
        name = site.call("get_option", "blogname")
        rename = "UPDATE wp_options SET option_value = '{}' WHERE option_name = 'blogname'"
        self.addCleanup(site.sql, rename.format(name))
        site.sql(rename.format("A\\r\\nBcc: all@example.org"))
        self.choose(1)
        self.rate()
        self.assertEqual(1, self.deliver())
        mail = self.only_mail()
        self.assertEqual("[A Bcc: all@example.org] 1 new rating yesterday", mail["Subject"])
        self.assertIsNone(mail["Bcc"])

    def test_has_the_language_of_its_recipient(self):
        """Each recipient counts: action-scheduler #1021 used only the first recipient's language, and woocommerce
        #12931 used only the language of the logged-in user."""
        fields = {"user_pass": "x", "role": "administrator"}
        users = [site.call("wp_insert_user", {**fields, "user_login": f"user{i}", "locale": locale,
                                              "user_email": f"{i}@example.org"})
                 for i, locale in enumerate(("de_DE", "ar", "", "de_DE"))]
        for user in users:
            self.addCleanup(site.call, "wp_delete_user", user)
        self.choose(*users)
        self.rate()
        self.assertEqual(4, self.deliver())
        german, arabic, english, another = catcher.mails()
        for mail in (german, another):
            self.assertEqual("[Sandbox] 1 neue Bewertung gestern", mail["Subject"])
            self.assertIn("Am besten bewertet", self.part(mail, "plain"))
            self.assertIn('<html lang="de-DE" dir="ltr">', self.part(mail, "html"))
        self.assertIn('<html lang="ar" dir="rtl">', self.part(arabic, "html"))
        self.assertIn("الأفضل تقييمًا", self.part(arabic, "plain"))
        self.assertEqual("[Sandbox] 1 new rating yesterday", english["Subject"])
        self.assertIn("Best rated", self.part(english, "plain"))

    def test_offers_one_click_only_by_https(self):
        headers = site.call("Ratingd\\mail_headers", "https://example.org/?stop")
        self.assertLessEqual({"List-Unsubscribe: <https://example.org/?stop>",
                              "List-Unsubscribe-Post: List-Unsubscribe=One-Click"}, set(headers))
        headers = " ".join(site.call("Ratingd\\mail_headers", "http://example.org/?stop"))
        self.assertIn("List-Unsubscribe: <http://example.org/?stop>", headers)
        self.assertNotIn("One-Click", headers)

    # See issue #12632 of site-kit-wp.
    def test_is_html_if_a_plugin_replaces_wp_mail(self):
        path = site.run_dir / "replaced.json"
        self.must_use("<?php add_filter( 'pre_wp_mail', function ( $nothing, $mail ) {\n"
                      f"file_put_contents( '{path}', wp_json_encode( $mail ) ); return true; }}, 10, 2 );")
        self.choose(1)
        self.rate()
        self.assertEqual(1, self.deliver())
        mail = json.loads(path.read_text())
        self.assertIn("Content-Type: text/html; charset=UTF-8", mail["headers"])
        self.assertTrue(mail["message"].startswith("<!DOCTYPE html>"))

    # In luya #1859, later emails also contained the plain text of an earlier email.
    def test_leaves_other_mails_alone(self):
        self.must_use("<?php function test_two_mails( $now ) {\n"
                      "\\Ratingd\\deliver_mail( $now ); wp_mail( 'zoe@example.org', 'Other', 'Plain.' ); }")
        self.choose(1)
        self.rate()
        site.call("test_two_mails", self.tomorrow)
        _, other = catcher.mails()
        self.assertEqual(("text/plain", "Plain."), (other.get_content_type(), other.get_content().strip()))


class ReasonsTest(MailTest):
    REASON = "The recipe\nlacks salt."

    def deliver_reasons(self, *users, reasons):
        self.choose(*users, reasons=reasons)
        today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT00:00:01.000000Z")
        import_votes(7, [self.new_post(post_title="Bread")], value=0, reason=self.REASON,
                     created_at=today, rated_at=today)
        self.deliver()
        return {mail["To"]: self.part(mail, "plain") for mail in catcher.mails()}

    def test_are_counted_only(self):
        [text] = self.deliver_reasons(1, reasons=False).values()
        self.assertIn("Low ratings with a reason: 1", text)
        self.assertNotIn("salt", text)

    def test_are_in_the_mail_if_the_owner_wants_them(self):
        [text] = self.deliver_reasons(1, reasons=True).values()
        self.assertIn("- Bread\n  Dislike: The recipe lacks salt.\n", text)

    def test_are_only_for_users_who_may_list_users(self):
        self.set(analytics_access="editor")
        editor, login = self.new_user("editor")
        texts = self.deliver_reasons(1, editor, reasons=True)
        self.assertIn("salt", texts["admin@example.org"])
        self.assertNotIn("salt", texts[f"{login}@example.org"])
        self.assertNotIn("Low ratings with a reason", texts[f"{login}@example.org"])

    def test_are_named_in_the_privacy_policy(self):
        self.set(low_vote_reasons="true")
        words = "by email. These emails are kept as long as"
        self.choose(1, reasons=False)
        self.assertNotIn(words, site.call("Ratingd\\privacy_policy_text"))
        self.choose(1, reasons=True)
        self.assertIn(words, site.call("Ratingd\\privacy_policy_text"))


class SendingTest(MailTest):
    def test_is_off_by_default(self):
        self.rate()
        self.log_in().ask("GET", "/wp-admin/")
        self.assertEqual(0, self.deliver())
        self.assertFalse(site.call("wp_next_scheduled", "ratingd_mail"))

    def test_is_sent_by_cron(self):
        self.choose(1)
        self.rate_before_today()
        browser = self.log_in()
        browser.ask("GET", "/wp-admin/")
        self.assertTrue(site.call("wp_next_scheduled", "ratingd_mail"))
        site.call("wp_unschedule_hook", "ratingd_mail")
        site.call("wp_schedule_event", int(time.time()) - 10, "hourly", "ratingd_mail")
        browser.ask("GET", "/wp-cron.php?doing_wp_cron")
        self.assertTrue(wait_until(catcher.mails, 30))
        self.choose(1, every="")
        browser.ask("GET", "/wp-admin/")
        self.assertFalse(site.call("wp_next_scheduled", "ratingd_mail"))

    # In matomo #6392 and wp-updates-notifier #23, concurrent cron runs sent an email several times.
    def test_is_sent_once_if_cron_runs_several_times_at_once(self):
        self.choose(1)
        self.rate()
        command = ["php", "-d", "sendmail_path=/bin/true", SANDBOX / "wordpress_call.php",
                   site.run_dir / "wordpress", "Ratingd\\deliver_mail", json.dumps([self.tomorrow])]
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(6)]
        numbers = [int(run.communicate(timeout=120)[0]) for run in runs]
        self.assertEqual([0, 0, 0, 0, 0, 1], sorted(numbers))
        self.assertEqual(0, self.deliver(self.tomorrow + 3600))
        self.assertEqual(1, len(catcher.mails()))

    def test_continues_after_a_process_that_died(self):
        self.choose(1)
        self.rate()
        period = site.call("Ratingd\\mail_period", "day", self.tomorrow)["last"]
        lease = {"until": self.tomorrow + 60, "sent": [2], "tries": 1}
        site.call("add_option", f"ratingd_mail_lease_{period}_day", json.dumps(lease))
        self.assertEqual(0, self.deliver())
        self.assertEqual(1, self.deliver(self.tomorrow + 61))

    def test_waits_until_ratingd_answers(self):
        self.choose(1)
        self.rate()
        self.without_ratingd()
        self.assertEqual(0, self.deliver())
        self.ratingd_is_back()
        self.assertEqual(1, self.deliver(self.tomorrow + 3600))

    def test_is_tried_again_if_the_mail_server_does_not_answer(self):
        other, login = self.new_user("administrator")
        self.choose(1, other)
        self.rate()
        self.must_use("<?php add_action( 'phpmailer_init', function ( $mailer ) {\n"
                      "'admin@example.org' === $mailer->getToAddresses()[0][0] && $mailer->Port = 1; }, 20 );")
        self.assertEqual(1, self.deliver())
        for hour in range(1, 8):
            self.assertEqual(0, self.deliver(self.tomorrow + 3600 * hour))
        self.assertEqual(f"{login}@example.org", self.only_mail()["To"])
        [[lease]] = site.rows("SELECT option_value FROM wp_options"
                              " WHERE option_name LIKE 'ratingd\\_mail\\_lease%'")
        self.assertEqual(6, json.loads(lease)["tries"])

    def test_is_not_sent_from_copies_of_the_site(self):
        self.choose(1)
        self.rate()
        self.addCleanup(set_environment, "production")
        set_environment("staging")
        self.assertEqual("environment", site.call("Ratingd\\mail_obstacle", self.settings))
        self.assertEqual(0, self.deliver())
        set_environment("production")
        self.must_use("<?php add_filter( 'option_home', function () { return 'https://copy.example.org'; } );")
        self.assertEqual("moved", site.call("Ratingd\\mail_obstacle", self.settings))
        self.assertEqual(0, self.deliver())
        self.assertEqual([], catcher.mails())

    def test_is_for_users_who_may_see_the_figures_now(self):
        users = [self.new_user("administrator")[0] for _ in range(3)]
        self.choose(*users)
        self.rate()
        site.call("wp_update_user", {"ID": users[0], "role": "subscriber"})
        site.call("wp_delete_user", users[1])
        self.assertEqual(1, self.deliver())
        self.assertEqual(site.call("get_userdata", users[2])["data"]["user_email"], self.only_mail()["To"])


class StopTest(MailTest):
    def setUp(self):
        super().setUp()
        self.other, _ = self.new_user("administrator")
        self.choose(1, self.other)
        self.rate()
        self.assertEqual(2, self.deliver())
        [mail] = [mail for mail in catcher.mails() if mail["To"] == "admin@example.org"]
        self.path = self.stop_path(mail)

    def page_of(self, browser):
        return browser.ask("GET", self.path, Content_Type="text/plain").body.decode()

    # Programs that scan emails for dangerous links open each link (useSend #412).
    def test_asks_before_it_stops_the_mails(self):
        browser = Browser(site.url)
        for method in ("GET", "HEAD"):
            answer = browser.ask(method, self.path, Content_Type="text/plain")
            self.assertEqual(200, answer.status)
            self.assertIn("no-cache", answer.headers["Cache-Control"])
        self.assertIn("Stop these emails</button>", self.page_of(browser))
        self.assertEqual([1, self.other], self.chosen())
        answer = browser.submit(self.path, {"List-Unsubscribe": "One-Click"})
        self.assertEqual(200, answer.status)
        self.assertIn("You no longer receive statistics emails", answer.body.decode())
        self.assertEqual([self.other], self.chosen())
        self.assertIn("You no longer receive statistics emails", self.page_of(browser))

    # The command "wp option patch update ratingd_mail users 0 1" stores the id as a string.
    def test_stops_the_mails_of_users_whose_ids_are_stored_as_texts(self):
        self.choose("1", str(self.other))
        Browser(site.url).submit(self.path, {"List-Unsubscribe": "One-Click"})
        self.assertEqual([self.other], self.chosen())

    def save_page(self, page, users):
        """Sends the form of Ratings → Mail with other recipients. The form has the state from when "page" was
        loaded."""
        fields = dict(re.findall(r"name=['\"](option_page|action|_wpnonce)['\"] value=['\"]([^'\"]*)", page))
        shown = re.findall(r'name="ratingd_mail\[shown\]\[\]" value="(\d*)"', page)
        fields.update({f"ratingd_mail[shown][{i}]": user for i, user in enumerate(shown)})
        fields.update({f"ratingd_mail[users][{i}]": user for i, user in enumerate(users)})
        answer = self.browser.submit("/wp-admin/options.php", {**fields, "ratingd_mail[every]": "day"})
        self.assertEqual(200, answer.status)

    def test_is_not_undone_by_a_page_that_was_opened_before(self):
        self.browser = self.log_in()
        more, _ = self.new_user("administrator")
        page = self.browser.ask("GET", "/wp-admin/admin.php?page=ratingd-mail").body.decode()
        Browser(site.url).submit(self.path, {"List-Unsubscribe": "One-Click"})
        self.save_page(page, [1, self.other, more])
        self.assertEqual([self.other, more], self.chosen())
        # Saving an outdated page does not remove recipients that were added after the page was loaded. If the
        # owner reopens the page and selects a user who has unsubscribed, that user receives the email again.
        self.save_page(page, [1])
        self.assertEqual([more], self.chosen())
        page = self.browser.ask("GET", "/wp-admin/admin.php?page=ratingd-mail").body.decode()
        self.save_page(page, [1, more])
        self.assertEqual([more, 1], self.chosen())

    def test_takes_only_its_own_signature(self):
        browser = Browser(site.url)
        spoilt = self.path[:-1] + ("0" if self.path[-1] != "0" else "1")
        of_other = self.path.replace("=1-", f"={self.other}-")
        for path in (spoilt, of_other, "/?ratingd-mail-stop=1-", "/?ratingd-mail-stop[]=1", "/?ratingd-mail-stop"):
            answer = browser.submit(path, {"List-Unsubscribe": "One-Click"})
            self.assertEqual(403, answer.status, path)
            self.assertIn("This link is not valid.", answer.body.decode())
        self.assertEqual([1, self.other], self.chosen())


class CommandTest(MailTest):
    def test_shows_the_mail(self):
        self.rate_before_today()
        self.assertIn("Name a user with --recipient.", site.cli("mail", "--preview", status=1))
        shown = site.cli("mail", "--preview", "--recipient=admin", "--every=day")
        for line in ("To: admin@example.org", "Subject: [Sandbox] 1 new rating yesterday", "- Bread"):
            self.assertIn(f"\n{line}\n", f"\n{shown}")
        html = site.cli("mail", "--preview", "--recipient=1", "--every=day", "--format=html")
        self.assertIn("<!DOCTYPE html>", html)
        _, subscriber = self.new_user()
        refusal = site.cli("mail", "--preview", f"--recipient={subscriber}", status=1)
        self.assertIn("may not see the statistics", refusal)
        self.assertEqual([], catcher.mails())

    def test_sends_what_is_due(self):
        self.choose(1)
        self.rate_before_today()
        self.assertEqual("Success: Sent 1 email.\n", site.cli("mail"))
        self.assertIn("Success: Sent 0 emails. The email of the last period was sent before", site.cli("mail"))

    def test_says_why_no_mail_is_sent(self):
        self.assertIn("Sent 0 emails. The email is off", site.cli("mail"))
        self.choose(1, site="")
        self.assertIn("The site's address has changed", site.cli("mail"))
        subscriber, _ = self.new_user()
        self.choose(subscriber)
        self.assertIn("None of the recipients may see the statistics.", site.cli("mail"))
        site.sql("DELETE FROM wp_options WHERE option_name LIKE 'ratingd\\_mail\\_lease%'")
        self.choose(1)
        self.without_ratingd()
        self.assertIn("Sent 0 emails. ratingd does not answer.", site.cli("mail", status=1))
        self.ratingd_is_back()
        self.assertIn("There is nothing to report.", site.cli("mail"))
        self.addCleanup(set_environment, "production")
        set_environment("staging")
        self.assertIn("marked as a copy for tests", site.cli("mail"))


class BrowserTest(MailTest):
    def test_in_a_browser(self):
        self.choose(1, reasons=True)
        for i in range(1, 7):
            self.rate(f"Post {i} with a somewhat longer title", (0.1 * i, 1))
        self.deliver()
        mail = self.only_mail()
        site.call("delete_option", "ratingd_mail")
        page = site.run_dir / "mail.html"
        page.write_text(self.part(mail, "html"))
        description = {"url": site.url, "administrator": ADMINISTRATOR, "mail": str(page)}
        environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
        done = subprocess.run(["node", "--test", BROWSER_TEST], check=False, env=environment)
        self.assertEqual(0, done.returncode)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
