<?php
/**
 * Plugin Name: Ratings
 * Description: Visitors rate your posts, pages and comments with stars, likes or thumbs, and you see what they like best.
 * Text Domain: ratingd
 *
 * Loads the plugin in the folder "ratingd" beside this file: in mu-plugins, WordPress loads only files, not folders.
 *
 * @package ratingd
 */

// Load the plugin after the other must-use plugins, because ratingd-widgets.php from version 0.1 may still be
// one of them.
add_action(
	'muplugins_loaded',
	function () {
		if ( ! is_readable( __DIR__ . '/ratingd/ratingd.php' ) ) {
			return;
		}
		// If the folder is a link, the URL at which it is served cannot be derived from its own path.
		define( 'RATINGD_PLUGIN_URL', WPMU_PLUGIN_URL . '/ratingd' );
		require_once __DIR__ . '/ratingd/ratingd.php';
	}
);
