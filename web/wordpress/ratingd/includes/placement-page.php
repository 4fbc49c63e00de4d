<?php
/**
 * Ratings → Placement: the page of the option that placement() reads.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

add_action(
	'admin_menu',
	function () {
		if ( ! is_served() ) {
			return;
		}
		$title = __( 'Placement of ratings', 'ratingd' );
		$hook  = add_submenu_page( 'ratingd', $title, __( 'Placement', 'ratingd' ), 'manage_options', 'ratingd-placement', __NAMESPACE__ . '\show_placement' );
		add_action( "admin_print_styles-$hook", __NAMESPACE__ . '\enqueue_placement' );
	},
	20
);

add_action(
	'admin_init',
	function () {
		$options = array(
			'type'              => 'array',
			'sanitize_callback' => __NAMESPACE__ . '\clean_placements',
		);
		register_setting( 'ratingd-placement', PLACEMENT, $options );
		// WordPress loads them with the others then. One that is missing costs each page of a post a statement.
		if ( add_option( PLACEMENT, array() ) ) {
			add_option( WELCOME, 1 ); // nothing was placed before, so the plugin is new
		}
		add_option( SHARED_BY_TRANSLATIONS, 0 );
		if ( has_translations() ) {
			register_setting( 'ratingd-placement', SHARED_BY_TRANSLATIONS, array( 'sanitize_callback' => 'absint' ) );
		}
	}
);

/**
 * What ratings can be placed on.
 *
 * @return array Titles by the keys of the option.
 */
function placeable() {
	return post_type_titles() + further_titles();
}

/**
 * Known values of known types only. What the form has no fields for stays as it is stored: types of a plugin that is
 * deactivated for now, and what is rated while the site has no names of criteria and reactions.
 *
 * @param mixed $given As the form sends it.
 * @return array
 */
function clean_placements( $given ) {
	$stored = array_filter( (array) get_option( PLACEMENT, array() ), 'is_array' );
	$clean  = array_diff_key( $stored, placeable() );
	foreach ( is_array( $given ) ? $given : array() as $type => $one ) {
		if ( isset( placeable()[ $type ] ) && is_array( $one ) ) {
			// A box that is not ticked is not sent.
			$unticked       = isset( $one['group'] ) ? array( 'multiple' => false ) : array();
			$clean[ $type ] = clean_placement( $one + $unticked + ( $stored[ $type ] ?? array() ) );
		}
	}
	return $clean;
}

/**
 * The built-in templates.
 *
 * @return array Titles by slugs.
 */
function builtin_templates() {
	return array(
		'simple/stars'        => __( 'Stars', 'ratingd' ),
		'simple/half-stars'   => __( 'Half stars', 'ratingd' ),
		'simple/distribution' => __( 'Stars with distribution', 'ratingd' ),
		'simple/dots'         => __( 'Dots', 'ratingd' ),
		'simple/slider'       => __( 'Slider', 'ratingd' ),
		'simple/heart'        => __( 'Heart', 'ratingd' ),
		'simple/thumbs'       => __( 'Thumbs', 'ratingd' ),
		'simple/like-dislike' => __( 'Like and dislike', 'ratingd' ),
	);
}

/**
 * The templates to choose from.
 *
 * @return array Titles by slugs.
 */
function template_choices() {
	$own = array_keys( own_templates() );
	return builtin_templates() + array_combine( $own, $own );
}

/**
 * The script that shows the chosen template.
 */
function enqueue_placement() {
	wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
	wp_enqueue_script( 'ratingd-placement', URL . '/js/placement.js', array( 'wp-api-fetch' ), VERSION, true );
	$scales = array_filter(
		array_keys( template_choices() ),
		function ( $slug ) {
			return 'scale' === category_of( array( 'template' => $slug ) );
		}
	);
	$data   = array(
		'base'        => ratingd_base_url(),
		'scales'      => array_values( $scales ),
		'selfServing' => SELF_SERVING,
	);
	wp_add_inline_script( 'ratingd-placement', sprintf( 'window.ratingdPlacement = %s;', wp_json_encode( $data, JSON_HEX_TAG ) ), 'before' );
	enqueue_look();
}

