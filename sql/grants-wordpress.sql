-- The privileges of ratingd's two accounts on WordPress's tables. The accounts read the site's options, the data that
-- identifies users, and the titles and addresses of rated objects. A line that begins with {network} is only for a site
-- in a network. A line that begins with {all_sites} is only for a worker pool that serves all sites of a network.
GRANT SELECT ON `{database}`.`{prefix}options` TO {workers};
GRANT SELECT ON `{database}`.`{prefix}posts` TO {workers};
GRANT SELECT ON `{database}`.`{prefix}comments` TO {workers};
GRANT SELECT (term_id, name, slug) ON `{database}`.`{prefix}terms` TO {workers};
GRANT SELECT (term_id, taxonomy) ON `{database}`.`{prefix}term_taxonomy` TO {workers};
GRANT SELECT ON `{database}`.`{usermeta}` TO {workers};
GRANT SELECT (ID, user_login, user_pass, user_email, display_name) ON `{database}`.`{users}` TO {workers};
{network}GRANT SELECT ON `{database}`.`{base_prefix}sitemeta` TO {workers};
{all_sites}GRANT SELECT ON `{database}`.`{base_prefix}blogs` TO {workers};
GRANT SELECT ON `{database}`.`{prefix}options` TO {ratingctl};
GRANT SELECT ON `{database}`.`{prefix}posts` TO {ratingctl};
GRANT SELECT ON `{database}`.`{prefix}comments` TO {ratingctl};
GRANT SELECT (term_id, name, slug) ON `{database}`.`{prefix}terms` TO {ratingctl};
GRANT SELECT (term_id, taxonomy) ON `{database}`.`{prefix}term_taxonomy` TO {ratingctl};
GRANT SELECT (ID, user_login, user_email, display_name) ON `{database}`.`{users}` TO {ratingctl};
{all_sites}GRANT SELECT ON `{database}`.`{base_prefix}blogs` TO {ratingctl};
