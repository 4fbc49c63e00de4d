"""Signs tickets (JWT, HS256) as a front end does."""

import base64
import hashlib
import hmac
import json
import secrets
import time

LIFE_SECONDS = 60


def encode(data):
    """Returns base64url without padding, as in RFC 7515."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def claims_of(issuer, subject, audience, **further):
    """Returns the claims of a ticket that is valid now. "further" adds or replaces claims."""
    now = int(time.time())
    return {"iss": issuer, "sub": subject, "aud": audience, "iat": now, "exp": now + LIFE_SECONDS, **further}


def bound_to(line, body=b""):
    """The claims that bind a ticket to one request, such as "GET /settings"."""
    hashes = [encode(hashlib.sha256(body).digest())] if body else []
    return {"request": line, "body": hashes, "jti": secrets.token_hex(16)}


def sign(key, claims, algorithm="HS256"):
    """Signs a ticket. "algorithm" is only the value in the header. With "none", there is no signature."""
    parts = [{"alg": algorithm, "typ": "JWT"}, claims]
    text = ".".join(encode(json.dumps(part).encode()) for part in parts)
    signature = hmac.digest(key.encode(), text.encode(), hashlib.sha256) if algorithm != "none" else b""
    return f"{text}.{encode(signature)}"
