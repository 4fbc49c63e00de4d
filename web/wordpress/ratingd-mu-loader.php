<?php
/**
 * Plugin Name: Ratings
 * Description: Visitors rate your posts, pages and comments with stars, likes or thumbs, and you see what they like best.
 * Text Domain: ratingd
 *
 * Loads the plugin from the folder "ratingd" next to this file, because WordPress loads only files in mu-plugins.
 *
 * @package ratingd
 */

// Load the plugin after the other must-use plugins, which may include ratingd-widgets.php from version 0.1.
add_action(
	'muplugins_loaded',
	function () {
		if ( ! is_readable( __DIR__ . '/ratingd/ratingd.php' ) ) {
			return;
		}
		// Define the plugin's URL here, because WordPress cannot derive it from the path if the plugin's folder is a
		// symbolic link.
		define( 'RATINGD_PLUGIN_URL', WPMU_PLUGIN_URL . '/ratingd' );
		require_once __DIR__ . '/ratingd/ratingd.php';
	}
);
