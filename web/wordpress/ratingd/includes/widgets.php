<?php
/**
 * The shortcode [ratingd], and the script that makes widgets work: docs/widgets.md.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * The HTML of a widget: an element that the script fills. It has what the page needs, so that the script asks for
 * numbers only.
 *
 * @param array $attributes As ratingd_widget(). Names of labels begin with "label-".
 * @return string
 */
function widget( array $attributes ) {
	$attributes = array_change_key_case( $attributes );
	$given      = shortcode_atts(
		array(
			'category'     => 'scale',
			'template'     => '',
			'id'           => get_the_ID(),
			'type'         => 'post',
			'size'         => 'medium',
			'color-scheme' => '',
			'counts'       => 'true',
			'hide-result'  => '',
			'schema'       => '',
			'class'        => '',
			'lang'         => '',
		),
		$attributes
	);
	if ( ! in_array( $given['category'], CATEGORIES, true ) ) {
		$given['category'] = 'scale';
	}
	if ( '' === $given['template'] ) {
		$given['template'] = default_template( $given['category'] );
	}
	foreach ( $attributes as $name => $value ) {
		if ( preg_match( '/^label-[a-z0-9_]+$/', $name ) ) {
			$given[ $name ] = $value;
		}
	}
	wp_enqueue_script( 'ratingd-widget' );
	wp_enqueue_style( 'ratingd-widget' );
	add_template( $given['template'] );
	note_widget( $given );

	$names = array(
		'id'   => 'object-id',
		'type' => 'object-type',
	);
	$html  = '<ratingd-rating';
	foreach ( $given as $name => $value ) {
		if ( '' !== (string) $value && 'category' !== $name ) {
			$html .= sprintf( ' %s="%s"', $names[ $name ] ?? $name, esc_attr( $value ) );
		}
	}
	return $html . '></ratingd-rating>';
}

/**
 * The template of widgets that name none.
 *
 * @param string $category Their category.
 * @return string
 */
function default_template( $category ) {
	$ours = array(
		'binary'  => 'simple/heart',
		'bipolar' => 'simple/thumbs',
		'scale'   => 'simple/stars',
	);
	return setting( "default_template_$category", $ours[ $category ] ) ?? $ours[ $category ];
}

/**
 * The site's own templates, all read with one statement, once in a page that needs one of them.
 *
 * @return object[] By slug: category, html, css.
 */
function own_templates() {
	static $known = array();
	$blog         = get_current_blog_id();
	if ( ! isset( $known[ $blog ] ) ) {
		$known[ $blog ] = (array) read_tables(
			function ( $wpdb ) {
				return $wpdb->get_results( "SELECT slug, ELT(category + 1, 'binary', 'bipolar', 'scale') AS category, html, css FROM {$wpdb->prefix}ratingd_templates", OBJECT_K );
			}
		);
	}
	return $known[ $blog ];
}

/**
 * Puts a template of the site into the page. The script has the built-in ones.
 *
 * @param string $slug The template.
 */
function add_template( $slug ) {
	static $added = array();
	if ( isset( $added[ $slug ] ) || 0 === strpos( $slug, 'simple/' ) ) {
		return;
	}
	$added[ $slug ] = true;
	$template       = own_templates()[ $slug ] ?? null;
	if ( $template ) {
		unset( $template->slug );
		$script = sprintf(
			'( window.ratingdTemplates = window.ratingdTemplates || {} )[ %s ] = %s;',
			wp_json_encode( $slug, JSON_HEX_TAG ),
			wp_json_encode( $template, JSON_HEX_TAG )
		);
		wp_add_inline_script( 'ratingd-widget', $script, 'before' );
	}
}

/**
 * The words of widgets in the site's language; nothing where they are those that the script has.
 *
 * @return array By the script's names.
 */
function words() {
	return array(
		'rating'        => _x( 'Rating', 'block title', 'ratingd' ),
		'like'          => __( 'Like', 'ratingd' ),
		'dislike'       => __( 'Dislike', 'ratingd' ),
		'average'       => __( 'Average rating:', 'ratingd' ),
		/* translators: {n}: a number of stars, such as 4. */
		'own'           => __( 'Your rating: {n}', 'ratingd' ),
		/* translators: {n}: a number of stars, 1 to 5. */
		'step'          => __( '{n} of 5', 'ratingd' ),
		'saved'         => __( 'Rating saved.', 'ratingd' ),
		'removed'       => __( 'Rating removed.', 'ratingd' ),
		'login'         => __( 'Please log in to rate.', 'ratingd' ),
		'disabled'      => __( 'Ratings are closed.', 'ratingd' ),
		'already_rated' => __( 'You rated this already.', 'ratingd' ),
		/* translators: {n}: a number of seconds. */
		'limited'       => __( 'Too often. Try again in {n} seconds.', 'ratingd' ),
		'refused'       => __( 'Rating not accepted.', 'ratingd' ),
		'failed'        => __( 'Not saved. Please try again.', 'ratingd' ),
	) + plural_words();
}

/**
 * The words for a number of votes, by the names of Intl.PluralRules. Which numbers have which form only the browser
 * knows, so each form is asked for by a number that has it.
 *
 * @return array
 */
function plural_words() {
	$words = array();
	// Numbers that have these forms in languages that have them: Arabic has all, Slavic ones the middle.
	$numbers = array(
		'zero'  => 0,
		'one'   => 1,
		'two'   => 2,
		'few'   => 3,
		'many'  => 11,
		'other' => 100,
	);
	foreach ( $numbers as $form => $number ) {
		/* translators: The word alone, beside a number. */
		$words[ "votes_$form" ] = _nx( 'vote', 'votes', $number, 'widget', 'ratingd' );
	}
	/* translators: The word alone, beside a number. */
	$words['votes'] = _nx( 'vote', 'votes', 100, 'widget', 'ratingd' );
	return $words;
}

add_shortcode( 'ratingd', 'ratingd_widget' );

add_action(
	'init',
	function () {
		wp_register_script( 'ratingd-widget', ratingd_base_url() . '/ratingd-widget.js', array(), null, true );
		// Those of the theme come first.
		$script = 'window.ratingdWords = Object.assign( %s, window.ratingdWords );';
		wp_add_inline_script( 'ratingd-widget', sprintf( $script, wp_json_encode( words(), JSON_HEX_TAG ) ), 'before' );
		// WordPress puts a file as small as this one into the page.
		wp_register_style( 'ratingd-widget', URL . '/css/widget.css', array(), VERSION );
		wp_style_add_data( 'ratingd-widget', 'path', dirname( __DIR__ ) . '/css/widget.css' );
		wp_register_style( 'ratingd-top', URL . '/css/top.css', array(), VERSION );
		wp_style_add_data( 'ratingd-top', 'path', dirname( __DIR__ ) . '/css/top.css' );
	}
);

// Where the script gets a nonce for who is logged in: WordPress may be in a folder of its own.
add_filter(
	'script_loader_tag',
	function ( $tag, $handle ) {
		if ( 'ratingd-widget' !== $handle ) {
			return $tag;
		}
		$address = esc_url( admin_url( 'admin-ajax.php', 'relative' ) );
		return str_replace( ' src=', " data-ajax=\"$address\" src=", $tag );
	},
	10,
	2
);
