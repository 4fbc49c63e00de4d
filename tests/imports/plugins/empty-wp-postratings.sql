-- The log of a site whose votes are in post meta only.
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
  PRIMARY KEY (rating_id)
);
