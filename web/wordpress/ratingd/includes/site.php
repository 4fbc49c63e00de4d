<?php
/**
 * What WordPress's database says of ratingd: read without a request to ratingd, whose tables are beside
 * WordPress's own.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Runs a function whose statements may fail, because ratingd's tables may be missing: then nothing is
 * printed or logged, and the result is the one for no rows.
 *
 * @param callable $read Gets $wpdb.
 * @return mixed What it returns; null after a failure.
 */
function read_tables( callable $read ) {
	global $wpdb;
	$before = $wpdb->suppress_errors();
	$wpdb->flush();  // An earlier statement's error.
	$result = $read( $wpdb );
	$failed = '' !== $wpdb->last_error;
	$wpdb->suppress_errors( $before );
	return $failed ? null : $result;
}

/**
 * Whether this site has ratings: in a network, the sites that have the tables; outside of networks it is always the
 * site.
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
 * Whether the page is another site's than the one that WordPress has switched to (switch_to_blog()). The scripts of a
 * page send votes to its own site, which has other posts with the same ids.
 *
 * @return bool
 */
function is_page_of_another_site() {
	$current = get_current_blog_id();
	return (int) ( $GLOBALS['_wp_switched_stack'][0] ?? $current ) !== $current;
}

/**
 * The rows of a site's settings.
 *
 * @param string $prefix Of its tables.
 * @return string[]|null JSON by names; null if the table cannot be read.
 */
function read_settings( $prefix ) {
	return read_tables(
		function ( $wpdb ) use ( $prefix ) {
			return array_column( $wpdb->get_results( "SELECT name, value FROM {$prefix}ratingd_settings", ARRAY_A ), 'value', 'name' );
		}
	);
}

/**
 * The same for the current site, with those that the network has fixed for all sites: rows of the first site.
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
 * A setting of ratingd, as it is stored. For what is decided while a page is built; others ask the API. All are
 * read once in a page.
 *
 * @param string $name     Its name.
 * @param mixed  $fallback Its default in ratingd: only settings that somebody changed are stored.
 * @param bool   $is_fresh Whether all settings are read again.
 * @return mixed null if the table cannot be read.
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
 * What the current user may do with ratings, in the words of the page and of GET /me. Each row of a list asks it.
 *
 * @return string[] Of administer, see_persons, edit_others, analytics.
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
 * @return string[] As rights().
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
