"""An email server on the loopback that stores the emails it receives. It is Debian's package aiosmtpd."""

import email
import email.policy
import shutil
import socket
import subprocess

from fault_sandbox import free_port, wait_until  # first because it sets the module path

# A WordPress plugin that sends all emails to the test's mail server.
SMTP = """<?php
add_action( 'phpmailer_init', function ( $mailer ) {
	$mailer->isSMTP();
	$mailer->Host        = '127.0.0.1';
	$mailer->Port        = @PORT@;
	$mailer->SMTPAutoTLS = false;
} );
// The site's name has no domain.
add_filter( 'wp_mail_from', function () {
	return 'wordpress@example.org';
} );
"""


class MailCatcher:
    def __init__(self, folder):
        self._folder = folder
        self._port = free_port()
        self._server = None

    def plugin(self):
        return SMTP.replace("@PORT@", str(self._port))

    def start(self):
        # Only the system's Python interpreter can import the modules in Debian's packages.
        command = ["/usr/bin/python3", "-m", "aiosmtpd", "--nosetuid", f"--listen=127.0.0.1:{self._port}",
                   "--class", "aiosmtpd.handlers.Mailbox", self._folder]
        self._server = subprocess.Popen(command, start_new_session=True)
        assert wait_until(self._listens, 20)

    def stop(self):
        if self._server:
            self._server.terminate()
            self._server.wait(20)
            self._server = None

    def _listens(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self._port)) == 0

    def clear(self):
        for name in ("new", "cur", "tmp"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
            (self._folder / name).mkdir(parents=True)

    def mails(self):
        """Returns the emails by the addresses of their recipients."""
        paths = (self._folder / "new").iterdir()
        mails = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in paths]
        return sorted(mails, key=lambda mail: mail["To"])
