"""A real WordPress with the plugin, for its tests: plugin_test.py, plugin_data_test.py, plugin_theme_test.py,
plugin_widgets_test.py, plugin_search_test.py, plugin_mail_test.py, plugin_stars_test.py and
plugin_network_test.py."""

import functools
import hashlib
import hmac
import json
import random
import subprocess
import time
import unittest

from fault_sandbox import free_port, run_dir, wait_until  # first because it sets the module path
from browser import API, Browser
from stack import SANDBOX
import ticket
from wordpress_stack import ADMINISTRATOR, WordPressStack

SMALL_THEME = """<!DOCTYPE html><html <?php language_attributes(); ?>>
<head><meta name="viewport" content="width=device-width"><?php wp_head(); ?></head>
<body <?php body_class(); ?>>
<?php
while ( have_posts() ) {
	the_post();
	is_singular() ? the_content() : the_excerpt();
	comments_template();
}
wp_footer();
?>
</body></html>
"""


class Site(WordPressStack):
    """A site whose WordPress logs all PHP warnings."""

    def __init__(self, name="plugin"):
        super().__init__(run_dir("e2e") / name, free_port())

    @property
    def debug_log(self):
        return self.log_dir / "wordpress-debug.log"

    def _configure_cms(self):
        super()._configure_cms()
        debug = (f"define( 'WP_DEBUG', true );\ndefine( 'WP_DEBUG_LOG', '{self.debug_log}' );\n"
                 "define( 'WP_DEBUG_DISPLAY', false );")
        text = self.wp_config.read_text()
        assert "define( 'WP_DEBUG', false );" in text
        self.wp_config.write_text(text.replace("define( 'WP_DEBUG', false );", debug))

    def complaints(self):
        """Returns PHP's warnings about the plugin. WordPress 6.1 itself causes warnings with PHP 8.2."""
        lines = self.debug_log.read_text().splitlines() if self.debug_log.exists() else []
        ours = ("plugins/ratingd", "Ratingd\\", "wp_ratingd_")
        return [line for line in lines if any(word in line for word in ours)]

    def workers(self):
        return [process for process in self.processes() if process.name == "ratingd" and process.is_alive()]

    def must_use(self, name, source):
        """Adds a plugin. Returns its file."""
        path = self.run_dir / f"wordpress/wp-content/mu-plugins/{name}.php"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
        return path

    def classic_theme(self):
        """Returns Twenty Twenty-One, or a small theme if no package has it, as in Debian 13."""
        themes = self.run_dir / "wordpress/wp-content/themes"
        if (themes / "twentytwentyone").is_dir():
            return "twentytwentyone"
        small = themes / "small"
        small.mkdir(exist_ok=True)
        (small / "style.css").write_text("/* Theme Name: Small */")
        (small / "index.php").write_text(SMALL_THEME)
        (small / "comments.php").write_text("<?php wp_list_comments(); paginate_comments_links();")
        return small.name

    def stop_workers(self):
        for worker in self.workers():
            assert worker.stop(35)

    def start_workers(self):
        self._start_workers()
        assert wait_until(self._is_healthy, 30)

    def forget_failure(self):
        """Makes the client try again at once. After a failure, the client would otherwise wait for half a
        minute."""
        self.call("delete_transient", "ratingd_away")

    def sql(self, statement):
        return self.mariadb().execute(statement, "wordpress")

    def rows(self, statement):
        return [line.split("\t") for line in self.sql(statement).splitlines()]

    def cli(self, *words, answer="", status=0):
        """Returns the output of a WP-CLI command, from both streams."""
        script = SANDBOX / "wordpress_cli.php"
        command = ["php", "-d", "display_errors=stderr", script, self._folder, "ratingd", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, input=answer)
        printed = done.stdout + done.stderr
        if done.returncode != status:
            raise AssertionError(f"{words} ended with {done.returncode}, not {status}:\n{printed}")
        return printed

    def doctor(self):
        """Returns doctor's output with the workers' database account."""
        command = [self.build_dir / "ratingctl", *self._cms_options(), *self._own_files(), "doctor"]
        environment = self._account("ratingd")
        return subprocess.run(command, check=False, env=environment, capture_output=True, text=True).stdout

    def requests_to_ratingd(self, path=API):
        """Returns how many requests nginx has logged so far."""
        time.sleep(1.2)  # nginx writes its log each second
        log = (self.log_dir / "nginx-access.log").read_text()
        return sum(f" {path}" in line for line in log.splitlines())

    @functools.cached_property
    def ticket_key(self):
        return hmac.new(self.call("wp_salt", "auth").encode(), b"ratingd ticket", hashlib.sha256).hexdigest()

    def vote(self, user, object_id, object_type="post", value=1, category="binary", **more):
        """A vote of a registered user, whoever that is."""
        fields = {"object_id": object_id, "object_type": object_type, "category": category, "value": value, **more}
        binding = ticket.bound_to("POST /rate", json.dumps(fields).encode())
        claims = ticket.claims_of("wordpress", str(user), self.url, **binding)
        header = {"X_Ratingd_Ticket": ticket.sign(self.ticket_key, claims)}
        answer = Browser(self.url).ask("POST", API + "/rate", fields, **header)
        assert answer.status == 200, answer.body


