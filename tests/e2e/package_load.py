#!/usr/bin/env python3
"""Acts as visitors of the site https://example.org on this network.

    package_load.py         Rates and reads until standard input ends. Prints the number of responses, all
                            responses except 200, and the last vote of each visitor on each object.
    package_load.py check   Reads such votes from standard input. Prints each vote for which the site shows the
                            voter a different value.
"""

import http.client
import json
import random
import ssl
import sys
import threading

VISITORS = 4  # at the same time
VOTES = 20  # votes of each visitor, before a new visitor comes
OBJECTS = 20
API = "/wp-json/ratingd/v1"


class Site:
    """The connection of one visitor."""

    def __init__(self):
        context = ssl._create_unverified_context()  # the test made the certificate
        self.connection = http.client.HTTPSConnection("example.org", context=context, timeout=40)

    def ask(self, device, method, path, body=None):
        """Returns the status and the body. When nginx reloads, it closes idle connections, so a request that was
        just sent on such a connection gets no response. In this case, sends the request once more. A failure of
        ratingd is not hidden, because nginx answers for workers that do not respond."""
        headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json", "X-Ratingd-Device": device}
        try:
            return self._ask(method, path, body, headers)
        except (ConnectionError, ssl.SSLEOFError):
            self.connection.close()
            return self._ask(method, path, body, headers)

    def _ask(self, method, path, body, headers):
        self.connection.request(method, API + path, body, headers)
        response = self.connection.getresponse()
        return response.status, response.read()


def visit(stop, answers, votes):
    site = Site()
    while not stop.is_set():
        device = f"{random.getrandbits(128):032x}"
        for _ in range(VOTES):
            if stop.is_set():
                break
            number, value = random.randint(1, OBJECTS), random.randint(0, 1)
            vote = json.dumps({"object_id": number, "category": "binary", "value": value})
            for method, path, body in [("POST", "/rate", vote), ("GET", f"/stats/{number}", None)]:
                try:
                    status, _ = site.ask(device, method, path, body)
                    answers.append(status)
                    if body and status == 200:
                        votes.setdefault(device, {})[number] = value
                except (OSError, http.client.HTTPException) as error:
                    site.connection.close()
                    answers.append(repr(error))


def load():
    stop, answers, votes = threading.Event(), [], {}
    threads = [threading.Thread(target=visit, args=[stop, answers, votes])
               for _ in range(VISITORS)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    return {"answers": len(answers), "not 200": [a for a in answers if a != 200], "votes": votes}


def check():
    site, wrong = Site(), []
    path = "/stats?object_ids=" + ",".join(str(number) for number in range(1, OBJECTS + 1))
    for device, votes in json.load(sys.stdin).items():
        status, body = site.ask(device, "GET", path)
        rated = {} if status != 200 else {
            str(row["object_id"]): row["user_ratings"]["binary"]["value"]
            for row in json.loads(body)["data"] if "binary" in row["user_ratings"]}
        if rated != votes:
            wrong.append([device, status, votes, rated])
    return wrong


print(json.dumps(check() if sys.argv[1:] == ["check"] else load()))
