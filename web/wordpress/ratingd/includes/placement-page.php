<?php
/**
 * Adds the page "Ratings → Placement", which edits the option that placement() reads.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// A WordPress option and its form field, which have the same name. The form field contains ratingd's
// "default_template_…" settings. The option is always empty, because ratingd stores these settings.
const DEFAULT_TEMPLATES = 'ratingd_default_templates';

add_action(
	'admin_menu',
	function () {
		if ( ! is_served() ) {
			return;
		}
		$title = __( 'Rating placement', 'ratingd' );
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
		// Create the option even if it is empty, so that WordPress loads it together with the other autoloaded options.
		// A missing option would cause an additional SQL statement on each page that shows a post.
		if ( add_option( PLACEMENT, array() ) ) {
			add_option( WELCOME, 1 ); // there was no placement before, so the plugin is new
		}
		add_option( SHARED_BY_TRANSLATIONS, 0 );
		add_option( DEFAULT_TEMPLATES, array() );
		register_setting( 'ratingd-placement', DEFAULT_TEMPLATES, array( 'sanitize_callback' => __NAMESPACE__ . '\save_default_templates' ) );
		if ( has_translations() ) {
			register_setting( 'ratingd-placement', SHARED_BY_TRANSLATIONS, array( 'sanitize_callback' => 'absint' ) );
		}
	}
);

/**
 * Returns all types on which ratings can be placed.
 *
 * @return array Titles by key of the option.
 */
function placeable() {
	return post_type_titles() + further_titles();
}

/**
 * Returns only known values of known types. Stored values without a field in the form are kept, such as the values for
 * the types of a deactivated plugin, or for groups while the site has no names.
 *
 * @param mixed $given As the form sends it.
 * @return array
 */
function clean_placements( $given ) {
	$stored = array_filter( (array) get_option( PLACEMENT, array() ), 'is_array' );
	$clean  = array_diff_key( $stored, placeable() );
	foreach ( is_array( $given ) ? $given : array() as $type => $one ) {
		if ( isset( placeable()[ $type ] ) && is_array( $one ) ) {
			// Browsers do not send the values of unticked checkboxes.
			$unticked       = isset( $one['group'] ) ? array( 'multiple' => false ) : array();
			$clean[ $type ] = clean_placement( with_chosen_names( $type, $one, $stored[ $type ] ?? array() ) + $unticked + ( $stored[ $type ] ?? array() ) );
		}
	}
	return $clean;
}

/**
 * Selects the names of the chosen group, and reports names that do not exist on the site. If no name remains, the type
 * keeps the stored group, because a group without names would show nothing.
 *
 * @param string $type   As passed to placement().
 * @param array  $given  The values that the form sends. They have lists of names by group ("names"), or a text
 *                       ("facets").
 * @param array  $stored The stored placement of the type.
 * @return array As passed to clean_placement().
 */
function with_chosen_names( $type, array $given, array $stored ) {
	$group = $given['group'] ?? '';
	if ( ! in_array( $group, NAME_GROUPS, true ) ) {
		unset( $given['facets'] );
		return $given;
	}
	$facets                  = words_of_list( $given['names'][ $group ] ?? $given['facets'] ?? '' );
	list( $known, $unknown ) = divide_names( $facets );
	$title                   = placeable()[ $type ];
	if ( $unknown ) {
		/* translators: 1: a type of content, such as "Posts"; 2: a list of names. */
		$text = __( '%1$s: These names were left out, because the site has no such criteria or reactions: %2$s', 'ratingd' );
		add_settings_error( PLACEMENT, "ratingd-unknown-$type", sprintf( $text, $title, implode( ', ', $unknown ) ) );
	}
	if ( ! $known ) {
		if ( '' !== ( $given['where'] ?? '' ) ) {
			/* translators: %s: a type of content, such as "Posts". */
			$text = __( '%s: Choose at least one criterion or reaction. The previous choice was kept.', 'ratingd' );
			add_settings_error( PLACEMENT, "ratingd-none-$type", sprintf( $text, $title ) );
		}
		unset( $given['facets'] );
		return array( 'group' => $stored['group'] ?? '' ) + $given;
	}
	$given['facets'] = implode( ', ', $known );
	return $given + array( 'weights' => weights_in_order( $known, $stored ) );
}

