#!/usr/bin/env python3
"""Tests widgets in pages on a real WordPress site: widgets that authors write, and widgets that an option
places."""

import json
import re
import shutil
import subprocess
import unittest
from html import unescape

from fault_sandbox import REPOSITORY  # first because it sets the module path
from browser import API, Browser
from mariadb import ServerError
from plugin_sandbox import BOOKS, PluginTest, StatementLog, query_loop, set_up_module, site
from stack import SANDBOX

setUpModule = set_up_module
POSTS = "/wp-json/wp/v2/posts"
WIDGET = r"<ratingd-rating[^>]*>"
PAGE_BREAK = "<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->"  # the block's


def ids_of(page):
    """Returns the posts of the widgets in a page."""
    return [int(id_) for id_ in re.findall(r'<ratingd-rating[^>]* object-id="(\d+)"', page)]


class ShortcodeTest(PluginTest):
    """Tests [ratingd] and ratingd_widget()."""

    def widgets(self, content):
        return re.findall(WIDGET, self.page(self.new_post(post_content=content)))

    def test_has_every_attribute_of_the_element(self):
        [widget] = self.widgets('[ratingd id="7" type="comment" template="simple/dots" size="large" class="a b"'
                                ' color-scheme="dark" counts="false" hide-result lang="de" schema="Recipe"'
                                ' label-like="Gefällt & mehr"]')
        self.assertEqual('<ratingd-rating object-id="7" object-type="comment" template="simple/dots" size="large"'
                         ' color-scheme="dark" counts="false" hide-result="true" class="a b" lang="de"'
                         ' label-like="Gefällt &amp; mehr">', self.in_order(widget))

    @staticmethod
    def in_order(widget):
        """Returns the attributes in the order of widgets.php."""
        names = ["object-id", "object-type", "template", "size", "color-scheme", "counts", "hide-result", "class",
                 "lang", "label-like"]
        given = dict(re.findall(r' ([a-z-]+)="([^"]*)"', widget))
        rest = set(given) - set(names)
        assert not rest, rest
        return "<ratingd-rating" + "".join(f' {name}="{given[name]}"' for name in names if name in given) + ">"

    def test_has_defaults(self):
        others = "[ratingd category='binary'][ratingd category='x' hide-result='false']"
        post = self.new_post(post_content=f"[ratingd]{others}")
        widgets = re.findall(WIDGET, self.page(post))
        start = f'<ratingd-rating object-id="{post}" object-type="post" template='
        self.assertEqual([f'{start}"simple/stars">', f'{start}"simple/heart">', f'{start}"simple/stars">'],
                         [self.in_order(widget) for widget in widgets])
        self.set(default_template_scale="simple/dots")
        self.assertIn('template="simple/dots"', re.findall(WIDGET, self.page(post))[0])

    def test_escapes_what_authors_write(self):
        [widget] = self.widgets("""[ratingd class='"><b onclick="x"' style="color:red" onclick="alert(1)"
            label-like='"><i>' label-x"y='z']""")
        self.assertNotIn("style=", widget)
        self.assertNotRegex(widget, r'\sonclick="')
        self.assertEqual(1, widget.count(">"))
        self.assertEqual([], self.widgets('[ratingd id="x"][ratingd id="0"][ratingd id="1 onclick=x"]'))

    def test_says_to_editors_what_is_missing(self):
        content = "[ratingd type=term][ratingd type=Comment][ratingd type=author][ratingd type=term id=x]"
        post = self.new_post(post_content=content, post_author=0)
        seen = self.log_in().ask("GET", f"/?p={post}").body.decode()
        notes = [unescape(note) for note in re.findall(r'<p class="ratingd-editor-hint">(.*?)</p>', seen)]
        for note, reason, advice in zip(notes, ("not the page of a category or tag", "not part of a comment",
                                                "has no author", "the ID “x” is not valid"),
                                        ("the ID of a category or tag", "the ID of a comment", "the ID of a user",
                                         "a number"), strict=True):
            self.assertIn(reason, note)
            self.assertIn(f"Enter {advice}", note)
            self.assertNotIn("post", note)
        self.assertNotIn("ratingd-editor-hint", self.page(post))

    def test_leads_to_the_login_page_if_visitors_must_log_in(self):
        self.set(require_login="true")
        page = self.page(self.new_post(post_content="[ratingd]"))
        self.assertIn(f' data-login="{site.url}/wp-login.php?redirect_to="', page)

    def test_loads_one_script_and_nothing_elsewhere(self):
        page = self.page(self.new_post(post_content="[ratingd][ratingd template='simple/heart']"))
        self.assertEqual(1, page.count("ratingd-widget.js"))
        [script] = re.findall(r"<script[^>]*ratingd-widget\.js[^>]*>", page)
        self.assertIn(' data-ajax="/wp-admin/admin-ajax.php"', script)
        self.assertNotIn("data-login", script)  # because a site may hide its login page
        # WordPress links the style sheet instead if the page already contains many others.
        self.assertRegex(page, r"ratingd-rating *\{|<link rel=.stylesheet[^>]*/ratingd/css/widget\.css")
        self.assertNotIn("ratingdWords", page)  # the script has the English words
        page = self.page(self.new_post(post_content="Words."))
        self.assertNotRegex(page.replace("wp_ratingd", ""), r"ratingd-widget|ratingd-rating|ratingdWords")

    def test_shows_criteria_and_reactions_with_the_script_of_all_widgets(self):
        self.set(facets="taste,service,love,other")
        page = self.page(self.new_post(post_content="""
            [ratingd facets='taste,service' weights='2,1' label-taste='"><i>']
            [ratingd reactions='love,other' icon-other='<b>' multiple]"""))
        [criteria] = re.findall(r"<ratingd-criteria[^>]*>", page)
        for attribute in ('facets="taste,service"', 'weights="2,1"', 'label-taste="&quot;&gt;&lt;i&gt;"'):
            self.assertIn(f" {attribute}", criteria)
        [reactions] = re.findall(r"<ratingd-reactions[^>]*>", page)
        for attribute in ('facets="love,other"', 'multiple="true"', 'icon-other="&lt;b&gt;"', 'icon-love="❤️"'):
            self.assertIn(f" {attribute}", reactions)
        self.assertNotIn("template=", reactions)
        for off in ("multiple='false'", "multiple='0'", ""):
            page = self.page(self.new_post(post_content=f"[ratingd reactions='love,other' {off}]"))
            self.assertNotIn("multiple", re.search(r"<ratingd-reactions[^>]*>", page)[0])
        self.assertEqual((0, 1), (page.count("ratingd-facets.js"), page.count("ratingd-widget.js")))

    def test_is_not_in_feeds(self):
        self.new_post(post_content="[ratingd] in a feed")
        feed = Browser(site.url).ask("GET", "/feed/").body
        self.assertIn(b"in a feed", feed)
        self.assertNotIn(b"ratingd-rating", feed)
        self.new_post(post_content="in a feed, too<!-- wp:ratingd/rating /-->")
        feed = Browser(site.url).ask("GET", "/feed/").body
        self.assertIn(b"in a feed, too", feed)
        self.assertNotIn(b"ratingd-rating", feed)

    def test_loads_the_script_of_its_own_version(self):
        page = self.page(self.new_post(post_content="[ratingd]"))
        [address] = re.findall(r"src=['\"]([^'\"]*/ratingd-widget\.js[^'\"]*)", page)
        version = site.call("constant", "Ratingd\\VERSION")
        self.assertEqual(f"{site.url}{API}/ratingd-widget.js?ver={version}", address)
        answer = Browser(site.url).ask("GET", address.removeprefix(site.url))
        self.assertEqual(200, answer.status)
        self.assertIn(b"ratingd-rating", answer.body)

    def test_has_its_sheets_in_the_head_of_its_pages_alone(self):
        self.must_use("<?php add_filter( 'pre_option_posts_per_page', function () { return 1; } );")
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        for theme in (None, site.classic_theme()):
            with self.subTest(theme=theme):
                if theme:
                    self.use_theme(theme)
                site.call("delete_option", "ratingd_placement")
                for content, sheets in (("Words.", []), ("[ratingd]", ["widget"]), ("[ratingd_top]", ["top"]),
                                        ("<!-- wp:ratingd/rating /-->", ["widget"]),
                                        ("<!-- wp:ratingd/top /-->", ["top"]), ("[ratingd_mine]", ["top"])):
                    self.assertEqual(sheets, self.sheets(self.new_post(post_content=content)), content)
                placed = self.new_post()
                site.call("update_option", "ratingd_placement", {"post": {"where": "after"}})
                self.assertEqual(["widget"], self.sheets(placed))

    def sheets(self, post):
        head = self.page(post).partition("</head>")[0]
        return re.findall(r"<(?:style|link)[^>]* id=['\"]ratingd-(\w+)(?:-inline)?-css['\"]", head)

    def test_has_large_templates_in_the_page(self):
        for slug in ("simple/distribution", "simple/half-stars"):
            page = self.page(self.new_post(post_content=f"[ratingd template='{slug}']" * 2))
            self.assertEqual(1, page.count(f'["{slug}"]='))
            self.assertLess(page.index(f'["{slug}"]='), page.index("ratingd-widget.js"))
            self.assertNotIn(f'["{slug}"]=', self.page(self.new_post(post_content="[ratingd]")))

    def test_has_templates_of_the_site_in_the_page(self):
        browser = self.log_in()
        stars = browser.ask("GET", f"{API}/templates/simple/stars").json()["data"]
        ours = {"slug": "mine/stars", "name": "Mine", "category": "scale", "html": stars["html"],
                "css": "& { color: red } &::after { content: 'a' }"}
        answer = browser.ask("POST", f"{API}/templates", ours, X_WP_Nonce=browser.nonce())
        self.assertIn(answer.status, (200, 201), answer.body)
        self.addCleanup(browser.ask, "DELETE", f"{API}/templates/mine/stars", X_WP_Nonce=browser.nonce())
        page = self.page(self.new_post(post_content="[ratingd template='mine/stars']" * 2))
        [(slug, template)] = re.findall(r"window.ratingdTemplates \|\| \{\} \)\[ (.*?) \] = (.*);", page)
        self.assertEqual("mine/stars", json.loads(slug))
        self.assertNotIn("<", template)
        template = json.loads(template)
        self.assertEqual({"category", "html", "css"}, set(template))
        self.assertEqual("scale", template["category"])
        self.assertIn("data-value", template["html"])
        self.assertIn("color: red", template["css"])

    def test_has_the_scripts_words(self):
        source = "".join((REPOSITORY / f"web/widget/{name}.js").read_text() for name in ("words", "refused"))
        script = dict(re.findall(r"^  (\w+): '(.*)',$", source, re.MULTILINE))
        words = site.call("Ratingd\\words")
        self.assertGreater(len(script), 10)
        self.assertEqual(script, {name: words.get(name) for name in script})

    def test_has_words_of_the_sites_language(self):
        self.must_use("<?php add_filter( 'locale', function () { return 'de_DE'; } );")
        page = self.page(self.new_post(post_content="[ratingd]"))
        [words] = re.findall(r"window.ratingdWords = Object.assign\( (.*?), window.ratingdWords \);", page)
        self.assertEqual("Gefällt mir", json.loads(words)["like"])

    def test_has_the_sites_own_words_in_its_language_alone(self):
        post = self.new_post(post_content="[ratingd]")
        self.assertNotIn("ratingdWords", self.page(post))
        given = {"thanks": " Thank <3 & you </script>! ", "step_5": "x" * 99, "like": "No", "first": ["No"]}
        cleaned = site.call("Ratingd\\clean_texts", given)
        self.addCleanup(site.call, "delete_option", "ratingd_texts")
        site.call("update_option", "ratingd_texts", cleaned)
        [words] = re.findall(r"window.ratingdWords = Object.assign\( (.*?), window", self.page(post))
        self.assertNotIn("<", words)
        self.assertEqual({"thanks": "Thank <3 & you !", "step_5": "x" * 60}, json.loads(words))
        self.assertEqual(cleaned, site.call("Ratingd\\clean_texts", cleaned))
        site.call("update_option", "ratingd_texts", {**cleaned, "thanks": "Thank &lt;3"})  # stored with entities
        self.assertIn(r'"thanks":"Thank \u003C3"', self.page(post))
        self.must_use("<?php add_filter( 'locale', function () { return 'de_DE'; } );")
        [words] = re.findall(r"window.ratingdWords = Object.assign\( (.*?), window", self.page(post))
        self.assertEqual("Ausgezeichnet", json.loads(words)["step_5"])


    def test_shows_characters_of_html_in_the_owners_texts_as_they_are(self):
        self.set(facets="taste,love")
        names = {"taste": {"label": "Q&A <3", "group": "criteria"},
                 "love": {"label": "I <3 it", "group": "reactions", "icon": "<3"}}
        options = {"ratingd_look": {"text": 'Rate <3 & "more" &lt;i&gt;x'}, "ratingd_names": names}
        for name, value in options.items():
            self.addCleanup(site.call, "delete_option", name)
            site.call("update_option", name, value)
        self.assertEqual('Rate <3 & "more" x', site.call("Ratingd\\look")["text"])
        post = self.new_post(post_content="[ratingd][ratingd facets='taste'][ratingd reactions='love']")
        page = self.page(post)
        self.assertIn('<div class="ratingd-text">Rate &lt;3 &amp; &quot;more&quot; x</div>', page)
        for attribute in ('label-taste="Q&amp;A &lt;3"', 'label-love="I &lt;3 it"', 'icon-love="&lt;3"'):
            self.assertIn(f" {attribute}", page)
        self.assertIn("<bdi>Q&amp;A &lt;3: \u2013</bdi>", page)
        browser = self.log_in()
        editor = browser.ask("GET", f"/wp-admin/post.php?post={post}&action=edit").body.decode()
        self.assertIn(r'"label":"Q&A \u003C3"', editor)
        self.assertIn(r'"text":"Rate \u003C3 & \"more\" x"', editor)
        for path in ("placement", "names"):
            admin = browser.ask("GET", f"/wp-admin/admin.php?page=ratingd-{path}").body.decode()
            self.assertIn('"Q&amp;A &lt;3"', admin)
            self.assertNotIn("&amp;lt;", admin)
        admin = browser.ask("GET", "/wp-admin/admin.php?page=ratingd").body.decode()
        facets = json.loads(unescape(re.search(r'data-facets="([^"]*)"', admin)[1]))
        self.assertEqual({"taste": "Q&A <3", "love": "I <3 it"}, facets)


