<?php
/**
 * Functions for themes. Their behaviour must remain as docs/wordpress.md describes it. A site may already have these
 * functions from version 0.1.
 *
 * @package ratingd
 */

defined( 'ABSPATH' ) || exit;

if ( ! function_exists( 'ratingd_base_url' ) ) {
	/**
	 * Returns the URL at which nginx serves ratingd. The base path does not depend on the permalinks, so rest_url() is
	 * not used. home_url() is not used either, because translation plugins add a language to it. A site with another
	 * base path sets it with the filter.
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
	 * Returns the HTML of a widget. The function sends no request to ratingd and stores nothing, so pages may be cached.
	 *
	 * @param array|string $attributes The attributes of the shortcode [ratingd category="scale" template="simple/stars"
	 *                                 id="123" type="post" size="large" counts="false"].
	 * @return string
	 */
	function ratingd_widget( $attributes = array() ) {
		return \Ratingd\widget( (array) $attributes );
	}
}

if ( ! function_exists( 'ratingd_stars' ) ) {
	/**
	 * Returns the site's number of stars, for averages that a theme reads from the database.
	 *
	 * @return int 3 to 10.
	 */
	function ratingd_stars() {
		return \Ratingd\site_stars();
	}
}

if ( ! function_exists( 'ratingd_enqueue' ) ) {
	/**
	 * Adds the widgets' script to a page that loads its widgets later, for example by infinite scroll.
	 */
	function ratingd_enqueue() {
		\Ratingd\enqueue_widgets();
	}
}
