-- The visitors of other front ends, by the names in their tickets, and the anonymous voter that each of
-- them is. A row is written together with the visitor's first stored vote, and deleted when nothing is
-- left of the votes. This table decides who is whose voter: a new visitor's number is a keyed hash of the
-- name, but the key may have been replaced since. "issuer" is the name of the ticket's key, "subject" the
-- visitor's id there, in UTF-8.
CREATE TABLE IF NOT EXISTS {prefix}ratingd_visitors (
  voter BIGINT UNSIGNED NOT NULL,
  issuer VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject VARBINARY(255) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  PRIMARY KEY (voter),
  UNIQUE KEY by_name (issuer, subject)
) ENGINE=InnoDB;
