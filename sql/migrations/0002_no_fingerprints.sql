-- Anonymous voters are no longer recognised by address and browser, so this version neither reads nor
-- writes {prefix}ratingd_fingerprints. It stays for workers of version 0.1 that run until they are
-- replaced; "ratingctl maintain" deletes the rows that these add meanwhile. The next version drops it.
TRUNCATE TABLE {prefix}ratingd_fingerprints;
