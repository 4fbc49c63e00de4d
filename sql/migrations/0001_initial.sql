-- The tables of ratingd. {prefix} is the CMS's table prefix, for example wp_.
--
-- Values are in thousandths, from -1000 to 1000. Times are UTC. A day is a day in the time zone of
-- {prefix}ratingd_rollup_state. Categories: 0 binary, 1 bipolar, 2 scale. A voter is the id of a registered
-- user, or a random number whose highest bit is set.

-- Named values about the installation. For example, 'addresses_erased_before' records the progress of
-- "ratingctl maintain".
CREATE TABLE IF NOT EXISTS {prefix}ratingd_state (
  name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  value VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB;

-- The settings that somebody has set. All other settings have their defaults. "value" is JSON. A damaged or
-- unknown row is ignored and not changed.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_settings (
  name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  value MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB;

-- The site's own templates, without the built-in templates. "version" counts how often a template was stored.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_templates (
  slug VARCHAR(129) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  description VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  version BIGINT NOT NULL,
  html MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  css MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (slug)
) ENGINE=InnoDB;

-- A row for each vote: for each voter, object and category.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_votes (
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  voter BIGINT UNSIGNED NOT NULL,
  value SMALLINT NOT NULL,
  -- 1 if the vote is not counted. Then a row in {prefix}ratingd_held exists.
  held TINYINT UNSIGNED NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  rated_at DATETIME(6) NOT NULL,
  -- 'h' and 16 bytes of a keyed hash, or '4' or '6' and the address itself, or empty.
  address VARBINARY(17) NOT NULL DEFAULT '',
  -- 16 bits of a keyed hash of the user agent of the first vote, used to find bursts. 0 if the user agent is
  -- unknown, if the vote cannot be held, or after an administrator has released the vote.
  agent SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (object_id, object_type, category, voter),
  KEY by_time (rated_at),
  KEY by_voter (voter, rated_at),
  KEY by_object (object_id, object_type, category, rated_at)
) ENGINE=InnoDB;

-- The held votes. "reasons" is 1 for few networks, 2 for one user agent, and 3 for both.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_held (
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  voter BIGINT UNSIGNED NOT NULL,
  reasons TINYINT UNSIGNED NOT NULL,
  held_at DATETIME(6) NOT NULL,
  PRIMARY KEY (object_id, object_type, category, voter),
  KEY by_time (held_at)
) ENGINE=InnoDB;

-- Aggregates: votes that are stored only as sums. The table keeps the name that it had in version
-- 0.1, because programs of two versions may use it at the same time.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_balances (
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  day DATE NOT NULL,
  source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sum BIGINT NOT NULL,
  bin0 BIGINT NOT NULL, bin1 BIGINT NOT NULL, bin2 BIGINT NOT NULL, bin3 BIGINT NOT NULL,
  bin4 BIGINT NOT NULL, bin5 BIGINT NOT NULL, bin6 BIGINT NOT NULL, bin7 BIGINT NOT NULL,
  bin8 BIGINT NOT NULL, bin9 BIGINT NOT NULL, bin10 BIGINT NOT NULL,
  last_rated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (object_id, object_type, category, day, source),
  KEY by_day (day, category, last_rated_at)
) ENGINE=InnoDB;

-- A single row (id 1) about the rollups. The rollups are all tables from here to {prefix}ratingd_reach.
-- "zone" is the time zone in which their days are counted. The other columns record the progress while
-- "ratingctl rebuild" of version 0.3 creates new rollups in "next_zone" (rollups/rollup_state.h). Each
-- transaction that changes votes or rollups locks this row first.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_rollup_state (
  id TINYINT UNSIGNED NOT NULL,
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  next_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  phase TINYINT UNSIGNED NOT NULL DEFAULT 0,
  object_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  category TINYINT UNSIGNED NOT NULL DEFAULT 0,
  voter BIGINT UNSIGNED NOT NULL DEFAULT 0,
  done BIGINT NOT NULL DEFAULT 0,
  -- How often the rollups were rebuilt.
  rebuilds BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) ENGINE=InnoDB;

-- The totals of an object in a category. "version" grows with every change.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_totals (
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  sum BIGINT NOT NULL,
  bin0 BIGINT NOT NULL, bin1 BIGINT NOT NULL, bin2 BIGINT NOT NULL, bin3 BIGINT NOT NULL,
  bin4 BIGINT NOT NULL, bin5 BIGINT NOT NULL, bin6 BIGINT NOT NULL, bin7 BIGINT NOT NULL,
  bin8 BIGINT NOT NULL, bin9 BIGINT NOT NULL, bin10 BIGINT NOT NULL,
  last_rated_at DATETIME(6) NOT NULL,
  version BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (object_id, object_type, category)
) ENGINE=InnoDB;

-- The totals of an object by the day on which its votes were last changed. Lists of a period read one range
-- of a category. The trend of an object reads day by day.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_daily (
  object_id BIGINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  day DATE NOT NULL,
  total BIGINT NOT NULL,
  sum BIGINT NOT NULL,
  positive BIGINT NOT NULL,
  negative BIGINT NOT NULL,
  PRIMARY KEY (category, day, object_type, object_id)
) ENGINE=InnoDB;

-- The totals of the whole site by day. Every vote changes a row here, so writers spread over "slots", and
-- readers add up the slots.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_site_daily (
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  day DATE NOT NULL,
  slot TINYINT UNSIGNED NOT NULL,
  sum BIGINT NOT NULL,
  bin0 BIGINT NOT NULL, bin1 BIGINT NOT NULL, bin2 BIGINT NOT NULL, bin3 BIGINT NOT NULL,
  bin4 BIGINT NOT NULL, bin5 BIGINT NOT NULL, bin6 BIGINT NOT NULL, bin7 BIGINT NOT NULL,
  bin8 BIGINT NOT NULL, bin9 BIGINT NOT NULL, bin10 BIGINT NOT NULL,
  PRIMARY KEY (day, category, object_type, slot)
) ENGINE=InnoDB;

-- A row for each voter. Each transaction that changes the voter's votes locks this row first. "last_day" is
-- the last day on which the voter rated or changed a rating, or 1000-01-01 for never. "ratings" is the number
-- of new ratings on that day, and "last_rated_at" is the time of the last rating. Both are only maintained if
-- a rule needs them.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_voters (
  voter BIGINT UNSIGNED NOT NULL,
  last_day DATE NOT NULL,
  last_rated_at DATETIME(6) NOT NULL DEFAULT '1970-01-01 00:00:00',
  ratings INT NOT NULL DEFAULT 0,
  PRIMARY KEY (voter)
) ENGINE=InnoDB;

-- The totals of a registered user's ratings by category. The times are the times of events, so they do not
-- change when a rating is withdrawn.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_users (
  user_id BIGINT UNSIGNED NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  total BIGINT NOT NULL,
  sum BIGINT NOT NULL,
  first_rated_at DATETIME(6) NOT NULL,
  last_rated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (user_id, category)
) ENGINE=InnoDB;

-- The totals of a registered user's ratings by the day on which they were last changed.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_user_daily (
  day DATE NOT NULL,
  user_id BIGINT UNSIGNED NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  total BIGINT NOT NULL,
  sum BIGINT NOT NULL,
  PRIMARY KEY (day, user_id, category, object_type)
) ENGINE=InnoDB;

