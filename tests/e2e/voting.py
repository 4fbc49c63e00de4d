"""Clients that vote and remember the responses."""

import base64
import dataclasses
import http.client
import itertools
import json
import random
import secrets
import select
import threading
import time
import zlib

VOTER_COOKIE = "ratingd_voter"
TIMEOUT_SECONDS = 40
# The maximum time that a test waits for a response to a repeated vote, including the time of an outage.
LONGEST_POLL_SECONDS = 90
PAUSE_SECONDS = 0.05   # between two polls


def fresh_objects(count):
    """Returns ids that nobody has rated."""
    first = random.randrange(10**17, 9 * 10**17)
    return list(range(first, first + count))


@dataclasses.dataclass(frozen=True)
class Service:
    """The service's address. "host" names a site of a network, whose sites share a port."""

    port: int
    base_path: str = "/wp-json/ratingd/v1"
    host: str = ""


@dataclasses.dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


def basic(user, password):
    """Returns the value for an Authorization header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Voter:
    """An anonymous voter that behaves like a browser. It keeps its cookie and its connection. It also sends a
    device token if it has one, so that a vote whose response was lost can be sent again. Used by one thread at a
    time."""

    def __init__(self, service, name, timeout=TIMEOUT_SECONDS, has_token=True):
        self.service = service
        self.name = name
        self._address = "2001:db8:{:x}:{:x}::1".format(*divmod(zlib.crc32(name.encode()), 65536))
        self.has_token = has_token
        self._device = {"X-Ratingd-Device": secrets.token_hex(16)} if has_token else {}
        self.cookie = None
        self.rated = {}  # object id -> thousandths of the votes that the service has confirmed
        self.sent = None  # object id and thousandths of the last vote, confirmed or not
        self._connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=timeout)

    def ask(self, method, path, fields=None, headers=()):
        """Returns the response, or None if there was none."""
        self.send(method, path, fields, headers)
        return self.receive()

    def send(self, method, path, fields=None, headers=()):
        """Sends a request without waiting for the response. receive() returns the response."""
        headers = {"User-Agent": self.name, "X-Sandbox-Address": self._address,
                   "Sec-Fetch-Site": "same-origin", **self._device, **dict(headers)}
        if self.service.host:
            headers["Host"] = self.service.host
        if self.cookie:
            headers["Cookie"] = self.cookie
        body = None
        if fields is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(fields)
        try:
            self._connection.request(method, self.service.base_path + path, body, headers)
        except (OSError, http.client.HTTPException):
            self._connection.close()

    def receive(self):
        """Returns the response to the request that was sent, or None if there was none."""
        try:
            response = self._connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return None
        for line in answer.headers.get_all("Set-Cookie", []):
            self.cookie = line.split(";", 1)[0]
        return answer

    def has_answer(self):
        """Returns whether a response has begun to arrive, or the connection has ended."""
        poller = select.poll()
        poller.register(self._connection.sock, select.POLLIN)
        return bool(poller.poll(0))

    @property
    def socket(self):
        """Returns the socket of the kept connection, or None."""
        return self._connection.sock

    def twin(self):
        """Returns the same voter with a new connection."""
        twin = Voter(self.service, self.name)
        twin._device, twin.cookie = self._device, self.cookie
        return twin

    def close(self):
        self._connection.close()

    def vote(self, object_id, thousandths):
        """Sends one vote, once."""
        self.send_vote(object_id, thousandths)
        return self.receive_vote()

    def send_vote(self, object_id, thousandths):
        """Sends one vote without waiting for the response. receive_vote() returns the response."""
        self.sent = object_id, thousandths
        self.send("POST", "/rate", {"object_id": object_id, "category": "scale", "value": thousandths / 1000})

    def receive_vote(self):
        answer = self.receive()
        if answer and answer.status == 200:
            object_id, thousandths = self.sent
            self.rated[object_id] = thousandths
        return answer

    def own_ratings(self):
        """Returns this voter's ratings from the service: object id -> thousandths."""
        ratings, page = {}, 1
        while True:
            answer = self.ask("GET", f"/me?per_page=100&page={page}")
            if not answer or answer.status != 200:
                raise AssertionError(f"{self.name}: /me gave {answer}")
            for row in answer.json()["data"]:
                ratings[row["object_id"]] = round(row["value"] * 1000)
            if page >= int(answer.headers["X-WP-TotalPages"]):
                return ratings
            page += 1


