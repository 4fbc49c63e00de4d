#!/usr/bin/env python3
"""Tests what the plugin offers to themes of a real WordPress: posts in the order of their ratings, the field in
the REST API, the list of the best posts, and ratings for comments, terms and authors."""

import re
import unittest

import fault_sandbox  # noqa: F401 first: it sets the path of the others
from browser import API, Browser
from plugin_sandbox import BOOKS, PluginTest, StatementLog, import_votes, query_loop, set_up_module, site
from processes import wait_until

setUpModule = set_up_module
POSTS = "/wp-json/wp/v2/posts"
PRIOR_WEIGHT = 10  # bayesian_prior_weight


class RatedPosts(PluginTest):
    """Posts whose order by average differs from their fair order."""

    VALUES = {"few_best": [1], "many_good": [0.9] * 12, "many_bad": [0.2] * 12, "few_worst": [0], "none": []}

    @classmethod
    def setUpClass(cls):
        cls.statements = StatementLog()
        cls.addClassCleanup(cls.statements.close)
        cls.posts = {}
        for name, values in cls.VALUES.items():
            cls.posts[name] = cls.new_post(post_title=name)
            cls.addClassCleanup(site.call, "wp_trash_post", cls.posts[name])
            for voter, value in enumerate(values):
                site.vote(2000 + voter, cls.posts[name], value=value, category="scale")
        site.vote(2000, cls.posts["many_bad"], value=1, category="binary")
        site.call("delete_transient", "ratingd_categories")

    def names(self, ids):
        """Returns the names of the test's own posts."""
        known = {id_: name for name, id_ in self.posts.items()}
        return [known[id_] for id_ in ids if id_ in known]

    def query(self, **arguments):
        given = {"post__in": list(self.posts.values()), "fields": "ids", "posts_per_page": 50,
                 "suppress_filters": False, **arguments}
        return self.names(site.call("get_posts", given))


class TypesTest(PluginTest):
    def test_type_of_the_site_may_be_rated_and_is_found(self):
        self.must_use(BOOKS)
        book, page, post = (self.new_post(post_type=name) for name in ("book", "page", "post"))
        self.set(enabled_object_types="book")
        visitor = Browser(site.url)
        for other in (page, post):  # settings apply within two seconds
            self.assertTrue(any(visitor.rate(other, 1).status == 400 for _ in range(2000)))
        self.assertEqual(200, visitor.rate(book, 1).status)
        import_votes(1, [post])
        filters = {"object_type": "book", "category": "binary"}
        listed = site.call("Ratingd\\request", "GET", "/analytics/top-rated", filters)
        self.assertEqual([book], [row["object_id"] for row in listed["data"]])


