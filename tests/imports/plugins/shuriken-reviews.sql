SET SESSION sql_mode = '';

CREATE TABLE wp_shuriken_ratings (
  id mediumint(9) NOT NULL AUTO_INCREMENT,
  name varchar(255) NOT NULL,
  total_votes int DEFAULT 0,
  total_rating DECIMAL(10,2) DEFAULT 0,
  parent_id mediumint(9) DEFAULT NULL,
  effect_type varchar(10) DEFAULT 'positive',
  display_only tinyint(1) DEFAULT 0,
  mirror_of mediumint(9) DEFAULT NULL,
  rating_type varchar(20) NOT NULL DEFAULT 'stars',
  scale tinyint unsigned NOT NULL DEFAULT 5,
  label_description varchar(500) DEFAULT NULL,
  date_created datetime DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id)
);

-- The totals contain the votes on posts. Two votes on rating 5 are not in the log any more. Rating 6
-- is the parent of rating 1 and has its totals.
INSERT INTO wp_shuriken_ratings
  (id, name, rating_type, scale, total_votes, total_rating, parent_id) VALUES
  (1, 'Site', 'stars', 5, 2, 4, 6), (2, 'Posts', 'stars', 10, 3, 13.5, NULL),
  (3, 'Taste', 'numeric', 100, 1, 2, NULL), (4, 'Helpful', 'like_dislike', 1, 4, 6, NULL),
  (5, 'Approve', 'approval', 1, 3, 2, NULL), (6, 'All', 'stars', 5, 2, 4, NULL);

CREATE TABLE wp_shuriken_votes (
  id mediumint(9) NOT NULL AUTO_INCREMENT,
  rating_id mediumint(9) NOT NULL,
  user_id bigint(20) DEFAULT 0,
  user_ip varchar(45) DEFAULT NULL,
  rating_value DECIMAL(5,2) NOT NULL,
  context_id bigint(20) unsigned DEFAULT NULL,
  context_type varchar(20) DEFAULT NULL,
  date_created datetime DEFAULT CURRENT_TIMESTAMP,
  date_modified datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  UNIQUE KEY unique_vote (rating_id, user_id, user_ip, context_id, context_type)
);

-- Times are in the site's zone: 13:00 is 12:00 in UTC.
INSERT INTO wp_shuriken_votes VALUES
  -- Of the rating itself.
  (1, 1, 7, NULL, 4, NULL, NULL, '2026-01-10 13:00:00', '2026-01-11 13:00:00'),
  (2, 5, 0, '192.0.2.1', 1, NULL, NULL, '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  -- Of posts: rating 2 is the first of stars and numbers there, 4 the first of likes.
  (3, 2, 7, NULL, 3.5, 1, 'post', '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (4, 3, 7, NULL, 2, 1, 'post', '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (5, 4, 7, NULL, 0, 2, 'page', '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (6, 4, 0, '192.0.2.1', 1, 2, 'page', '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (7, 4, 0, '192.0.2.1', 1, 11, 'comment', '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  -- The unique key does not stop users, who have no address.
  (8, 2, 7, NULL, 5, 1, 'post', '2026-01-10 13:00:00', '2026-01-12 13:00:00'),
  -- What cannot be taken over.
  (9, 2, 7, NULL, 5, 99, 'post', '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (10, 9, 7, NULL, 5, NULL, NULL, '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (11, 1, 8, NULL, 0, NULL, NULL, '2026-01-10 13:00:00', '2026-01-10 13:00:00'),
  (12, 4, 8, NULL, 4, 2, 'page', '2026-01-10 13:00:00', '2026-01-10 13:00:00');
