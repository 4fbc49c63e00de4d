<?php
/**
 * Functions for themes: they stay as docs/wordpress.md describes them. A site may have those of version 0.1.
 *
 * @package ratingd
 */

defined( 'ABSPATH' ) || exit;

if ( ! function_exists( 'ratingd_base_url' ) ) {
	/**
	 * Where nginx serves ratingd: its base path, whatever the permalinks are, so not rest_url(). Not home_url()
	 * either, to which translation plugins add a language. A site with another base path says so with the filter.
	 *
	 * @return string The URL, without a slash at its end.
	 */
	function ratingd_base_url() {
		$home = untrailingslashit( get_option( 'home' ) );
		$home = is_ssl() ? set_url_scheme( $home, 'https' ) : $home;
		return apply_filters( 'ratingd_base_url', $home . '/' . rest_get_url_prefix() . '/ratingd/v1' );
	}
}

if ( ! function_exists( 'ratingd_widget' ) ) {
	/**
	 * The HTML of a widget. It asks nothing of ratingd and stores nothing, so pages may be cached.
	 *
	 * @param array|string $attributes Those of the shortcode [ratingd category="scale" template="simple/stars"
	 *                                 id="123" type="post" size="large" counts="false"].
	 * @return string
	 */
	function ratingd_widget( $attributes = array() ) {
		return \Ratingd\widget( (array) $attributes );
	}
}

if ( ! function_exists( 'ratingd_stars' ) ) {
	/**
	 * Returns the number of stars of the site, for averages that a theme reads from the database.
	 *
	 * @return int 3 to 10.
	 */
	function ratingd_stars() {
		return \Ratingd\site_stars();
	}
}

if ( ! function_exists( 'ratingd_enqueue' ) ) {
	/**
	 * Brings the script of widgets into a page that gets its widgets later, for example by infinite scroll.
	 */
	function ratingd_enqueue() {
		\Ratingd\enqueue_widgets();
	}
}