class OrderTest(RatedPosts):
    """Tests orderby=ratingd in WP_Query and in the REST API."""

    def fair_order(self):
        [[total, value]] = site.rows("SELECT COUNT(*), SUM(value) / 1000 FROM wp_ratingd_votes WHERE category = 2")
        mean = float(value) / int(total)
        fair = {name: (sum(values) + PRIOR_WEIGHT * mean) / (len(values) + PRIOR_WEIGHT)
                for name, values in self.VALUES.items() if values}
        return sorted(fair, key=fair.get, reverse=True)

    def test_is_fair_to_posts_with_many_ratings(self):
        fair = self.fair_order()
        self.assertEqual(["many_good", "few_best"], fair[:2])
        self.assertEqual([*fair, "none"], self.query(orderby="ratingd", ratingd_category="scale"))

    def test_criteria_have_no_part_in_the_means(self):
        def means():
            return site.call("Ratingd\\read_means", "1970-01-01")
        before = means()
        self.addCleanup(site.ratingctl, "clean", "ratings", "--type", "post:taste", "--confirm")
        site.vote(2000, self.posts["none"], "post:taste", 0.1, "scale")
        self.assertNotEqual(before, means())
        self.set(facets="taste,service")
        self.assertEqual(before, means())

    def test_has_posts_without_ratings_last_in_both_directions(self):
        fair = self.fair_order()
        self.assertEqual([*reversed(fair), "none"],
                         self.query(orderby="ratingd", order="ASC", ratingd_category="scale"))
        self.assertEqual([*fair, "none"], self.query(orderby={"ratingd": "DESC"}, ratingd_category="scale"))

    def test_is_of_another_category_or_by_number(self):
        self.assertEqual("many_bad", self.query(orderby="ratingd", ratingd_category="binary")[0])
        most = self.query(orderby="ratingd", ratingd_category="scale", ratingd_metric="total")
        self.assertEqual({"many_good", "many_bad"}, set(most[:2]))
        self.assertEqual("none", most[-1])
        # Star ratings do not have the metric "score", so the query uses the default order.
        score = self.query(orderby="ratingd", ratingd_category="scale", ratingd_metric="score")
        self.assertEqual([*self.fair_order(), "none"], score)

    def test_goes_with_other_orders(self):
        unrated = [self.new_post(post_title=title) for title in ("b", "a", "c")]
        found = site.call("get_posts", {"post__in": unrated, "orderby": {"ratingd": "DESC", "title": "ASC"},
                                        "fields": "ids", "suppress_filters": False})
        self.assertEqual([unrated[1], unrated[0], unrated[2]], found)
        self.assertEqual(sorted(self.posts), self.query(orderby={"title": "ASC", "ratingd": "DESC"}))

    def test_reads_ratings_by_an_index(self):
        import_votes(1, range(3 * 10**6, 3 * 10**6 + 2000))  # the optimizer must not read these for each post
        site.sql("ANALYZE TABLE wp_ratingd_totals, wp_posts")
        self.statements.clear()
        site.call("get_posts", {"orderby": "ratingd", "suppress_filters": False})
        [statement] = self.statements.read("AS ratingd ON")
        plan = site.rows(f"EXPLAIN FORMAT=TRADITIONAL {statement}")
        self.assertEqual(["wp_posts", "wp_ratingd_totals"], [row[2] for row in plan], plan)
        self.assertIn(plan[1][3], ("ref", "eq_ref"), plan)
        self.assertEqual("PRIMARY", plan[1][5], plan)
        self.assertLessEqual(int(plan[1][8]), 3, plan)

    def test_is_there_in_the_rest_api(self):
        ids = ",".join(map(str, self.posts.values()))
        visitor = Browser(site.url)
        asked = f"{POSTS}?include={ids}&orderby=ratingd&ratingd_category=scale&_fields=id"
        found = [post["id"] for post in visitor.ask("GET", asked).json()]
        self.assertEqual([*self.fair_order(), "none"], self.names(found))
        found = [post["id"] for post in visitor.ask("GET", f"{asked}&order=asc").json()]
        self.assertEqual([*reversed(self.fair_order()), "none"], self.names(found))
        schema = visitor.ask("OPTIONS", POSTS).json()["endpoints"][0]["args"]
        self.assertIn("ratingd", schema["orderby"]["enum"])
        self.assertEqual(400, visitor.ask("GET", f"{POSTS}?orderby=ratingd&ratingd_category=x").status)
        self.assertEqual(200, visitor.ask("GET", "/wp-json/wp/v2/pages?orderby=ratingd").status)
        self.assertEqual(400, visitor.ask("GET", "/wp-json/wp/v2/media?orderby=ratingd").status)

    def test_is_there_in_the_block_query_loop(self):
        query = {"perPage": 50, "postType": "post", "inherit": False, "orderBy": "ratingd", "order": "desc"}
        page = self.page(self.new_post(post_content=query_loop(query, "<!-- wp:post-title /-->")))
        titles = re.findall(r'<h2[^>]*wp-block-post-title">(.*?)</h2>', page)
        self.assertEqual(self.fair_order(), [title for title in titles if title in self.posts and title != "none"])

    def test_kind_is_chosen_in_the_block_query_loop(self):
        query = {"perPage": 50, "postType": "post", "inherit": False, "orderBy": "ratingd", "order": "desc"}
        firsts = []
        for category in ("scale", "binary", "nothing", ["scale"]):
            loop = query_loop({**query, "ratingd_category": category}, "<!-- wp:post-title /-->")
            page = self.page(self.new_post(post_content=loop))
            titles = re.findall(r'<h2[^>]*wp-block-post-title">(.*?)</h2>', page)
            firsts.append(next(title for title in titles if title in self.posts))
        fair = self.fair_order()[0]
        self.assertEqual([fair, "many_bad", fair, fair], firsts)

    def test_is_harmless_in_addresses_of_pages(self):
        visitor = Browser(site.url)
        for query in ("orderby=ratingd", "orderby[ratingd]=asc", "orderby[ratingd][]=x", "orderby[]=ratingd",
                      "orderby=ratingd&order[]=x", "orderby=ratingd&post_type[]=post&post_type[]=page"):
            answer = visitor.ask("GET", f"/?{query}")
            self.assertEqual(200, answer.status, query)
            self.assertIn(b"</html>", answer.body, query)

    def test_is_the_usual_one_without_the_view(self):
        site.sql("RENAME TABLE wp_ratingd_totals TO hidden_totals")
        try:
            self.assertEqual(len(self.posts), len(self.query(orderby="ratingd")))
            answer = Browser(site.url).ask("GET", f"{POSTS}?orderby=ratingd")
            self.assertEqual(200, answer.status)
            self.assertEqual([{}], [post["ratingd"] for post in answer.json()][:1])
        finally:
            site.sql("RENAME TABLE hidden_totals TO wp_ratingd_totals")


class FieldTest(RatedPosts):
    """The "ratingd" field of posts in the REST API."""

    def test_has_the_figures(self):
        post = Browser(site.url).ask("GET", f"{POSTS}/{self.posts['many_bad']}").json()
        self.assertEqual({"scale": {"total": 12, "average": 0.2},
                          "binary": {"total": 1, "average": 1, "score": 1}}, post["ratingd"])
        self.assertEqual({}, Browser(site.url).ask("GET", f"{POSTS}/{self.posts['none']}").json()["ratingd"])

    def test_needs_one_statement_for_a_page_of_posts(self):
        for _ in range(10):
            self.new_post()
        self.statements.clear()
        posts = Browser(site.url).ask("GET", f"{POSTS}?per_page=15&orderby=id").json()
        self.assertEqual(15, len(posts))
        rated = [post["id"] for post in posts if post["ratingd"]]
        self.assertEqual({*self.names(rated), "none"}, set(self.posts))
        self.assertEqual(1, len(self.statements.read("FROM wp_ratingd_post_stats WHERE")))

    def test_is_there_with_any_fields(self):
        ids = ",".join(map(str, self.posts.values()))
        for fields in ("ratingd", "id,ratingd", "title,content,ratingd"):
            self.statements.clear()
            asked = f"{POSTS}?include={ids}&orderby=id&order=asc&_fields={fields}"
            posts = Browser(site.url).ask("GET", asked).json()
            totals = [post["ratingd"].get("scale", {}).get("total", 0) for post in posts]
            self.assertEqual([len(values) for values in self.VALUES.values()], totals, fields)
            self.assertEqual(1, len(self.statements.read("FROM wp_ratingd_post_stats WHERE")), fields)

    def test_is_of_its_post_beside_a_list_in_the_content(self):
        query = {"perPage": 1, "postType": "page", "inherit": False}
        post = self.new_post(post_content=query_loop(query, "<!-- wp:post-title /-->"))
        self.addCleanup(site.call, "wp_trash_post", post)
        site.vote(5, post)
        found = Browser(site.url).ask("GET", f"{POSTS}/{post}?_fields=content,ratingd").json()
        self.assertEqual(1, found["ratingd"]["binary"]["total"])

    def test_needs_none_if_nobody_asks(self):
        self.statements.clear()
        self.assertEqual(200, Browser(site.url).ask("GET", f"{POSTS}?_fields=id,title").status)
        self.assertEqual([], self.statements.read("ratingd_post_stats"))

    def test_is_read_only_and_in_the_schema(self):
        schema = Browser(site.url).ask("OPTIONS", POSTS).json()["schema"]["properties"]["ratingd"]
        self.assertTrue(schema["readonly"])
        self.assertEqual({"view", "edit", "embed"}, set(schema["context"]))
        browser = self.log_in()
        post = self.posts["few_best"]
        answer = browser.ask("POST", f"{POSTS}/{post}", {"ratingd": {"scale": {"total": 99}}},
                             X_WP_Nonce=browser.nonce())
        self.assertEqual(200, answer.status, answer.body)
        self.assertEqual(1, answer.json()["ratingd"]["scale"]["total"])


