-- The site on which the plugins in this folder have stored votes: posts 1 to 3, comment 11, users 7 and 8.

SET SESSION sql_mode = '';

INSERT INTO wp_options (option_name, option_value) VALUES ('timezone_string', 'Europe/Berlin');

INSERT INTO wp_users (ID, user_login) VALUES (7, 'seven'), (8, 'eight');

INSERT INTO wp_posts (ID, post_type, post_date_gmt) VALUES
  (1, 'post', '2025-01-01 10:00:00'),
  (2, 'page', '2025-02-01 23:30:00'),
  (3, 'topic', '2025-03-01 10:00:00');

INSERT INTO wp_comments (comment_ID, comment_post_ID, comment_date_gmt) VALUES
  (11, 1, '2025-04-01 10:00:00');

CREATE TABLE wp_postmeta (
  meta_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  post_id bigint(20) unsigned NOT NULL DEFAULT 0,
  meta_key varchar(255) DEFAULT NULL,
  meta_value longtext DEFAULT NULL,
  PRIMARY KEY (meta_id),
  KEY post_id (post_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_commentmeta (
  meta_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  comment_id bigint(20) unsigned NOT NULL DEFAULT 0,
  meta_key varchar(255) DEFAULT NULL,
  meta_value longtext DEFAULT NULL,
  PRIMARY KEY (meta_id),
  KEY comment_id (comment_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
