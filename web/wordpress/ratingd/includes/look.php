<?php
/**
 * Changes the colours of widgets and the text before them without CSS. The page "Ratings → Placement" changes the look
 * of all widgets. The block and the shortcode change the look of a single widget.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const LOOK = 'ratingd_look';
// Maps each colour setting to the CSS custom properties that use the colour (docs/widgets.md).
const LOOK_COLOURS = array(
	'full' => array( '--ratingd-full', '--ratingd-like' ),
	'own'  => array( '--ratingd-accent' ),
	'idle' => array( '--ratingd-idle' ),
);
const LOOK_TEXT    = 60; // characters

/**
 * Returns the look that the site's owner has chosen.
 *
 * @return array For each colour, "", "theme" or "#rrggbb", and the "text" member.
 */
function look() {
	return clean_look( get_option( LOOK, array() ) );
}

/**
 * Returns only the known values of a look.
 *
 * @param mixed $given The stored values, or the values that the form sends. "own" represents the colour in the field
 *                     next to it.
 * @return array
 */
function clean_look( $given ) {
	$given = is_array( $given ) ? $given : array();
	$clean = array();
	foreach ( array_keys( LOOK_COLOURS ) as $name ) {
		$chosen         = $given[ $name ] ?? '';
		$chosen         = 'own' === $chosen ? $given[ "{$name}_colour" ] ?? '' : $chosen;
		$clean[ $name ] = 'theme' === $chosen ? $chosen : clean_colour( $chosen );
	}
	$clean['text'] = clean_text( $given['text'] ?? '', LOOK_TEXT );
	return $clean;
}

/**
 * Returns a colour that is safe in CSS.
 *
 * @param mixed $given The value to check.
 * @return string "#rrggbb", or empty.
 */
function clean_colour( $given ) {
	return is_string( $given ) && preg_match( '/^#[0-9a-f]{6}$/i', $given ) ? strtolower( $given ) : '';
}

/**
 * Returns the theme's accent colour, and the background colour of its pages.
 *
 * @return array "accent" and "base", which are "#rrggbb" or empty if the theme does not define the colour.
 */
function theme_colours() {
	$names  = array(
		'accent' => array( 'accent', 'accent-1', 'primary', 'secondary' ),
		'base'   => array( 'base', 'background' ),
	);
	$known  = array_column( theme_palette(), 'color', 'slug' );
	$colour = function ( array $slugs ) use ( $known ) {
		$found = array_intersect_key( $known, array_flip( $slugs ) );
		return (string) reset( $found );
	};
	return array_map( $colour, $names );
}

/**
 * Returns the theme's colours that are hexadecimal numbers.
 *
 * @return array[] "slug", "name" and "color": "#rrggbb".
 */
function theme_palette() {
	$given   = function_exists( 'wp_get_global_settings' ) ? wp_get_global_settings( array( 'color', 'palette', 'theme' ) ) : array();
	$palette = array();
	foreach ( array_filter( (array) $given, 'is_array' ) as $one ) {
		$colour = clean_colour( preg_replace( '/^#(.)(.)(.)$/', '#$1$1$2$2$3$3', (string) ( $one['color'] ?? '' ) ) );
		if ( '' !== $colour && isset( $one['slug'], $one['name'] ) ) {
			$palette[] = array(
				'slug'  => $one['slug'],
				'name'  => $one['name'],
				'color' => $colour,
			);
		}
	}
	return $palette;
}

/**
 * Returns the CSS rules for all widgets of the site.
 *
 * @return string Empty if the owner has not changed the look.
 */
function look_css() {
	$look  = look();
	$rules = '';
	foreach ( LOOK_COLOURS as $name => $properties ) {
		$colour = 'theme' === $look[ $name ] ? theme_colours()['accent'] : $look[ $name ];
		foreach ( '' === $colour ? array() : $properties as $property ) {
			$rules .= "$property:$colour;";
		}
	}
	if ( '' === $rules ) {
		return '';
	}
	$css = ".ratingd[data-template]{{$rules}}";
	// Also use the "idle" colour for the outlines of empty stars and dots. The CSS rule needs "!important" because
	// the rules in the widgets' script have a higher specificity.
	if ( '' !== $look['idle'] ) {
		$css .= '@media not (forced-colors:active){.ratingd[data-template] .ratingd-all{stroke:var(--ratingd-idle)!important}}';
	}
	return $css;
}

/**
 * Returns the HTML of the text before a widget.
 *
 * @param string $text The text from its author.
 * @return string HTML.
 */
function look_text( $text ) {
	return '' === trim( $text ) ? '' : sprintf( '<div class="ratingd-text">%s</div>', esc_html( $text ) );
}

add_action(
	'init',
	function () {
		$css = is_served() ? look_css() : '';
		if ( '' !== $css ) {
			wp_add_inline_style( 'ratingd-widget', $css );
		}
	},
	11
);

