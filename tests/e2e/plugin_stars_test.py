#!/usr/bin/env python3
"""Sites with three to ten stars: what the plugin writes into pages on a real WordPress site, and the pages Ratings
→ Placement and Ratings → Texts in a browser (web/stars.test.cjs)."""

import functools
import json
import os
import re
import subprocess
import unittest

from fault_sandbox import REPOSITORY  # first: it sets the path of the others
from plugin_sandbox import PluginTest, set_up_module, site
from plugin_search_test import read_pages
from wordpress_stack import ADMINISTRATOR

setUpModule = set_up_module
BROWSER_TEST = REPOSITORY / "web/stars.test.cjs"


class StarsTest(PluginTest):
    def use_stars(self, number):
        site.call("update_option", "ratingd_stars", number)
        self.addCleanup(site.call, "update_option", "ratingd_stars", 0)

    def rated_post(self, content="[ratingd]", values=(0.7, 1, 0.9)):
        post = self.new_post(post_content=content)
        for user, value in enumerate(values, 2000):
            site.vote(user, post, value=value, category="scale")
        return post

    def elements(self, post):
        """The attribute of each element, and its figures in words."""
        found = re.findall(r"<ratingd-\w+([^>]*)>(?:<bdi>(.*?)</bdi>)?", self.page(post))
        return [((re.findall(r' stars="(\d+)"', attributes) or [""])[0], words) for attributes, words in found]

    def schema(self, post):
        [page] = read_pages([self.page(post)])
        self.assertEqual([], page["errors"])
        [node] = page["rated"]
        rating = node["aggregateRating"]
        return rating["ratingValue"], rating["bestRating"], rating["worstRating"]


class PageTest(StarsTest):
    def test_widgets_have_the_sites_number(self):
        shown = {5: "4.3 of 5", 3: "2.60 of 3", 10: "8.7 of 10"}
        for number, words in shown.items():
            with self.subTest(number):
                self.use_stars(number)
                attribute = "" if number == 5 else str(number)
                for slug in ("stars", "half-stars", "dots", "distribution"):
                    post = self.rated_post(f'[ratingd template="simple/{slug}"]')
                    self.assertEqual([(attribute, f"Rating: {words} (3 votes)")], self.elements(post), slug)

    def test_only_widgets_with_stars_have_a_number(self):
        self.use_stars(10)
        for slug in ("slider", "heart", "thumbs", "like-dislike"):
            [(number, _)] = self.elements(self.rated_post(f'[ratingd template="simple/{slug}"]'))
            self.assertEqual("", number, slug)

    def test_a_widget_may_have_its_own_number(self):
        self.use_stars(10)
        expected = {"stars=3": ("3", "Rating: 2.60 of 3 (3 votes)"),
                    "stars='5'": ("", "Rating: 4.3 of 5 (3 votes)")}
        for wrong in ("0", "2", "11", "many", "7.5", ""):
            expected[f"stars='{wrong}'"] = ("10", "Rating: 8.7 of 10 (3 votes)")
        post = self.rated_post("".join(f"[ratingd {attribute}]" for attribute in expected))
        self.assertEqual(list(expected.values()), self.elements(post))
        block = self.rated_post('<!-- wp:ratingd/rating {"stars":"4"} /-->')
        self.assertEqual([("4", "Rating: 3.47 of 4 (3 votes)")], self.elements(block))

    def test_an_option_that_is_not_valid_means_five(self):
        for wrong in (0, 2, 11, "many", ["10"], None):
            self.use_stars(wrong)
            self.assertEqual(5, site.call("Ratingd\\site_stars"), wrong)

    def test_criteria_have_the_number(self):
        self.set(facets="taste,service")
        self.use_stars(10)
        post = self.new_post(post_content='[ratingd facets="taste, service"]')
        site.vote(2000, post, "post:taste", value=0.9, category="scale")
        self.assertEqual([("10", "Taste: 9.0 of 10<br>Service: \u2013")], self.elements(post))

    def test_other_places_show_the_same_average(self):
        self.use_stars(10)
        post = self.rated_post(values=(0.85,))
        row = {"category": "scale", "total": 1, "average": "0.8500", "weighted": "0.8123"}
        source = f"""<?php
function stars_described() {{
	$row = (object) json_decode( '{json.dumps(row)}', true );
	return array( Ratingd\\describe( $row )['text'], Ratingd\\describe( $row, true )['figure'],
		Ratingd\\weighted_average( $row ), Ratingd\\rating_in_words( 'scale', 0.85 ), Ratingd\\site_scale() );
}}"""
        self.must_use(source)
        self.assertEqual(["Average: 8.5 of 10 (1 vote)", "8.50 (1)", "8.12", "8.5 of 10", 10],
                         site.call("stars_described"))
        top = self.page(self.new_post(post_content="[ratingd_top]"))
        self.assertRegex(top, r"Average: [\d.]+ of 10 \(\d vote")
        self.assertIn('"scale":10', self.page(self.new_post(post_content="[ratingd_mine]")))
        self.use_stars(3)
        self.assertIn('"scale":3', self.page(self.new_post(post_content="[ratingd_mine]")))
        self.assertEqual([("3", "Rating: 2.55 of 3 (1 vote)")], self.elements(post))

    # In github.com/surveywp/kk-star-ratings, issue 141, the rating exceeded the best rating and had 17 digits. In
    # github.com/Codeinwp/wp-product-review, issue 489, search engines read "of 10" although the page showed "of
    # 5".
    def test_search_engines_read_the_shown_scale(self):
        content = '[ratingd schema="Product"]'
        for number, values, expected in [(10, (1, 1), ("10", 10, 1)), (3, (0.667,), ("2", 3, 1)),
                                         (7, (0.757,), ("5.3", 7, 1)), (10, (0.04,), ("0.4", 10, 0)),
                                         (5, (1, 0.8, 0.8), ("4.3", 5, 1))]:
            with self.subTest(number=number, values=values):
                self.use_stars(number)
                self.assertEqual(expected, self.schema(self.rated_post(content, values)))
        own = self.rated_post('[ratingd schema="Product" stars="4"]', (0.75,))
        self.assertEqual(("3", 4, 1), self.schema(own))


