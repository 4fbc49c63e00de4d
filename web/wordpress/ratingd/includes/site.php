<?php
/**
 * Reads the state of ratingd from WordPress's database, which also contains ratingd's tables. No request is sent to
 * ratingd.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Runs a function whose statements fail if ratingd's tables are missing. Prints and logs nothing in this case.
 *
 * @param callable $read The function. Its argument is $wpdb.
 * @return mixed The result of the function. Null after a failure.
 */
function read_tables( callable $read ) {
	global $wpdb;
	$before = $wpdb->suppress_errors();
	$wpdb->flush();  // clears an earlier error
	$result = $read( $wpdb );
	$failed = '' !== $wpdb->last_error;
	$wpdb->suppress_errors( $before );
	return $failed ? null : $result;
}

/**
 * Returns whether this site has ratings. In a network, this is true for sites with ratingd's tables. Outside of
 * networks, it is always true.
 *
 * @return bool
 */
function is_served() {
	static $known = array();
	if ( ! is_multisite() ) {
		return true;
	}
	$blog = get_current_blog_id();
	if ( ! isset( $known[ $blog ] ) ) {
		$known[ $blog ] = null !== setting( 'analytics_access', 'administrator' );
	}
	return $known[ $blog ];
}

/**
 * Returns whether the page belongs to another site than the one to which switch_to_blog() has switched. The scripts
 * of a page send votes to the page's own site, which has other posts with the same ids.
 *
 * @return bool
 */
function is_page_of_another_site() {
	$current = get_current_blog_id();
	return (int) ( $GLOBALS['_wp_switched_stack'][0] ?? $current ) !== $current;
}

/**
 * Returns the stored settings of a site.
 *
 * @param string $prefix The prefix of its tables.
 * @return string[]|null JSON by name. Null if the table cannot be read.
 */
function read_settings( $prefix ) {
	return read_tables(
		function ( $wpdb ) use ( $prefix ) {
			return array_column( $wpdb->get_results( "SELECT name, value FROM {$prefix}ratingd_settings", ARRAY_A ), 'value', 'name' );
		}
	);
}

/**
 * Returns the stored settings of the current site. Settings that the network enforces replace them. The network's
 * settings are rows in the tables of the first site.
 *
 * @return string[]|null
 */
function stored_settings() {
	global $wpdb;
	$own = read_settings( $wpdb->prefix );
	if ( null === $own || ! is_multisite() ) {
		return $own;
	}
	$first = $wpdb->prefix === $wpdb->base_prefix ? $own : (array) read_settings( $wpdb->base_prefix );
	foreach ( $first as $name => $value ) {
		if ( 0 === strpos( $name, 'network.' ) ) {
			$own[ substr( $name, strlen( 'network.' ) ) ] = $value;
		}
	}
	return $own;
}

/**
 * Returns the stored value of a ratingd setting. Use this while a page is built; other code uses the API. A page reads
 * all settings once.
 *
 * @param string $name     The name of the setting.
 * @param mixed  $fallback The setting's default in ratingd, because only changed settings are stored.
 * @param bool   $is_fresh Whether all settings are read again.
 * @return mixed The value. Null if the table cannot be read.
 */
function setting( $name, $fallback, $is_fresh = false ) {
	static $known = array();
	$blog         = get_current_blog_id();
	if ( $is_fresh || ! array_key_exists( $blog, $known ) ) {
		$known[ $blog ] = stored_settings();
	}
	if ( null === $known[ $blog ] ) {
		return null;
	}
	return isset( $known[ $blog ][ $name ] ) ? json_decode( $known[ $blog ][ $name ], true ) : $fallback;
}

/**
 * Returns the current user's permissions for ratings, with the names that the page and GET /me use. Each row of a
 * list calls this.
 *
 * @return string[] A selection of administer, see_persons, edit_others and analytics.
 */
function rights() {
	static $known = array();
	$who          = get_current_blog_id() . ' ' . get_current_user_id();

	$known[ $who ] = $known[ $who ] ?? rights_of( wp_get_current_user() );
	return $known[ $who ];
}

/**
 * Returns the permissions of a user in ratingd.
 *
 * @param \WP_User $user The user.
 * @return string[] As returned by rights().
 */
function rights_of( $user ) {
	$rights              = array(
		'administer'  => user_can( $user, 'manage_options' ),
		'see_persons' => user_can( $user, 'list_users' ),
		'edit_others' => user_can( $user, 'edit_others_posts' ),
	);
	$rights['analytics'] = $rights['administer'];
	if ( ! $rights['analytics'] && $user->exists() ) {
		$access              = setting( 'analytics_access', 'administrator' );
		$rights['analytics'] = in_array( $access, array( 'authenticated', 'public' ), true )
			|| ( 'editor' === $access && $rights['edit_others'] );
	}
	return array_keys( array_filter( $rights ) );
}
