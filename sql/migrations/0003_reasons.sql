-- The reasons that voters gave for low votes: private, for the site's owner. A row belongs to the vote with its key
-- and "rated_at", and is deleted with it. Workers of the version before delete and change votes without it: then no
-- vote has this time, and nobody sees the row until "ratingctl maintain" deletes it.
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
