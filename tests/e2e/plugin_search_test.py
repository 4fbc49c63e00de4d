#!/usr/bin/env python3
"""Tests what search engines find about ratings in pages on a real WordPress site. The pages are fetched without
running scripts, with and without plugins that write structured data. Debian has no packages of these plugins, so
seo_plugins.php replaces them."""

import json
import re
import subprocess
import unittest

from fault_sandbox import REPOSITORY  # first because it sets the module path
from browser import API, Browser
from plugin_sandbox import PluginTest, query_loop, set_up_module, site

setUpModule = set_up_module
# The "seo" query parameter selects the plugin that this file imitates.
OTHERS = REPOSITORY / "tests/e2e/seo_plugins.php"


def read_pages(pages):
    command = ["node", REPOSITORY / "web/structured_data.mjs"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, input=json.dumps(pages))
    return json.loads(done.stdout)


class SearchTest(PluginTest):
    @classmethod
    def setUpClass(cls):
        plugin = site.must_use("others", OTHERS.read_text())
        cls.addClassCleanup(plugin.unlink)

    def rated_post(self, content='[ratingd schema="Product"]', values=(1, 0.8, 0.8), **fields):
        post = self.new_post(post_content=content, **fields)
        for voter, value in enumerate(values):
            site.vote(3000 + voter, post, value=value, category="scale")
        return post

    def read(self, *paths):
        """Returns the nodes on each page. Fails if a page has errors."""
        visitor = Browser(site.url)
        pages = []
        for path in paths:
            answer = visitor.ask("GET", path)
            self.assertEqual(200, answer.status, path)
            pages.append(answer.body.decode())
        read = read_pages(pages)
        for path, page in zip(paths, read, strict=True):
            self.assertEqual([], page["errors"], path)
        return [page["rated"] for page in read]

    def rated_node(self, post, query=""):
        [found] = self.read(f"/?p={post}{query}")
        self.assertEqual(1, len(found), found)
        return found[0]

    def check_none(self, *paths):
        self.assertEqual([[]] * len(paths), self.read(*paths))

    def both_themes(self):
        yield "a block theme"
        self.use_theme(site.classic_theme())
        yield "a classic theme"


