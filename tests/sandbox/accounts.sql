-- The sandbox's database and its two accounts. sql/grants.sql grants their privileges, as on an
-- operator's server.

CREATE DATABASE wordpress CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE USER 'ratingd'@'localhost' IDENTIFIED BY 'ratingd';
CREATE USER 'ratingctl'@'localhost' IDENTIFIED BY 'ratingctl';
