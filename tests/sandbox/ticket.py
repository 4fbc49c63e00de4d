"""Signs tickets (JWT, HS256) as a front end does."""

import base64
import hashlib
import hmac
import json
import secrets
import time

LIFE_SECONDS = 60


def encode(data):
    """base64url without padding, as RFC 7515 has it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def claims_of(issuer, subject, audience, **further):
    """Of a ticket that is valid now; "further" adds claims, or replaces some."""
    now = int(time.time())
    return {"iss": issuer, "sub": subject, "aud": audience, "iat": now, "exp": now + LIFE_SECONDS, **further}


def bound_to(line, body=b""):
    """The claims that bind a ticket to one request, such as "GET /settings"."""
    hashes = [encode(hashlib.sha256(body).digest())] if body else []
    return {"request": line, "body": hashes, "jti": secrets.token_hex(16)}


def sign(key, claims, algorithm="HS256"):
    """"algorithm" is only what the header says; "none" has no signature."""
    parts = [{"alg": algorithm, "typ": "JWT"}, claims]
    text = ".".join(encode(json.dumps(part).encode()) for part in parts)
    signature = hmac.digest(key.encode(), text.encode(), hashlib.sha256) if algorithm != "none" else b""
    return f"{text}.{encode(signature)}"