-- Activity pairs: the number of voters who were active on "day" and on "previous_day", but on no day between
-- them. The table keeps its old name because programs of two versions may use it at the same time.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_reach (
  day DATE NOT NULL,
  previous_day DATE NOT NULL,
  slot TINYINT UNSIGNED NOT NULL,
  voters BIGINT NOT NULL,
  PRIMARY KEY (day, previous_day, slot)
) ENGINE=InnoDB;

-- Materialized lists: the periods whose lists are stored, with their days, their time zone and the time of
-- the lists. "changes" shows whether votes came since then. "cost_ms" is the time that it took to compute the
-- lists. Lists that take almost no time are not stored. Both tables may be emptied at any time, and fill
-- again. They keep their old names because programs of two versions may use them at the same time.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_kept_periods (
  period TINYINT UNSIGNED NOT NULL,
  first_day DATE NOT NULL,
  last_day DATE NOT NULL,
  zone VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  as_of DATETIME(6) NOT NULL,
  changes VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  cost_ms BIGINT NOT NULL,
  is_kept TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (period)
) ENGINE=InnoDB;

-- The lists, in parts. lib/analytics/materialized_lists.h describes their content. "entries" is the number of
-- entries in the whole list, even if only a few of them are stored.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_kept_lists (
  period TINYINT UNSIGNED NOT NULL,
  list TINYINT UNSIGNED NOT NULL,
  category TINYINT UNSIGNED NOT NULL,
  object_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  part SMALLINT UNSIGNED NOT NULL,
  entries BIGINT NOT NULL,
  data MEDIUMBLOB NOT NULL,
  PRIMARY KEY (period, list, category, object_type, part)
) ENGINE=InnoDB;

