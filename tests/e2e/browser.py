"""A browser on a WordPress site with ratingd."""

import copy
import html
import http.cookiejar
import json
import random
import re
import urllib.error
import urllib.parse
import urllib.request

from stack import BASE_PATH as API
from voting import Answer

TIMEOUT_SECONDS = 20


class Browser:
    """Keeps its cookies. Each browser has a unique User-Agent, so that no two browsers count as one voter."""

    def __init__(self, url):
        self._url = url
        self._agent = f"browser {random.getrandbits(64):x}"
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self._cookies))

    def twin(self):
        """Returns another browser with this browser's cookies."""
        twin = Browser(self._url)
        for cookie in self._cookies:
            twin._cookies.set_cookie(cookie)
        return twin

    def another(self):
        """Returns another person's browser on the same site."""
        return Browser(self._url)

    def ask(self, method, path, fields=None, **headers):
        """Sends a request with an optional JSON body. Header names are written with "_" instead of "-"."""
        body = None if fields is None else json.dumps(fields).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._send(method, path, body, {"Content-Type": "application/json", **headers})

    def submit(self, path, form):
        """Sends a form."""
        return self._send("POST", path, urllib.parse.urlencode(form).encode())

    def rate(self, object_id, value, **headers):
        vote = {"object_id": object_id, "category": "binary", "value": value}
        return self.ask("POST", API + "/rate", vote, **headers)

    def forge_login(self):
        """Invalidates the signature of the logged-in cookie."""
        [login] = [copy.copy(cookie) for cookie in self._cookies
                   if cookie.name.startswith("wordpress_logged_in_")]
        login.value = login.value[:-1] + ("0" if login.value[-1] != "0" else "1")
        self._cookies.set_cookie(login)

    # --- Pages of WordPress -------------------------------------------------------------------

    def log_in(self, login, password):
        page = "/wp-login.php"
        self._send("GET", page)  # sets the cookie by which WordPress sees that cookies work
        form = {"log": login, "pwd": password, "testcookie": 1, "redirect_to": self._url}
        answer = self._send("POST", page, urllib.parse.urlencode(form).encode())
        if not self._is_logged_in():
            raise AssertionError(f"{login} could not log in: {answer.status}")

    def log_out(self):
        """Follows the link on WordPress's confirmation page."""
        question = self._send("GET", "/wp-login.php?action=logout").body.decode()
        [link] = re.findall(r'href="([^"]*action=logout[^"]*)"', question)
        self._send("GET", html.unescape(link).removeprefix(self._url))
        if self._is_logged_in():
            raise AssertionError("still logged in")

    def nonce(self):
        """Returns the REST nonce that WordPress gives to its own scripts."""
        answer = self._send("GET", "/wp-admin/admin-ajax.php?action=rest-nonce")
        if answer.status != 200:
            raise AssertionError(f"WordPress gives no nonce: {answer.status}")
        return answer.body.decode()

    def _is_logged_in(self):
        return any(cookie.name.startswith("wordpress_logged_in_") for cookie in self._cookies)

    def _send(self, method, path, body=None, headers=()):
        request = urllib.request.Request(self._url + path, body, dict(headers), method=method)
        request.add_header("User-Agent", self._agent)
        request.add_header("Sec-Fetch-Site", "same-origin")
        try:
            response = self._opener.open(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as refusal:
            response = refusal
        with response:
            return Answer(response.status, response.headers, response.read())
