"""A WordPress site over real TLS, with curl as the client."""

import dataclasses
import json
import random
import subprocess

from fault_sandbox import free_port, run_dir  # first because it sets the module path
from wordpress_stack import WordPressStack

API = "/wp-json/ratingd/v1"


class TlsSite(WordPressStack):
    ENVIRONMENT = "production"

    def __init__(self, name):
        super().__init__(run_dir("e2e") / name, free_port())
        self.certificate = self.run_dir / "site.pem"
        self.key = self.run_dir / "site.key"

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def _make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.key,
                        "-out", self.certificate], check=True, capture_output=True)

    def _is_healthy(self):
        return self.curl(API + "/health").status == 200

    def curl(self, path, *options, fields=None):
        """Sends a request with curl. Each call is a new client, unless an address is given."""
        command = ["curl", "--silent", "--show-error", "--include", "--cacert", self.certificate,
                   "--max-time", "30", "--header", f"X-Ratingd-Device: {random.getrandbits(128):032x}",
                   "--header", "Sec-Fetch-Site: same-origin", *options]
        if fields is not None:
            command += ["--header", "Content-Type: application/json", "--data-binary", "@-"]
        body = json.dumps(fields) if isinstance(fields, dict) else fields
        done = subprocess.run([*command, path if "://" in path else self.url + path],
                              check=False, input=body, capture_output=True, text=True)
        return Answer.of(done.stdout) if done.returncode == 0 else Answer(0, "", {}, done.stderr)


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    protocol: str
    headers: dict
    body: str

    @classmethod
    def of(cls, text):
        head, _, body = text.partition("\n\n")
        first, *lines = head.splitlines()
        protocol, status = first.split(" ")[:2]
        headers = dict(line.split(": ", 1) for line in lines)
        return cls(int(status), protocol, {name.lower(): value for name, value in headers.items()}, body)

    def json(self):
        return json.loads(self.body)


def vote(object_id=None, value=1):
    return {"object_id": object_id or new_object(), "category": "binary", "value": value}


def new_object():
    return random.randrange(10**17, 9 * 10**17)