class OwnerTest(StarsTest):
    def test_number_of_another_plugin_is_selected_first(self):
        self.must_use("<?php function stars_choice() {"
                      " ob_start(); Ratingd\\show_stars(); return ob_get_clean(); }")
        selected = r'<option value="(\d+)" selected'

        def choice():
            html = site.call("stars_choice")
            plugins = re.findall(r"(WP-PostRatings|kk Star Ratings) plugin uses (\d+)", html)
            return re.findall(selected, html.replace("'", '"')), plugins

        self.assertEqual((["5"], []), choice())
        for option, value, plugin, number in [
                ("kksr_stars", "7", "kk Star Ratings", "7"), ("postratings_max", "10", "WP-PostRatings", "10"),
                ("wp_postratings_options", {"ratings": {"value": {"1": 1, "2": 2, "3": 3, "4": 4}}},
                 "WP-PostRatings", "4")]:
            site.call("update_option", option, value)
            self.addCleanup(site.call, "delete_option", option)
            self.assertEqual(([number], [(plugin, number)]), choice())
        # The stars on the site's pages do not change until the owner saves a new number of stars. The saved number
        # stays selected, whatever number another rating plugin uses.
        self.assertEqual(5, site.call("Ratingd\\site_stars"))
        self.use_stars(6)
        self.assertEqual((["6"], [("WP-PostRatings", "4")]), choice())
        # With two steps, WP-PostRatings shows thumbs up and thumbs down, so ratingd does not count the steps as
        # stars.
        site.call("delete_option", "wp_postratings_options")
        site.call("update_option", "postratings_max", "2")
        self.assertEqual([("kk Star Ratings", "7")], choice()[1])

    def test_import_page_tells_of_another_number_of_stars(self):
        hint = functools.partial(site.call, "Ratingd\\stars_hint")
        self.assertEqual("", hint())
        site.call("update_option", "kksr_stars", "7")
        self.addCleanup(site.call, "delete_option", "kksr_stars")
        expected = "The kk Star Ratings plugin uses 7 stars on this site, but ratingd shows ratings with 5 stars."
        self.assertEqual(expected, hint())
        self.use_stars(7)
        self.assertEqual("", hint())
        # The hint also appears if ratingd uses 7 stars and another plugin uses the default of 5 stars.
        site.call("update_option", "kksr_stars", "5")
        self.assertIn("uses 5 stars on this site, but ratingd shows ratings with 7 stars.", hint())

    def test_words_belong_to_a_number_of_stars(self):
        self.addCleanup(site.call, "delete_option", "ratingd_texts")
        self.must_use("""<?php function stars_save( $given ) {
	update_option( 'ratingd_texts', Ratingd\\clean_texts( $given ) );
	return Ratingd\\own_texts();
}""")
        self.assertEqual({"first": "Go", "step_5": "Top"},
                         site.call("stars_save", {"first": "Go", "step_5": "Top", "step_10_of_10": "No"}))
        self.use_stars(10)
        saved = site.call("stars_save", {"first": "Go", "step_10_of_10": " <b>Perfect</b> ", "other": "No"})
        self.assertEqual({"first": "Go", "step_10_of_10": "Perfect", "step_5": "Top"}, saved)
        self.assertEqual({"step_5": "Top"}, site.call("stars_save", {}))


class BrowserTest(StarsTest):
    def test_in_a_browser(self):
        self.set(facets="taste,service")
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        self.addCleanup(site.call, "delete_option", "ratingd_texts")
        self.addCleanup(site.call, "update_option", "ratingd_stars", 0)
        site.call("wp_insert_user", {"user_login": "arabic", "user_pass": "arabic", "role": "administrator",
                                     "user_email": "arabic@example.org", "locale": "ar"})
        description = {"url": site.url, "administrator": ADMINISTRATOR, "arabic": "arabic"}
        environment = {**os.environ, "RATINGD_SITE": json.dumps(description)}
        done = subprocess.run(["node", "--test", BROWSER_TEST], check=False, env=environment)
        self.assertEqual(0, done.returncode)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