class FiguresTest(PluginTest):
    """The text of a widget before its script runs, and without scripts."""

    READS = "FROM wp_ratingd_post_stats WHERE"
    STARS = "Rating: 4.3 of 5 (3 votes)"  # of rated_post()

    def figures(self, page):
        """Returns each widget's content."""
        return re.findall(r"<ratingd-rating[^>]*>(.*?)</ratingd-rating>", page, re.DOTALL)

    def words(self, page):
        """Returns the same text without the element around it."""
        start, end = "<bdi>", "</bdi>"
        found = self.figures(page)
        for one in found:
            self.assertTrue(one == "" or (one.startswith(start) and one.endswith(end)), one)
        return [one.removeprefix(start).removesuffix(end) for one in found]

    def rated_post(self, content="[ratingd]", **fields):
        post = self.new_post(post_content=content, **fields)
        for user, (scale, binary, bipolar) in enumerate(((0.7, 1, 1), (1, 1, 1), (0.9, 0, -1)), 2000):
            for category, value in (("scale", scale), ("binary", binary), ("bipolar", bipolar)):
                site.vote(user, post, value=value, category=category)
        return post

    def own_template(self, slug, category, html):
        browser = self.log_in()
        root = ('data-object-id="{{OBJECT_ID}}" data-object-type="{{OBJECT_TYPE}}" data-category="{{CATEGORY}}"'
                ' data-template="{{TEMPLATE}}" data-user-rating="{{USER_RATING}}"')
        button = '<button type="button" data-value="1" aria-pressed="false">+</button>'
        ours = {"slug": slug, "name": "Mine", "category": category, "css": "& { color: red }",
                "html": f"<div {root}>{button}{html}</div>"}
        answer = browser.ask("POST", f"{API}/templates", ours, X_WP_Nonce=browser.nonce())
        self.assertIn(answer.status, (200, 201), answer.body)
        self.addCleanup(browser.ask, "DELETE", f"{API}/templates/{slug}", X_WP_Nonce=browser.nonce())

    def test_are_those_of_the_template(self):
        expected = {"stars": self.STARS, "dots": self.STARS,
                    "distribution": self.STARS, "half-stars": self.STARS, "slider": "Rating: 8.7 of 10 (3 votes)",
                    "heart": "Likes: 2", "like-dislike": "Likes: 2, Dislikes: 1", "thumbs": "Score: +1"}
        post = self.rated_post("".join(f'[ratingd template="simple/{slug}"]' for slug in expected))
        self.assertEqual(list(expected.values()), self.words(self.page(post)))
        for content in ("<!-- wp:ratingd/rating /-->", "Words."):
            site.call("update_option", "ratingd_placement", {"post": {"where": "after"}})
            self.addCleanup(site.call, "delete_option", "ratingd_placement")
            site.call("wp_update_post", {"ID": post, "post_content": content})
            self.assertEqual([expected["stars"]], self.words(self.page(post)), content)

    def test_are_those_of_the_type_in_small_letters_as_the_service_takes_it(self):
        post = self.rated_post('[ratingd type="POST"]')
        self.assertEqual([self.STARS], self.words(self.page(post)))
        self.assertIn(' object-type="post"', self.page(post))

    def test_are_none_yet_without_votes(self):
        content = f'[ratingd][ratingd template="simple/heart"][ratingd id="{self.new_post()}"]'
        post = self.new_post(post_content=content)
        site.vote(2000, post, value=0.5, category="scale")
        self.assertEqual(["Rating: 2.5 of 5 (1 vote)", "No ratings yet.", "No ratings yet."],
                         self.words(self.page(post)))

    def test_are_those_of_each_criterion_and_reaction(self):
        self.set(facets="taste,room_service,love,funny")
        post = self.new_post(post_content="""
            [ratingd facets="taste, room_service" label-taste="Flavour"]
            [ratingd facets="taste" hide-result]
            [ratingd reactions="love,funny"]""")
        site.vote(2000, post, "post:taste", value=0.9, category="scale")
        site.vote(2000, post, "post:love", value=1, category="binary")
        found = re.findall(r"<bdi>(.*?)</bdi></ratingd-(?:criteria|reactions)>", self.page(post))
        self.assertEqual(["Flavour: 4.5 of 5<br>Room service: \u2013", "Love: 1 &nbsp; Funny: 0"], found)

    def test_are_hidden_where_the_widget_hides_them(self):
        expected = {"hide-result": "", "template='simple/heart' hide-result='true'": "",
                    "template='mine/gone'": "", "template='simple/nothere'": "",
                    "template='simple/heart' counts='false'": "",
                    "template='simple/thumbs' counts='false'": "", "counts='false'": "Rating: 4.3 of 5",
                    "hide-result='false'": self.STARS}
        post = self.rated_post("".join(f"[ratingd {attributes}]" for attributes in expected))
        self.assertEqual(list(expected.values()), self.words(self.page(post)))
        content = "[ratingd hide-result][ratingd template='simple/heart' counts='false']"
        unrated = self.new_post(post_content=content)
        self.assertEqual(["", ""], self.words(self.page(unrated)))

    def test_are_those_that_a_template_of_the_site_shows(self):
        total = '{{#COUNTS}}<b data-stat="total">{{TOTAL}}</b>{{/COUNTS}}'
        self.own_template("mine/average", "scale", '<b data-stat="average" data-scale="100">{{AVERAGE_100}}</b>')
        self.own_template("mine/small", "scale", f'<b data-stat="average">{{{{AVERAGE}}}}</b>{total}')
        self.own_template("mine/total", "scale", total)
        self.own_template("mine/nothing", "binary", "")
        self.own_template("mine/all", "bipolar", f'<b data-count="positive">{{{{POSITIVE}}}}</b>{total}')
        expected = {"mine/average": "Rating: 87 of 100", "mine/small": "Rating: 0.87 of 1 (3 votes)",
                    "mine/total": "3 votes", "mine/nothing": "", "mine/all": "Likes: 2 (3 votes)",
                    "mine/all' counts='false": "Likes: 2"}
        post = self.rated_post("".join(f"[ratingd template='{slug}']" for slug in expected))
        self.assertEqual(list(expected.values()), self.words(self.page(post)))

    def test_are_not_shown_of_what_visitors_may_not_read(self):
        kept = [self.rated_post(post_status="private"), self.rated_post(post_status="draft"),
                self.rated_post(post_password="secret")]
        public = self.rated_post("".join(f"[ratingd id='{post}']" for post in kept) + "[ratingd]")
        self.assertEqual(["", "", "", self.STARS], self.words(self.page(public)))
        part = "<?php add_action( 'wp_footer', function () { echo ratingd_widget(); } );"
        self.must_use(part)
        self.assertEqual([""], self.words(self.page(kept[2])))

    def test_are_left_out_if_they_cannot_be_read(self):
        post = self.rated_post("[ratingd]" * 3)
        statements = StatementLog()
        self.addCleanup(statements.close)
        site.sql("RENAME TABLE wp_ratingd_totals TO hidden_totals")
        try:
            self.assertEqual(["", "", ""], self.words(self.page(post)))
        finally:
            site.sql("RENAME TABLE hidden_totals TO wp_ratingd_totals")
        self.assertEqual(1, len(statements.read(self.READS)))

    def test_are_escaped(self):
        label = """label-rating='<i onclick="x">"&amp;' label-like="<b>"'"""
        post = self.rated_post(f"[ratingd {label}]")
        [figures] = self.figures(self.page(post))
        self.assertNotIn("<i", figures)
        self.assertEqual(2, figures.count("<"))
        post = self.rated_post("")
        self.must_use(f"<?php add_action( 'wp_footer', function () {{ echo ratingd_widget( array( 'id' => {post},"
                      " 'label-rating' => '</span><script>alert(1)</script>\"&' ) ); } );")
        [figures] = self.words(self.page(post))
        self.assertEqual("&lt;/span&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;: 4.3 of 5 (3 votes)",
                         figures)

    def test_have_the_labels_of_their_widget(self):
        post = self.rated_post("[ratingd label-rating='Taste']"
                               "[ratingd template='simple/heart' label-like='Yummy']")
        self.assertEqual(["Taste: 4.3 of 5 (3 votes)", "Yummy: 2"], self.words(self.page(post)))

    def test_are_in_the_sites_language(self):
        self.must_use("<?php add_filter( 'locale', function () { return 'de_DE'; } );"
                      " add_action( 'init', function () {"
                      " $GLOBALS['wp_locale']->number_format['decimal_point'] = ','; } );")
        post = self.rated_post("[ratingd][ratingd template='simple/like-dislike']"
                               f"[ratingd template='simple/thumbs'][ratingd id='{self.new_post()}']")
        self.assertEqual(["Bewertung: 4,3 von 5 (3 Stimmen)", "Gefällt mir: 2, Gefällt mir nicht: 1",
                          "Punktestand: +1", "Noch keine Bewertungen."], self.words(self.page(post)))
        self.assertEqual("1,234 votes", site.call("Ratingd\\votes", 1234).replace("Stimmen", "votes"))

    def test_are_not_in_excerpts(self):
        post = self.rated_post("Words.")
        self.must_use("""<?php
            add_filter( 'get_the_excerpt', function () { return do_shortcode( '[ratingd]' ); } );
            add_action( 'wp_footer', function () { echo get_the_excerpt(); } );""")
        self.assertEqual([""], self.words(self.page(post)))

    def test_need_one_statement_for_the_widgets_of_a_page(self):
        statements = StatementLog()
        self.addCleanup(statements.close)
        posts = [self.new_post(post_title=f"Listed {number}") for number in range(10)]
        rated = self.rated_post()
        text = ["No ratings yet."] * 10 + [self.STARS]
        named = "".join(f'<!-- wp:ratingd/rating {{"objectId":"{post}"}} /-->' for post in posts[:5])
        named += "".join(f"<p>[ratingd id='{post}']</p>" for post in posts[5:])
        page = self.new_post(post_content=f'{named}[ratingd id="{rated}" schema="Recipe"]', post_type="page")
        query = {"perPage": 11, "postType": "post", "inherit": False, "order": "asc", "orderBy": "date",
                 "include": [*posts, rated]}
        self.must_use("<?php add_filter( 'query_loop_block_query_vars', function ( $query ) {"
                      f" $query['post__in'] = array( {','.join(map(str, [*posts, rated]))} );"
                      " $query['orderby'] = 'post__in'; return $query; } );")
        looped = self.new_post(post_content=query_loop(query, "<!-- wp:ratingd/rating /-->"), post_type="page")
        for post in (page, looped):
            statements.clear()
            self.assertEqual(text, self.words(self.page(post)))
            self.assertEqual(1, len(statements.read(self.READS)), statements.read(self.READS))

    def test_share_their_statement_with_structured_data(self):
        statements = StatementLog()
        self.addCleanup(statements.close)
        post = self.rated_post("[ratingd schema='Recipe']")
        statements.clear()
        page = self.page(post)
        self.assertIn('"AggregateRating"', page)
        self.assertEqual([self.STARS], self.words(page))
        self.assertEqual(1, len(statements.read(self.READS)))

    def test_pages_without_widgets_need_no_statement(self):
        statements = StatementLog()
        self.addCleanup(statements.close)
        post = self.rated_post("Withoutwidget.")
        statements.clear()
        self.page(post)
        found = Browser(site.url).ask("GET", "/?s=Withoutwidget").body.decode()
        self.assertIn(site.call("get_permalink", post), found)
        self.assertEqual([], statements.read(self.READS))


