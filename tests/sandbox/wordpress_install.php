<?php
// Installs WordPress in the same way as its install page.
// Usage: wordpress_install.php FOLDER URL ADMINISTRATOR, where ADMINISTRATOR is both the login and the password.

list( , $folder, $url, $administrator ) = $argv;

$_SERVER['HTTP_HOST']   = parse_url( $url, PHP_URL_HOST ) . ':' . parse_url( $url, PHP_URL_PORT );
$_SERVER['REQUEST_URI'] = '/wp-admin/install.php';

define( 'WP_INSTALLING', true );
require "$folder/wp-load.php";
require ABSPATH . 'wp-admin/includes/upgrade.php';

wp_install( 'Sandbox', $administrator, 'admin@example.org', true, '', $administrator );
update_option( 'siteurl', $url );
update_option( 'home', $url );
$wp_rewrite->set_permalink_structure( '/%postname%/' );
// The next request stores the rules. Here, taxonomies would be missing from the rules, because WordPress registered them
// before it had a permalink structure.
delete_option( 'rewrite_rules' );