class TopTest(RatedPosts):
    """Tests [ratingd_top] and the "Top rated" block."""

    def show(self, attributes="", **fields):
        """Returns the titles and the figures of the list in a page."""
        page = self.page(self.new_post(post_content=f"[ratingd_top {attributes}]", **fields))
        self.assertNotIn("[ratingd_top", page)
        note = r'(?:<p class="ratingd-top-note">.*?</p>)?'
        form = rf'<div class="wp-block-ratingd-top"><ol [^>]*>.*?</ol>{note}</div>'
        self.lists = re.findall(form, page, re.DOTALL)
        found = "".join(self.lists)
        titles = re.findall(r'<span class="ratingd-top-title">(.*?)</span>', found, re.DOTALL)
        figures = re.findall(r'<span class="ratingd-top-figure">(.*?)</span>', found, re.DOTALL)
        self.assertEqual(len(titles), len(figures))
        return titles, figures

    def forget(self):
        """Deletes what is cached for minutes."""
        site.sql("DELETE FROM wp_options WHERE option_name LIKE '%ratingd_top_%'")
        site.call("wp_cache_flush")

    def setUp(self):
        self.forget()

    def test_has_the_order_of_the_api(self):
        self.set(analytics_cache_seconds=0)
        browser = self.log_in()
        asked = f"{API}/analytics/top-rated?category=scale&object_type=post&period=all&per_page=100"
        answer = browser.ask("GET", asked, X_WP_Nonce=browser.nonce())
        self.assertEqual(200, answer.status, answer.body)
        expected = [int(item["object_id"]) for item in answer.json()["data"]]
        titles, figures = self.show('category="scale" number="50"')
        self.assertEqual(self.names(expected), [title for title in titles if title in self.posts])
        self.assertEqual(4, len(self.names(expected)))
        self.assertEqual("Average: 4.5 of 5 (12 votes)", figures[titles.index("many_good")])

    def test_shows_what_it_is_sorted_by_where_the_averages_do_not(self):
        few, many = (self.new_post(post_title=title, post_type="page") for title in ("one vote", "many"))
        for post in (few, many):
            self.addCleanup(site.call, "wp_trash_post", post)
        site.vote(3000, few, value=1, category="scale")
        for voter in range(60):
            site.vote(3000 + voter, many, value=0.9, category="scale")
        titles, figures = self.show('category="scale" type="page" number="2"')
        self.assertEqual(["many", "one vote"], titles)
        self.assertEqual(["Average: 4.5 of 5 (60 votes)", "Average: 5.0 of 5 (1 vote)"], figures)
        weighted = [float(one) for one in re.findall(r"Weighted: ([0-9.]+)", self.lists[0])]
        self.assertEqual(weighted, sorted(weighted, reverse=True))
        self.assertLess(weighted[1], 5)
        self.assertIn("sorted by the weighted average", self.lists[0])
        self.show('category="scale" type="page" number="1"')
        self.assertNotIn("eighted", self.lists[0])
        self.show('category="scale" type="page" number="2" metric="total"')
        self.assertNotIn("eighted", self.lists[0])

    def test_is_limited_and_has_other_orders(self):
        titles, _ = self.show('category="scale" number="2"')
        self.assertEqual(2, len(titles))
        titles, _ = self.show('category="scale" metric="total" number="2"')
        self.assertEqual({"many_good", "many_bad"}, set(titles))
        titles, _ = self.show('category="scale" minimum="12" number="50"')
        self.assertEqual(["many_good", "many_bad"], [title for title in titles if title in self.posts])
        by_average = self.show('category="scale" metric="average"')
        self.assertEqual(by_average, self.show('category="scale" metric="score"'))
        titles, figures = self.show('category="binary" metric="score"')
        self.assertIn("many_bad", titles)
        self.assertIn("Likes: 100% of 1 vote", figures)

    def test_accepts_curly_quotes_and_has_the_usual_number_without_a_number(self):
        asked = site.call("Ratingd\\top_options", {"number": "many", "minimum": ["2"]})
        self.assertEqual((5, 1), (asked["number"], asked["minimum"]))
        asked = site.call("Ratingd\\top_options", {"number": "99", "minimum": "-1"})
        self.assertEqual((50, 1), (asked["number"], asked["minimum"]))
        plain = self.show('category="scale" number="3" metric="total"')
        self.assertEqual(3, len(plain[0]))
        self.assertEqual(plain, self.show("category=“scale” number=“3” metric=”total”"))
        self.assertEqual(plain, self.show("category=&#8221;scale&#8221; number=&#8221;3&#8243; metric=«total»"))

    def test_is_of_a_period(self):
        old, new = self.new_post(post_title="old"), self.new_post(post_title="new")
        import_votes(1, [old])  # a vote in January

        def show(period):
            titles, _ = self.show(f'category="binary" metric="total" number="50" period="{period}"')
            return sorted(title for title in titles if title in ("old", "new"))

        for voter in (1, 2):  # the second voter counts if midnight comes between
            day = site.call("wp_date", "Y-m-d")
            self.forget()
            site.vote(voter, new)
            today = show("day")
            if site.call("wp_date", "Y-m-d") == day:
                break
        self.assertEqual(["new"], today)
        self.assertEqual(["new"], show("month"))
        self.assertEqual(["new", "old"], show("all"))

    def test_of_a_period_has_the_order_of_the_api(self):
        self.set(analytics_cache_seconds=0)
        few, many = self.new_post(post_title="few"), self.new_post(post_title="many")
        for voter in range(12):
            site.vote(2000 + voter, many, value=1 if voter < 7 else -1, category="bipolar")
        site.vote(2000, few, category="bipolar")
        # This import adds 300 negative votes from an earlier month, so that the average over all time is about -1.
        import_votes(1, range(4 * 10**6, 4 * 10**6 + 300), value=-1, category="bipolar")
        site.call("delete_transient", "ratingd_categories")
        browser = self.log_in()
        for period, named, expected in (("week", "7d", ["few", "many"]), ("all", "all", ["many", "few"])):
            asked = f"{API}/analytics/top-rated?category=bipolar&object_type=post&period={named}"
            answer = browser.ask("GET", asked, X_WP_Nonce=browser.nonce())
            found = [int(item["object_id"]) for item in answer.json()["data"]]
            self.assertEqual(expected, [{few: "few", many: "many"}[id_] for id_ in found if id_ in (few, many)])
            titles, _ = self.show(f'category="bipolar" period="{period}"')
            self.assertEqual(expected, [title for title in titles if title in expected], period)

    def test_has_what_visitors_may_see(self):
        self.must_use(BOOKS)
        hidden = {"draft": {"post_status": "draft"}, "private": {"post_status": "private"},
                  "password": {"post_password": "x"}, "trash": {"post_status": "trash"},
                  "page": {"post_type": "page"}, "book": {"post_type": "book"}, "gone": {}}
        posts = {name: self.new_post(post_title=f"{name} one", **fields) for name, fields in hidden.items()}
        for post in posts.values():
            site.vote(3, post, value=1, category="scale")
        titles, _ = self.show('category="scale" number="50"')
        self.assertEqual(["gone one"], [title for title in titles if title.endswith(" one")])
        site.call("wp_trash_post", posts["gone"])  # while the list is cached
        titles, _ = self.show('category="scale" number="50"')
        self.assertEqual([], [title for title in titles if title.endswith(" one")])
        titles, _ = self.show('category="scale" type="book"')
        self.assertEqual(["book one"], titles)

    def test_is_kept_for_a_while(self):
        post = self.new_post(post_content='[ratingd_top category="scale" number="2"]')
        self.page(post)
        self.statements.clear()
        self.page(post)
        self.assertEqual([], self.statements.read("ratingd_post_"))
        self.show('category="scale" number="4" layout="cards"')
        self.assertEqual([], self.statements.read("ratingd_post_"))

    def test_is_kept_for_few_minimums(self):
        for minimum, expected in ((10, 2), (11, 2), (12, 2), (13, 0), (19, 0)):
            titles, _ = self.show(f'category="scale" number="50" minimum="{minimum}"')
            self.assertEqual(expected, len(self.names([self.posts.get(title) for title in titles])), minimum)
        kept = site.rows("SELECT option_name FROM wp_options WHERE option_name LIKE '_transient_ratingd_top_%'")
        self.assertEqual(1, len(kept))

    def many_books(self):
        """Makes 51 books with 10 ratings. The oldest book has 15 ratings and the lowest average."""
        self.must_use(BOOKS)
        columns = "post_type, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered"
        values = ", ".join(f"('book', '{title}', '', '', '', '', '')" for title in ["steady"] + ["other"] * 50)
        site.sql(f"INSERT INTO wp_posts ({columns}) VALUES {values}")
        ours = "FROM wp_posts WHERE post_type = 'book' AND post_title IN ('steady', 'other')"
        self.addCleanup(site.sql, f"DELETE {ours}")
        steady, *others = [int(id_) for [id_] in site.rows(f"SELECT ID {ours} ORDER BY ID")]
        for voter in range(5000, 5015):
            import_votes(voter, [steady], value=0.4, category="scale")
            if voter < 5010:
                import_votes(voter, others, value=0.6, category="scale")

    def test_has_all_with_a_minimum_between_those_of_cached_lists(self):
        self.many_books()
        asked = 'category="scale" type="book" number="1"'
        self.assertEqual(["other"], self.show(f'{asked} minimum="10"')[0])
        self.assertEqual(["steady"], self.show(f'{asked} minimum="15"')[0])
        self.statements.clear()
        self.assertEqual(["steady"], self.show(f'{asked} minimum="15"')[0])
        self.assertEqual([], self.statements.read("ratingd_post_"))
        # The number of lists that authors can create is limited.
        in_use = {f"list {number}": 2**40 for number in range(site.call("constant", "Ratingd\\TOP_EXACT"))}
        site.call("set_transient", "ratingd_top_exact", in_use)
        self.assertEqual([], self.show(f'{asked} minimum="14"')[0])

    def test_reads_few_more_posts_than_it_shows(self):
        self.many_books()

        def posts_read():
            self.statements.clear()
            shown = site.call("do_shortcode", '[ratingd_top category="scale" type="book" number="2"]')
            self.assertEqual(2, shown.count("<li"), shown)
            read = re.findall(r"SELECT wp_posts\.\* FROM wp_posts WHERE ID IN \(([\d,]+)\)",
                              "".join(self.statements.read()))
            return sum(len(ids.split(",")) for ids in read)

        posts_read()  # the list is cached now
        self.assertEqual(7, posts_read())
        # Change the status of the best posts to "draft".
        site.sql("UPDATE wp_posts SET post_status = 'draft' WHERE post_title = 'other' ORDER BY ID DESC LIMIT 8")
        self.assertEqual(14, posts_read())

    def test_needs_no_statement_for_each_post(self):
        site.call("update_option", "permalink_structure", "/%category%/%author%/%postname%/")
        self.addCleanup(site.call, "update_option", "permalink_structure", "/%postname%/")
        for post in self.posts.values():
            file = {"post_mime_type": "image/png", "post_title": "image"}
            image = site.call("wp_insert_attachment", file, f"image-{post}.png")
            site.call("set_post_thumbnail", post, image)
        counts = []
        for number in (4, 1, 4):  # first, the list is read
            self.statements.clear()
            shown = site.call("do_shortcode", f'[ratingd_top category="scale" layout="cards" number="{number}"]')
            self.assertEqual(number, shown.count("<img"), shown)
            counts.append(len(self.statements.read()))
        self.assertEqual(counts[1], counts[2])

    def test_is_a_list_for_everybody(self):
        self.show('category="scale"')
        self.assertIn('<ol class="ratingd-top-list"><li', self.lists[0])
        self.show('category="scale" layout="cards"')
        self.assertIn('<ol class="ratingd-top-cards" role="list"><li', self.lists[0])

    def test_escapes_titles_and_ignores_what_authors_invent(self):
        evil = self.new_post()
        self.addCleanup(site.call, "wp_trash_post", evil)
        title = """'"><script>alert(1)</script>A &lt;b&gt; & "c"'"""
        site.sql(f"UPDATE wp_posts SET post_title = {title} WHERE ID = {evil}")
        site.vote(5, evil, value=1, category="scale")
        titles, _ = self.show('category="scale" number="50"')
        self.assertNotIn("<script", "".join(self.lists))
        [title] = [title for title in titles if "c" in title and "b" in title and ";" in title]
        self.assertIn("A &lt;b&gt; &amp; ", title)
        self.assertNotRegex(title, r"""[<>"']""")
        for attribute in ('metric="x\' OR 1"', 'type="revision"', 'number="-1"', 'period="x"', 'layout="x"'):
            titles, _ = self.show(f'{attribute} category="scale"')
            self.assertTrue(titles, attribute)

    def test_says_nothing_if_there_is_nothing(self):
        self.must_use(BOOKS)
        post = self.new_post(post_content='[ratingd_top category="bipolar" type="book"]')
        page = self.page(post)
        self.assertNotIn("wp-block-ratingd-top", page)
        self.assertNotIn("No ratings yet", page)
        self.assertIn("No ratings yet.", self.log_in().ask("GET", f"/?p={post}").body.decode())

    def test_is_read_by_one_request_at_a_time(self):
        other = """<?php add_filter( 'query', function ( $query ) {
            static $is_other = false;
            if ( ! $is_other && strpos( $query, 'AS rated JOIN' ) ) {
                $is_other = true;
                do_shortcode( '[ratingd_top category="scale"]' );
            }
            return $query;
        } );"""
        self.must_use(other)
        self.statements.clear()
        self.assertIn("many_good", self.show('category="scale"')[0])
        self.assertEqual(1, len(self.statements.read("AS rated JOIN")))

    def test_is_not_read_again_at_once_after_a_failure(self):
        site.sql("RENAME TABLE wp_ratingd_totals TO hidden_totals")
        try:
            self.statements.clear()
            for _ in range(2):
                self.assertEqual(([], []), self.show('category="scale"'))
            self.assertEqual(1, len(self.statements.read("AS rated JOIN")))
        finally:
            site.sql("RENAME TABLE hidden_totals TO wp_ratingd_totals")

    def test_is_not_there_without_tables(self):
        site.sql("RENAME TABLE wp_ratingd_totals TO hidden_totals, wp_ratingd_daily TO hidden_daily")
        try:
            self.assertEqual(([], []), self.show('category="scale"'))
            self.assertEqual(([], []), self.show('category="scale" period="week"'))
        finally:
            site.sql("RENAME TABLE hidden_totals TO wp_ratingd_totals, hidden_daily TO wp_ratingd_daily")


