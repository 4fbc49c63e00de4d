-- The time zones in which days were counted, if the time zone has ever changed. {prefix}ratingd_rollup_state
-- contains the current zone. A time belongs to the zone with the latest "since" that is not after it. A row
-- counts only while its "rebuilds" equals "rebuilds" in {prefix}ratingd_rollup_state, because a rebuild by
-- version 0.3 counts all days in one zone. Transactions that change this table lock the row in
-- {prefix}ratingd_rollup_state exclusively.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_zones (
  rebuilds BIGINT NOT NULL,
  since DATETIME(6) NOT NULL,
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (rebuilds, since)
) ENGINE=InnoDB;

-- A version of the content of {prefix}ratingd_zones, so that writers of votes read that table only after a
-- change. It is a random number that is replaced with each change, and 0 while the table is empty. A rebuild
-- by version 0.3 replaces one of these two tables with the other.
ALTER TABLE {prefix}ratingd_rollup_state
  ADD COLUMN zones_version BIGINT UNSIGNED NOT NULL DEFAULT 0;
ALTER TABLE {prefix}ratingd_rollup_state_new
  ADD COLUMN zones_version BIGINT UNSIGNED NOT NULL DEFAULT 0;

-- The version of the program to which this writer belongs: 4 for 0.4, and 0 for all earlier versions.
ALTER TABLE {prefix}ratingd_writers
  ADD COLUMN program TINYINT UNSIGNED NOT NULL DEFAULT 0;

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

-- Earlier versions stored addresses with ratings that are older than the times that the maintenance has read. So
-- the next maintenance reads all times again.
DELETE FROM {prefix}ratingd_state WHERE name = 'addresses_erased_before';

-- Version 0.4 repairs the rollups in place and does not rebuild them. So some tables and columns stay empty:
-- all tables {prefix}ratingd_..._new, and in {prefix}ratingd_rollup_state the columns next_zone, phase,
-- object_id, object_type, category, voter and done. Workers of 0.3 need them during an upgrade or after a
-- downgrade, and "ratingctl maintain" of 0.3 needs {prefix}ratingd_fingerprints. Version 0.5 drops all of
-- them.
