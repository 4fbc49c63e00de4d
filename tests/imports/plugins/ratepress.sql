SET SESSION sql_mode = '', time_zone = '+00:00';

CREATE TABLE wp_ratepress_ratings (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  object_id bigint unsigned NOT NULL,
  object_type enum('post', 'comment') NOT NULL,
  user_id bigint unsigned NOT NULL DEFAULT 0,
  ip varchar(45),
  cookie_hash varchar(64),
  category enum('binary', 'bipolar', 'scale') NOT NULL,
  value float NOT NULL,
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id)
);

INSERT INTO wp_ratepress_ratings VALUES
  (1, 1, 'post', 7, '192.0.2.7', NULL, 'scale', 0.8, '2026-01-10 12:00:00'),
  -- One visitor twice, the second time from elsewhere.
  (2, 1, 'post', 0, '192.0.2.1', 'c1', 'scale', 0.5, '2026-01-10 12:00:00'),
  (3, 1, 'post', 0, '192.0.2.2', 'c1', 'scale', 0.7, '2026-01-11 12:00:00'),
  -- No cookie: the address tells visitors apart.
  (4, 1, 'post', 0, '192.0.2.3', '', 'scale', 0.25, '2026-01-10 12:00:00'),
  (5, 1, 'post', 8, NULL, NULL, 'binary', 1, '2026-01-10 12:00:00'),
  (6, 2, 'post', 7, NULL, NULL, 'bipolar', -1, '2026-01-10 12:00:00'),
  (7, 11, 'comment', 7, NULL, NULL, 'binary', 0, '2026-01-10 12:00:00'),
  -- A user who is gone; a visitor of whom nothing is known.
  (8, 2, 'post', 99, NULL, NULL, 'bipolar', 0, '2026-01-10 12:00:00'),
  (9, 2, 'post', 0, NULL, NULL, 'bipolar', 1, '2026-01-10 12:00:00'),
  -- What cannot be taken over.
  (10, 99, 'post', 7, NULL, NULL, 'binary', 1, '2026-01-10 12:00:00'),
  (11, 12, 'comment', 7, NULL, NULL, 'binary', 1, '2026-01-10 12:00:00'),
  (12, 3, 'post', 7, NULL, NULL, 'scale', 1.5, '2026-01-10 12:00:00'),
  (13, 3, 'post', 7, NULL, NULL, 'binary', 0.5, '2026-01-10 12:00:00'),
  (14, 3, 'post', 7, NULL, NULL, 'bipolar', 1, '2037-01-10 12:00:00'),
  (15, 3, 'post', 7, NULL, NULL, 'bipolar', 1, '0000-00-00 00:00:00');
