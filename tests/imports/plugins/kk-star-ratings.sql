SET SESSION sql_mode = '';

-- Version 5 writes data like the data of post 1, versions 3 and 4 like the data of post 2. Those of post 3 are damaged.
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1, '_kksr_count_default', '4'), (1, '_kksr_ratings_default', '14'),
  (1, '_kksr_fingerprint_default', '0123456789abcdef0123456789abcdef'),
  (1, '_kksr_casts', '4'), (1, '_kksr_ratings', '14'), (1, '_kksr_avg', '3.5'),
  (1, '_kksr_count_other', '1'), (1, '_kksr_ratings_other', '5'),
  (2, '_kksr_casts', '3'), (2, '_kksr_ratings', '8.3333333333333'), (2, '_kksr_avg', '2.7'),
  (3, '_kksr_casts', '1'), (3, '_kksr_ratings', '6'),
  -- WordPress would have removed it with its post.
  (99, '_kksr_casts', '1'), (99, '_kksr_ratings', '5');
