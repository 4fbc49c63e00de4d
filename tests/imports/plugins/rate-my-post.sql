SET SESSION sql_mode = '';

CREATE TABLE wp_rmp_analytics (
  id mediumint(9) NOT NULL AUTO_INCREMENT,
  time datetime DEFAULT '0000-00-00 00:00:00' NOT NULL,
  ip tinytext NOT NULL,
  country tinytext NOT NULL,
  user smallint(5) NOT NULL,
  post mediumint(9) NOT NULL,
  action smallint(5) NOT NULL,
  duration smallint(5) NOT NULL,
  average decimal(2, 1) NOT NULL,
  votes smallint(5) NOT NULL,
  value smallint(5) NOT NULL,
  token tinytext NOT NULL,
  UNIQUE KEY id (id)
);

-- Times are in the site's zone: 13:00 is 12:00 in UTC.
INSERT INTO wp_rmp_analytics VALUES
  (1, '2026-01-10 13:00:00', '192.0.2.7', '0', 7, 1, 1, 5, 5, 1, 5, '-1'),
  (2, '2026-01-10 13:00:00', '192.0.2.1', '0', 0, 1, 1, 5, 4.5, 2, 4, '-1'),
  -- Neither users nor addresses are tracked: each is a visitor.
  (3, '2026-01-11 13:00:00', '-1', '0', -1, 1, 1, 5, 3.7, 3, 2, '-1'),
  (4, '2026-01-11 13:00:00', '-1', '0', -1, 1, 1, 5, 3.5, 4, 3, '-1'),
  (5, '2026-01-11 13:00:00', '', '0', 0, 2, 1, 5, 1, 1, 1, '-1'),
  -- What cannot be taken over.
  (6, '2026-01-11 13:00:00', '192.0.2.7', '0', 7, 1, 2, 5, 3.5, 4, 0, '-1');

-- Post 1: 2 votes with 8 stars were cast before the analytics were on. Post 2: the figures match the rows.
-- Post 3: no rows.
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1, 'rmp_vote_count', '6'), (1, 'rmp_rating_val_sum', '22'), (1, 'rmp_avg_rating', '3.7'),
  (2, 'rmp_vote_count', '1'), (2, 'rmp_rating_val_sum', '1'), (2, 'rmp_avg_rating', '1'),
  (3, 'rmp_vote_count', '10'), (3, 'rmp_rating_val_sum', '45'), (3, 'rmp_avg_rating', '4.5');