class BesidePosts(PluginTest):
    """Ratings that "Placement" puts in other places than posts."""

    def place(self, type_, where="after", **more):
        site.call("update_option", "ratingd_placement", {type_: {"where": where, **more}})
        self.addCleanup(site.call, "delete_option", "ratingd_placement")

    @staticmethod
    def themes():
        """Returns the site's block theme and a classic theme."""
        return site.call("get_stylesheet"), site.classic_theme()

    @staticmethod
    def rated(page, type_):
        widgets = re.findall(rf'<ratingd-rating[^>]* object-type="{type_}"[^>]*>', page)
        return [int(re.search(r' object-id="(\d+)"', widget)[1]) for widget in widgets]


# The PHP function test_comments() adds all comments of a test in one call. Each comment is one second newer than
# the comment before it.
COMMENTS = """<?php
function test_comments( $post, $rows ) {
	$ids = array();
	foreach ( $rows as $row ) {
		$date  = gmdate( 'Y-m-d H:i:s', 1767323000 + get_comments_number( $post ) );
		$usual = array( 'comment_post_ID' => $post, 'comment_content' => 'Words.', 'comment_approved' => 1,
			'comment_date' => $date, 'comment_date_gmt' => $date );
		$ids[] = wp_insert_comment( $row + $usual );
	}
	return $ids;
}
"""


