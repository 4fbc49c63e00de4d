"""A stack without a CMS. The database has only ratingd's own tables, and visitors send tickets."""

from stack import Stack

TICKET_KEY = "cases"
RIGHTS = "administer,see_persons,see_unpublished"


class StandaloneStack(Stack):
    """Has a ticket key with all permissions. Its secret is in ticket_key_file."""

    DATABASE = "ratings"

    @property
    def ticket_key_file(self):
        return self.run_dir / "ticket-key"

    def _configure_cms(self):
        pass

    def _create_site(self):
        pass

    def _make_secret(self):
        super()._make_secret()
        self.ticket_key_file.write_text(self.ratingctl("ticket-key", "add", TICKET_KEY, "--rights", RIGHTS))

    def _cms_options(self):
        return ["--cms=none", f"--site-address={self.url}", f"--db-name={self.DATABASE}",
                f"--db-socket={self.mariadb().socket}", "--time-zone=Europe/Berlin"]

    def _login_options(self):
        return []