def poll(condition, what, seconds=LONGEST_POLL_SECONDS):
    """Waits until "condition" returns a true value and returns this value."""
    pause = threading.Event()
    for _ in range(int(seconds / PAUSE_SECONDS)):
        value = condition()
        if value:
            return value
        pause.wait(PAUSE_SECONDS)
    raise AssertionError(f"after {seconds} seconds still not: {what}")


class Voters:
    """Voters of shared objects. The first "tokenless" of them have no device token."""

    def __init__(self, service, count, objects, tokenless=0):
        self.objects = objects
        run = random.getrandbits(64)
        self.voters = [Voter(service, f"voter {run:x} {i}", has_token=i >= tokenless) for i in range(count)]

    def close(self):
        for voter in self.voters:
            voter.close()

    def send_votes(self):
        """Each voter sends a vote without waiting for the response, always on the same object."""
        for voter, object_id in zip(self.voters, itertools.cycle(self.objects)):
            voter.send_vote(object_id, random.randrange(1001))

    def receive_votes(self):
        """Returns the responses, in the order of the voters."""
        return [voter.receive_vote() for voter in self.voters]

    def totals(self):
        """Returns the confirmed ratings: object id -> list of thousandths."""
        totals = {object_id: [] for object_id in self.objects}
        for voter in self.voters:
            for object_id, thousandths in voter.rated.items():
                totals[object_id].append(thousandths)
        return totals


class Load(Voters):
    """Voters that vote until the block ends, each in a separate thread. A vote without a 200 is sent again, which
    the API allows."""

    def __init__(self, service, count, objects):
        super().__init__(service, count, objects)
        self.failures = []  # all responses except 200, in the order of their arrival
        self.last_failure = 0.0  # when the last failure came, as time.monotonic()
        self._stuck = []  # votes that never got a response
        self._answered = 0
        self._waiting = set()  # the names of the voters for which wait_for_everyone() waits
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=[voter]) for voter in self.voters]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self._stuck:
            raise AssertionError(f"never answered: {self._stuck}; last: {self.failures[-1:]}")

    def wait_for_votes(self, count):
        """Waits until "count" more votes have got a 200 response."""
        with self._changed:
            goal = self._answered + count
            if not self._changed.wait_for(lambda: self._answered >= goal, LONGEST_POLL_SECONDS):
                raise AssertionError(f"the service answers no votes; last: {self.failures[-1:]}")

    def wait_for_everyone(self):
        """Waits until each voter has got one more 200 response."""
        with self._changed:
            waiting = self._waiting = {voter.name for voter in self.voters}
            if not self._changed.wait_for(lambda: not waiting, LONGEST_POLL_SECONDS):
                raise AssertionError(f"not answered: {waiting}; last: {self.failures[-1:]}")

    def answered(self):
        """Returns how many votes have got a 200 response."""
        with self._changed:
            return self._answered

    def _run(self, voter):
        # The loop checks _stop only between votes, so the outcome of every vote is known.
        while not self._stop.is_set():
            vote = random.choice(self.objects), random.randrange(1001)
            try:
                poll(lambda vote=vote: self._vote_once(voter, *vote), "a vote is answered")
            except AssertionError:
                self._stuck.append((voter.name, *vote))
                return

    def _vote_once(self, voter, object_id, thousandths):
        answer = voter.vote(object_id, thousandths)
        confirmed = answer is not None and answer.status == 200
        with self._changed:
            if confirmed:
                self._answered += 1
                self._waiting.discard(voter.name)
            else:
                self.failures.append(answer)
                self.last_failure = time.monotonic()
            self._changed.notify_all()
        return confirmed


def expected_scale(values):
    """Returns the statistics of the category scale for these values in thousandths."""
    distribution = [0] * 11
    for value in values:
        distribution[(value + 50) // 100] += 1
    return {"total": len(values), "sum": sum(values), "distribution": distribution}