-- A rebuild creates new rollups in these tables. Then it exchanges these tables with the rollups above.
-- Otherwise they are empty. A migration that changes a table of rollups also changes the corresponding table
-- here.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_rollup_state_new LIKE {prefix}ratingd_rollup_state;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_totals_new LIKE {prefix}ratingd_totals;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_daily_new LIKE {prefix}ratingd_daily;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_site_daily_new LIKE {prefix}ratingd_site_daily;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_voters_new LIKE {prefix}ratingd_voters;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_users_new LIKE {prefix}ratingd_users;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_user_daily_new LIKE {prefix}ratingd_user_daily;
CREATE TABLE IF NOT EXISTS {prefix}ratingd_reach_new LIKE {prefix}ratingd_reach;

-- The anonymous voter of a network and a user agent, which are stored as a keyed hash. A row exists until the
-- voter's cookie has come back or the row is too old.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_fingerprints (
  fingerprint BINARY(16) NOT NULL,
  voter BIGINT UNSIGNED NOT NULL,
  seen_at DATETIME(6) NOT NULL,
  PRIMARY KEY (fingerprint),
  KEY by_voter (voter),
  KEY by_time (seen_at)
) ENGINE=InnoDB;

-- The progress of each writer. Each batch writes this row, so it shows whether a commit whose answer was lost
-- took place. Writer 0 stands for all other programs that change votes, for example imports and clean-ups.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_writers (
  writer BIGINT UNSIGNED NOT NULL,
  sequence BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (writer)
) ENGINE=InnoDB;

-- The used parts of the allowances that many voters share. The first 4 bytes of a counter are the end of its
-- window, in hours since 1970, with the most significant byte first. So expired counters come first in the
-- key, and are deleted there. The rest is a keyed hash, so nobody without the site's secret can find out to
-- which address or object it belongs.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_counters (
  counter BINARY(16) NOT NULL,
  used INT NOT NULL,
  PRIMARY KEY (counter)
) ENGINE=InnoDB;

-- A view for the CMS: the ratings of an object in a category, for example to sort posts by their ratings
-- (docs/themes.md). A reader of the view needs the privilege to read {prefix}ratingd_totals. The CMS's
-- account has this privilege on all tables of its database. "average" is rounded as in answers: to four
-- places, halves away from zero. Ratings on a scale are neither positive nor negative.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW {prefix}ratingd_post_stats AS
SELECT object_id AS post_id, object_type,
  -- In ASCII, which can be compared with any collation. Otherwise the column would have the collation of the
  -- session that created the view.
  CAST(CASE category WHEN 0 THEN 'binary' WHEN 1 THEN 'bipolar' ELSE 'scale' END
    AS CHAR(7) CHARACTER SET ascii) AS category,
  bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10 AS total,
  CASE category WHEN 2 THEN NULL ELSE bin10 END AS positive,
  CASE category WHEN 2 THEN NULL ELSE bin0 END AS negative,
  CASE category WHEN 2 THEN NULL ELSE bin10 - bin0 END AS score,
  (20 * sum + CASE WHEN sum < 0 THEN -1 ELSE 1 END
      * (bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10))
    DIV (2 * (bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10))
    * 0.0001 AS average,
  last_rated_at
FROM {prefix}ratingd_totals
WHERE bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10 > 0;
