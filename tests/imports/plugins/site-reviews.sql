SET SESSION sql_mode = '';

CREATE TABLE wp_glsr_ratings (
  ID bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  review_id bigint(20) unsigned NOT NULL,
  rating int(11) NOT NULL DEFAULT '0',
  type varchar(20) DEFAULT 'local',
  is_approved tinyint(1) NOT NULL DEFAULT '0',
  ip_address varchar(100) DEFAULT NULL,
  PRIMARY KEY (ID),
  UNIQUE KEY glsr_ratings_review_id_unique (review_id)
);

CREATE TABLE wp_glsr_assigned_posts (
  rating_id bigint(20) unsigned NOT NULL,
  post_id bigint(20) unsigned NOT NULL,
  is_published tinyint(1) NOT NULL DEFAULT '1',
  PRIMARY KEY (rating_id, post_id)
);

CREATE TABLE wp_glsr_assigned_terms (
  rating_id bigint(20) unsigned NOT NULL,
  term_id bigint(20) unsigned NOT NULL,
  PRIMARY KEY (rating_id, term_id)
);

CREATE TABLE wp_glsr_assigned_users (
  rating_id bigint(20) unsigned NOT NULL,
  user_id bigint(20) unsigned NOT NULL,
  PRIMARY KEY (rating_id, user_id)
);

-- The texts of the reviews.
INSERT INTO wp_posts (ID, post_type, post_author, post_date_gmt) VALUES
  (101, 'site-review', 7, '2026-01-10 12:00:00'), (102, 'site-review', 0, '2026-01-11 12:00:00'),
  (103, 'site-review', 0, '2026-01-12 12:00:00'), (104, 'site-review', 8, '2026-01-13 12:00:00'),
  (105, 'site-review', 8, '2026-01-14 12:00:00');

INSERT INTO wp_glsr_ratings (ID, review_id, rating, is_approved, ip_address) VALUES
  (1, 101, 5, 1, '192.0.2.7'), (2, 102, 4, 1, '192.0.2.1'), (3, 103, 2, 1, '192.0.2.1'),
  -- Not approved, without a rating, and without its text.
  (4, 104, 1, 0, '192.0.2.8'), (5, 105, 0, 1, '192.0.2.8'), (6, 106, 3, 1, '192.0.2.9');

INSERT INTO wp_glsr_assigned_posts VALUES
  (1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1), (5, 1, 1), (6, 1, 1), (1, 2, 1), (2, 3, 0);
INSERT INTO wp_glsr_assigned_terms VALUES (1, 55), (2, 55);
INSERT INTO wp_glsr_assigned_users VALUES (2, 7);
