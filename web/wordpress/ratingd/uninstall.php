<?php
/**
 * Runs when the plugin is deleted in wp-admin. The script deletes the plugin's own options and cached data. ratingd
 * keeps the ratings until "ratingctl drop" or "ratingctl clean" deletes them.
 *
 * @package ratingd
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

// RATINGD_PLUGIN_URL is defined if the must-use plugin is also installed. The must-use plugin still uses the options
// and cached data.
if ( defined( 'RATINGD_PLUGIN_URL' ) ) {
	return;
}

( function () {
	global $wpdb;
	$sites = is_multisite() ? get_sites(
		array(
			'fields' => 'ids',
			'number' => 0,
		)
	) : array( get_current_blog_id() );
	foreach ( $sites as $site ) {
		if ( is_multisite() ) {
			switch_to_blog( $site );
		}
		wp_unschedule_hook( 'ratingd_run_deletions' );
		wp_unschedule_hook( 'ratingd_ask_host' );
		wp_unschedule_hook( 'ratingd_mail' );
		foreach ( array( 'ratingd_away', 'ratingd_route', 'ratingd_categories', 'ratingd_hosts' ) as $name ) {
			delete_transient( $name );
		}
		delete_option( 'ratingd_placement' );
		delete_option( 'ratingd_look' );
		delete_option( 'ratingd_stars' );
		delete_option( 'ratingd_mail' );
		delete_option( 'ratingd_welcome' );
		delete_option( 'ratingd_names' );
		delete_option( 'ratingd_texts' );
		delete_option( 'ratingd_default_templates' );
		delete_option( 'ratingd_shared_by_translations' );
		delete_post_meta_by_key( '_ratingd_without_rating' );
		// Delete the options that contain unconfirmed deletions, email leases, cached lists and cached names.
		foreach ( array( 'ratingd_deletions_', 'ratingd_mail_lease_', '_transient_ratingd_top_', '_transient_timeout_ratingd_top_', '_transient_ratingd_names_', '_transient_timeout_ratingd_names_' ) as $start ) {
			$like = $wpdb->esc_like( $start ) . '%';
			foreach ( $wpdb->get_col( $wpdb->prepare( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s", $like ) ) as $name ) {
				delete_option( $name );
			}
		}
		if ( is_multisite() ) {
			restore_current_blog();
		}
	}
} )();
