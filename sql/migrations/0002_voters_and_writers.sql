-- Anonymous voters are no longer recognized by address and browser, so this version neither reads nor writes
-- {prefix}ratingd_fingerprints. The table stays for workers of version 0.1 that run until they are replaced,
-- and because "ratingctl maintain" of 0.2 and 0.3 deletes rows from it. Version 0.5 drops it.
TRUNCATE TABLE {prefix}ratingd_fingerprints;

-- Operations that change many votes or the rollups exclude writers through the writers' rows, on any node of
-- a cluster. Such an operation increments "fence" in all rows. So it conflicts with each transaction that
-- writes its own row at the same time. "seen_on" is the day of the writer's last batch. Old rows are deleted.
ALTER TABLE {prefix}ratingd_writers
  ADD COLUMN fence BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN seen_on DATE NOT NULL DEFAULT '1000-01-01';
INSERT INTO {prefix}ratingd_writers (writer, sequence) VALUES (0, 0) ON DUPLICATE KEY UPDATE writer = writer;

-- The visitors of other front ends, with their names from tickets and their anonymous voters. A row is
-- written together with the visitor's first stored vote, and deleted when none of the visitor's votes is
-- left. This table decides who a visitor's voter is. The voter id of a new visitor is a keyed hash of the
-- name, but the key may have been replaced since. "issuer" is the name of the ticket's key. "subject" is the
-- visitor's id at the issuer, in UTF-8.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_visitors (
  voter BIGINT UNSIGNED NOT NULL,
  issuer VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject VARBINARY(255) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (voter),
  UNIQUE KEY by_name (issuer, subject)
) ENGINE=InnoDB;

-- A view for the CMS: the ratings of an object in a category by the day on which they were last changed, for
-- example to find the best posts of a month (docs/themes.md). "sum" is in thousandths. Days are days in the
-- site's time zone. With conditions on "category_id" and "day", a query reads one range of the primary key.
-- "category" is the category's name.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW {prefix}ratingd_post_daily AS
SELECT object_id AS post_id, object_type,
  CAST(CASE category WHEN 0 THEN 'binary' WHEN 1 THEN 'bipolar' ELSE 'scale' END
    AS CHAR(7) CHARACTER SET ascii) AS category,
  category AS category_id, day, total, sum,
  CASE category WHEN 2 THEN NULL ELSE positive END AS positive,
  CASE category WHEN 2 THEN NULL ELSE negative END AS negative,
  CASE category WHEN 2 THEN NULL ELSE positive - negative END AS score
FROM {prefix}ratingd_daily
WHERE total > 0;
