-- The privileges of ratingd's two accounts in the CMS's database. "ratingctl grants" prints this file with
-- the names of a site. The administrator of the database executes the output:
--
--   ratingctl grants --config /etc/ratingd/ratingctl.conf | mariadb
--
-- These statements create no account, so create both accounts first, with a password for each:
--
--   CREATE USER {workers} IDENTIFIED BY '...';
--   CREATE USER {ratingctl} IDENTIFIED BY '...';
--
-- Grant these privileges before each "ratingctl migrate": after the installation, and after each upgrade, because a new
-- version may have new tables. The statements can be repeated safely.
--
-- A line with {own_table} is repeated for each table of ratingd. Neither MariaDB nor MySQL has a privilege for all
-- tables with a common name prefix, and a privilege for the whole database would include the CMS's tables. The
-- privileges on the CMS's tables follow at the end (sql/grants-wordpress.sql).

-- The workers store the ratings. A privilege on a table that does not exist yet can only be granted together
-- with CREATE, which is revoked immediately.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON `{database}`.`{own_table}` TO {workers};
REVOKE CREATE ON `{database}`.`{own_table}` FROM {workers};

-- ratingctl also creates, changes and drops ratingd's tables, and no other tables. During an import from
-- another plugin, it also needs SELECT on that plugin's tables.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON `{database}`.`{own_table}` TO {ratingctl};
-- A rebuild by version 0.3 leaves a table of this name. The views are for the CMS.
GRANT SELECT, INSERT, CREATE, ALTER, DROP ON `{database}`.`{prefix}ratingd_swap` TO {ratingctl};
GRANT SELECT, CREATE, CREATE VIEW, SHOW VIEW, DROP ON `{database}`.`{prefix}ratingd_post_stats` TO {ratingctl};
GRANT SELECT, CREATE, CREATE VIEW, SHOW VIEW, DROP ON `{database}`.`{prefix}ratingd_post_daily` TO {ratingctl};
