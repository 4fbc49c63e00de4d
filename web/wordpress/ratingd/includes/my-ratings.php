<?php
/**
 * Lists the ratings of a visitor: the shortcode [ratingd_mine] and the "My ratings" block. The page is the same for
 * everybody and may be cached. The script requests GET /me.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the element that the script fills.
 *
 * @param string $wrapper The attributes of the outermost element, from the block.
 * @return string
 */
function my_ratings( $wrapper = 'class="wp-block-ratingd-mine"' ) {
	if ( is_feed() || ! is_served() || is_page_of_another_site() ) {
		return '';
	}
	wp_enqueue_style( 'ratingd-top' );
	wp_enqueue_script( 'ratingd-my-ratings' );
	add_my_ratings_data();
	return sprintf( '<div %s data-ratingd-mine aria-live="polite"><noscript>%s</noscript></div>', $wrapper, esc_html__( 'Your ratings appear here if JavaScript is on.', 'ratingd' ) );
}

/**
 * Adds the data for the script, once in a page.
 */
function add_my_ratings_data() {
	static $is_added = false;
	if ( $is_added ) {
		return;
	}
	$is_added = true;

	$names = array();
	foreach ( (array) site_names() as $name => $about ) {
		$names[ $name ] = array_intersect_key( $about, array_flip( array( 'label', 'group' ) ) );
	}
	$data = array(
		'names' => (object) $names,
		'scale' => site_scale(),
		'words' => array(
			'none'     => __( 'You have not rated anything yet.', 'ratingd' ),
			'more'     => __( 'Show more', 'ratingd' ),
			'failed'   => __( 'Your ratings cannot be shown now. Please try again later.', 'ratingd' ),
			'untitled' => __( 'Content that is not public', 'ratingd' ),
			'like'     => __( 'Like', 'ratingd' ),
			'dislike'  => __( 'Dislike', 'ratingd' ),
			'neutral'  => _x( 'Neutral', 'rating', 'ratingd' ),
			/* translators: 1: a rating, such as 3 or 7.5, 2: the highest one, such as 5 or 10. */
			'of'       => __( '%1$s of %2$s', 'ratingd' ),
		),
	);
	wp_add_inline_script( 'ratingd-my-ratings', sprintf( 'window.ratingdMine = %s;', wp_json_encode( $data, JSON_HEX_TAG ) ), 'before' );
}

add_shortcode(
	'ratingd_mine',
	function () {
		return my_ratings();
	}
);

add_action(
	'init',
	function () {
		if ( ! is_served() ) {
			return;
		}
		wp_register_script( 'ratingd-my-ratings', URL . '/js/my-ratings.js', array(), VERSION, true );
	},
	20
);
