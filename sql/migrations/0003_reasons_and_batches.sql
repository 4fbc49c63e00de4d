-- The reasons that voters gave for low votes. They are private and for the site's owner. A row belongs to the
-- vote with the same key and "rated_at", and is deleted with the vote. Workers of 0.2 delete and change votes
-- without deleting the row. Then no vote has this time, so nobody sees the row until "ratingctl maintain"
-- deletes it.
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

-- The changes of the last batches of each writer. With them, the caches of other hosts discard only the
-- changed objects and voters. "changed" lists them, as in "17/post 42". A writer reuses its 512 rows.
-- "sequence_before" and "sequence" are the writer's sequence in {prefix}ratingd_writers before and after the
-- batch.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_batches (
  writer BIGINT UNSIGNED NOT NULL,
  slot SMALLINT UNSIGNED NOT NULL,
  sequence_before BIGINT UNSIGNED NOT NULL,
  sequence BIGINT UNSIGNED NOT NULL,
  changed BLOB NOT NULL,
  PRIMARY KEY (writer, slot)
) ENGINE=InnoDB;