/**
 * Returns the stored weights in the order of the given names. Returns an empty text if the stored names differ from the
 * given names, because each name then has its own weight.
 *
 * @param string[] $names  The names.
 * @param array    $stored The stored placement of the type.
 * @return string
 */
function weights_in_order( array $names, array $stored ) {
	$facets  = wp_parse_list( words_of_list( $stored['facets'] ?? '' ) );
	$weights = wp_parse_list( words_of_list( $stored['weights'] ?? '' ) );
	if ( ! $weights || count( $facets ) !== count( $names ) || array_diff( $facets, $names ) ) {
		return '';
	}
	$ordered = array();
	foreach ( $names as $name ) {
		$ordered[] = $weights[ array_search( $name, $facets, true ) ] ?? '1';
	}
	return implode( ', ', $ordered );
}

/**
 * Returns the built-in templates.
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
 * Returns the templates to choose from.
 *
 * @return array Titles by slugs.
 */
function template_choices() {
	$own = array_keys( own_templates() );
	return builtin_templates() + array_combine( $own, $own );
}

/**
 * Sends the chosen default templates to ratingd, if they differ from its settings.
 *
 * @param mixed $given Slugs by categories.
 * @return array Empty, because nothing is stored in WordPress.
 */
function save_default_templates( $given ) {
	$changes = array();
	foreach ( CATEGORIES as $category ) {
		$slug = is_array( $given ) ? $given[ $category ] ?? '' : '';
		if ( is_string( $slug ) && isset( template_choices()[ $slug ] ) && default_template( $category ) !== $slug ) {
			$changes[ "default_template_$category" ] = $slug;
		}
	}
	$answer = $changes ? request( 'PATCH', '/settings', $changes, array( 'timeout' => 10 ) ) : null;
	if ( is_wp_error( $answer ) ) {
		add_settings_error( DEFAULT_TEMPLATES, 'ratingd-default', $answer->get_error_message() );
	}
	return array();
}

/**
 * Prints the default templates. Ratings without a template use them.
 */
function show_default_templates() {
	$labels = array(
		'scale'   => __( 'Widget for stars', 'ratingd' ),
		'binary'  => __( 'Widget for likes', 'ratingd' ),
		'bipolar' => __( 'Widget for upvotes and downvotes', 'ratingd' ),
	);
	printf( '<h2>%s</h2><p>%s</p>', esc_html__( 'Site default', 'ratingd' ), esc_html__( 'These templates are used unless another template is chosen for a block, a shortcode or a content type.', 'ratingd' ) );
	echo '<table class="form-table" role="presentation">';
	foreach ( $labels as $category => $label ) {
		printf( '<tr><th scope="row"><label for="ratingd-default-%1$s">%2$s</label></th><td><select id="ratingd-default-%1$s" name="%3$s">', esc_attr( $category ), esc_html( $label ), esc_attr( DEFAULT_TEMPLATES . "[$category]" ) );
		foreach ( template_choices() as $slug => $title ) {
			if ( category_of( array( 'template' => $slug ) ) === $category ) {
				printf( '<option value="%s"%s>%s</option>', esc_attr( $slug ), selected( $slug, default_template( $category ), false ), esc_html( $title ) );
			}
		}
		echo '</select></td></tr>';
		if ( 'scale' === $category ) {
			show_stars();
		}
	}
	echo '</table>';
}

/**
 * Returns the option "Site default", which uses the "Widget for stars" setting.
 *
 * @return array The title of the choice, by an empty slug.
 */
function default_choice() {
	$slug = default_template( 'scale' );
	/* translators: %s: the title of a template, such as "Stars". */
	return array( '' => sprintf( __( 'Site default (%s)', 'ratingd' ), builtin_templates()[ $slug ] ?? $slug ) );
}

/**
 * Adds the script that shows the chosen template.
 */
function enqueue_placement() {
	wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
	wp_enqueue_style( 'ratingd-group' );
	wp_enqueue_script( 'ratingd-group' );
	wp_enqueue_script( 'ratingd-placement', URL . '/js/placement.js', array( 'ratingd-group' ), VERSION, true );
	$scales = array_filter(
		array_keys( template_choices() ),
		function ( $slug ) {
			return 'scale' === category_of( array( 'template' => $slug ) );
		}
	);
	$data   = array(
		'scales'      => array_values( $scales ),
		'selfServing' => SELF_SERVING,
		'standard'    => default_template( 'scale' ),
		'words'       => words(),
	);
	wp_add_inline_script( 'ratingd-placement', sprintf( 'window.ratingdPlacement = %s;', wp_json_encode( $data, JSON_HEX_TAG ) ), 'before' );
	enqueue_look();
}

