SET SESSION sql_mode = '';

INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1, '_rest_likes', '12'), (2, '_rest_likes', '0'), (3, '_rest_likes', 'many'),
  (99, '_rest_likes', '5');

INSERT INTO wp_commentmeta (comment_id, meta_key, meta_value) VALUES (11, '_rest_likes', '3');
