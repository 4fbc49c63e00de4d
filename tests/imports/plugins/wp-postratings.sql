SET SESSION sql_mode = '';

CREATE TABLE wp_ratings (
  rating_id INT(11) NOT NULL AUTO_INCREMENT,
  rating_postid INT(11) NOT NULL,
  rating_posttitle TEXT NOT NULL,
  rating_rating INT(2) NOT NULL,
  rating_timestamp VARCHAR(15) NOT NULL,
  rating_ip VARCHAR(40) NOT NULL,
  rating_host VARCHAR(200) NOT NULL,
  rating_username VARCHAR(50) NOT NULL,
  rating_userid INT(10) NOT NULL DEFAULT 0,
  PRIMARY KEY (rating_id),
  KEY rating_userid (rating_userid),
  KEY rating_postid_ip (rating_postid, rating_ip)
);

-- Times are in the site's zone: 1768050000 is 13:00 on 2026-01-10, which is 12:00 in UTC.
INSERT INTO wp_ratings VALUES
  (1, 1, 'One', 5, '1768050000', 'a1', '', 'seven', 7),
  (2, 1, 'One', 3, '1768050000', 'a2', '', 'Guest', 0),
  (3, 1, 'One', 4, '1768053600', 'a2', '', 'Guest', 0),
  -- In summer: 13:00 of 2026-07-10 is 11:00 in UTC.
  (4, 2, 'Two', 1, '1783688400', 'a2', '', 'Guest', 0),
  -- What cannot be taken over.
  (5, 99, 'Gone', 5, '1768050000', 'a1', '', 'seven', 7),
  (6, 2, 'Two', 6, '1768050000', 'a3', '', 'Guest', 0),
  (7, 2, 'Two', 0, '1768050000', 'a4', '', 'Guest', 0),
  (8, 2, 'Two', 5, '', 'a5', '', 'Guest', 0);

-- Post 1: 4 of the 7 votes, with 14 stars, are not in the log. Post 2: the figures match the log.
-- Post 3: the figures are impossible, because 2 votes cannot have 11 stars.
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1, 'ratings_users', '7'), (1, 'ratings_score', '26'), (1, 'ratings_average', '3.71'),
  (2, 'ratings_users', '4'), (2, 'ratings_score', '12'), (2, 'ratings_average', '3'),
  (3, 'ratings_users', '2'), (3, 'ratings_score', '11'), (3, 'ratings_average', '5.5');

INSERT INTO wp_options (option_name, option_value) VALUES
  ('postratings_ratingsvalue', 'a:5:{i:0;i:1;i:1;i:2;i:2;i:3;i:3;i:4;i:4;i:5;}');
