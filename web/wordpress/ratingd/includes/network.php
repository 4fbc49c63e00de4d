<?php
/**
 * Supports a network of sites. This file finds the sites with ratings, drops ratingd's tables with their site, and adds
 * the "Ratings" page in the network admin.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the sites that have ratingd's tables. Tables may exist without their site, for example after a restore.
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
			$sites[] = (int) ( $found[1] ?? 1 ); // As in wpdb::get_blog_prefix().
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
 * Returns the sites on which a user rated something, or on which the user's posts were rated. Reads a hundred sites
 * with one statement.
 *
 * @param int $user The user.
 * @return int[] The sites. All sites if the tables cannot be read.
 */
function sites_of_user( $user ) {
	$sites = array();
	foreach ( array_chunk( served_sites(), 100 ) as $some ) {
		$found = read_tables(
			function ( $wpdb ) use ( $user, $some ) {
				$selects = array();
				foreach ( $some as $site ) {
					$own = $wpdb->get_blog_prefix( $site ) . 'ratingd_';
					// After all votes of a user have been aggregated, only the user's row in the voters table shows that the user
					// has rated.
					$selects[] = $wpdb->prepare(
						"SELECT %d FROM DUAL WHERE EXISTS (SELECT 1 FROM {$own}votes WHERE voter = %d)
						OR EXISTS (SELECT 1 FROM {$own}voters WHERE voter = %d)
						OR EXISTS (SELECT 1 FROM {$own}votes WHERE object_id = %d AND object_type LIKE 'author%%')
						OR EXISTS (SELECT 1 FROM {$own}balances WHERE object_id = %d AND object_type LIKE 'author%%')",
						$site,
						$user,
						$user,
						$user,
						$user
					);
				}
				return $wpdb->get_col( implode( ' UNION ALL ', $selects ) );
			}
		);
		$sites = array_merge( $sites, array_map( 'intval', $found ?? $some ) );
	}
	return $sites;
}

/**
 * Returns the tables and views that ratingd has for a site.
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

// DROP TABLE does not drop views. If another plugin keeps the tables of a deleted site, the views are kept, too.
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

/**
 * Returns the figures of a site, which a single statement reads.
 *
 * @param int $site The site.
 * @return object|null "total" is the number of ratings. "last" is the time of the last rating in UTC, if there is
 *   one. Null if the site has no tables.
 */
function figures_of_site( $site ) {
	return read_tables(
		function ( $wpdb ) use ( $site ) {
			$own   = $wpdb->get_blog_prefix( $site ) . 'ratingd_';
			$total = 'COALESCE(SUM(' . ALL_BINS . '), 0)';
			return $wpdb->get_row( "SELECT (SELECT $total FROM {$own}site_daily) AS total, (SELECT MAX(rated_at) FROM {$own}votes) AS last" );
		}
	);
}

add_action(
	'network_admin_menu',
	function () {
		$title = __( 'Ratings', 'ratingd' );
		$hook  = add_menu_page( $title, $title, 'manage_network_options', 'ratingd', __NAMESPACE__ . '\show_network', 'dashicons-star-filled', 26 );
		if ( is_served() ) {
			add_action( "admin_print_scripts-$hook", __NAMESPACE__ . '\enqueue_page' );
		}
	}
);

/**
 * Prints the page with all sites. If the first site has ratings, the page also contains the settings that the network
 * enforces.
 */
function show_network() {
	require_once ABSPATH . 'wp-admin/includes/class-wp-list-table.php';
	require_once __DIR__ . '/class-sites-table.php';
	$sites = new Sites_Table();
	$sites->prepare_items();
	printf( '<div class="wrap"><h1>%s</h1>', esc_html__( 'Ratings', 'ratingd' ) );
	if ( $sites->has_sites_without_tables() ) {
		$advice = sprintf(
			/* translators: 1: a setting in ratingd.conf, 2: a command. */
			esc_html__( 'Sites without tables show no ratings. If ratingd serves all sites of the network (%1$s), it creates the tables of new sites within a minute. To create the tables at once, run the command %2$s on the server.', 'ratingd' ),
			'<code>all-sites = yes</code>',
			'<code>sudo ratingctl migrate --all-sites</code>'
		);
		printf( '<div class="notice notice-info inline"><p>%s</p></div>', wp_kses( $advice, array( 'code' => array() ) ) );
	}
	echo '<form method="get" class="ratingd-network"><input type="hidden" name="page" value="ratingd">';
	$sites->search_box( __( 'Search sites', 'ratingd' ), 'ratingd-sites' );
	$sites->display();
	echo '</form>';
	if ( is_served() ) {
		print_root( array( 'rights' => 'administer_network' ) );
	}
	echo '</div>';
}