/**
 * Prints a field with choices.
 *
 * @param string $type    As for placement().
 * @param string $name    Of the field.
 * @param string $label   For people.
 * @param array  $choices Titles by values.
 * @param string $value   The chosen one.
 */
function show_choice( $type, $name, $label, array $choices, $value ) {
	printf( '<p><label>%s<br><select name="%s" data-ratingd-field="%s">', esc_html( $label ), esc_attr( PLACEMENT . "[$type][$name]" ), esc_attr( $name ) );
	foreach ( $choices as $one => $title ) {
		printf( '<option value="%s"%s>%s</option>', esc_attr( $one ), selected( $one, $value, false ), esc_html( $title ) );
	}
	echo '</select></label></p>';
}

/**
 * Prints a field for a text.
 *
 * @param string $type  As for placement().
 * @param string $name  Of the field.
 * @param string $label For people.
 * @param string $value The text.
 * @param string $about What it may be.
 */
function show_text( $type, $name, $label, $value, $about ) {
	printf(
		'<p><label>%1$s<br><input type="text" name="%2$s" value="%3$s" data-ratingd-field="%4$s" aria-describedby="%5$s"></label><br><span class="description" id="%5$s">%6$s</span></p>',
		esc_html( $label ),
		esc_attr( PLACEMENT . "[$type][$name]" ),
		esc_attr( $value ),
		esc_attr( $name ),
		esc_attr( "ratingd-$type-$name" ),
		esc_html( $about )
	);
}

/**
 * Prints the choice between a rating, criteria and reactions, if the site has names for these.
 *
 * @param string $type   As for placement().
 * @param array  $chosen As of placement().
 */
function show_groups( $type, array $chosen ) {
	$names = (array) setting( 'facets', array() );
	if ( ! $names && '' === $chosen['group'] ) {
		return;
	}
	$groups = array(
		''          => __( 'One rating', 'ratingd' ),
		'criteria'  => __( 'Criteria', 'ratingd' ),
		'reactions' => __( 'Reactions', 'ratingd' ),
	);
	show_choice( $type, 'group', __( 'What is rated', 'ratingd' ), $groups, $chosen['group'] );
	/* translators: %s: a list of names. */
	$known = sprintf( __( 'Names of this site: %s', 'ratingd' ), implode( ', ', $names ) );
	show_text( $type, 'facets', __( 'Names', 'ratingd' ), $chosen['facets'], $known );
	show_text( $type, 'weights', __( 'Weights', 'ratingd' ), $chosen['weights'], __( 'Numbers in the order of the names, such as 2, 1. Empty: all count the same.', 'ratingd' ) );
	printf(
		'<p><label><input type="checkbox" name="%s" value="1" data-ratingd-field="multiple"%s> %s</label></p>',
		esc_attr( PLACEMENT . "[$type][multiple]" ),
		checked( $chosen['multiple'], true, false ),
		esc_html__( 'Visitors may choose several', 'ratingd' )
	);
}

/**
 * The places that a rating can have.
 *
 * @param string $type As for placement().
 * @return array Titles by values.
 */
function places( $type ) {
	$none = array( '' => __( 'No rating', 'ratingd' ) );
	if ( 'comment' === $type ) {
		return $none + array( 'after' => __( 'Below the text', 'ratingd' ) );
	}
	if ( isset( further_titles()[ $type ] ) ) {
		return $none + array(
			'before' => __( 'Before the posts', 'ratingd' ),
			'after'  => __( 'After the posts', 'ratingd' ),
		);
	}
	return $none + array(
		'before' => __( 'Before the content', 'ratingd' ),
		'after'  => __( 'After the content', 'ratingd' ),
	);
}

/**
 * Prints the choices for a type.
 *
 * @param string $type  As for placement().
 * @param string $title For people.
 */