site = Site()


# A WordPress plugin that adds the "book" post type.
BOOKS = """<?php
add_action( 'init', function () {
	register_post_type( 'book', array(
		'public' => true, 'label' => 'Books', 'show_in_rest' => true, 'has_archive' => true,
		'supports' => array( 'title', 'editor', 'custom-fields', 'thumbnail' ),
	) );
} );
"""


class StatementLog:
    """The statements that WordPress sends."""

    SOURCE = r"""<?php
add_filter( 'query', function ( $query ) {
	file_put_contents( '@LOG@', preg_replace( '/\s+/', ' ', $query ) . PHP_EOL, FILE_APPEND | LOCK_EX );
	return $query;
} );
"""

    def __init__(self):
        self._path = site.log_dir / "statements.log"
        self._plugin = site.must_use("statements", self.SOURCE.replace("@LOG@", str(self._path)))

    def close(self):
        self._plugin.unlink()

    def clear(self):
        self._path.write_text("")

    def read(self, part=""):
        """Returns the statements with "part" since clear()."""
        return [line for line in self._path.read_text().splitlines() if part in line]


def set_up_module():
    """Use this as setUpModule of a test module."""
    site.start()
    unittest.addModuleCleanup(site.stop_cleanly)
    site.install_plugin()
    site.ratingctl("settings", "set", "rate_limit_write=100000", "rate_limit_read=100000")


class PluginTest(unittest.TestCase):
    def tearDown(self):
        self.assertEqual([], site.complaints())

    def new_user(self, role="subscriber"):
        login = f"{role}_{random.getrandbits(64):x}"
        fields = {"user_login": login, "user_pass": login, "role": role, "user_email": f"{login}@example.org"}
        return site.call("wp_insert_user", fields), login

    @staticmethod
    def new_post(**fields):
        title = f"Post {random.getrandbits(64):x}"
        usual = {"post_title": title, "post_content": "Words.", "post_status": "publish"}
        return site.call("wp_insert_post", {**usual, **fields})

    def log_in(self, login=ADMINISTRATOR):
        browser = Browser(site.url)
        browser.log_in(login, login)
        return browser

    def must_use(self, source):
        """Adds a plugin until the test ends."""
        path = site.must_use(f"test-{random.getrandbits(64):x}", source)
        self.addCleanup(path.unlink)

    def page(self, post, query=""):
        """Returns a post's page as a visitor sees it."""
        answer = Browser(site.url).ask("GET", f"/?p={post}{query}")
        self.assertEqual(200, answer.status)
        self.assertIn(b"</html>", answer.body)
        return answer.body.decode()

    def use_theme(self, name):
        before = site.call("get_stylesheet")
        site.call("switch_theme", name)
        self.addCleanup(site.call, "switch_theme", before)

    def set(self, **settings):
        """Changes settings until the test ends."""
        site.ratingctl("settings", "set", *(f"{name}={value}" for name, value in settings.items()))
        self.addCleanup(site.ratingctl, "settings", "reset", *settings)

    def without_ratingd(self):
        """Stops ratingd until the test ends, or until ratingd_is_back()."""
        site.stop_workers()
        self.addCleanup(self.ratingd_is_back)

    def ratingd_is_back(self):
        if not site.workers():
            site.start_workers()
        site.forget_failure()

    def votes_of(self, user):
        return site.rows("SELECT object_id, object_type, category, value FROM wp_ratingd_votes"
                         f" WHERE voter = {user} ORDER BY 1, 2, 3")

    def voters_of(self, object_id, object_type="post"):
        rows = site.rows(f"SELECT voter FROM wp_ratingd_votes WHERE object_id = {object_id}"
                         f" AND object_type = '{object_type}' ORDER BY voter")
        return [int(voter) for [voter] in rows]

    def check_sums(self):
        """Checks that all sums follow from the stored votes."""
        site.ratingctl("verify")


def import_votes(user, object_ids, value=1, category="binary", **more):
    """Imports votes of a registered user as a file."""
    time_ = "2026-01-02T03:04:05.000000Z"
    rows = [{"kind": "rating", "object_id": object_id, "object_type": "post", "category": category,
             "user_id": user, "value": value, "created_at": time_, "rated_at": time_, **more}
            for object_id in object_ids]
    path = site.run_dir / "votes.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"kind": "end", "rows": len(rows)}]))
    site.ratingctl("import", path)


def query_loop(query, blocks):
    """Returns the "Query Loop" block."""
    return (f'<!-- wp:query {json.dumps({"query": query})} --><div class="wp-block-query">'
            f"<!-- wp:post-template -->{blocks}<!-- /wp:post-template --></div><!-- /wp:query -->")
