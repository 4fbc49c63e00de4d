-- Anonymous voters are no longer recognised by address and browser, so this version neither reads nor
-- writes {prefix}ratingd_fingerprints. It stays for workers of version 0.1 that run until they are
-- replaced; "ratingctl maintain" deletes the rows that these add meanwhile. The next version drops it.
TRUNCATE TABLE {prefix}ratingd_fingerprints;

-- A writer's row is also where operations that change many votes or the rollups exclude it, on any node
-- of a cluster: they count in "fence" of all rows, and so conflict with each transaction that writes
-- its own row at the same time. "seen_on" is the day of the writer's last batch; old rows are deleted.
ALTER TABLE {prefix}ratingd_writers
  ADD COLUMN fence BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN seen_on DATE NOT NULL DEFAULT '1000-01-01';
INSERT INTO {prefix}ratingd_writers (writer, sequence) VALUES (0, 0) ON DUPLICATE KEY UPDATE writer = writer;
