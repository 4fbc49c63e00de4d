-- The sandbox's database and its two accounts. What they may do comes from sql/grants.sql, as an
-- operator's.

CREATE DATABASE wordpress CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE USER 'ratingd'@'localhost' IDENTIFIED BY 'ratingd';
CREATE USER 'ratingctl'@'localhost' IDENTIFIED BY 'ratingctl';
