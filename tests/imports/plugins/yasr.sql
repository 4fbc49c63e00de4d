SET SESSION sql_mode = '';

CREATE TABLE wp_yasr_log (
  id bigint(20) NOT NULL AUTO_INCREMENT,
  post_id bigint(20) NOT NULL,
  user_id bigint(20) NOT NULL,
  vote decimal(2,1) NOT NULL,
  date datetime NOT NULL,
  ip varchar(45) NOT NULL,
  PRIMARY KEY (id)
);

-- Times are in UTC.
INSERT INTO wp_yasr_log VALUES
  (1, 1, 7, 5, '2026-01-10 12:00:00', '192.0.2.7'),
  (2, 1, 0, 4, '2026-01-10 12:00:00', '192.0.2.1'),
  (3, 1, 0, 2, '2026-01-12 12:00:00', '192.0.2.1'),
  -- Addresses are not kept: each is a visitor.
  (4, 2, 0, 3, '2026-01-10 12:00:00', 'X.X.X.X'),
  (5, 2, 0, 3.5, '2026-01-10 12:00:00', 'X.X.X.X'),
  -- What cannot be taken over.
  (6, 2, 8, 0, '2026-01-10 12:00:00', '192.0.2.8'),
  (7, 2, 8, 5.5, '2026-01-10 12:00:00', '192.0.2.8'),
  (8, 2, 8, 5, '0000-00-00 00:00:00', '192.0.2.8'),
  (9, 99, 8, 5, '2026-01-10 12:00:00', '192.0.2.8');

-- Data from version 1: post 1 has 10 more votes with 43 stars, as after an import from a third plugin.
CREATE TABLE wp_yasr_votes (
  id bigint(20) NOT NULL AUTO_INCREMENT,
  post_id bigint(20) NOT NULL,
  overall_rating decimal(2,1) NOT NULL,
  number_of_votes bigint(20) NOT NULL,
  sum_votes decimal(11,1) NOT NULL,
  review_type varchar(10),
  PRIMARY KEY (id),
  UNIQUE KEY post_id (post_id)
);

INSERT INTO wp_yasr_votes VALUES (1, 1, 4.5, 13, 54, NULL), (2, 2, 0, 2, 6.5, NULL);

CREATE TABLE wp_yasr_log_multi_set (
  id bigint(20) NOT NULL AUTO_INCREMENT,
  field_id int(2) NOT NULL,
  set_type int(2) NOT NULL,
  post_id bigint(20) NOT NULL,
  comment_id bigint(20) NOT NULL,
  vote decimal(2,1) NOT NULL,
  user_id bigint(20) NOT NULL,
  date datetime NOT NULL,
  ip varchar(45) NOT NULL,
  PRIMARY KEY (id)
);

INSERT INTO wp_yasr_log_multi_set VALUES
  (1, 0, 1, 1, 0, 5, 7, '2026-01-10 12:00:00', '192.0.2.7'),
  (2, 1, 1, 1, 0, 4, 7, '2026-01-10 12:00:00', '192.0.2.7'),
  (3, 1, 1, 1, 0, 3, 0, '2026-01-11 12:00:00', '192.0.2.1'),
  (4, 1, 1, 1, 0, 2, 0, '2026-01-12 12:00:00', '192.0.2.1'),
  -- A field of another set, one without a name, and no vote.
  (5, 0, 2, 2, 0, 5, 7, '2026-01-10 12:00:00', '192.0.2.7'),
  (6, 9, 2, 2, 0, 5, 7, '2026-01-10 12:00:00', '192.0.2.7'),
  (7, 0, 1, 2, 0, 0, 7, '2026-01-10 12:00:00', '192.0.2.7');

CREATE TABLE wp_yasr_multi_set_fields (
  id int(3) NOT NULL AUTO_INCREMENT,
  parent_set_id int(2) NOT NULL,
  field_name varchar(40) NOT NULL,
  field_id int(2) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY parent_set_id (parent_set_id, field_id)
);

INSERT INTO wp_yasr_multi_set_fields VALUES
  (1, 1, 'Taste & smell', 0), (2, 1, 'Service', 1), (3, 2, 'Price', 0);

INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'yasr_overall_rating', '4.5');
