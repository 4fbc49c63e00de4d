-- What ratingd's two accounts may do in the CMS's database. "ratingctl grants" prints this file with
-- a site's names in it, for the administrator of the database to run:
--
--   ratingctl grants --config /etc/ratingd/ratingctl.conf | mariadb
--
-- It makes no account, so first, with a password for each:
--
--   CREATE USER {workers} IDENTIFIED BY '...';
--   CREATE USER {ratingctl} IDENTIFIED BY '...';
--
-- It comes before "ratingctl migrate", when ratingd is installed and again with each new version,
-- which may bring new tables. Repeating it does no harm.
--
-- A line that names {own_table} stands for one for each table of ratingd: neither MariaDB nor MySQL
-- has a right to all tables whose names begin alike, and one to the whole database would reach the
-- CMS's tables. What may be read of the CMS's tables follows at the end (sql/grants-wordpress.sql).

-- The workers keep the ratings. A right to a table that is not there yet can only be given together
-- with CREATE, which is revoked immediately.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON `{database}`.`{own_table}` TO {workers};
REVOKE CREATE ON `{database}`.`{own_table}` FROM {workers};

-- ratingctl also makes, changes and removes the tables of ratingd, and no others. An import from
-- another plugin needs SELECT on that plugin's tables, for as long as it takes.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON `{database}`.`{own_table}` TO {ratingctl};
-- A rebuild by version 0.3 leaves a table of this name. ratingctl makes views for the CMS.
GRANT SELECT, INSERT, CREATE, ALTER, DROP ON `{database}`.`{prefix}ratingd_swap` TO {ratingctl};
GRANT SELECT, CREATE, CREATE VIEW, SHOW VIEW, DROP ON `{database}`.`{prefix}ratingd_post_stats` TO {ratingctl};
GRANT SELECT, CREATE, CREATE VIEW, SHOW VIEW, DROP ON `{database}`.`{prefix}ratingd_post_daily` TO {ratingctl};
