"""A sandbox that serves the same API twice: through the shipped nginx configuration, and without its cache."""

import dataclasses
import http.client
import socket

from fault_sandbox import FaultSandbox, free_port

TIMEOUT_SECONDS = 30


class CacheSandbox(FaultSandbox):
    """The site is in a network, so requests for another host belong to another site."""

    def __init__(self):
        super().__init__()
        self.uncached_port = free_port()
        self.http2_port = free_port()

    @property
    def kept(self):
        """Returns the cache files that nginx has written."""
        return [path.read_bytes() for path in (self.run_dir / "nginx-cache").rglob("*") if path.is_file()]

    def _prepare_site(self):
        with self.wp_config.open("a") as config:
            config.write("define( 'MULTISITE', true );\n")
        super()._prepare_site()
        self.ratingctl("settings", "set", "rate_limit_read=1000000", "rate_limit_write=1000000")

    def _create_site(self):
        super()._create_site()
        self.sql("CREATE TABLE wp_sitemeta (meta_id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,"
                 " site_id BIGINT UNSIGNED, meta_key VARCHAR(255), meta_value LONGTEXT);"
                 "INSERT INTO wp_sitemeta (site_id, meta_key, meta_value)"
                 " SELECT 1, option_name, option_value FROM wp_options WHERE autoload = 'yes'")

    def _ship(self, name, own_paths):
        super()._ship(name, own_paths)
        if name == "ratingd.conf":
            text = (self.run_dir / name).read_text()
            assert "fastcgi_cache $ratingd_cache;" in text
            (self.run_dir / "uncached.conf").write_text(
                text.replace("fastcgi_cache $ratingd_cache;", "fastcgi_cache off;"))
        if name == "ratingd-upstream.conf":
            with (self.run_dir / name).open("a") as upstream:
                upstream.write(self._server(f"{self.uncached_port}", "uncached.conf") +
                               self._server(f"{self.http2_port} http2", "ratingd.conf"))

    def _server(self, listen, api):
        return f'server {{ listen 127.0.0.1:{listen}; include "{self.run_dir}/{api}"; }}\n'


@dataclasses.dataclass(frozen=True)
class Request:
    path: str  # below the base path, or from "/" without is_below_base
    headers: tuple = ()  # pairs, as they are sent
    method: str = "GET"
    body: bytes = b""
    is_below_base: bool = True

    def text(self, base_path, host):
        head = [f"{self.method} {base_path if self.is_below_base else ''}{self.path} HTTP/1.1"]
        if not any(name == "Host" for name, _ in self.headers):
            head.append(f"Host: {host}")
        head += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*head, "Connection: close", "", ""]).encode() + self.body


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    headers: tuple  # pairs, sorted
    body: bytes

    # The headers whose values may differ between two responses to the same request. The rate limit headers differ
    # because cached responses do not count towards the limits.
    OF_ONE_REQUEST = ("date", "x-request-id", "cache-status", "ratelimit", "ratelimit-policy")

    def header(self, name):
        return ", ".join(value for key, value in self.headers if key == name.lower())

    @property
    def content(self):
        """Returns the parts that must be equal with and without a cache."""
        return (self.status, [pair for pair in self.headers if pair[0] not in self.OF_ONE_REQUEST], self.body)


def send(port, text, method="GET"):
    """Sends bytes that HTTP libraries refuse to send."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(text)
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        headers = sorted((name.lower(), value) for name, value in response.headers.items())
        return Answer(response.status, tuple(headers), response.read())
