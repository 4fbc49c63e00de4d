SET SESSION sql_mode = '';

-- Post 1 as version 5 writes it, post 2 as versions 3 and 4 do, post 3 damaged.
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1, '_kksr_count_default', '4'), (1, '_kksr_ratings_default', '14'),
  (1, '_kksr_fingerprint_default', '0123456789abcdef0123456789abcdef'),
  (1, '_kksr_casts', '4'), (1, '_kksr_ratings', '14'), (1, '_kksr_avg', '3.5'),
  (1, '_kksr_count_other', '1'), (1, '_kksr_ratings_other', '5'),
  (2, '_kksr_casts', '3'), (2, '_kksr_ratings', '8.3333333333333'), (2, '_kksr_avg', '2.7'),
  (3, '_kksr_casts', '1'), (3, '_kksr_ratings', '6'),
  -- WordPress would have removed it with its post.
  (99, '_kksr_casts', '1'), (99, '_kksr_ratings', '5');
