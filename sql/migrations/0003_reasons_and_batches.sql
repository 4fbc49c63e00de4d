-- The reasons that voters gave for low votes: private, for the site's owner. A row belongs to the vote with its key
-- and "rated_at", and is deleted with it. Workers of 0.2 delete and change votes without it: then no vote has
-- this time, and nobody sees the row until "ratingctl maintain" deletes it.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_reasons (
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  voter BIGINT UNSIGNED NOT NULL,
  rated_at DATETIME(6) NOT NULL,
  reason VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (object_id, object_type, category, voter),
  KEY by_time (rated_at)
) ENGINE=InnoDB;

-- What the last batches of each writer have changed, so that the caches of other hosts forget only that:
-- objects and voters, as in "17/post 42". A writer uses its 512 rows again and again. "sequence_before" and
-- "sequence" are what its row in {prefix}ratingd_writers had before and after the batch.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_batches (
  writer BIGINT UNSIGNED NOT NULL,
  slot SMALLINT UNSIGNED NOT NULL,
  sequence_before BIGINT UNSIGNED NOT NULL,
  sequence BIGINT UNSIGNED NOT NULL,
  changed BLOB NOT NULL,
  PRIMARY KEY (writer, slot)
) ENGINE=InnoDB;