class CommentsTest(BesidePosts):
    def setUp(self):
        self.must_use(COMMENTS)
        self.post = self.new_post(comment_status="open")

    def comments(self, *rows):
        return site.call("test_comments", self.post, [{"comment_agent": "test", **row} for row in rows])

    def shown(self, query="", post=None):
        return self.rated(self.page(post or self.post, query), "comment")

    def test_have_ratings_below_their_texts(self):
        site.call("update_option", "ratingd_look", {"text": "Rate this"})
        self.addCleanup(site.call, "delete_option", "ratingd_look")
        first, second = self.comments({"comment_content": "Earlier."}, {"comment_content": "Later."})
        reply, *_ = self.comments({"comment_content": "Reply.", "comment_parent": first}, {"comment_approved": 0},
                                  {"comment_type": "pingback"})
        for theme in self.themes():
            with self.subTest(theme=theme):
                self.use_theme(theme)
                self.assertEqual([], self.shown())
                self.place("comment")
                page = self.page(self.post)
                self.assertEqual([first, reply, second], self.rated(page, "comment"))
                self.assertRegex(page, r'(?s)Earlier\..*<div class="ratingd-placed"><ratingd-rating[^>]*'
                                       r' template="simple/thumbs" size="small".*Reply\.')
                self.assertNotIn("Rate this", page)  # once for each comment
                site.call("delete_option", "ratingd_placement")

    def test_have_none_elsewhere(self):
        [comment] = self.comments({"comment_content": "Findable."})
        self.place("comment")
        visitor = Browser(site.url)
        for path in (f"/?p={self.post}&feed=rss2", "/?feed=comments-rss2", "/",
                     f"/wp-json/wp/v2/comments/{comment}"):
            answer = visitor.ask("GET", path)
            self.assertEqual(200, answer.status, path)
            self.assertNotIn(b'object-type=\\"comment', answer.body)
            self.assertNotIn(b'object-type="comment', answer.body)
        admin = self.log_in().ask("GET", "/wp-admin/edit-comments.php").body
        self.assertIn(b"Findable.", admin)
        self.assertNotIn(b"<ratingd-rating", admin)

    def test_need_one_statement_for_the_figures_of_a_page(self):
        first, *_ = self.comments({}, {}, {})
        [reply] = self.comments({"comment_parent": first})
        site.vote(1, reply, "comment", category="bipolar")
        self.place("comment")
        statements = StatementLog()
        self.addCleanup(statements.close)
        for theme in self.themes():
            with self.subTest(theme=theme):
                self.use_theme(theme)
                self.shown()
                statements.clear()
                page = self.page(self.post)
                self.assertEqual(1, page.count("Score: +1"))
                self.assertEqual(1, len(statements.read("ratingd_post_stats WHERE")))

    def vote_all(self):
        """Rates six comments. Returns them in the order in which they must be shown. Two have no votes."""
        bad, plain, good, best, other, worse = self.comments(*[{}] * 6)
        for comment, values in ((bad, [-1]), (good, [1, -1, 1]), (best, [1, 1]), (worse, [-1, -1])):
            for voter, value in enumerate(values):
                site.vote(3000 + voter, comment, "comment", value, "bipolar")
        # Among comments with equal ratings, the oldest comment comes first.
        site.vote(3009, best, "comment", -1, "bipolar")
        return [good, best, plain, other, bad, worse]

    def test_are_ordered_by_their_ratings(self):
        order = self.vote_all()
        replies = self.comments(*[{"comment_parent": order[0]}] * 3)
        site.vote(3000, replies[1], "comment", 1, "bipolar")
        threaded = [order[0], replies[1], replies[0], replies[2], *order[1:]]
        site.call("update_option", "comment_order", "desc")
        self.addCleanup(site.call, "update_option", "comment_order", "asc")
        self.place("comment")
        self.assertEqual(sorted(order, reverse=True), [id_ for id_ in self.shown() if id_ in order])
        self.place("comment", order="best")
        for theme in self.themes():
            with self.subTest(theme=theme):
                self.use_theme(theme)
                self.assertEqual(threaded, self.shown())
        found = site.call("get_comments", {"post_id": self.post, "parent": 0, "fields": "ids",
                                           "orderby": "ratingd", "ratingd_category": "bipolar"})
        self.assertEqual(order, [int(id_) for id_ in found])

    def two_on_a_page(self, threads):
        self.must_use("<?php add_filter( 'pre_option_page_comments', function () { return '1'; } );"
                      "add_filter( 'pre_option_comments_per_page', function () { return 2; } );"
                      f"add_filter( 'pre_option_thread_comments', function () {{ return '{threads:d}'; }} );"
                      "function test_link( $post, $comment ) { query_posts( array( 'p' => $post ) );"
                      " do_action( 'wp' ); return get_comment_link( $comment, array( 'per_page' => 2 ) ); }")
        self.place("comment", order="best")

    def check_pages(self, order):
        for theme in self.themes():
            with self.subTest(theme=theme):
                self.use_theme(theme)
                for first in range(0, len(order), 2):
                    query = f"&cpage={first // 2 + 1}" if first else ""
                    self.assertEqual(order[first:first + 2], self.shown(query), first)
        for place, comment in enumerate(order):
            page = "" if place < 2 else f"comment-page-{place // 2 + 1}/"
            self.assertTrue(site.call("test_link", self.post, comment).endswith(f"/{page}#comment-{comment}"))
            elsewhere = site.call("get_comment_link", comment, {"per_page": 2})
            self.assertTrue(elsewhere.endswith(f"/comment-page-{place // 2 + 1}/#comment-{comment}"), elsewhere)

    def test_are_ordered_over_pages(self):
        order = self.vote_all()
        self.two_on_a_page(threads=True)
        self.check_pages(order)

    def test_are_ordered_over_pages_without_threads(self):
        *order, worse = self.vote_all()
        replies = self.comments({"comment_parent": worse}, {"comment_parent": order[0]})
        for voter in range(3):
            site.vote(3100 + voter, replies[0], "comment", 1, "bipolar")
        self.two_on_a_page(threads=False)
        self.check_pages([replies[0], *order[:4], replies[1], *order[4:], worse])

    def test_are_ordered_by_stars_and_by_likes(self):
        comments = self.comments({}, {}, {})
        for template, category, votes in (("simple/stars", "scale", (0.2, None, 1)),
                                          ("simple/heart", "binary", (0, None, 1))):
            for comment, value in zip(comments, votes, strict=True):
                if value is not None:
                    site.vote(3000, comment, "comment", value, category)
            site.call("delete_transient", "ratingd_categories")
            self.place("comment", template=template, order="best")
            shown = self.shown()
            self.assertEqual(comments[2], shown[0])
            self.assertEqual(set(comments), set(shown))

    def test_have_no_order_without_the_view(self):
        comments = self.comments({}, {})
        self.place("comment", order="best")
        site.sql("RENAME TABLE wp_ratingd_post_stats TO hidden_stats")
        try:
            self.assertEqual(comments, self.shown())
        finally:
            site.sql("RENAME TABLE hidden_stats TO wp_ratingd_post_stats")


