-- The data that imports have read from other plugins. For each object and log (a table of the plugin), a row
-- contains the greatest key, the latest time, and the number of rows. So votes that were withdrawn or erased
-- since then are not imported again, and votes that the plugin has deleted since then are not counted again
-- as sums.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_imports (
  plugin VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  log VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  last_row BIGINT UNSIGNED NOT NULL,
  last_rated_at DATETIME(6) NOT NULL,
  rows_read BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (plugin, object_id, object_type, log)
) ENGINE=InnoDB;