class SameFactsTest(PluginTest):
    """Facts on which the plugin, the script and ratingd must agree."""

    SCRIPTS = ("templates.js", "more-templates.js", "distribution.js", "half-stars.js")

    @staticmethod
    def script(name):
        return (REPOSITORY / "web/widget" / name).read_text()

    def test_builtin_templates(self):
        templates = [one for one in Browser(site.url).ask("GET", f"{API}/templates").json()["data"]
                     if one["slug"].startswith("simple/")]
        categories = {one["slug"]: one["category"] for one in templates}
        self.assertEqual(set(categories), set(site.call("Ratingd\\builtin_templates")))
        of_plugin = {slug: site.call("Ratingd\\category_of", {"template": slug}) for slug in categories}
        self.assertEqual(categories, of_plugin)
        pattern = r"'(simple/[\w-]+)'\]? ?[:=] ?(?:template\(|\{category: )'(\w+)'"
        of_script = re.findall(pattern, "".join(map(self.script, self.SCRIPTS)))
        self.assertEqual(sorted(categories.items()), sorted(of_script))

    def test_scales_of_builtin_templates(self):
        for one in Browser(site.url).ask("GET", f"{API}/templates").json()["data"]:
            if one["category"] == "scale":
                [shown] = re.findall(r'data-stat="average" data-scale="(\d+)"', one["html"])
                scale = site.call("Ratingd\\scale_of", {"template": one["slug"]})
                self.assertEqual(int(shown), scale, one["slug"])

    def test_figures_of_builtin_templates(self):
        names = "average|total|positive|negative|score"
        for one in Browser(site.url).ask("GET", f"{API}/templates").json()["data"]:
            without = re.sub(r"{{#COUNTS}}.*?{{/COUNTS}}", "", one["html"], flags=re.DOTALL)
            for counts, text in (("", one["html"]), ("false", without)):
                shown = set(re.findall(rf'data-(?:stat|count)="({names})"', text))
                of_plugin = site.call("Ratingd\\shown_figures", {"template": one["slug"], "counts": counts})
                self.assertEqual(shown, set(of_plugin), (one["slug"], counts))

    def test_default_templates(self):
        defaults = {one["category"]: one["slug"]
                    for one in Browser(site.url).ask("GET", f"{API}/templates").json()["data"] if one["default"]}
        of_plugin = {category: site.call("Ratingd\\default_template", category) for category in defaults}
        self.assertEqual(defaults, of_plugin)
        self.assertEqual(site.call("constant", "Ratingd\\CATEGORIES"), sorted(defaults))

    def test_categories_of_builtin_templates(self):
        of_service = {one["slug"]: one["category"]
                      for one in Browser(site.url).ask("GET", f"{API}/templates").json()["data"] if one["builtin"]}
        self.assertEqual(of_service, site.call("constant", "Ratingd\\BUILT_IN_TEMPLATES"))

    def test_default_template_that_is_missing(self):
        for stored in ("mine/gone", "simple/nothere", "simple/heart", ""):
            site.mariadb().execute("REPLACE INTO wordpress.wp_ratingd_settings VALUES "
                                   f"('default_template_bipolar', '\"{stored}\"')")
            self.addCleanup(site.ratingctl, "settings", "reset", "default_template_bipolar")
            self.assertEqual("simple/thumbs", site.call("Ratingd\\default_template", "bipolar"), stored)

    def test_types_for_search_engines(self):
        types = site.call("constant", "Ratingd\\SCHEMA_TYPES")
        [of_script] = re.findall(r"types = \[(.*?)\]", self.script("schema.js"), re.DOTALL)
        self.assertEqual(types, re.findall(r"\w+", of_script))
        text = " ".join((REPOSITORY / "docs/themes.md").read_text().split())
        self.assertIn(f"{', '.join(types[:-1])} and {types[-1]}", text)


