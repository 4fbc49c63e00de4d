<?php
/**
 * A network of sites: which of them have ratings, and what is dropped with a site.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * The sites that have tables of ratingd. Tables may outlive their site, for example those that were restored.
 *
 * @return int[]
 */
function served_sites() {
	global $wpdb;
	$like   = $wpdb->esc_like( $wpdb->base_prefix ) . '%' . $wpdb->esc_like( 'ratingd_settings' );
	$tables = $wpdb->get_col( $wpdb->prepare( 'SHOW TABLES LIKE %s', $like ) );
	$sites  = array();
	foreach ( $tables as $table ) {
		if ( preg_match( '/^' . preg_quote( $wpdb->base_prefix, '/' ) . '(?:(\d+)_)?ratingd_settings$/', $table, $found ) ) {
			$sites[] = (int) ( $found[1] ?? 1 ); // As wpdb::get_blog_prefix().
		}
	}
	return $sites ? get_sites(
		array(
			'fields'   => 'ids',
			'number'   => 0,
			'site__in' => $sites,
		)
	) : array();
}

/**
 * The tables and views that ratingd has for a site.
 *
 * @param int $site The site.
 * @return string[] "BASE TABLE" or "VIEW" by names.
 */
function own_tables( $site ) {
	$rows = read_tables(
		function ( $wpdb ) use ( $site ) {
			$like = $wpdb->esc_like( $wpdb->get_blog_prefix( $site ) . 'ratingd_' ) . '%';
			return $wpdb->get_results( $wpdb->prepare( 'SHOW FULL TABLES LIKE %s', $like ), ARRAY_N );
		}
	);
	return array_column( (array) $rows, 1, 0 );
}

add_filter(
	'wpmu_drop_tables',
	function ( $tables, $site ) {
		return array_merge( $tables, array_keys( own_tables( $site ), 'BASE TABLE', true ) );
	},
	10,
	2
);

// DROP TABLE does not drop views. If another plugin keeps the tables, the views stay, too.
add_action(
	'wp_delete_site',
	function ( $site ) {
		global $wpdb;
		$own = own_tables( $site->id );
		if ( in_array( 'BASE TABLE', $own, true ) ) {
			return;
		}
		foreach ( array_keys( $own ) as $view ) {
			$wpdb->query( "DROP VIEW IF EXISTS `$view`" );
		}
	}
);