# Imitates the pages of WooCommerce's products, because Debian has no package for WooCommerce. The content is in a
# tab, which is missing if the content is empty.
SHOP = """<?php
add_action( 'init', function () {
	register_post_type( 'product', array( 'public' => true, 'label' => 'Products', 'rewrite' => false ) );
} );
add_action( 'woocommerce_after_single_product_summary', function () {
	if ( get_post()->post_content ) {
		the_content();
	}
}, 10 );
add_filter( 'template_include', function ( $template ) {
	return is_singular( 'product' ) ? __DIR__ . '/product.html' : $template;
} );
"""
# If the query has "everything", the template also shows the content outside the tabs.
PRODUCT = """<!DOCTYPE html><html><?php wp_head();
while ( have_posts() ) {
	the_post();
	if ( isset( $_GET['everything'] ) ) {
		the_content();
	}
	do_action( 'woocommerce_after_single_product_summary' );
}
wp_footer(); ?></html>"""
# Imitates bbPress's pages, which apply no filter of the_content.
FORUMS = """<?php
function bbp_get_forum_post_type() { return 'forum'; }
function bbp_get_topic_post_type() { return 'topic'; }
function bbp_get_reply_post_type() { return 'reply'; }
add_action( 'init', function () {
	foreach ( array( 'forum', 'topic', 'reply' ) as $type ) {
		register_post_type( $type, array( 'public' => true, 'label' => ucfirst( $type ), 'rewrite' => false ) );
	}
} );
function test_forum_page() {
	$page    = get_queried_object();
	$content = function ( $type, $post ) {
		return apply_filters( "bbp_get_{$type}_content", "<p>$post->post_title</p>", $post->ID );
	};
	if ( 'forum' === $page->post_type ) {
		do_action( 'bbp_template_before_single_forum' );
		echo '<p>Topics</p>';
		do_action( 'bbp_template_after_single_forum' );
		return;
	}
	// The first post of a topic is the topic itself, to which bbPress applies the filter of a reply.
	echo isset( $_GET['lead'] ) ? $content( 'topic', $page ) : $content( 'reply', $page );
	$replies = array( 'post_type' => 'reply', 'post_parent' => $page->ID, 'order' => 'ASC' );
	foreach ( get_posts( $replies ) as $reply ) {
		echo $content( 'reply', $reply );
	}
}
add_filter( 'template_include', function ( $template ) {
	if ( is_singular( array( 'forum', 'topic', 'reply' ) ) ) {
		remove_all_filters( 'the_content' );
		add_filter( 'the_content', function () {
			ob_start();
			test_forum_page();
			return ob_get_clean();
		} );
	}
	return $template;
} );
add_shortcode( 'test-forum', function () {
	ob_start();
	do_action( 'bbp_template_before_single_forum' );
	echo apply_filters( 'bbp_get_reply_content', '<p>Reply</p>', get_option( 'test_reply' ) );
	return ob_get_clean();
} );
"""