# Adds a "Rating" block to each of the theme's template parts, and renders the parts on the page of a post.
PARTS = r"""<?php
function test_parts( $post ) {
	setup_postdata( $GLOBALS['post'] = get_post( $post ) );
	$theme = get_stylesheet();
	$html  = array();
	foreach ( get_block_templates( array(), 'wp_template_part' ) as $part ) {
		$content = $part->content . '<!-- wp:ratingd/rating /-->';
		$edited  = array( 'post_type' => 'wp_template_part', 'post_name' => $part->slug,
			'post_title' => 'Edited', 'post_status' => 'publish', 'post_content' => $content );
		$id      = wp_insert_post( $edited );
		wp_set_object_terms( $id, $theme, 'wp_theme' );
		$name = wp_json_encode( array( 'slug' => $part->slug, 'theme' => $theme ) );
		$html[ $part->slug ] = do_blocks( "<!-- wp:template-part $name /-->" );
		wp_delete_post( $id, true );
	}
	return $html;
}
"""


# This plugin imitates Polylang, because Debian has no package for Polylang. The functions whose names begin with
# "pll_" read the translations from post metadata. The "lang" query parameter is the language of the page. Polylang
# deletes its data about a post in the before_delete_post action, so this plugin uses the same action. The function
# test_delete() deletes several posts in one request.
POLYLANG = """<?php
function pll_default_language() { return 'en'; }
function pll_current_language() { return $_GET['lang'] ?? 'en'; }
function pll_get_post_language( $id ) {
	foreach ( array( 'en', 'de' ) as $language ) {
		if ( (int) $id === pll_get_post( $id, $language ) ) {
			return $language;
		}
	}
	return false;
}
function pll_get_post( $id, $language ) { return (int) get_post_meta( $id, "post_in_$language", true ); }
function pll_get_post_translations( $id ) {
	global $wpdb;
	$of = "SELECT post_id FROM $wpdb->postmeta WHERE meta_key = 'post_in_en' AND meta_value = %d";
	return $wpdb->get_col( $wpdb->prepare( $of, pll_get_post( $id, 'en' ) ) );
}
add_action( 'before_delete_post', function ( $id ) {
	delete_post_meta( $id, 'post_in_en' );
	delete_metadata( 'post', 0, 'post_in_en', $id, true );
} );
function test_delete( ...$ids ) {
	foreach ( $ids as $id ) {
		wp_delete_post( $id, true );
	}
}
"""


