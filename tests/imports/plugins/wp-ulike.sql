SET SESSION sql_mode = '';

CREATE TABLE wp_ulike (
  id bigint(20) NOT NULL AUTO_INCREMENT,
  post_id bigint(20) NOT NULL,
  date_time datetime NOT NULL,
  ip varchar(100) NOT NULL,
  user_id varchar(100) NOT NULL,
  fingerprint varchar(64) DEFAULT NULL,
  status varchar(30) NOT NULL,
  PRIMARY KEY (id)
);

-- Before 2025-08-18, times are in the site's zone (13:00 is 12:00 in UTC). Since then, they are in UTC. A
-- visitor's user_id is the visitor's address as a number.
INSERT INTO wp_ulike VALUES
  (1, 1, '2025-01-10 13:00:00', '192.0.2.7', '7', NULL, 'like'),
  (2, 1, '2026-01-10 12:00:00', '192.0.2.1', '3221225985', 'f1', 'dislike'),
  (3, 2, '2026-01-10 12:00:00', '192.0.2.1', '3221225985', 'f1', 'like'),
  -- A plugin's setting lets voters vote again and again.
  (4, 2, '2026-01-11 12:00:00', '192.0.2.1', '3221225985', 'f1', 'dislike'),
  -- What cannot be taken over.
  (5, 2, '2026-01-10 12:00:00', '192.0.2.7', '7', NULL, 'unlike'),
  (6, 99, '2026-01-10 12:00:00', '192.0.2.7', '7', NULL, 'like');

CREATE TABLE wp_ulike_comments (
  id bigint(20) NOT NULL AUTO_INCREMENT,
  comment_id bigint(20) NOT NULL,
  date_time datetime NOT NULL,
  ip varchar(100) NOT NULL,
  user_id varchar(100) NOT NULL,
  status varchar(30) NOT NULL,
  PRIMARY KEY (id)
);

INSERT INTO wp_ulike_comments VALUES (1, 11, '2026-01-10 12:00:00', '192.0.2.7', '7', 'like');

CREATE TABLE wp_ulike_activities (
  id bigint(20) NOT NULL AUTO_INCREMENT,
  activity_id bigint(20) NOT NULL,
  date_time datetime NOT NULL,
  ip varchar(100) NOT NULL,
  user_id varchar(100) NOT NULL,
  status varchar(30) NOT NULL,
  PRIMARY KEY (id)
);

INSERT INTO wp_ulike_activities VALUES (1, 500, '2026-01-10 12:00:00', '192.0.2.7', '7', 'like');

CREATE TABLE wp_ulike_pulse (
  id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  item_id bigint(20) unsigned NOT NULL,
  item_type varchar(32) NOT NULL,
  engagement_kind varchar(20) NOT NULL DEFAULT 'vote',
  engagement_key varchar(20) NOT NULL DEFAULT 'like',
  value tinyint(3) unsigned DEFAULT NULL,
  status enum('active', 'removed') NOT NULL DEFAULT 'active',
  date_time datetime NOT NULL,
  ip varchar(45) NOT NULL DEFAULT '',
  user_id varchar(45) NOT NULL DEFAULT '0',
  fingerprint varchar(64) DEFAULT NULL,
  PRIMARY KEY (id)
);

INSERT INTO wp_ulike_pulse VALUES
  -- The first two rows of the old table, copied.
  (1, 1, 'post', 'vote', 'like', NULL, 'active', '2025-01-10 13:00:00', '192.0.2.7', '7', NULL),
  (2, 1, 'post', 'vote', 'dislike', NULL, 'active', '2026-01-10 12:00:00', '192.0.2.1', '3221225985',
   'f1'),
  (3, 3, 'topic', 'vote', 'like', NULL, 'active', '2026-01-10 12:00:00', '192.0.2.1', '0', 'f1'),
  -- What cannot be taken over.
  (4, 3, 'topic', 'vote', 'like', NULL, 'removed', '2026-01-10 12:00:00', '', '7', NULL),
  (5, 1, 'post', 'emoji', 'love', NULL, 'active', '2026-01-10 12:00:00', '', '7', NULL);

CREATE TABLE wp_ulike_meta (
  meta_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  item_id bigint(20) unsigned NOT NULL DEFAULT 0,
  meta_group varchar(100) DEFAULT NULL,
  meta_key varchar(255) DEFAULT NULL,
  meta_value longtext,
  PRIMARY KEY (meta_id)
);
