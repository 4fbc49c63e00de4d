<?php
/**
 * Adds the page "Ratings → Texts", on which owners change the texts in widgets. If a field is empty, widgets show the
 * translated standard text. The site's own texts are in one language, so pages in other languages show the standard
 * texts.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const TEXTS       = 'ratingd_texts';
const TEXT_LENGTH = 60;  // The maximum length of a text, in characters.

/**
 * Returns a text in one line, without HTML elements. Every output escapes the text, so it contains no HTML entities.
 *
 * @param mixed $given  The text that a form sends, or a stored text. Earlier versions stored "&lt;3" for "<3".
 * @param int   $length The maximum length, in characters.
 * @return string Empty if the given value is not a text.
 */
function clean_text( $given, $length ) {
	$plain = is_string( $given ) ? wp_specialchars_decode( $given, ENT_QUOTES ) : '';
	// sanitize_text_field() returns entities for characters that do not begin an element.
	return mb_substr( wp_specialchars_decode( sanitize_text_field( $plain ), ENT_QUOTES ), 0, $length );
}

/**
 * Returns the name of the word for a star. Words for five stars have no number of stars in their names.
 *
 * @param int $step  The star, from 1.
 * @param int $stars The number of stars.
 * @return string As in the widgets' script.
 */
function step_name( $step, $stars ) {
	return USUAL_STARS === $stars ? "step_$step" : "step_{$step}_of_$stars";
}

/**
 * Returns the texts that can be changed. The number of texts for stars depends on the site's number of stars.
 *
 * @return array Labels for people, by the words' names in words().
 */
function text_labels() {
	$labels = array(
		'first'  => __( 'Invitation before the first rating', 'ratingd' ),
		'thanks' => __( 'Thank-you text after a rating', 'ratingd' ),
	);
	$stars  = site_stars();
	foreach ( range( 1, $stars ) as $step ) {
		/* translators: %s: a number of stars. */
		$labels[ step_name( $step, $stars ) ] = sprintf( _n( '%s star', '%s stars', $step, 'ratingd' ), number_format_i18n( $step ) );
	}
	return $labels;
}

/**
 * Returns the site's own texts. The result contains texts for all numbers of stars, because a widget may have a
 * different number of stars than the site.
 *
 * @return string[] By their names. Empty if the texts are in a different language than the page.
 */
function own_texts() {
	$stored = get_option( TEXTS, array() );
	if ( ! is_array( $stored ) || get_locale() !== ( $stored['locale'] ?? '' ) ) {
		return array();
	}
	unset( $stored['locale'] );
	foreach ( $stored as $name => $text ) {
		$stored[ $name ] = clean_text( $text, TEXT_LENGTH );
	}
	return array_filter( $stored );
}

/**
 * Returns the known words in the form, and the site's current language. Words for other numbers of stars remain stored,
 * because the owner may choose such a number again.
 *
 * @param mixed $given The values that the form sends.
 * @return string[]
 */
function clean_texts( $given ) {
	$clean = array();
	foreach ( array_keys( text_labels() ) as $name ) {
		$clean[ $name ] = clean_text( is_array( $given ) ? $given[ $name ] ?? '' : '', TEXT_LENGTH );
	}
	$others = preg_grep( '/^step_\d+(_of_\d+)?$/D', array_keys( own_texts() ) );
	return array( 'locale' => get_locale() ) + $clean + array_intersect_key( own_texts(), array_flip( $others ) );
}

add_action(
	'admin_menu',
	function () {
		if ( is_served() ) {
			$title = __( 'Texts in ratings', 'ratingd' );
			$hook  = add_submenu_page( 'ratingd', $title, __( 'Texts', 'ratingd' ), 'manage_options', 'ratingd-texts', __NAMESPACE__ . '\show_texts' );
			add_action( "admin_print_styles-$hook", __NAMESPACE__ . '\enqueue_texts' );
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
 * Enqueues the script of the samples.
 */
function enqueue_texts() {
	wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
	wp_enqueue_script( 'ratingd-texts', URL . '/js/texts.js', array( 'ratingd-group' ), VERSION, true );
	$template = default_template( 'scale' );
	$data     = array(
		// Show the sample with one of these three templates, because other templates are too large or have no
		// stars.
		'template' => in_array( $template, array( 'simple/half-stars', 'simple/dots' ), true ) ? $template : 'simple/stars',
		'stars'    => site_stars(),
		'steps'    => array_slice( array_keys( text_labels() ), 2 ),
		'words'    => words(),
	);
	wp_add_inline_script( 'ratingd-texts', sprintf( 'window.ratingdTexts = %s;', wp_json_encode( $data, JSON_HEX_TAG ) ), 'before' );
}

/**
 * Prints the places of the samples, which show the texts while the owner types.
 */
function show_text_samples() {
	$samples = array(
		'first'  => __( 'Before the first rating', 'ratingd' ),
		'thanks' => __( 'After a rating', 'ratingd' ),
		'step'   => __( 'While the pointer is over a star', 'ratingd' ),
	);
	printf( '<div class="card ratingd-text-samples wp-exclude-emoji" inert><small>%s</small>', esc_html__( 'Sample', 'ratingd' ) );
	foreach ( $samples as $name => $title ) {
		printf( '<div><b>%s</b><div data-ratingd-sample="%s"></div></div>', esc_html( $title ), esc_attr( $name ) );
	}
	echo '</div>';
}

/**
 * Prints the page.
 */
function show_texts() {
	$own   = own_texts();
	$usual = words();
	printf( '<div class="wrap"><h1>%s</h1>', esc_html( get_admin_page_title() ) );
	settings_errors();
	printf( '<p>%s</p>', esc_html__( 'Write your own texts in the language of the site. If a field is empty, visitors see the standard text, which the field shows in grey. There is no standard thank-you text. Pages in other languages show the standard texts.', 'ratingd' ) );
	if ( USUAL_STARS !== site_stars() ) {
		/* translators: %s: a number of stars, such as 10. */
		printf( '<p>%s</p>', esc_html( sprintf( __( 'There are no standard words for %s stars, so visitors see only the words that you enter.', 'ratingd' ), number_format_i18n( site_stars() ) ) ) );
	}
	echo '<form method="post" action="options.php">';
	settings_fields( 'ratingd-texts' );
	echo '<div class="ratingd-texts" data-ratingd-texts><table class="form-table" role="presentation">';
	foreach ( text_labels() as $name => $label ) {
		printf(
			'<tr><th scope="row"><label for="ratingd-text-%1$s">%2$s</label></th><td><input type="text" class="regular-text" id="ratingd-text-%1$s" data-ratingd-text="%1$s" name="%3$s" value="%4$s" placeholder="%5$s" maxlength="%6$d"></td></tr>',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( TEXTS . "[$name]" ),
			esc_attr( $own[ $name ] ?? '' ),
			esc_attr( $usual[ $name ] ?? '' ),
			(int) TEXT_LENGTH
		);
	}
	echo '</table>';
	show_text_samples();
	echo '</div>';
	submit_button();
	echo '</form></div>';
}