class SharedRatingsTest(PluginTest):
    """Translations that share the rating of one post, and other posts that share a rating by the filter."""

    def setUp(self):
        self.must_use(POLYLANG)
        self.addCleanup(site.call, "update_option", "ratingd_shared_by_translations", 0)
        self.original = self.new_post(post_content="[ratingd]", post_title="Original")
        self.translation = self.new_post(post_content="[ratingd]", post_title="Übersetzung")
        for post in (self.original, self.translation):
            site.call("update_post_meta", post, "post_in_en", self.original)
            site.call("update_post_meta", post, "post_in_de", self.translation)
        site.vote(1, self.original, value=0.8, category="scale")

    def share(self):
        site.call("update_option", "ratingd_shared_by_translations", 1)

    def rating_in_rest(self, post):
        return self.log_in().ask("GET", f"{POSTS}/{post}").json()["ratingd"]

    def test_translations_are_rated_by_themselves_by_default(self):
        self.assertEqual([self.translation], ids_of(self.page(self.translation)))

    def test_widgets_are_for_the_original(self):
        self.share()
        for post in (self.original, self.translation):
            self.assertEqual([self.original], ids_of(self.page(post)))
        block = self.new_post(post_content="<!-- wp:ratingd/rating /-->")
        site.call("update_post_meta", block, "post_in_en", self.original)
        self.assertEqual([self.original], ids_of(self.page(block)))
        named = self.new_post(post_content=f'[ratingd id="{self.translation}"]')
        self.assertEqual([self.translation], ids_of(self.page(named)))

    def test_placed_widgets_are_for_the_original(self):
        self.share()
        site.call("update_option", "ratingd_placement", {"post": {"where": "after"}})
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        bare = self.new_post(post_content="Nothing.")
        site.call("update_post_meta", bare, "post_in_en", self.original)
        self.assertEqual([self.original], ids_of(self.page(bare)))
        self.assertEqual([self.original], ids_of(self.page(self.translation)))  # not twice

    def test_figures_are_those_of_the_original(self):
        self.assertEqual({}, self.rating_in_rest(self.translation) or {})
        self.share()
        self.assertEqual(1, self.rating_in_rest(self.translation)["scale"]["total"])
        self.assertIn(">Rating: 4.0 of 5 (1 vote)<", self.page(self.translation))
        self.assertEqual(1, self.rating_in_rest(self.original)["scale"]["total"])

    def listed(self, post, language):
        """Returns the figures of the listed posts by title."""
        page = self.page(post, f"&lang={language}")
        form = r'ratingd-top-title">(.*?)</span></a> <span class="ratingd-top-figure">(.*?)</span>'
        return dict(re.findall(form, page))

    def test_lists_have_the_posts_in_the_language_of_the_page(self):
        self.share()
        alone = self.new_post(post_title="Untranslated")
        site.call("update_post_meta", alone, "post_in_en", alone)
        plain = self.new_post(post_title="Without language")
        for post in (alone, plain):
            site.vote(1, post, value=1, category="scale")
        site.vote(1, self.translation, value=0.2, category="scale")  # from before the ratings were shared
        site.sql("DELETE FROM wp_options WHERE option_name LIKE '%ratingd_top_%'")
        post = self.new_post(post_content='[ratingd_top category="scale" number="50"]')
        english, german = (self.listed(post, language) for language in ("en", "de"))
        self.assertEqual("Average: 4.0 of 5 (1 vote)", english["Original"])
        self.assertEqual("Average: 4.0 of 5 (1 vote)", german["Übersetzung"])
        self.assertLessEqual({"Untranslated", "Without language"}, set(english))
        self.assertIn("Without language", german)
        self.assertNotIn("Übersetzung", english)
        self.assertFalse({"Original", "Untranslated"} & set(german))

    def test_translations_are_ordered_by_the_shared_ratings(self):
        self.share()
        originals, translations = ([self.new_post() for _ in range(3)] for _ in range(2))
        for original, translation, value in zip(originals, translations, (0.6, 1, 0.2), strict=True):
            for post in (original, translation):
                site.call("update_post_meta", post, "post_in_en", original)
            site.vote(1, original, value=value, category="scale")
        site.vote(1, translations[2], value=1, category="scale")  # from before the ratings were shared
        unrated = self.new_post()
        site.sql("DELETE FROM wp_options WHERE option_name LIKE '%transient_ratingd_shared_%'")
        asked = {"post__in": [*translations, unrated], "orderby": "ratingd", "ratingd_category": "scale",
                 "fields": "ids", "suppress_filters": False}
        ordered = [translations[1], translations[0], translations[2], unrated]
        self.assertEqual(ordered, site.call("get_posts", asked))
        statements = StatementLog()
        self.addCleanup(statements.close)
        self.assertEqual([*reversed(ordered[:3]), unrated], site.call("get_posts", {**asked, "order": "ASC"}))
        [statement] = statements.read("AS ratingd ON")
        plan = site.rows(f"EXPLAIN FORMAT=TRADITIONAL {statement}")
        self.assertEqual(["wp_ratingd_totals", "PRIMARY"], [plan[1][2], plan[1][5]], plan)
        self.assertIn(plan[1][3], ("ref", "eq_ref"), plan)

    def test_search_engines_get_the_rating_of_the_original(self):
        content = '[ratingd schema="Recipe"]'
        site.call("wp_update_post", {"ID": self.translation, "post_content": content})
        self.assertNotIn('"AggregateRating"', self.page(self.translation))
        self.share()
        self.assertIn('"AggregateRating"', self.page(self.translation))

    def test_an_original_that_is_not_published_is_not_rated(self):
        self.share()
        site.call("wp_update_post", {"ID": self.original, "post_status": "draft"})
        self.assertEqual([self.translation], ids_of(self.page(self.translation)))

    def test_owners_choose_on_the_page_of_placement(self):
        browser = self.log_in()
        page = browser.ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        self.assertIn('name="ratingd_shared_by_translations" value="1">', page)
        form = dict(re.findall(r"name=['\"](option_page|action|_wpnonce)['\"] value=['\"]([^'\"]*)", page))
        form["ratingd_shared_by_translations"] = "1"
        self.assertEqual(200, browser.submit("/wp-admin/options.php", form).status)
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        self.assertEqual([self.original], ids_of(self.page(self.translation)))
        page = browser.ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        self.assertIn("name=\"ratingd_shared_by_translations\" value=\"1\" checked='checked'>", page)

    def test_owners_download_the_list_for_ratingctl_merge(self):
        self.share()
        browser = self.log_in()
        page = browser.ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        link = unescape(re.search(r'href="[^"]*(/wp-admin/admin-post\.php\?action=ratingd_shared[^"]*)"', page)[1])
        listed = browser.ask("GET", link)
        self.assertIn("attachment", listed.headers["content-disposition"])
        first, *pairs = listed.body.decode().splitlines()
        self.assertEqual("from,into", first)
        self.assertIn(f"{self.translation},{self.original}", pairs)
        self.assertFalse(any(pair.startswith(f"{self.original},") for pair in pairs))
        self.assertEqual(403, browser.ask("GET", link.partition("&")[0]).status)  # without the nonce
        self.assertNotIn("from,into", Browser(site.url).ask("GET", link).body.decode())

    def test_are_kept_as_long_as_a_translation_of_the_deleted_original_is(self):
        self.set(on_object_deleted="remove")
        self.share()
        site.vote(1, self.translation)  # from before, when the translation had its own rating
        site.call("test_delete", self.original)
        self.assertEqual([1], self.voters_of(self.original))
        self.assertEqual([self.translation], ids_of(self.page(self.translation)))
        site.call("test_delete", self.translation)
        self.assertEqual([], self.voters_of(self.translation))

    def test_are_deleted_with_the_original_and_its_translations(self):
        self.set(on_object_deleted="remove")
        self.share()
        site.call("test_delete", self.original, self.translation)
        self.assertEqual([], self.voters_of(self.original))

    def test_are_deleted_with_the_original_if_its_translations_are_in_the_trash(self):
        self.set(on_object_deleted="remove")
        self.share()
        site.call("wp_trash_post", self.translation)
        site.call("test_delete", self.original)
        self.assertEqual([], self.voters_of(self.original))

    def test_are_deleted_with_the_original_if_nothing_is_shared(self):
        self.set(on_object_deleted="remove")
        site.call("test_delete", self.original)
        self.assertEqual([], self.voters_of(self.original))

    def test_other_posts_share_by_the_filter(self):
        alone = self.new_post(post_content="[ratingd]")
        self.must_use("<?php add_filter( 'ratingd_object_id', function ( $object, $post ) {"
                      f" return {alone} === $post ? {self.original} : $object; }}, 10, 2 );")
        self.assertEqual([self.original], ids_of(self.page(alone)))