class ValidatorTest(unittest.TestCase):
    def test_finds_mistakes(self):
        rating = {"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 3}
        nodes = [{"name": "x", "aggregateRating": rating}, {"aggregateRating": rating},
                 {"name": "x", "aggregateRating": {**rating, "ratingValue": 6}},
                 {"name": "x", "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4}}]
        pages = ['<script type="application/ld+json">'
                 + json.dumps({"@context": "https://schema.org", "@type": "Product", **node})
                 + "</script>" for node in nodes]
        errors = [bool(page["errors"]) for page in read_pages([*pages, "<p>" + pages[0].replace("}", "")])]
        self.assertEqual([False, True, True, True, True], errors)


class OwnNodeTest(SearchTest):
    """No other plugin describes the post."""

    def test_has_what_the_page_shows(self):
        post = self.rated_post(post_title="Cake & “tea” </script><b>x</b>")
        link = site.call("get_permalink", post)
        for theme in self.both_themes():
            with self.subTest(theme):
                node = self.rated_node(post)
                rating = node.pop("aggregateRating")
                self.assertEqual({"@type": "Product", "@id": f"{link}#ratingd", "url": link,
                                  "name": "Cake & “tea” x", "@context": "https://schema.org"},
                                 {"@context": "https://schema.org", **node})
                self.assertEqual({"@type": "AggregateRating", "ratingValue": "4.3", "bestRating": 5,
                                  "worstRating": 1, "ratingCount": 3}, rating)

    def test_is_there_for_blocks_and_placed_ratings(self):
        block = self.rated_post('<!-- wp:ratingd/rating {"schema":"Book"} /-->')
        placed = self.rated_post("Words.")
        option = {"post": {"where": "after", "schema": "Movie"}}
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        site.call("update_option", "ratingd_placement", option)
        for theme in self.both_themes():
            with self.subTest(theme):
                self.assertEqual("Book", self.rated_node(block)["@type"])
                self.assertEqual("Movie", self.rated_node(placed)["@type"])

    def scale_of(self, post):
        rating = self.rated_node(post)["aggregateRating"]
        return rating["ratingValue"], rating["bestRating"], rating["worstRating"]

    def test_has_the_scale_of_the_template(self):
        slider = self.rated_post('[ratingd template="simple/slider" schema="Game"]')
        self.assertEqual(("8.7", 10, 0), self.scale_of(slider))
        browser = self.log_in()
        slider = browser.ask("GET", f"{API}/templates/simple/slider").json()["data"]["html"]
        ours = {"slug": "mine/hundred", "name": "Mine", "category": "scale", "css": "& { color: red }",
                "html": slider.replace('data-stat="average" data-scale="10">{{AVERAGE_10}}',
                                     'data-stat="average" data-scale="100">{{AVERAGE_100}}')}
        answer = browser.ask("POST", f"{API}/templates", ours, X_WP_Nonce=browser.nonce())
        self.assertIn(answer.status, (200, 201), answer.body)
        self.addCleanup(browser.ask, "DELETE", f"{API}/templates/mine/hundred", X_WP_Nonce=browser.nonce())
        hundred = self.rated_post('[ratingd template="mine/hundred" schema="Game"]')
        self.assertEqual(("87", 100, 0), self.scale_of(hundred))

    def test_is_short_whatever_the_precision_of_php(self):
        source = """<?php
ini_set( 'serialize_precision', '17' );
header( 'X-Number: ' . json_encode( 4.3 ) );
"""
        self.addCleanup(site.must_use("precision", source).unlink)
        post = self.rated_post()
        for query in ("", "&seo=yoast"):
            answer = Browser(site.url).ask("GET", f"/?p={post}{query}")
            self.assertEqual("4.2999999999999998", answer.headers["X-Number"])
            page = answer.body.decode()
            self.assertTrue(re.search('"ratingValue": ?"4.3"', page), query)
            self.assertNotIn("4.2999", page)

    def test_has_the_overall_rating_of_criteria(self):
        self.set(facets="taste,service,love")
        for content in ('[ratingd facets="taste, service" schema="Game"]',
                        '<!-- wp:ratingd/rating {"group":"criteria","facets":"taste","schema":"Game"} /-->'):
            self.assertEqual(("4.3", 5, 1), self.scale_of(self.rated_post(content)), content)
        reactions = self.rated_post('[ratingd reactions="love" schema="Game"]')
        self.check_none(f"/?p={reactions}")

    def test_has_the_scale_of_a_template_with_other_quotes(self):
        browser = self.log_in()
        slider = browser.ask("GET", f"{API}/templates/simple/slider").json()["data"]["html"]
        written = 'data-stat="average" data-scale="10">'
        for number, form in enumerate((written.replace('"', "'"), "data-scale = '10' data-stat=average>",
                                       "DATA-SCALE=10 DATA-STAT = 'average' >")):
            slug = f"mine/quotes-{number}"
            ours = {"slug": slug, "name": "Mine", "category": "scale", "css": "& { color: red }",
                    "html": slider.replace(written, form)}
            answer = browser.ask("POST", f"{API}/templates", ours, X_WP_Nonce=browser.nonce())
            self.assertIn(answer.status, (200, 201), answer.body)
            self.addCleanup(browser.ask, "DELETE", f"{API}/templates/{slug}", X_WP_Nonce=browser.nonce())
            post = self.rated_post(f'[ratingd template="{slug}" schema="Game"]')
            self.assertEqual(("8.7", 10, 0), self.scale_of(post))

    def test_is_rounded_as_the_script_does(self):
        post = self.rated_post(values=(0.57,))  # in binary, 0.57 * 5 is less than 2.85
        self.assertEqual(("2.9", 5, 1), self.scale_of(post))
        self.assertEqual(2.9, site.call("Ratingd\\on_scale", "0.5700", 5))
        self.assertEqual(57, site.call("Ratingd\\on_scale", "0.5700", 100))

    def test_has_the_worst_that_there_is(self):
        post = self.rated_post(values=(0, 0.2))  # the API accepts less than one star
        self.assertEqual(("0.5", 5, 0), self.scale_of(post))

    def test_has_a_picture(self):
        post = self.rated_post('[ratingd schema="Recipe"]')
        image = site.call("wp_insert_attachment", {"post_mime_type": "image/png", "post_title": "x"}, "cake.png")
        site.call("set_post_thumbnail", post, image)
        self.assertTrue(self.rated_node(post)["image"].endswith("/cake.png"))

    def test_is_alone_for_many_widgets(self):
        other = self.rated_post()
        post = self.rated_post(f'[ratingd][ratingd schema="Product"][ratingd template="simple/dots" schema="Book"]'
                               f'[ratingd id="{other}" schema="Recipe"]')
        self.assertEqual("Product", self.rated_node(post)["@type"])
        page = self.page(post)
        self.assertNotIn("schema=", "".join(re.findall("<ratingd-rating[^>]*>", page)))  # from the server only

    def test_is_not_there_without_reason(self):
        contents = ["[ratingd]", '[ratingd schema="Thing"]', '[ratingd schema="Article"]',
                    '[ratingd schema="Product" hide-result]', '[ratingd schema="Product" counts="false"]',
                    '[ratingd schema="Product" template="simple/heart"]',
                    '[ratingd schema="Product" category="binary"]',
                    '[ratingd schema="Product" type="comment"]', '[ratingd schema="Product" template="no/such"]',
                    '<!-- wp:ratingd/rating {"schema":"Product","hideResult":true} /-->', "Words."]
        posts = [self.rated_post(content) for content in contents]
        posts += [self.rated_post(values=()), self.rated_post(post_password="secret"),
                  self.rated_post(post_title="")]
        self.check_none(*(f"/?p={post}" for post in posts))

    def test_is_not_on_lists_and_in_what_is_not_published(self):
        self.rated_post()
        self.check_none("/", "/?s=Post", "/?cat=1")
        browser = self.log_in()
        pages = [browser.ask("GET", f"/?p={self.rated_post(post_status=status)}&preview=true").body.decode()
                 for status in ("private", "draft")]
        for page in pages:
            self.assertIn("<ratingd-rating", page)
        self.assertEqual([[], []], [page["rated"] for page in read_pages(pages)])

    def test_can_be_changed_by_a_filter(self):
        post = self.rated_post()
        self.must_use("""<?php add_filter( 'ratingd_structured_data', function ( $node, $post ) {
            return isset( $_GET['none'] ) ? array() : array( 'sku' => "$post->ID" ) + $node;
        }, 10, 2 );""")
        self.assertEqual(str(post), self.rated_node(post)["sku"])
        self.check_none(f"/?p={post}&none=1")

    def test_is_not_there_without_tables(self):
        post = self.rated_post()
        site.sql("RENAME TABLE wp_ratingd_totals TO hidden_totals, wp_ratingd_templates TO hidden_templates")
        try:
            self.check_none(f"/?p={post}", f"/?p={post}&seo=yoast")
        finally:
            site.sql("RENAME TABLE hidden_totals TO wp_ratingd_totals, hidden_templates TO wp_ratingd_templates")


class OthersNodeTest(SearchTest):
    """Another plugin writes a node, and the rating is added to it."""

    NODES = {"yoast": "Recipe", "rank-math": "Product", "seopress": "Product", "seopress-manual": "Product",
             "shop": "Product", "shop-yoast": "Product"}

    def check_others(self, posts):
        asked = [(name, post) for name in self.NODES for post in posts]
        for theme in self.both_themes():
            pages = self.read(*(f"/?p={post}&seo={name}" for name, post in asked))
            for (name, post), found in zip(asked, pages, strict=True):
                with self.subTest(theme, name=name, post=post):
                    [node] = found
                    type_ = self.NODES[name]
                    self.assertEqual(type_, node["@type"])
                    self.assertTrue(node["@id"].endswith(f"#{type_.lower()}"), node)
                    self.assertEqual(("4.3", 3), (node["aggregateRating"]["ratingValue"],
                                                node["aggregateRating"]["ratingCount"]))

    def test_gets_the_rating(self):
        self.check_others([self.rated_post("[ratingd]"), self.rated_post('[ratingd schema="Product"]'),
                           self.rated_post("<!-- wp:ratingd/rating /-->")])

    def test_comes_with_a_block_whose_attributes_are_no_json(self):
        # The test does not render a page, because WordPress 6.1 itself would write no JSON-LD node for such a
        # block.
        blocks = site.call("parse_blocks", '<!-- wp:ratingd/rating {"size":"large",} /-->')
        self.assertIsNone(blocks[0]["attrs"])
        self.assertEqual([[]], site.call("Ratingd\\blocks_within", blocks))

    def test_gets_the_rating_that_is_placed(self):
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        site.call("update_option", "ratingd_placement", {"post": {"where": "after"}})
        self.check_others([self.rated_post("Words.")])

    def test_stays_without_a_rating_that_is_not_shown(self):
        block = "<!-- wp:group --><div><!-- wp:ratingd/rating /--></div><!-- /wp:group -->"
        pages = query_loop({"perPage": 2, "postType": "page", "inherit": False}, block)
        posts = [self.rated_post("Words."), self.rated_post("[ratingd hide-result]"), self.rated_post(values=()),
                 self.rated_post("[ratingd template='simple/thumbs']"), self.rated_post("[[ratingd]]"),
                 self.rated_post(f'[ratingd object-id="{self.rated_post()}"]'), self.rated_post(pages)]
        for theme in self.both_themes():
            with self.subTest(theme):
                self.check_none(*(f"/?p={post}&seo={name}" for post in posts for name in self.NODES))

    def test_stays_without_a_rating_on_other_pages_of_the_post(self):
        posts = [self.rated_post(f"Words.<!--nextpage-->{widget}")
                 for widget in ("[ratingd]", "<!-- wp:ratingd/rating /-->")]
        for theme in self.both_themes():
            for post in posts:
                with self.subTest(theme, post=post):
                    self.check_none(f"/?p={post}&seo=yoast")
                    self.rated_node(post, "&page=2&seo=yoast")

    def test_keeps_its_own_rating(self):
        post = self.rated_post()
        for name in ("shop-rated", "yoast-rated"):
            node = self.rated_node(post, f"&seo={name}")
            self.assertEqual("3.00", node["aggregateRating"]["ratingValue"])

    def test_of_another_product_gets_none(self):
        self.check_none(f"/?p={self.rated_post('[ratingd]')}&seo=shop-other")

    def test_of_the_site_gets_none(self):
        post = self.rated_post('[ratingd schema="LocalBusiness"]')
        node = self.rated_node(post, "&seo=yoast-article")
        self.assertTrue(node["@id"].endswith("#ratingd"), node)
        self.assertEqual("LocalBusiness", node["@type"])


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