class OtherPluginsTest(BesidePosts):
    """Placed ratings on pages of plugins that show contents in their own way."""

    def place_on(self, *types, where="after"):
        site.call("update_option", "ratingd_placement", {type_: {"where": where} for type_ in types})
        self.addCleanup(site.call, "delete_option", "ratingd_placement")

    def test_products_without_a_description_have_ratings(self):
        self.must_use(SHOP)
        template = site.run_dir / "wordpress/wp-content/mu-plugins/product.html"
        template.write_text(PRODUCT)
        self.addCleanup(template.unlink)
        empty, full = (self.new_post(post_type="product", post_excerpt="Short.", post_content=content)
                       for content in ("", "Long."))
        self.assertEqual([[], []], [self.rated(self.page(post), "post") for post in (empty, full)])
        self.place_on("product")
        for post in (empty, full):
            self.assertEqual([post], self.rated(self.page(post), "post"))
        self.assertEqual([empty], self.rated(self.page(empty, "&everything=1"), "post"))
        site.call("update_post_meta", empty, "_ratingd_without_rating", True)
        self.assertEqual([], self.rated(self.page(empty), "post"))

    def test_topics_and_replies_have_ratings(self):
        self.must_use(FORUMS)
        topic = self.new_post(post_type="topic", post_title="The topic")
        reply, secret = (self.new_post(post_type="reply", post_title="The reply", post_parent=topic, **more)
                         for more in ({}, {"post_password": "x"}))
        for theme in self.themes():
            with self.subTest(theme=theme):
                self.use_theme(theme)
                site.call("delete_option", "ratingd_placement")
                self.assertEqual([], self.rated(self.page(topic), "post"))
                self.place_on("topic")
                for query in ("", "&lead=1"):
                    self.assertEqual([topic], self.rated(self.page(topic, query), "post"))
                self.place_on("topic", "reply")
                page = self.page(topic)
                self.assertEqual([topic, reply], self.rated(page, "post"))
                self.assertRegex(page, r"(?s)The topic</p><div class=.ratingd-placed.*The reply</p><div class=.ra")
                self.assertEqual([reply], self.rated(self.page(reply), "post"))
                self.place_on("topic", where="before")
                self.assertRegex(self.page(topic), r"(?s)<ratingd-rating.*The topic</p>")
        self.assertNotIn(secret, self.rated(self.page(topic), "post"))

    def test_forums_have_ratings(self):
        self.must_use(FORUMS)
        forum = self.new_post(post_type="forum")
        self.place_on("forum")
        self.assertRegex(self.page(forum), rf'(?s)Topics</p>.*<ratingd-rating[^>]* object-id="{forum}"')
        self.place_on("forum", where="before")
        self.assertRegex(self.page(forum), rf'(?s)<ratingd-rating[^>]* object-id="{forum}".*Topics</p>')
        self.assertEqual([forum], self.rated(self.page(forum), "post"))

    def test_forums_in_other_pages_have_none(self):
        self.must_use(FORUMS)
        site.call("update_option", "test_reply", self.new_post(post_type="reply"))
        self.addCleanup(site.call, "delete_option", "test_reply")
        self.place_on("page", "forum", "reply", where="before")
        post = self.new_post(post_content="[test-forum]", post_type="page")
        self.assertEqual([post], self.rated(self.page(post), "post"))


