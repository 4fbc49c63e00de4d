<?php
/**
 * Manages the number of stars, which is five unless the owner chooses another number under "Ratings → Placement".
 * ratingd stores ratings as shares of the maximum, so the number can be changed at any time. A shortcode or a block can
 * have its own number.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const STARS       = 'ratingd_stars';
const USUAL_STARS = 5; // the number in the built-in templates
const FEWEST      = 3;
const MOST        = 10;
// Contains the built-in templates that show stars or dots.
const STAR_TEMPLATES = array( 'simple/stars', 'simple/half-stars', 'simple/distribution', 'simple/dots' );

/**
 * Returns a valid number of stars.
 *
 * @param mixed $given A value that may be a number of stars.
 * @return int 0 if it is not valid.
 */
function clean_stars( $given ) {
	$is_number = is_scalar( $given ) && preg_match( '/^([1-9]|10)$/D', (string) $given );
	return $is_number && $given >= FEWEST && $given <= MOST ? (int) $given : 0;
}

/**
 * Returns the site's number of stars.
 *
 * @return int
 */
function site_stars() {
	$stars = clean_stars( get_option( STARS, USUAL_STARS ) );
	return $stars ? $stars : USUAL_STARS;
}

/**
 * Returns a widget's number of stars.
 *
 * @param array $widget As of widget_attributes().
 * @return int 0 if its template has another scale.
 */
function stars_of( array $widget ) {
	$stars = clean_stars( $widget['stars'] ?? '' );
	return in_array( $widget['template'], STAR_TEMPLATES, true ) ? ( $stars ? $stars : site_stars() ) : 0;
}

/**
 * Returns the number of stars that another rating plugin on this site uses, so that the owner can keep this number.
 *
 * @param int $stars Plugins with this number are ignored.
 * @return array The title of the plugin, and the number. Empty if no plugin has a different number.
 */
function foreign_stars( $stars ) {
	// WP-PostRatings 2.0 stores all settings in a single option that contains a value for each star.
	$post_ratings = get_option( 'wp_postratings_options' );
	$values       = is_array( $post_ratings ) ? $post_ratings['ratings']['value'] ?? null : null;
	$found        = array(
		'WP-PostRatings'  => is_array( $values ) ? count( $values ) : get_option( 'postratings_max' ),
		'kk Star Ratings' => get_option( 'kksr_stars' ),
	);
	foreach ( $found as $plugin => $given ) {
		$number = clean_stars( $given );
		if ( $number && $number !== $stars ) {
			return array( $plugin, $number );
		}
	}
	return array();
}

/**
 * Returns a hint for the import page if another rating plugin has a different number of stars than this site.
 *
 * @return string Empty if no hint is needed.
 */
function stars_hint() {
	$foreign = foreign_stars( site_stars() );
	if ( ! $foreign ) {
		return '';
	}
	/* translators: 1: a plugin, such as "WP-PostRatings"; 2 and 3: numbers of stars. */
	$text = __( 'The %1$s plugin uses %2$s stars on this site, but ratingd shows ratings with %3$s stars.', 'ratingd' );
	return sprintf( $text, $foreign[0], number_format_i18n( $foreign[1] ), number_format_i18n( site_stars() ) );
}

add_action(
	'admin_init',
	function () {
		$options = array(
			'type'              => 'integer',
			'sanitize_callback' => function ( $given ) {
				$stars = clean_stars( $given );
				return $stars ? $stars : site_stars();
			},
		);
		register_setting( 'ratingd-placement', STARS, $options );
		add_option( STARS, 0 ); // Autoloaded, like the option of the placement. 0 until the owner has chosen.
	}
);

/**
 * Prints the field for the number of stars. If the owner has not chosen yet, the number of another plugin is
 * preselected.
 */
function show_stars() {
	$foreign = foreign_stars( USUAL_STARS );
	$is_set  = 0 !== clean_stars( get_option( STARS ) );
	$chosen  = $foreign && ! $is_set ? $foreign[1] : site_stars();
	printf( '<tr><th scope="row"><label for="ratingd-stars">%s</label></th><td><select id="ratingd-stars" name="%s">', esc_html__( 'Number of stars', 'ratingd' ), esc_attr( STARS ) );
	foreach ( range( FEWEST, MOST ) as $stars ) {
		printf( '<option value="%d"%s>%s</option>', (int) $stars, selected( $stars, $chosen, false ), esc_html( number_format_i18n( $stars ) ) );
	}
	echo '</select>';
	if ( $foreign ) {
		/* translators: 1: a plugin, such as "WP-PostRatings"; 2: a number of stars. */
		$text = $is_set ? __( 'The %1$s plugin uses %2$s stars on this site.', 'ratingd' ) : __( 'The %1$s plugin uses %2$s stars on this site, so this number is selected. Save the changes to use this number.', 'ratingd' );
		printf( '<p class="description">%s</p>', esc_html( sprintf( $text, $foreign[0], number_format_i18n( $foreign[1] ) ) ) );
	}
	printf( '<p class="description">%s</p></td></tr>', esc_html__( 'Existing ratings are shown with the new number of stars. For example, 4 of 5 stars become 8 of 10 stars.', 'ratingd' ) );
}
