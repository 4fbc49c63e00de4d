-- Anonymous voters are no longer recognised by address and browser, so nothing reads or writes
-- {prefix}ratingd_fingerprints. It stays, empty, for workers of version 0.1 that run until they are
-- replaced; "ratingctl maintain" deletes the rows that these add meanwhile. The next version drops it.
TRUNCATE TABLE {prefix}ratingd_fingerprints;
