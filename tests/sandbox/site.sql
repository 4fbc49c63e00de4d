-- The small site of the sandbox: WordPress's core tables as WordPress 6.9 defines them, with three
-- users, a dozen posts and some comments. @HOME@ is the site's address.
--
--   user        account password   application password
--   admin       admin              AdminSandboxPassword0001
--   editor      editor             EditorSandboxPassword001
--   subscriber  subscriber         SubscriberSandboxPass001

SET NAMES utf8mb4 COLLATE utf8mb4_unicode_520_ci;
-- WordPress does the same, because its dates may be zero.
SET SESSION sql_mode = '';

CREATE TABLE wp_users (
  ID bigint(20) unsigned NOT NULL auto_increment,
  user_login varchar(60) NOT NULL default '',
  user_pass varchar(255) NOT NULL default '',
  user_nicename varchar(50) NOT NULL default '',
  user_email varchar(100) NOT NULL default '',
  user_url varchar(100) NOT NULL default '',
  user_registered datetime NOT NULL default '0000-00-00 00:00:00',
  user_activation_key varchar(255) NOT NULL default '',
  user_status int(11) NOT NULL default '0',
  display_name varchar(250) NOT NULL default '',
  PRIMARY KEY (ID),
  KEY user_login_key (user_login),
  KEY user_nicename (user_nicename),
  KEY user_email (user_email)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_usermeta (
  umeta_id bigint(20) unsigned NOT NULL auto_increment,
  user_id bigint(20) unsigned NOT NULL default '0',
  meta_key varchar(255) default NULL,
  meta_value longtext,
  PRIMARY KEY (umeta_id),
  KEY user_id (user_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_options (
  option_id bigint(20) unsigned NOT NULL auto_increment,
  option_name varchar(191) NOT NULL default '',
  option_value longtext NOT NULL,
  autoload varchar(20) NOT NULL default 'yes',
  PRIMARY KEY (option_id),
  UNIQUE KEY option_name (option_name),
  KEY autoload (autoload)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_posts (
  ID bigint(20) unsigned NOT NULL auto_increment,
  post_author bigint(20) unsigned NOT NULL default '0',
  post_date datetime NOT NULL default '0000-00-00 00:00:00',
  post_date_gmt datetime NOT NULL default '0000-00-00 00:00:00',
  post_content longtext NOT NULL,
  post_title text NOT NULL,
  post_excerpt text NOT NULL,
  post_status varchar(20) NOT NULL default 'publish',
  comment_status varchar(20) NOT NULL default 'open',
  ping_status varchar(20) NOT NULL default 'open',
  post_password varchar(255) NOT NULL default '',
  post_name varchar(200) NOT NULL default '',
  to_ping text NOT NULL,
  pinged text NOT NULL,
  post_modified datetime NOT NULL default '0000-00-00 00:00:00',
  post_modified_gmt datetime NOT NULL default '0000-00-00 00:00:00',
  post_content_filtered longtext NOT NULL,
  post_parent bigint(20) unsigned NOT NULL default '0',
  guid varchar(255) NOT NULL default '',
  menu_order int(11) NOT NULL default '0',
  post_type varchar(20) NOT NULL default 'post',
  post_mime_type varchar(100) NOT NULL default '',
  comment_count bigint(20) NOT NULL default '0',
  PRIMARY KEY (ID),
  KEY post_name (post_name(191)),
  KEY type_status_date (post_type,post_status,post_date,ID),
  KEY post_parent (post_parent),
  KEY post_author (post_author)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_comments (
  comment_ID bigint(20) unsigned NOT NULL auto_increment,
  comment_post_ID bigint(20) unsigned NOT NULL default '0',
  comment_author tinytext NOT NULL,
  comment_author_email varchar(100) NOT NULL default '',
  comment_author_url varchar(200) NOT NULL default '',
  comment_author_IP varchar(100) NOT NULL default '',
  comment_date datetime NOT NULL default '0000-00-00 00:00:00',
  comment_date_gmt datetime NOT NULL default '0000-00-00 00:00:00',
  comment_content text NOT NULL,
  comment_karma int(11) NOT NULL default '0',
  comment_approved varchar(20) NOT NULL default '1',
  comment_agent varchar(255) NOT NULL default '',
  comment_type varchar(20) NOT NULL default 'comment',
  comment_parent bigint(20) unsigned NOT NULL default '0',
  user_id bigint(20) unsigned NOT NULL default '0',
  PRIMARY KEY (comment_ID),
  KEY comment_post_ID (comment_post_ID),
  KEY comment_approved_date_gmt (comment_approved,comment_date_gmt),
  KEY comment_date_gmt (comment_date_gmt),
  KEY comment_parent (comment_parent),
  KEY comment_author_email (comment_author_email(10))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_terms (
  term_id bigint(20) unsigned NOT NULL auto_increment,
  name varchar(200) NOT NULL default '',
  slug varchar(200) NOT NULL default '',
  term_group bigint(10) NOT NULL default 0,
  PRIMARY KEY (term_id),
  KEY slug (slug(191)),
  KEY name (name(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_term_taxonomy (
  term_taxonomy_id bigint(20) unsigned NOT NULL auto_increment,
  term_id bigint(20) unsigned NOT NULL default 0,
  taxonomy varchar(32) NOT NULL default '',
  description longtext NOT NULL,
  parent bigint(20) unsigned NOT NULL default 0,
  count bigint(20) NOT NULL default 0,
  PRIMARY KEY (term_taxonomy_id),
  UNIQUE KEY term_id_taxonomy (term_id,taxonomy),
  KEY taxonomy (taxonomy)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

INSERT INTO wp_users
  (ID, user_login, user_pass, user_nicename, user_email, user_registered, display_name)
VALUES
  (1, 'admin', '$wp$2y$10$jGl25bVBBBW96Qi9Te4V3uRAIuNo/xsfOI8LR/dfIRE1eHwSfU3jy', 'admin',
   'admin@example.org', '2026-01-01 00:00:00', 'Administrator'),
  (2, 'editor', '$wp$2y$10$FVPMYv8kYETGg6YeID5lVu5KqaepXGdQjvJjpjOEyuCH1TxB7hj6m', 'editor',
   'editor@example.org', '2026-01-01 00:00:00', 'Editor'),
  (3, 'subscriber', '$wp$2y$10$H2K.yxNjvIb3w78fNRlkVuPFtr1gZgc9XBKyfIFYguP58ST8kWuFC', 'subscriber',
   'subscriber@example.org', '2026-01-01 00:00:00', 'Subscriber');

INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1, 'nickname', 'admin'),
  (1, 'wp_capabilities', 'a:1:{s:13:"administrator";b:1;}'),
  (1, 'wp_user_level', '10'),
  (1, '_application_passwords',
   'a:1:{i:0;a:7:{s:4:"uuid";s:36:"7f1c2ad0-6c55-4f0e-9d52-0d1b7a3e0001";s:6:"app_id";s:0:"";s:4:"name";s:7:"sandbox";'
   's:8:"password";s:49:"$generic$bFWqVzAXBFBHdaf9TKwiKbpqh_tZNJ-AS3bFzN8W";s:7:"created";i:1767225600;s:9:"last_used";N;s:7:"last_ip";N;}}'),
  (2, 'nickname', 'editor'),
  (2, 'wp_capabilities', 'a:1:{s:6:"editor";b:1;}'),
  (2, 'wp_user_level', '7'),
  (2, '_application_passwords',
   'a:1:{i:0;a:7:{s:4:"uuid";s:36:"7f1c2ad0-6c55-4f0e-9d52-0d1b7a3e0002";s:6:"app_id";s:0:"";s:4:"name";s:7:"sandbox";'
   's:8:"password";s:49:"$generic$IG80IPT-kg6hsARTAoQVsMXIwJA-LHSRWbIsk5bv";s:7:"created";i:1767225600;s:9:"last_used";N;s:7:"last_ip";N;}}'),
  (3, 'nickname', 'subscriber'),
  (3, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}'),
  (3, 'wp_user_level', '0'),
  (3, '_application_passwords',
   'a:1:{i:0;a:7:{s:4:"uuid";s:36:"7f1c2ad0-6c55-4f0e-9d52-0d1b7a3e0003";s:6:"app_id";s:0:"";s:4:"name";s:7:"sandbox";'
   's:8:"password";s:49:"$generic$Gz17ED_B8ZfAcb6DIVOGmqf2NM2GPbWoF1lNDFQI";s:7:"created";i:1767225600;s:9:"last_used";N;s:7:"last_ip";N;}}');

INSERT INTO wp_options (option_name, option_value, autoload) VALUES
  ('siteurl', '@HOME@', 'on'),
  ('home', '@HOME@', 'on'),
  ('blogname', 'Sandbox', 'on'),
  ('admin_email', 'admin@example.org', 'on'),
  ('blog_charset', 'UTF-8', 'on'),
  ('permalink_structure', '/%postname%/', 'on'),
  ('timezone_string', 'Europe/Berlin', 'on'),
  ('gmt_offset', '0', 'on'),
  ('start_of_week', '1', 'on'),
  ('using_application_passwords', '1', 'on'),
  ('db_version', '60717', 'on');

-- The roles of a fresh WordPress.
INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('wp_user_roles',
  'a:5:{s:13:"administrator";a:2:{s:4:"name";s:13:"Administrator";s:12:"capabilities";a:61:{'
  's:13:"switch_themes";b:1;s:11:"edit_themes";b:1;s:16:"activate_plugins";b:1;'
  's:12:"edit_plugins";b:1;s:10:"edit_users";b:1;s:10:"edit_files";b:1;s:14:"manage_options";'
  'b:1;s:17:"moderate_comments";b:1;s:17:"manage_categories";b:1;s:12:"manage_links";b:1;'
  's:12:"upload_files";b:1;s:6:"import";b:1;s:15:"unfiltered_html";b:1;s:10:"edit_posts";b:1;'
  's:17:"edit_others_posts";b:1;s:20:"edit_published_posts";b:1;s:13:"publish_posts";b:1;'
  's:10:"edit_pages";b:1;s:4:"read";b:1;s:8:"level_10";b:1;s:7:"level_9";b:1;s:7:"level_8";'
  'b:1;s:7:"level_7";b:1;s:7:"level_6";b:1;s:7:"level_5";b:1;s:7:"level_4";b:1;s:7:"level_3";'
  'b:1;s:7:"level_2";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;s:17:"edit_others_pages";b:1;'
  's:20:"edit_published_pages";b:1;s:13:"publish_pages";b:1;s:12:"delete_pages";b:1;'
  's:19:"delete_others_pages";b:1;s:22:"delete_published_pages";b:1;s:12:"delete_posts";b:1;'
  's:19:"delete_others_posts";b:1;s:22:"delete_published_posts";b:1;'
  's:20:"delete_private_posts";b:1;s:18:"edit_private_posts";b:1;s:18:"read_private_posts";'
  'b:1;s:20:"delete_private_pages";b:1;s:18:"edit_private_pages";b:1;'
  's:18:"read_private_pages";b:1;s:12:"delete_users";b:1;s:12:"create_users";b:1;'
  's:17:"unfiltered_upload";b:1;s:14:"edit_dashboard";b:1;s:14:"update_plugins";b:1;'
  's:14:"delete_plugins";b:1;s:15:"install_plugins";b:1;s:13:"update_themes";b:1;'
  's:14:"install_themes";b:1;s:11:"update_core";b:1;s:10:"list_users";b:1;s:12:"remove_users";'
  'b:1;s:13:"promote_users";b:1;s:18:"edit_theme_options";b:1;s:13:"delete_themes";b:1;'
  's:6:"export";b:1;}}s:6:"editor";a:2:{s:4:"name";s:6:"Editor";s:12:"capabilities";a:34:{'
  's:17:"moderate_comments";b:1;s:17:"manage_categories";b:1;s:12:"manage_links";b:1;'
  's:12:"upload_files";b:1;s:15:"unfiltered_html";b:1;s:10:"edit_posts";b:1;'
  's:17:"edit_others_posts";b:1;s:20:"edit_published_posts";b:1;s:13:"publish_posts";b:1;'
  's:10:"edit_pages";b:1;s:4:"read";b:1;s:7:"level_7";b:1;s:7:"level_6";b:1;s:7:"level_5";b:1;'
  's:7:"level_4";b:1;s:7:"level_3";b:1;s:7:"level_2";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;'
  's:17:"edit_others_pages";b:1;s:20:"edit_published_pages";b:1;s:13:"publish_pages";b:1;'
  's:12:"delete_pages";b:1;s:19:"delete_others_pages";b:1;s:22:"delete_published_pages";b:1;'
  's:12:"delete_posts";b:1;s:19:"delete_others_posts";b:1;s:22:"delete_published_posts";b:1;'
  's:20:"delete_private_posts";b:1;s:18:"edit_private_posts";b:1;s:18:"read_private_posts";'
  'b:1;s:20:"delete_private_pages";b:1;s:18:"edit_private_pages";b:1;'
  's:18:"read_private_pages";b:1;}}s:6:"author";a:2:{s:4:"name";s:6:"Author";'
  's:12:"capabilities";a:10:{s:12:"upload_files";b:1;s:10:"edit_posts";b:1;'
  's:20:"edit_published_posts";b:1;s:13:"publish_posts";b:1;s:4:"read";b:1;s:7:"level_2";b:1;'
  's:7:"level_1";b:1;s:7:"level_0";b:1;s:12:"delete_posts";b:1;s:22:"delete_published_posts";'
  'b:1;}}s:11:"contributor";a:2:{s:4:"name";s:11:"Contributor";s:12:"capabilities";a:5:{'
  's:10:"edit_posts";b:1;s:4:"read";b:1;s:7:"level_1";b:1;s:7:"level_0";b:1;'
  's:12:"delete_posts";b:1;}}s:10:"subscriber";a:2:{s:4:"name";s:10:"Subscriber";'
  's:12:"capabilities";a:2:{s:4:"read";b:1;s:7:"level_0";b:1;}}}',
  'on');

INSERT INTO wp_posts
  (ID, post_author, post_date, post_date_gmt, post_title, post_status, post_name, post_type,
   post_parent, post_mime_type)
VALUES
  (1, 1, '2026-01-05 09:00:00', '2026-01-05 09:00:00', 'Hello world', 'publish', 'hello-world', 'post', 0, ''),
  (2, 1, '2026-01-05 09:05:00', '2026-01-05 09:05:00', 'About us', 'publish', 'about-us', 'page', 0, ''),
  (3, 2, '2026-02-10 12:30:00', '2026-02-10 12:30:00', 'Ten walks along the river', 'publish', 'ten-walks-along-the-river', 'post', 0, ''),
  (4, 2, '2026-03-02 07:15:00', '2026-03-02 07:15:00', 'Bread without kneading', 'publish', 'bread-without-kneading', 'post', 0, ''),
  (5, 2, '2026-03-20 18:45:00', '2026-03-20 18:45:00', 'Café Größenwahn: a visit', 'publish', 'cafe-groessenwahn', 'post', 0, ''),
  (6, 1, '2026-04-11 10:00:00', '2026-04-11 10:00:00', 'How we test bicycles', 'publish', 'how-we-test-bicycles', 'post', 0, ''),
  (7, 2, '2026-05-01 08:00:00', '2026-05-01 08:00:00', 'Notes on ''quotes'' & <tags>', 'publish', 'notes-on-quotes', 'post', 0, ''),
  (8, 1, '2026-05-15 08:00:00', '2026-05-15 08:00:00', 'Salaries of 2026', 'private', 'salaries', 'post', 0, ''),
  (9, 2, '2026-06-01 16:20:00', '0000-00-00 00:00:00', 'An unfinished thought', 'draft', '', 'post', 0, ''),
  (10, 2, '2036-01-01 00:00:00', '2036-01-01 00:00:00', 'From the future', 'future', 'from-the-future', 'post', 0, ''),
  (11, 1, '2026-06-03 11:00:00', '2026-06-03 11:00:00', 'Thrown away', 'trash', 'thrown-away__trashed', 'post', 0, ''),
  (12, 1, '2026-06-10 11:00:00', '2026-06-10 11:00:00', 'A kettle', 'publish', 'a-kettle', 'product', 0, ''),
  (13, 1, '2026-06-11 11:00:00', '2026-06-11 11:00:00', 'kettle.jpg', 'inherit', 'kettle-jpg', 'attachment', 12, 'image/jpeg'),
  (14, 2, '2026-03-02 08:00:00', '2026-03-02 08:00:00', 'Bread without kneading', 'inherit', '4-revision-v1', 'revision', 4, ''),
  (15, 1, '2026-06-12 11:00:00', '2026-06-12 11:00:00', '=cmd()', 'publish', 'cmd', 'formula', 0, '');

UPDATE wp_posts SET
  post_content = CONCAT('<p>', post_title, '</p>'),
  post_modified = post_date,
  post_modified_gmt = post_date_gmt,
  guid = CONCAT('@HOME@/?p=', ID);

INSERT INTO wp_comments
  (comment_post_ID, comment_author, comment_author_email, comment_author_IP, comment_date,
   comment_date_gmt, comment_content, comment_approved, comment_parent, user_id)
VALUES
  (1, 'Reader', 'reader@example.org', '192.0.2.10', '2026-01-06 10:00:00', '2026-01-06 10:00:00', 'First!', '1', 0, 0),
  (3, 'Walker', 'walker@example.org', '192.0.2.11', '2026-02-11 08:00:00', '2026-02-11 08:00:00', 'The fourth one is the best.', '1', 0, 0),
  (3, 'Editor', 'editor@example.org', '192.0.2.12', '2026-02-11 09:00:00', '2026-02-11 09:00:00', 'Thank you.', '1', 2, 2),
  (4, 'Baker', 'baker@example.org', '192.0.2.13', '2026-03-03 06:00:00', '2026-03-03 06:00:00', 'Fourteen hours work, too.', '1', 0, 0),
  (4, 'Cheap pills', 'spam@example.org', '192.0.2.14', '2026-03-03 06:01:00', '2026-03-03 06:01:00', 'Buy now', 'spam', 0, 0),
  (6, 'Cyclist', 'cyclist@example.org', '192.0.2.15', '2026-04-12 20:00:00', '2026-04-12 20:00:00', 'And the brakes?', '0', 0, 0);

UPDATE wp_posts SET comment_count =
  (SELECT COUNT(*) FROM wp_comments WHERE comment_post_ID = ID AND comment_approved = '1');

-- Votes of another rating plugin, RatePress.
CREATE TABLE wp_ratepress_ratings (
  id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  object_id bigint unsigned NOT NULL,
  object_type enum('post', 'comment') NOT NULL,
  user_id bigint unsigned NOT NULL DEFAULT 0,
  ip varchar(45),
  cookie_hash varchar(64),
  category enum('binary', 'bipolar', 'scale') NOT NULL,
  value float NOT NULL,
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO wp_ratepress_ratings VALUES
  (1, 3, 'post', 0, NULL, 'walker', 'scale', 0.8, '2026-01-10 12:00:00'),
  (2, 99, 'post', 0, NULL, 'walker', 'scale', 0.8, '2026-01-10 12:00:00');