/**
 * Prints a field with choices.
 *
 * @param string $type    As passed to placement().
 * @param string $name    The name of the field.
 * @param string $label   The label for people.
 * @param array  $choices Titles by values.
 * @param string $value   The chosen value.
 */
function show_choice( $type, $name, $label, array $choices, $value ) {
	printf( '<p><label>%s<br><select name="%s" data-ratingd-field="%s">', esc_html( $label ), esc_attr( PLACEMENT . "[$type][$name]" ), esc_attr( $name ) );
	foreach ( $choices as $one => $title ) {
		printf( '<option value="%s"%s>%s</option>', esc_attr( $one ), selected( $one, $value, false ), esc_html( $title ) );
	}
	echo '</select></label></p>';
}

/**
 * Prints the names of a group to choose from.
 *
 * @param string $type   As passed to placement().
 * @param string $group  "criteria" or "reactions".
 * @param string $legend The title of the group.
 * @param array  $chosen As returned by placement().
 */
function show_name_boxes( $type, $group, $legend, array $chosen ) {
	$names = wp_list_filter( (array) site_names(), array( 'group' => $group ) );
	$given = $group === $chosen['group'] ? wp_parse_list( $chosen['facets'] ) : array_keys( $names );
	// Also show chosen names that have since been changed from criteria to reactions, or vice versa.
	$names += array_intersect_key( (array) site_names(), $group === $chosen['group'] ? array_flip( $given ) : array() );
	printf( '<fieldset class="ratingd-choose wp-exclude-emoji" data-ratingd-field="%s"><legend>%s</legend>', esc_attr( $group ), esc_html( $legend ) );
	foreach ( $names as $name => $about ) {
		printf(
			'<label><input type="checkbox" name="%s" value="%s" data-ratingd-label="%s" data-ratingd-icon="%s"%s> %s</label> ',
			esc_attr( PLACEMENT . "[$type][names][$group][]" ),
			esc_attr( $name ),
			esc_attr( $about['label'] ),
			esc_attr( $about['icon'] ),
			checked( in_array( (string) $name, $given, true ), true, false ),
			esc_html( trim( "{$about['icon']} {$about['label']}" ) )
		);
	}
	$text = $names ? __( 'Names, labels and order', 'ratingd' ) : __( 'Create names first', 'ratingd' );
	printf( '<a href="%s">%s</a></fieldset>', esc_url( names_page() ), esc_html( $text ) );
}

/**
 * Prints the choice between a rating, criteria and reactions.
 *
 * @param string $type   As passed to placement().
 * @param array  $chosen As returned by placement().
 */
function show_groups( $type, array $chosen ) {
	$groups = array(
		''          => __( 'One rating', 'ratingd' ),
		'criteria'  => __( 'Criteria', 'ratingd' ),
		'reactions' => __( 'Reactions', 'ratingd' ),
	);
	show_choice( $type, 'group', __( 'What is rated', 'ratingd' ), $groups, $chosen['group'] );
	foreach ( NAME_GROUPS as $group ) {
		show_name_boxes( $type, $group, $groups[ $group ], $chosen );
	}
	printf(
		'<p><label><input type="checkbox" name="%s" value="1" data-ratingd-field="multiple"%s> %s</label></p>',
		esc_attr( PLACEMENT . "[$type][multiple]" ),
		checked( $chosen['multiple'], true, false ),
		esc_html__( 'Visitors may choose several reactions', 'ratingd' )
	);
}

/**
 * Returns the possible places of a rating.
 *
 * @param string $type As passed to placement().
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
 * @param string $type  As passed to placement().
 * @param string $title The title for people.
 */