function show_row( $type, $title ) {
	$chosen = placement( $type );
	printf( '<tr data-ratingd-type="%s"><th scope="row">%s</th><td>', esc_attr( $type ), esc_html( $title ) );
	printf( '<fieldset><legend class="screen-reader-text">%s</legend>', esc_html( $title ) );
	show_choice( $type, 'where', __( 'Where', 'ratingd' ), places( $type ), $chosen['where'] );
	show_groups( $type, $chosen );
	show_choice( $type, 'template', __( 'Template', 'ratingd' ), template_choices(), $chosen['template'] );
	$sizes = array(
		'small'  => __( 'Small', 'ratingd' ),
		'medium' => __( 'Medium', 'ratingd' ),
		'large'  => __( 'Large', 'ratingd' ),
	);
	show_choice( $type, 'size', __( 'Size', 'ratingd' ), $sizes, $chosen['size'] );
	if ( 'comment' === $type ) {
		$orders = array(
			''     => __( 'By date, as in Settings, Discussion', 'ratingd' ),
			'best' => __( 'Best rated first', 'ratingd' ),
		);
		show_choice( $type, 'order', __( 'Order', 'ratingd' ), $orders, $chosen['order'] );
	}
	if ( ! isset( further_titles()[ $type ] ) ) {
		$schemas = array( '' => __( 'None', 'ratingd' ) ) + array_combine( SCHEMA_TYPES, SCHEMA_TYPES );
		show_choice( $type, 'schema', __( 'Type for search engines', 'ratingd' ), $schemas, $chosen['schema'] );
		$warning = __( 'Search engines show no stars for ratings of your own business on your own site.', 'ratingd' );
		printf( '<div class="notice notice-warning inline" data-ratingd-warning hidden><p>%s</p></div>', esc_html( $warning ) );
	}
	printf( '</fieldset></td><td><div class="card"><small>%s</small><div data-ratingd-preview inert></div></div></td></tr>', esc_html__( 'Sample', 'ratingd' ) );
}

/**
 * Prints the page.
 */
function show_placement() {
	update_option( WELCOME, 0 );
	echo '<div class="wrap">';
	printf( '<h1>%s</h1>', esc_html( get_admin_page_title() ) );
	settings_errors();
	printf( '<p>%s</p>', esc_html__( 'Ratings of posts appear on their own pages. A switch in the editor turns off the rating of a post.', 'ratingd' ) );
	echo '<form method="post" action="options.php">';
	settings_fields( 'ratingd-placement' );
	echo '<table class="form-table ratingd-placement" role="presentation">';
	foreach ( placeable() as $type => $title ) {
		show_row( $type, $title );
	}
	echo '</table>';
	show_look();
	if ( has_translations() ) {
		$label = __( 'Translations share the rating of the post in the site\'s default language', 'ratingd' );
		$about = __( 'Ratings that translations already have stay stored, and are shown again when this is off.', 'ratingd' );
		$is_on = (bool) get_option( SHARED_BY_TRANSLATIONS );
		printf(
			'<p><label><input type="checkbox" name="%s" value="1"%s> %s</label></p><p class="description">%s</p>',
			esc_attr( SHARED_BY_TRANSLATIONS ),
			checked( $is_on, true, false ),
			esc_html( $label ),
			esc_html( $about )
		);
		if ( $is_on ) {
			printf(
				'<p class="description">%s <a href="%s">%s</a></p>',
				// translators: a command for the operator of the server.
				sprintf( esc_html__( 'To add them to those of the original, run %s with this list on the server:', 'ratingd' ), '<code>ratingctl merge</code>' ),
				esc_url( wp_nonce_url( admin_url( 'admin-post.php?action=' . SHARED_OBJECTS ), SHARED_OBJECTS ) ),
				esc_html__( 'Translations (CSV)', 'ratingd' )
			);
		}
	}
	submit_button();
	echo '</form></div>';
}