class ThemePartsTest(PluginTest):
    """Template parts of WordPress's own block theme, which is Twenty Twenty-Five in 6.8 and 7.1."""

    def test_all_have_ratings(self):
        self.must_use(PARTS)
        post = self.new_post()
        parts = site.call("test_parts", post)
        self.assertTrue({"header", "footer"} <= set(parts), set(parts))
        for slug, html in parts.items():
            self.assertEqual([post], ids_of(html), slug)


class OldFileTest(PluginTest):
    """The plugin beside ratingd-widgets.php from version 0.1, which provides the widgets then."""

    FILE = REPOSITORY / "tests/fixtures/ratingd-widgets.php"

    def test_shows_its_widgets_from_functions_php(self):
        theme = site.run_dir / "wordpress/wp-content/themes/old"
        theme.mkdir()
        self.addCleanup(shutil.rmtree, theme)
        (theme / "style.css").write_text("/* Theme Name: Old */")
        (theme / "index.php").write_text(
            "<!DOCTYPE html><?php while ( have_posts() ) { the_post(); the_content(); } wp_footer(); ?></html>")
        (theme / "functions.php").write_text(self.FILE.read_text())
        self.use_theme("old")
        post = self.new_post(post_content="[ratingd]")
        self.addCleanup(site.call, "wp_trash_post", post)
        self.assertIn("data-ratingd ", self.page(post))
        self.assertIn("themes/old/functions.php", site.call("Ratingd\\site_health_result")["description"])

    def test_the_editors_work(self):
        self.must_use(self.FILE.read_text())
        post = self.new_post(post_content="[ratingd]")
        self.addCleanup(site.call, "wp_trash_post", post)
        site.vote(5, post)
        browser = self.log_in()
        address = f"/wp-admin/post.php?post={post}&action=edit"
        page = browser.ask("GET", address).body.decode()
        self.assertIn("window.ratingdEditor", page)
        self.assertIn("</html>", page)
        self.must_use("<?php add_filter( 'use_block_editor_for_post', '__return_false' );")
        page = browser.ask("GET", address).body.decode()
        self.assertIn("Likes: 100% of 1 vote", page)
        self.assertIn("</html>", page)
        self.assertIn("data-ratingd ", self.page(post))


    def test_deletions_and_exports_work(self):
        self.must_use(self.FILE.read_text())
        self.set(on_object_deleted="remove")
        user, login = self.new_user()
        post, deleted = self.new_post(), self.new_post()
        site.vote(user, post, value=0.75, category="scale")
        site.vote(user, deleted)
        site.call("wp_delete_post", deleted, True)
        self.assertEqual([], self.voters_of(deleted))
        [item] = site.call("Ratingd\\export_personal_data", f"{login}@example.org")["data"]
        self.assertIn({"name": "Rating", "value": "3.8 of 5"}, item["data"])


class NamesTest(PluginTest):
    """The page Ratings → Criteria and reactions."""

    def form(self, *rows):
        return site.call("Ratingd\\names_of_form", list(rows))

    def test_that_others_created_meanwhile_stay(self):
        self.set(facets="taste,service,love")
        names = self.form({"name": "service", "group": "criteria", "label": "Service"},
                          {"name": "taste", "group": "criteria", "label": "Taste", "remove": "1"},
                          {"name": "", "group": "criteria", "label": "Price"})
        self.assertEqual(["service", "price", "love"], list(names))

    def test_that_others_removed_meanwhile_stay_removed(self):
        self.set(facets="taste")
        names = self.form({"name": "taste", "group": "criteria", "label": "Taste"},
                          {"name": "service", "group": "criteria", "label": "Service"},
                          {"name": "", "group": "reactions", "label": "Love"})
        self.assertEqual(["taste", "love"], list(names))

    def test_are_not_replaced_if_the_settings_cannot_be_read(self):
        site.sql("RENAME TABLE wp_ratingd_settings TO hidden_settings")
        try:
            with self.assertRaisesRegex(ServerError, "The rating settings cannot be read."):
                self.form({"name": "taste", "group": "criteria", "label": "Qualität"})
        finally:
            site.sql("RENAME TABLE hidden_settings TO wp_ratingd_settings")

    def test_that_several_create_at_once_are_all_stored(self):
        self.set(facets="taste")
        runs = [subprocess.Popen(["php", "-d", "sendmail_path=/bin/true", SANDBOX / "wordpress_call.php",
                                  site.run_dir / "wordpress", "Ratingd\\create_names",
                                  json.dumps(["criteria", [f"Name {number}"]])], stdout=subprocess.PIPE)
                for number in range(6)]
        for run in runs:
            run.communicate(timeout=120)
        expected = {"taste", *(f"name-{number}" for number in range(6))}
        self.assertEqual(expected, set(site.call("Ratingd\\site_names")))
        self.assertLessEqual(expected - {"taste"}, set(site.call("get_option", "ratingd_names")))

    def test_have_one_emoji_however_many_characters_it_has(self):
        family, kiss = "👨‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏿"
        england = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
        for icon in (family, england, kiss, ":-)"):
            about = site.call("Ratingd\\clean_name", {"label": "Love", "icon": icon}, "love")
            self.assertEqual(icon, about["icon"])
        about = site.call("Ratingd\\clean_name", {"icon": family * 9}, "love")
        self.assertEqual("", about["icon"].replace(family, ""), "no emoji is cut")

    def test_are_found_in_all_contents_without_all_contents_in_memory(self):
        site.sql("DELETE FROM wp_posts WHERE post_content LIKE '%ratingd%'; SET sql_mode = '';"
                 " INSERT INTO wp_posts"
                 " (post_title, post_content, post_type)"
                 " SELECT 'Long', CONCAT('[ratingd facets=taste] ',"
                 " REPEAT('x', 400000)), 'post' FROM seq_1_to_45")
        self.addCleanup(site.sql, "DELETE FROM wp_posts WHERE post_title = 'Long'")
        posts = [int(id_) for [id_] in site.rows("SELECT ID FROM wp_posts WHERE post_title = 'Long'")]
        self.must_use("<?php function test_peak() { $before = memory_get_usage();\n"
                      "$uses = \\Ratingd\\posts_with_names();\n"
                      "return array( $uses, memory_get_peak_usage() - $before ); }")
        uses, peak = site.call("test_peak")
        self.assertEqual(sorted(posts, reverse=True), uses["taste"])
        self.assertLess(peak, 45 * 400_000)

    def test_are_not_those_of_the_texts_of_widgets(self):
        labels = ["Thanks", "First", "Step_1", "Like"]
        names = site.call("Ratingd\\create_names", "reactions", labels)
        self.assertEqual(["thanks-2", "first-2", "step_1-2", "like"], names)

    def test_of_digits_are_not_replaced_by_new_ones(self):
        self.set(facets="5")
        self.assertEqual(["5-2"], site.call("Ratingd\\create_names", "criteria", ["5!"]))

    def test_are_not_those_of_words_in_widgets(self):
        self.set(facets="taste")
        names = site.call("Ratingd\\create_names", "criteria", ["First", "Overall"])
        self.assertEqual(["first-2", "overall-2"], names)
        self.assertEqual(["like"], site.call("Ratingd\\create_names", "reactions", ["Like"]))
        html = self.page(self.new_post(post_content="[ratingd facets='first-2']"))
        self.assertIn(' label-first-2="First"', html)

    def test_search_all_posts_once(self):
        self.set(facets="taste,love")
        browser = self.log_in()
        statements = StatementLog()
        self.addCleanup(statements.close)
        page = browser.ask("GET", "/wp-admin/admin.php?page=ratingd-names").body.decode()
        self.assertIn("<code>love</code>", page)
        for part in ("post_content LIKE '%ratingd%'", "GROUP BY object_type"):
            self.assertEqual(1, len(statements.read(part)), part)

    def test_settings_that_cannot_be_read_contradict_nothing(self):
        site.sql("RENAME TABLE wp_ratingd_settings TO hidden_settings")
        try:
            self.assertEqual([], site.call("Ratingd\\general_contradictions"))
            self.assertEqual("", site.call("Ratingd\\category_problem", "scale"))
        finally:
            site.sql("RENAME TABLE hidden_settings TO wp_ratingd_settings")


