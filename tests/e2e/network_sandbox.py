"""A sandbox whose workers serve all sites in a network."""

import http.client
import json

from fault_sandbox import FaultSandbox  # first because it sets the module path

# The WordPress tables that ratingd reads for each site.
SITE_TABLES = ("options", "posts", "comments", "terms", "term_taxonomy")
NETWORK_TABLES = """
    CREATE TABLE wp_blogs (blog_id BIGINT PRIMARY KEY, site_id BIGINT, domain VARCHAR(200), path VARCHAR(100),
                           archived TINYINT DEFAULT 0, spam TINYINT DEFAULT 0, deleted TINYINT DEFAULT 0);
    CREATE TABLE wp_sitemeta (meta_id BIGINT PRIMARY KEY AUTO_INCREMENT, site_id BIGINT, meta_key VARCHAR(255),
                              meta_value LONGTEXT);"""


def row_of_site(number, host, path):
    """Returns SQL for the list of sites. "path" begins and ends with "/"."""
    return f"INSERT INTO wp_blogs (blog_id, site_id, domain, path) VALUES ({number}, 1, '{host}', '{path}');"


def new_site(number, host, path):
    """Returns SQL for a site with the first site's posts."""
    tables = "".join(f"CREATE TABLE wp_{number}_{table} LIKE wp_{table};"
                     f"INSERT INTO wp_{number}_{table} SELECT * FROM wp_{table};" for table in SITE_TABLES)
    home = f"http://{host}{path.rstrip('/')}"
    return f"""SET sql_mode = ''; {tables}
        UPDATE wp_{number}_options SET option_value = '{home}' WHERE option_name IN ('home', 'siteurl');
        UPDATE wp_{number}_options SET option_name = 'wp_{number}_user_roles' WHERE option_name = 'wp_user_roles';
        {row_of_site(number, host, path)}"""


class NetworkSandbox(FaultSandbox):
    """The first site is the sandbox's site at 127.0.0.1. "sites" are the other sites: (host, path with "/" at both
    ends) by number, from 2. Each has the first site's posts. Requests name the host.

    "has_tables" says whether ratingd has tables for the other sites at the start."""

    def __init__(self, sites, has_tables=True, suffix=""):
        super().__init__(suffix)
        self.sites = sites
        self._has_tables = has_tables

    def add_site(self, number, host, path):
        """Adds a site as WordPress does."""
        self.sql(new_site(number, host, path))

    def give_rights(self):
        """Grants the permissions for all sites."""
        self.mariadb().execute(self.ratingctl("grants", "--all-sites"))

    def request(self, method, path, host, fields=None, **headers):
        """Returns (status, headers, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, fields and json.dumps(fields),
                               {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", "Host": host,
                                **headers})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    # --- Differences from a sandbox with one site ---------------------------------------------

    def _create_site(self):
        super()._create_site()
        self.sql(NETWORK_TABLES + row_of_site(1, "127.0.0.1", "/"))
        for number, (host, path) in self.sites.items():
            self.add_site(number, host, path)

    def _prepare_site(self):
        super()._prepare_site()
        if self._has_tables:
            self.give_rights()
            self.ratingctl("migrate", "--all-sites")

    def _account(self, name):
        return {**super()._account(name), "RATINGD_ALL_SITES": "yes", "RATINGD_WP_MULTISITE": "yes"}

    def worker_command(self):
        return [*super().worker_command(), "--wp-multisite=yes", "--all-sites=yes"]

    def _start_nginx(self):
        self._ship("ratingd-network.conf", {})
        super()._start_nginx()

    def _ship(self, name, own_paths):
        super()._ship(name, own_paths)
        if name == "ratingd.conf":
            with (self.run_dir / name).open("a") as file:
                file.write(f'include "{self.run_dir}/ratingd-network.conf";\n')
