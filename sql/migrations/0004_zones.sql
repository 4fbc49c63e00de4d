-- The time zones in which days are counted, once the zone has changed: {prefix}ratingd_rollup_state has the zone in
-- force. A time belongs to the zone with the last "since" up to it. A row counts only while "rebuilds" is that of
-- {prefix}ratingd_rollup_state: a rebuild by version 0.3 counts all days in one zone. Changed by whoever has locked
-- that exclusively.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_zones (
  rebuilds BIGINT NOT NULL,
  since DATETIME(6) NOT NULL,
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (rebuilds, since)
) ENGINE=InnoDB;

-- Names the content of {prefix}ratingd_zones, so that writers of votes read that table only once it has changed: a
-- random number, another one after each change; 0: the table is empty. A rebuild by version 0.3 replaces one of these
-- tables by the other.
ALTER TABLE {prefix}ratingd_rollup_state
  ADD COLUMN zones_version BIGINT UNSIGNED NOT NULL DEFAULT 0;
ALTER TABLE {prefix}ratingd_rollup_state_new
  ADD COLUMN zones_version BIGINT UNSIGNED NOT NULL DEFAULT 0;

-- The version of the program whose writer this is, 4 for 0.4; 0 for all before.
ALTER TABLE {prefix}ratingd_writers
  ADD COLUMN program TINYINT UNSIGNED NOT NULL DEFAULT 0;

-- Version 0.4 does not rebuild the rollups: it repairs them in place. All tables {prefix}ratingd_..._new, and in
-- {prefix}ratingd_rollup_state the columns next_zone, phase, object_id, object_type, category, voter and done, stay
-- empty, for workers of 0.3 that run during an upgrade or after a downgrade. {prefix}ratingd_fingerprints stays
-- for their "ratingctl maintain". Version 0.5 drops all of them.