class PlacementTest(PluginTest):
    """Ratings that an option places before or after the content."""

    def place(self, where="after", type_="post", **more):
        fields = {"where": where, "template": "simple/stars", "size": "medium", "schema": "", **more}
        self.assertEqual(200, self.submit({type_: fields}).status)
        self.addCleanup(site.call, "delete_option", "ratingd_placement")

    def submit(self, types, browser=None):
        browser = browser or self.log_in()
        page = browser.ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        form = dict(re.findall(r"name=['\"](option_page|action|_wpnonce)['\"] value=['\"]([^'\"]*)", page))
        for type_, fields in types.items():
            form.update({f"ratingd_placement[{type_}][{name}]": value for name, value in fields.items()})
        return browser.submit("/wp-admin/options.php", form)

    def check_places(self):
        post = self.new_post(post_content="<p>The content.</p>")
        self.place("after", size="large")
        self.assertEqual([post], ids_of(self.page(post)))
        self.assertRegex(self.page(post), r'(?s)The content\..*<div class="ratingd-placed"><ratingd-rating[^>]*'
                                          r' size="large"')
        self.place("before")
        self.assertRegex(self.page(post), r"(?s)<ratingd-rating.*The content\.")
        self.place("")
        self.assertEqual([], ids_of(self.page(post)))

    def test_are_placed_in_a_block_theme(self):
        self.check_places()

    def test_are_placed_in_a_classic_theme(self):
        self.use_theme(site.classic_theme())
        self.check_places()

    def test_are_placed_in_chosen_types_alone(self):
        self.must_use(BOOKS)
        post, page, book = (self.new_post(post_type=type_) for type_ in ("post", "page", "book"))
        self.place(type_="book")
        self.assertEqual([book], ids_of(self.page(book)))
        self.assertEqual([], ids_of(self.page(post)) + ids_of(self.page(page)))

    def groups_of(self, post):
        """Returns the placed elements with their attributes."""
        return re.findall(r'<div class="ratingd-placed"><(ratingd-[a-z]+) ([^>]*)>', self.page(post))

    def test_may_be_criteria_or_reactions(self):
        self.set(facets="taste,service,love")
        post = self.new_post()
        self.place(group="criteria", facets="Taste service", weights="2,1", multiple="1", template="simple/heart")
        [(element, attributes)] = self.groups_of(post)
        self.assertEqual("ratingd-criteria", element)
        for attribute in (f'object-id="{post}"', 'facets="taste, service"', 'weights="2, 1"', '"simple/stars"'):
            self.assertIn(attribute, attributes)
        self.assertNotIn("multiple", attributes)
        self.place(group="reactions", facets='love, "><i>', weights="2,1", multiple="1")
        [(element, attributes)] = self.groups_of(post)
        self.assertEqual("ratingd-reactions", element)
        for attribute in ('facets="love"', 'multiple="true"'):
            self.assertIn(attribute, attributes)
        self.assertNotIn("weights", attributes)

    def test_keep_their_weights_in_another_order_of_names(self):
        self.set(facets="taste,service")
        stored = {"where": "after", "group": "criteria", "facets": "service, taste", "weights": "2, 1"}
        site.call("update_option", "ratingd_placement", {"post": stored})
        self.submit({"post": {"where": "after", "group": "criteria", "facets": "taste,service"}})
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        [(_, attributes)] = self.groups_of(self.new_post())
        self.assertIn('facets="taste, service"', attributes)
        self.assertIn('weights="1, 2"', attributes)

    def test_contradictions_have_titles_with_entities(self):
        self.must_use(BOOKS.replace("'Books'", "'Books &quot;new&quot; &amp; old'"))
        self.place(type_="book")
        self.set(enabled_categories="binary")
        page = self.log_in().ask("GET", "/wp-admin/admin.php?page=ratingd").body.decode()
        [problem] = json.loads(unescape(re.search(r'data-problems="([^"]*)"', page).group(1)))
        self.assertEqual("book", problem["type"])

    def test_whose_filtered_type_may_not_be_rated_contradict(self):
        self.must_use("<?php add_filter( 'ratingd_object_type', fn( $type, $post_type ) =>"
                      " 'page' === $post_type ? 'leaflet' : $type, 10, 2 );")
        self.place(type_="page")
        for enabled, accepted in (("page", False), ("post", False), ("post:page", False), ("leaflet", True)):
            with self.subTest(enabled):
                self.set(enabled_object_types=enabled)
                found = site.call("Ratingd\\contradictions_of", "page", "Pages")
                self.assertEqual([] if accepted else ["page"], [one["type"] for one in found])

    def test_whose_template_is_gone_contradict(self):
        browser = self.log_in()
        stars = browser.ask("GET", f"{API}/templates/simple/stars").json()["data"]
        ours = {"slug": "mine/gone", "name": "Gone", "category": "scale", "html": stars["html"], "css": ""}
        answer = browser.ask("POST", f"{API}/templates", ours, X_WP_Nonce=browser.nonce())
        self.assertIn(answer.status, (200, 201), answer.body)
        self.place(template="mine/gone")
        self.assertEqual([], site.call("Ratingd\\contradictions_of", "post", "Posts"))
        browser.ask("DELETE", f"{API}/templates/mine/gone", X_WP_Nonce=browser.nonce())
        [found] = site.call("Ratingd\\contradictions_of", "post", "Posts")
        self.assertIn("The template of this rating no longer exists", found["text"])
        self.assertIn("page=ratingd-placement", found["url"])
        shown = browser.ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        self.assertIn("The template of this rating no longer exists", shown)

    def test_are_one_rating_without_names(self):
        self.place(group="criteria", facets=" , ", template="simple/heart")
        [(element, attributes)] = self.groups_of(self.new_post())
        self.assertEqual("ratingd-rating", element)
        self.assertIn('template="simple/heart"', attributes)

    def test_may_be_reactions_beside_a_rating_in_the_content(self):
        self.set(facets="taste,love")
        criteria, rated, both = (self.new_post(post_content=content) for content in (
            "[ratingd facets='taste']", "[ratingd]", "[ratingd reactions='love']"))
        self.place()
        self.assertEqual([], self.groups_of(criteria) + self.groups_of(rated))
        self.assertEqual(1, len(self.groups_of(both)))
        self.place(group="reactions", facets="love")
        self.assertEqual([1, 1, 0], [len(self.groups_of(post)) for post in (criteria, rated, both)])

    def test_without_a_name_of_the_site_are_not_shown(self):
        self.set(facets="taste,love")
        content = "[ratingd facets='tatse, taste' weights='3,2'][ratingd reactions='lvoe']"
        post = self.new_post(post_content=content)
        self.assertEqual(["criteria"], re.findall(r"<ratingd-(criteria|reactions)", self.page(post)))
        self.assertRegex(self.page(post), r'<ratingd-criteria [^>]*facets="taste"[^>]* weights="2"')
        seen = self.log_in().ask("GET", f"/?p={post}").body.decode()
        self.assertEqual(2, seen.count("ratingd-editor-hint"))
        self.assertIn("criteria or reactions: tatse.", seen)
        self.assertIn("criteria or reactions: lvoe.", seen)

    def test_names_are_offered_by_their_group(self):
        def page():
            return self.log_in().ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        self.assertIn("Create names first", page())
        self.set(facets="taste,love")
        self.assertRegex(page(), r'ratingd_placement\[post\]\[names\]\[criteria\]\[\]" value="taste"')
        self.assertRegex(page(), r'ratingd_placement\[post\]\[names\]\[reactions\]\[\]" value="love"')

    def test_are_placed_on_pages_of_single_posts_alone(self):
        for theme in (None, site.classic_theme()):
            with self.subTest(theme=theme):
                if theme:
                    self.use_theme(theme)
                self.place()
                post = self.new_post(post_content="<p>Findable words.</p>", post_excerpt="")
                visitor = Browser(site.url)
                for path in ("/", "/feed/", "/?s=Findable", f"/?p={post}&embed=true", f"/?feed=rss2&p={post}"):
                    answer = visitor.ask("GET", path)
                    self.assertEqual(200, answer.status, path)
                    self.assertNotIn(post, ids_of(answer.body.decode()), path)
                rest = visitor.ask("GET", f"{POSTS}/{post}").json()
                self.assertNotIn("ratingd-rating", rest["content"]["rendered"] + rest["excerpt"]["rendered"])

    def test_are_not_placed_in_what_needs_a_password(self):
        self.place()
        self.assertEqual([], ids_of(self.page(self.new_post(post_password="secret"))))

    def test_are_not_placed_twice(self):
        self.place()
        for content in ("[ratingd]", "[ratingd template='simple/heart']", "<!-- wp:ratingd/rating /-->",
                        '<!-- wp:group --><div class="wp-block-group"><!-- wp:ratingd/rating {"size":"large"} /-->'
                        "</div><!-- /wp:group -->"):
            post = self.new_post(post_content=content)
            self.assertEqual([post], ids_of(self.page(post)), content)
        other = self.new_post()
        post = self.new_post(post_content=f"[ratingd id='{other}']")
        self.assertEqual([other, post], ids_of(self.page(post)))

    def test_are_not_placed_in_lists_within_a_post(self):
        self.place()
        self.new_post(post_content="Listed words.")
        query = {"perPage": 5, "postType": "post", "inherit": False, "search": "Listed words"}
        content = query_loop(query, "<!-- wp:post-content /--><!-- wp:post-excerpt /-->")
        post = self.new_post(post_content=content)
        page = self.page(post)
        self.assertIn("<p>Listed words.</p>", page)
        self.assertEqual([post], ids_of(page))

    def test_are_not_placed_in_other_texts_and_other_calls(self):
        self.must_use("""<?php add_filter( 'the_content', function ( $content ) {
            static $runs = false;
            if ( $runs || ! is_singular() || ! in_the_loop() ) {
                return $content;
            }
            $runs     = true;
            // As for a time of reading.
            $words    = str_word_count( apply_filters( 'the_content', get_the_content() ) );
            $subtitle = apply_filters( 'the_content', 'The subtitle.' );
            $runs     = false;
            return "$subtitle$content";
        }, 5 );""")
        for theme in (None, site.classic_theme()):
            with self.subTest(theme=theme):
                if theme:
                    self.use_theme(theme)
                self.place()
                for content in ("The content.", "The <!--more--> content.", "The content.<!--nextpage-->More.",
                                "The content ]]> goes on.", f"The content.\n\n{PAGE_BREAK}\n\nMore."):
                    post = self.new_post(post_content=content)
                    page = self.page(post)
                    self.assertEqual([post], ids_of(page), content)
                    self.assertRegex(page, r"(?s)The subtitle\..*content.*<ratingd-rating")

    def test_are_left_out_by_a_switch(self):
        self.place()
        _, login = self.new_user("editor")
        browser = self.log_in(login)
        post = self.new_post()
        answer = browser.ask("POST", f"{POSTS}/{post}", {"meta": {"_ratingd_without_rating": True}},
                             X_WP_Nonce=browser.nonce())
        self.assertEqual(200, answer.status, answer.body)
        self.assertEqual([], ids_of(self.page(post)))
        _, other = self.new_user("contributor")
        browser = self.log_in(other)
        answer = browser.ask("POST", f"{POSTS}/{post}", {"meta": {"_ratingd_without_rating": False}},
                             X_WP_Nonce=browser.nonce())
        self.assertEqual(403, answer.status)
        self.assertEqual([], ids_of(self.page(post)))

    def test_are_left_out_by_the_box_of_the_classic_editor(self):
        self.place()
        self.must_use("<?php add_filter( 'use_block_editor_for_post', '__return_false' );")
        post = self.new_post(post_content="Words.")
        browser = self.log_in()
        for is_without in (True, False):
            page = browser.ask("GET", f"/wp-admin/post.php?post={post}&action=edit").body.decode()
            fields = dict(re.findall(r'name="(_wpnonce|ratingd_nonce)" value="([^"]*)"', page))
            self.assertEqual(2, len(fields))
            form = {**fields, "action": "editpost", "post_ID": post, "post_title": "x", "content": "Words.",
                    "post_type": "post", **({"ratingd_without": 1} if is_without else {})}
            browser.submit("/wp-admin/post.php", form)
            self.assertEqual([] if is_without else [post], ids_of(self.page(post)))
        # Submitting a form without the checkbox, such as Quick Edit, must not change the setting.
        browser.submit("/wp-admin/post.php", {**form, "ratingd_nonce": "x", "ratingd_without": 1})
        self.assertEqual([post], ids_of(self.page(post)))

    def test_may_be_set_by_administrators_alone(self):
        _, login = self.new_user("editor")
        editor = self.log_in(login)
        self.assertEqual(403, editor.ask("GET", "/wp-admin/admin.php?page=ratingd-placement").status)
        self.assertEqual(403, self.submit({"post": {"where": "after"}}, editor).status)
        self.assertFalse(site.call("get_option", "ratingd_placement"))

    def test_option_has_known_values_alone(self):
        self.submit({"post": {"where": "<b>", "template": "x\" onclick=\"y", "size": "huge", "schema": "Thing"},
                     "attachment": {"where": "after"}, "nothing": {"where": "after"}})
        self.addCleanup(site.call, "delete_option", "ratingd_placement")
        self.assertEqual({"post": {"where": "", "group": "", "facets": "", "weights": "", "multiple": False,
                                   "template": "simple/stars", "size": "medium", "order": "", "schema": ""}},
                         site.call("get_option", "ratingd_placement"))
        site.call("update_option", "ratingd_placement", "nonsense")
        self.page(self.new_post())

    def test_option_keeps_types_that_are_not_registered_just_then(self):
        books = site.must_use("books", BOOKS)
        self.addCleanup(books.unlink, missing_ok=True)
        self.place("before", "book")
        books.unlink()
        self.place("after")
        stored = site.call("get_option", "ratingd_placement")
        self.assertEqual({"book": "before", "post": "after"}, {type_: stored[type_]["where"] for type_ in stored})

    def test_option_keeps_what_the_form_has_no_fields_for(self):
        self.set(facets="taste,love")
        groups = {"facets": "taste, love", "weights": "2, 1", "multiple": "1"}
        self.place(group="criteria", **groups)
        site.ratingctl("settings", "reset", "facets")
        self.place(size="large")
        stored = site.call("get_option", "ratingd_placement")["post"]
        self.assertEqual(["taste, love", "2, 1", True, "large"], [stored[name] for name in (*groups, "size")])
        # Browsers do not send the field of an unchecked checkbox.
        self.set(facets="taste,love")
        self.place(group="criteria", facets="taste", weights="")
        stored = site.call("get_option", "ratingd_placement")["post"]
        self.assertEqual(["taste", "", False], [stored[name] for name in groups])

    def test_option_needs_no_statement_of_its_own(self):
        statements = StatementLog()
        self.addCleanup(statements.close)
        post = self.new_post()
        self.log_in().ask("GET", "/wp-admin/")
        statements.clear()
        self.page(post)
        self.assertEqual([], statements.read("ratingd_placement"))

    def test_page_has_all_types(self):
        self.must_use(BOOKS)
        page = self.log_in().ask("GET", "/wp-admin/admin.php?page=ratingd-placement").body.decode()
        self.assertEqual({"post", "page", "book", "comment", "term", "author"},
                         set(re.findall(r'data-ratingd-type="(\w+)"', page)))
        self.assertEqual(3, page.count("data-ratingd-warning hidden"))  # the script shows it


if __name__ == "__main__":
    # Ignore Python's warning that a PHP process is still running.
    unittest.main(warnings="ignore")