// --- Settings of the look -------------------------------------------------------------------------

add_action(
	'admin_init',
	function () {
		$options = array(
			'type'              => 'array',
			'sanitize_callback' => __NAMESPACE__ . '\clean_look',
		);
		register_setting( 'ratingd-placement', LOOK, $options );
		add_option( LOOK, array() ); // autoloaded, like the option of the placement
	}
);

/**
 * Adds the script that shows the chosen look and its contrast.
 */
function enqueue_look() {
	wp_enqueue_script( 'ratingd-look', URL . '/js/look.js', array( 'ratingd-group' ), VERSION, true );
	$theme = theme_colours();
	$pages = array(
		'#ffffff' => __( 'On white', 'ratingd' ),
		'#1e1e1e' => __( 'On a dark background', 'ratingd' ),
	);
	if ( '' !== $theme['base'] && ! isset( $pages[ $theme['base'] ] ) ) {
		$pages[ $theme['base'] ] = __( 'On the theme\'s background', 'ratingd' );
	}
	$data = array(
		'colours' => LOOK_COLOURS,
		'theme'   => $theme['accent'],
		'pages'   => $pages,
		/* translators: 1: "On white", 2: a number such as 4.6 */
		'good'    => __( '%1$s: The contrast is sufficient (%2$s : 1)', 'ratingd' ),
		/* translators: 1: "On white", 2: a number such as 2.1 */
		'weak'    => __( '%1$s: The contrast of %2$s : 1 is too low for many visitors. Choose a colour with a contrast of at least 3 : 1', 'ratingd' ),
	);
	wp_add_inline_script( 'ratingd-look', sprintf( 'window.ratingdLook = %s;', wp_json_encode( $data, JSON_HEX_TAG ) ), 'before' );
}

/**
 * Prints the fields.
 */
function show_look() {
	$look   = look();
	$theme  = theme_colours()['accent'];
	$fields = array(
		'full' => array( __( 'Colour of stars, dots and thumbs up', 'ratingd' ), '#c77700' ),
		'own'  => array( __( 'Colour of hearts, thumbs down and the visitor’s own rating', 'ratingd' ), '#d6224f' ),
		'idle' => array( __( 'Outline colour of empty icons', 'ratingd' ), '#767676' ),
	);
	printf( '<h2>%s</h2>', esc_html__( 'Appearance', 'ratingd' ) );
	printf( '<p>%s</p>', esc_html__( 'This text and these colours apply to all ratings on this site. A block or a shortcode can have its own text and colour.', 'ratingd' ) );
	echo '<div class="ratingd-look" data-ratingd-look><table class="form-table" role="presentation">';
	foreach ( $fields as $name => list( $label, $usual ) ) {
		$is_own  = '' !== $look[ $name ] && 'theme' !== $look[ $name ];
		$choices = array_filter(
			array(
				''      => __( 'Standard colour', 'ratingd' ),
				'theme' => '' === $theme && 'theme' !== $look[ $name ] ? '' : __( 'The theme\'s accent colour', 'ratingd' ),
				'own'   => __( 'Another colour', 'ratingd' ),
			)
		);
		printf( '<tr><th scope="row"><label for="ratingd-look-%1$s">%2$s</label></th><td><select id="ratingd-look-%1$s" name="%3$s" data-ratingd-colour="%1$s">', esc_attr( $name ), esc_html( $label ), esc_attr( LOOK . "[$name]" ) );
		foreach ( $choices as $value => $title ) {
			printf( '<option value="%s"%s>%s</option>', esc_attr( $value ), selected( $value, $is_own ? 'own' : $look[ $name ], false ), esc_html( $title ) );
		}
		printf(
			'</select> <input type="color" name="%s" value="%s" aria-label="%s" hidden><div class="ratingd-contrast" role="status"></div></td></tr>',
			esc_attr( LOOK . "[{$name}_colour]" ),
			esc_attr( $is_own ? $look[ $name ] : $usual ),
			esc_attr( $label )
		);
	}
	printf( '<tr><th scope="row"><label for="ratingd-look-text">%s</label></th><td>', esc_html__( 'Text before the rating', 'ratingd' ) );
	printf(
		'<input type="text" id="ratingd-look-text" class="regular-text" name="%s" value="%s" maxlength="%d" placeholder="%s" data-ratingd-text></td></tr></table>',
		esc_attr( LOOK . '[text]' ),
		esc_attr( $look['text'] ),
		(int) LOOK_TEXT,
		/* translators: a text before a rating, for example. */
		esc_attr__( 'Rate this', 'ratingd' )
	);
	printf( '<div class="ratingd-samples" inert><small>%s</small>', esc_html__( 'Sample', 'ratingd' ) );
	foreach ( array( 'light', 'dark' ) as $scheme ) {
		printf( '<div data-ratingd-sample="%s"></div>', esc_attr( $scheme ) );
	}
	echo '</div></div>';
}
