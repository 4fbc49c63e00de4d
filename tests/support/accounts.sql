-- The sandbox's database and its two accounts, as an operator has them: the workers', which cannot
-- change a table's shape, and ratingctl's, which can.

CREATE DATABASE wordpress CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE USER 'ratingd'@'localhost' IDENTIFIED BY 'ratingd';
CREATE USER 'ratingctl'@'localhost' IDENTIFIED BY 'ratingctl';
GRANT SELECT, INSERT, UPDATE, DELETE ON wordpress.* TO 'ratingd'@'localhost';
GRANT ALL ON wordpress.* TO 'ratingctl'@'localhost';
