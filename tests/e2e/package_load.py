#!/usr/bin/env python3
"""Visitors of the site https://example.org on this network, who rate and read until standard input ends.
Prints how many answers came, and all that were not 200."""

import http.client
import json
import random
import ssl
import sys
import threading

VISITORS = 4
API = "/wp-json/ratingd/v1"


def visit(stop, answers):
    context = ssl._create_unverified_context()  # the certificate is the test's own
    connection = http.client.HTTPSConnection("example.org", context=context, timeout=40)
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/json",
               "X-Ratingd-Device": f"{random.getrandbits(128):032x}"}
    value = 0
    while not stop.is_set():
        value = 1 - value
        vote = json.dumps({"object_id": 1, "category": "binary", "value": value})
        for method, path, body in [("POST", "/rate", vote), ("GET", "/stats/1", None)]:
            try:
                connection.request(method, API + path, body, headers)
                response = connection.getresponse()
                response.read()
                answers.append(response.status)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                answers.append(repr(error))


def main():
    stop, answers = threading.Event(), []
    threads = [threading.Thread(target=visit, args=[stop, answers])
               for _ in range(VISITORS)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    print(json.dumps({"answers": len(answers), "not 200": [a for a in answers if a != 200]}))


main()
