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

// After the other must-use plugins: ratingd-widgets.php of version 0.1 may still be one of them.
add_action(
	'muplugins_loaded',
	function () {
		if ( ! is_readable( __DIR__ . '/ratingd/ratingd.php' ) ) {
			return;
		}
		// The folder may be a link: then its own path does not say under which address it is served.
		define( 'RATINGD_PLUGIN_URL', WPMU_PLUGIN_URL . '/ratingd' );
		require_once __DIR__ . '/ratingd/ratingd.php';
	}
);
