<?php
/**
 * The page Ratings → Texts, on which owners change the words in widgets without code. If a field is empty, widgets have
 * the standard word, which is translated. The site's own words are in one language, so pages in another language keep
 * the standard words.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const TEXTS       = 'ratingd_texts';
const TEXT_LENGTH = 60;  // The maximum length of a text, in characters.

/**
 * Returns the words that can be changed.
 *
 * @return array Labels for people, by the words' names in words().
 */
function text_labels() {
	return array(
		'first'  => __( 'Invitation, as long as nobody has rated', 'ratingd' ),
		'thanks' => __( 'Thanks after a rating', 'ratingd' ),
		'step_1' => __( '1 star', 'ratingd' ),
		'step_2' => __( '2 stars', 'ratingd' ),
		'step_3' => __( '3 stars', 'ratingd' ),
		'step_4' => __( '4 stars', 'ratingd' ),
		'step_5' => __( '5 stars', 'ratingd' ),
	);
}

/**
 * Returns the site's own words.
 *
 * @return string[] By their names. Empty if the words are in another language than the page.
 */
function own_texts() {
	$stored = get_option( TEXTS, array() );
	if ( ! is_array( $stored ) || get_locale() !== ( $stored['locale'] ?? '' ) ) {
		return array();
	}
	return array_filter( array_intersect_key( $stored, text_labels() ) );
}

/**
 * Returns only known words of the form, and the current language of the site.
 *
 * @param mixed $given The values that the form sends.
 * @return string[]
 */
function clean_texts( $given ) {
	$clean = array( 'locale' => get_locale() );
	foreach ( array_keys( text_labels() ) as $name ) {
		$text           = is_array( $given ) && is_string( $given[ $name ] ?? '' ) ? $given[ $name ] ?? '' : '';
		$clean[ $name ] = mb_substr( sanitize_text_field( $text ), 0, TEXT_LENGTH );
	}
	return $clean;
}

add_action(
	'admin_menu',
	function () {
		if ( is_served() ) {
			$title = __( 'Texts in ratings', 'ratingd' );
			add_submenu_page( 'ratingd', $title, __( 'Texts', 'ratingd' ), 'manage_options', 'ratingd-texts', __NAMESPACE__ . '\show_texts' );
		}
	},
	21
);

add_action(
	'admin_init',
	function () {
		$options = array(
			'type'              => 'array',
			'sanitize_callback' => __NAMESPACE__ . '\clean_texts',
		);
		register_setting( 'ratingd-texts', TEXTS, $options );
		add_option( TEXTS, array() ); // Autoloaded, like the option of the placement.
	}
);

/**
 * Prints the page.
 */
function show_texts() {
	$own   = own_texts();
	$usual = words();
	printf( '<div class="wrap"><h1>%s</h1>', esc_html( get_admin_page_title() ) );
	settings_errors();
	printf( '<p>%s</p>', esc_html__( 'Write your own texts in the language of the site. If a field is empty, ratings have the standard text, which the field shows in grey. There is no standard text for thanks. Pages in another language keep the standard texts.', 'ratingd' ) );
	echo '<form method="post" action="options.php">';
	settings_fields( 'ratingd-texts' );
	echo '<table class="form-table" role="presentation">';
	foreach ( text_labels() as $name => $label ) {
		printf(
			'<tr><th scope="row"><label for="ratingd-text-%1$s">%2$s</label></th><td><input type="text" class="regular-text" id="ratingd-text-%1$s" name="%3$s" value="%4$s" placeholder="%5$s" maxlength="%6$d"></td></tr>',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( TEXTS . "[$name]" ),
			esc_attr( $own[ $name ] ?? '' ),
			esc_attr( $usual[ $name ] ?? '' ),
			(int) TEXT_LENGTH
		);
	}
	echo '</table>';
	submit_button();
	echo '</form></div>';
}
