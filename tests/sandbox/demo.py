"""The votes of a new sandbox, and the commands that it shows."""

import concurrent.futures
import json
import random
import shlex
import subprocess
import urllib.error
import urllib.request

from mariadb import ServerError

# The published objects in site.sql and their popularity, from 0 to 1.
OBJECTS = {
    (1, "post"): 0.6,
    (2, "page"): 0.5,
    (3, "post"): 0.9,
    (4, "post"): 0.8,
    (5, "post"): 0.7,
    (6, "post"): 0.4,
    (7, "post"): 0.3,
    (12, "product"): 0.75,
}
VOTERS = 20
VOTES_OF_EACH = 12


def cast_votes(base_url):
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda vote: _cast(base_url, *vote), _votes()))


def show(base_url):
    """Votes once and prints commands to try next. All votes with curl from one machine belong to one voter."""
    like = {"object_id": 4, "category": "binary", "value": 1}
    vote = _curl("-i", f"{base_url}/rate", json=like)
    print(f"A vote, through nginx:\n\n$ {shlex.join(vote)}")
    answer = subprocess.run(vote, check=False, capture_output=True, text=True)
    print(answer.stdout.replace("\r", ""))
    if answer.returncode != 0:
        raise ServerError(f"curl failed: {answer.stderr.strip()}")

    print(f"\nThe service: {base_url}\n\nTry next:")
    stars = {"object_id": 4, "category": "scale", "value": 4, "scale": 5}
    stars_of_4 = "object_id=4&category=scale"
    settings = f"{base_url}/settings"
    wrong = {"object_id": 4, "category": "binary", "value": 2}
    for meaning, command in (
        ("a vote of 4 of 5 stars", _curl(f"{base_url}/rate", json=stars)),
        ("the counts of a post", _curl(f"{base_url}/stats/4")),
        ("the counts of several posts", _curl(f"{base_url}/stats?object_ids=1,3,4")),
        ("the counts of a product", _curl(f"{base_url}/stats/12?object_type=product")),
        ("take the vote back", _curl("-X", "DELETE", f"{base_url}/rate?{stars_of_4}")),
        ("an invalid vote", _curl(f"{base_url}/rate", json=wrong)),
        ("the settings, as an administrator", _curl("-u", "admin:admin", settings)),
        ("the settings, as a user without permission", _curl("-u", "subscriber:subscriber", settings)),
        ("votes that cannot change, after two seconds",
         _curl("-u", "admin:admin", settings, json={"revote": "never"})),
        ("votes that can change again", _curl("-u", "admin:admin", settings, json={"revote": "replace"})),
        ("the state of the service", _curl(f"{base_url}/health")),
        ("all routes", _curl(f"{base_url}")),
    ):
        print(f"\n  # {meaning}\n  {shlex.join(command)}")


def _curl(*words, json=None):
    body = [] if json is None else ["-d", _compact(json)]
    return ["curl", "-sS", *words, *body]


def _compact(value):
    return json.dumps(value, separators=(",", ":"))


def _votes():
    """Returns the same votes in every sandbox."""
    chance = random.Random(1)
    for voter in range(VOTERS):
        for object_key in chance.choices(list(OBJECTS), k=VOTES_OF_EACH):
            liking = OBJECTS[object_key]
            category = chance.choice(["binary", "bipolar", "scale"])
            yield voter, object_key, category, _value(chance, category, liking)


def _value(chance, category, liking):
    if category == "scale":
        stars = round(chance.gauss(1 + 4 * liking, 0.8))
        return min(max(stars, 1), 5) / 5
    likes = chance.random() < liking
    if category == "binary":
        return int(likes)
    return 1 if likes else chance.choice([0, -1])


def _cast(base_url, voter, object_key, category, value):
    object_id, object_type = object_key
    vote = {
        "object_id": object_id,
        "object_type": object_type,
        "category": category,
        "value": value,
    }
    request = urllib.request.Request(
        f"{base_url}/rate",
        data=_compact(vote).encode(),
        # The demo always uses the same voters.
        headers={
            "Content-Type": "application/json",
            "X-Ratingd-Device": f"sandbox-voter-{voter:08}",
            "X-Sandbox-Address": f"10.0.0.{voter}",
        },
    )
    try:
        urllib.request.urlopen(request, timeout=10).close()
    except urllib.error.HTTPError as error:
        raise ServerError(f"A vote was refused: {error.read().decode()}") from error