function show_row( $type, $title ) {
	$chosen = placement( $type );
	printf( '<tr data-ratingd-type="%s"><th scope="row">%s</th><td>', esc_attr( $type ), esc_html( $title ) );
	printf( '<fieldset><legend class="screen-reader-text">%s</legend>', esc_html( $title ) );
	foreach ( contradictions_of( $type, $title ) as $one ) {
		show_contradiction( $one );
	}
	if ( '' === $chosen['where'] && ! is_type_enabled( $type ) ) {
		printf( '<p class="description">%s</p>', esc_html__( 'Switched off in the settings', 'ratingd' ) );
	}
	show_choice( $type, 'where', __( 'Where', 'ratingd' ), places( $type ), $chosen['where'] );
	show_groups( $type, $chosen );
	printf( '<div class="ratingd-pictures" role="group" aria-label="%s" data-ratingd-pictures hidden></div>', esc_attr__( 'How it looks', 'ratingd' ) );
	show_choice( $type, 'template', __( 'Template', 'ratingd' ), default_choice() + template_choices(), $chosen['template'] );
	$sizes = array(
		'small'  => __( 'Small', 'ratingd' ),
		'medium' => __( 'Medium', 'ratingd' ),
		'large'  => __( 'Large', 'ratingd' ),
	);
	show_choice( $type, 'size', __( 'Size', 'ratingd' ), $sizes, $chosen['size'] );
	if ( 'comment' === $type ) {
		$orders = array(
			''     => __( 'By date, as set in Settings → Discussion', 'ratingd' ),
			'best' => __( 'Best rated first', 'ratingd' ),
		);
		show_choice( $type, 'order', __( 'Order', 'ratingd' ), $orders, $chosen['order'] );
	}
	if ( ! isset( further_titles()[ $type ] ) ) {
		$schemas = array( '' => __( 'None', 'ratingd' ) ) + array_combine( SCHEMA_TYPES, SCHEMA_TYPES );
		show_choice( $type, 'schema', __( 'Content type for search engines', 'ratingd' ), $schemas, $chosen['schema'] );
		$warning = __( 'Search engines show no stars for ratings of your own business on your own site.', 'ratingd' );
		printf( '<div class="notice notice-warning inline" data-ratingd-warning hidden><p>%s</p></div>', esc_html( $warning ) );
	}
	printf( '</fieldset></td><td><div class="card wp-exclude-emoji"><small>%s</small><div data-ratingd-preview inert></div></div></td></tr>', esc_html__( 'Sample', 'ratingd' ) );
}

/**
 * Prints the button that saves a form. The button stays visible while the page is scrolled.
 */
function show_save_bar() {
	echo '<div class="ratingd-save">';
	submit_button();
	echo '</div>';
}

/**
 * Prints the page.
 */
function show_placement() {
	update_option( WELCOME, 0 );
	echo '<div class="wrap">';
	printf( '<h1>%s</h1>', esc_html( get_admin_page_title() ) );
	settings_errors();
	printf( '<p>%s', esc_html__( 'The rating of a post appears on the post’s page. A switch in the editor turns off the rating of a single post.', 'ratingd' ) );
	$post = placed_types() ? newest_post() : '';
	if ( ! placed_types() ) {
		printf( ' %s', esc_html__( 'Ratings do not appear on posts yet. Choose where they appear, then save.', 'ratingd' ) );
	} elseif ( '' !== $post ) {
		printf( ' <a href="%s" target="_blank">%s</a>', esc_url( $post ), esc_html__( 'View a post', 'ratingd' ) );
	}
	echo '</p>';
	foreach ( general_contradictions() as $one ) {
		show_contradiction( $one );
	}
	echo '<form method="post" action="options.php">';
	settings_fields( 'ratingd-placement' );
	echo '<table class="form-table ratingd-placement" role="presentation">';
	foreach ( placeable() as $type => $title ) {
		show_row( $type, $title );
	}
	echo '</table>';
	show_default_templates();
	show_look();
	if ( has_translations() ) {
		$label = __( 'Translations share the rating of the post in the site\'s default language', 'ratingd' );
		$about = __( 'Existing ratings of translations are kept, and are shown again if you turn this setting off.', 'ratingd' );
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
				sprintf( esc_html__( 'To add these ratings to the ratings of the original post, run %s with this list on the server:', 'ratingd' ), '<code>ratingctl merge</code>' ),
				esc_url( wp_nonce_url( admin_url( 'admin-post.php?action=' . SHARED_OBJECTS ), SHARED_OBJECTS ) ),
				esc_html__( 'Translations (CSV)', 'ratingd' )
			);
		}
	}
	show_save_bar();
	echo '</form></div>';
}