class ArchivesTest(BesidePosts):
    def setUp(self):
        self.tag = site.call("wp_insert_term", "Oven", "post_tag")["term_id"]
        self.addCleanup(site.call, "wp_delete_term", self.tag, "post_tag")
        self.author, _ = self.new_user("author")
        self.post = self.new_post(post_author=self.author, tags_input=["Oven"])

    def archive(self, path):
        answer = Browser(site.url).ask("GET", path)
        self.assertEqual(200, answer.status, path)
        return answer.body.decode()

    def test_have_ratings_before_or_after_their_posts(self):
        pages = (("term", self.tag, "/?tag=oven"), ("author", self.author, f"/?author={self.author}"))
        for theme in self.themes():
            self.use_theme(theme)
            for type_, id_, path in pages:
                with self.subTest(theme=theme, type=type_):
                    self.place(type_, "before")
                    page = self.archive(path)
                    self.assertEqual([id_], self.rated(page, type_))
                    head, _, body = page.partition("</head>")
                    self.assertIn("ratingd-widget-inline-css", head)
                    self.assertLess(body.index("<ratingd-rating"), body.index("Words."))
                    text = {"term": "Rate this tag", "author": "Rate this author"}[type_]
                    self.assertIn('<div class="ratingd-placed ratingd-archive">'
                                  f'<div class="ratingd-text">{text}</div>', body)
                    self.place(type_, "after")
                    body = self.archive(path).partition("</head>")[2]
                    self.assertGreater(body.index("<ratingd-rating"), body.rindex("Words."))
                    for other in ("/", f"/?p={self.post}", path + "&feed=rss2"):
                        self.assertEqual([], self.rated(self.archive(other), type_), other)

    def test_titles_and_links_are_in_analytics(self):
        self.set(analytics_access="public")
        comment = site.call("wp_insert_comment", {
            "comment_post_ID": self.post, "comment_content": "So <b>good</b>!", "comment_approved": 1})
        for type_, id_ in (("comment", comment), ("term", self.tag), ("author", self.author)):
            site.vote(7, id_, type_)
        name = site.call("get_the_author_meta", "display_name", self.author)
        post = site.call("get_the_title", self.post)
        titles = {"comment": f"So good! · {post}", "term": "Oven", "author": name}
        top = f"{API}/analytics/top-rated?category=binary&per_page=100"
        visitor = Browser(site.url)
        self.assertTrue(wait_until(lambda: visitor.ask("GET", top).status == 200, 10), "the setting counts")
        for type_, title in titles.items():
            rows = visitor.ask("GET", f"{top}&object_type={type_}").json()["data"]
            [row] = [row for row in rows if row["title"] == title]
            page = self.archive(row["link"].removeprefix(site.url).partition("#")[0])
            self.assertIn("So <b>good</b>!" if type_ == "comment" else title, page)

    def test_may_be_rated_as_the_site_shows_them(self):
        self.set(object_check="published")
        menu = site.call("wp_insert_term", "Menu", "nav_menu")["term_id"]
        self.addCleanup(site.call, "wp_delete_term", menu, "nav_menu")
        reader, _ = self.new_user()
        visitor = Browser(site.url)

        def status(type_, id_):
            fields = {"object_id": id_, "object_type": type_, "category": "binary", "value": 1}
            return visitor.ask("POST", f"{API}/rate", fields, Origin=site.url).status

        self.assertTrue(any(status("term", menu) == 404 for _ in range(2000)))  # within two seconds
        self.assertEqual((200, 200), (status("term", self.tag), status("author", self.author)))
        self.assertEqual(404, status("author", reader))

    def test_shortcode_rates_who_wrote_the_post(self):
        content = f"[ratingd type='author'][ratingd type='comment'][ratingd type='term' id='{self.tag}']"
        post = self.new_post(post_author=self.author, post_content=content + "[ratingd type='term']")
        page = self.page(post)
        self.assertEqual([[self.author], [self.tag], []], [self.rated(page, type_) for type_ in
                                                           ("author", "term", "comment")])

    def test_authors_of_a_list_need_one_statement(self):
        self.must_use("<?php function test_authors( $posts ) { query_posts( array( 'post__in' => $posts ) );"
                      " return Ratingd\\expected_objects( 'author' ); }")
        other, _ = self.new_user("author")
        posts = [self.post, self.new_post(post_author=other)]
        self.assertEqual({self.author, other}, set(site.call("test_authors", posts)))

    def test_shortcode_of_an_author_is_not_the_post_s_rating(self):
        post = self.new_post()
        site.call("wp_update_post", {"ID": post, "post_content": f"[ratingd type='author' id='{post}']"})
        self.place("post")
        page = self.page(post)
        self.assertEqual([[post], [post]], [self.rated(page, type_) for type_ in ("author", "post")])


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
