<?php
/**
 * Ratings before or after the content of posts, without code: an option for each type of posts, and a switch in the
 * editor that leaves a single post out.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const PLACEMENT = 'ratingd_placement';
// On posts that have no rating placed.
const WITHOUT_RATING = '_ratingd_without_rating';

/**
 * Where ratings are placed.
 *
 * @param string $type A type of posts.
 * @return array "where" ("", "before", "after") and the widget's attributes.
 */
function placement( $type ) {
	$all   = (array) get_option( PLACEMENT, array() );
	$given = isset( $all[ $type ] ) && is_array( $all[ $type ] ) ? $all[ $type ] : array();
	return clean_placement( $given );
}

/**
 * Known values only.
 *
 * @param array $given Of one type of posts.
 * @return array
 */
function clean_placement( array $given ) {
	$where    = $given['where'] ?? '';
	$template = $given['template'] ?? '';
	$size     = $given['size'] ?? '';
	return array(
		'where'    => in_array( $where, array( 'before', 'after' ), true ) ? $where : '',
		'template' => is_string( $template ) && preg_match( '~^[a-z0-9_-]+/[a-z0-9_-]+$~', $template ) ? $template : 'simple/stars',
		'size'     => in_array( $size, array( 'small', 'large' ), true ) ? $size : 'medium',
		'schema'   => in_array( $given['schema'] ?? '', SCHEMA_TYPES, true ) ? $given['schema'] : '',
	);
}

/**
 * Whether a rating is placed in a post, unless its content has one.
 *
 * @param \WP_Post $post The post.
 * @return bool
 */
function is_placed( $post ) {
	return '' !== placement( $post->post_type )['where'] && in_array( $post->post_type, post_types(), true )
		&& ! get_post_meta( $post->ID, WITHOUT_RATING, true );
}

/**
 * The types of posts in which ratings are placed.
 *
 * @return string[]
 */
function placed_types() {
	return array_filter(
		post_types(),
		function ( $type ) {
			return '' !== placement( $type )['where'];
		}
	);
}

/**
 * The widget that is placed in a post.
 *
 * @param \WP_Post $post The post.
 * @return array As for ratingd_widget().
 */
function placed_widget( $post ) {
	return array( 'id' => object_id( $post->ID ) ) + array_diff_key( placement( $post->post_type ), array( 'where' => '' ) );
}

/**
 * Whether the content of a post is asked for that the page shows: not a list's, not a feed's, not an excerpt's.
 *
 * @param \WP_Post|null $post The post.
 * @return bool
 */
function is_main_content( $post ) {
	return $post && is_singular() && get_queried_object_id() === $post->ID && in_the_loop() && is_main_query()
		&& ! is_feed() && ! is_embed() && ! doing_filter( 'get_the_excerpt' ) && ! post_password_required( $post );
}

/**
 * Whether a text is the content of the current post as themes get it. They apply the filter to other texts, too.
 *
 * @param string $text The text.
 * @return bool
 */
function is_own_content( $text ) {
	$forms = array( get_the_content(), get_the_content( null, true ), get_post()->post_content );
	// What the block "Post Content" does. It also adds the links to a post's pages.
	$forms = array_merge( $forms, str_replace( ']]>', ']]&gt;', $forms ) );
	foreach ( $forms as $form ) {
		if ( $text === $form || ( '' !== trim( $form ) && 0 === strpos( $text, $form ) ) ) {
			return true;
		}
	}
	return false;
}

/**
 * Remembers for each running filter of a content whether a rating belongs to it: they may be nested.
 *
 * @param bool|null $is_for Of the one that starts; null: of the one that ends.
 * @return bool
 */
function is_for_rating( $is_for = null ) {
	static $running = array();
	if ( null === $is_for ) {
		return (bool) array_pop( $running );
	}
	$running[] = $is_for;
	return $is_for;
}

add_filter(
	'the_content',
	function ( $content ) {
		$post = get_post();
		is_for_rating( is_main_content( $post ) && is_placed( $post ) && is_own_content( $content ) );
		return $content;
	},
	PHP_INT_MIN
);

// After blocks and shortcodes: they may be a rating, and wpautop() leaves this one alone.
add_filter(
	'the_content',
	function ( $content ) {
		$post = get_post();
		if ( ! is_for_rating() || preg_match( '/<ratingd-rating[^>]* object-id="' . object_id( $post->ID ) . '"/', $content ) ) {
			return $content;
		}
		$widget = sprintf( '<div class="ratingd-placed">%s</div>', widget( placed_widget( $post ) ) );
		return 'before' === placement( $post->post_type )['where'] ? $widget . $content : $content . $widget;
	},
	20
);

// --- The option -----------------------------------------------------------------------------------

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
		add_option( PLACEMENT, array() );
		add_option( SHARED_BY_TRANSLATIONS, 0 );
		if ( has_translations() ) {
			register_setting( 'ratingd-placement', SHARED_BY_TRANSLATIONS, array( 'sanitize_callback' => 'absint' ) );
		}
	}
);

/**
 * Known values of known types only.
 *
 * @param mixed $given As the form sends it.
 * @return array
 */
function clean_placements( $given ) {
	$clean = array();
	foreach ( is_array( $given ) ? $given : array() as $type => $one ) {
		if ( in_array( $type, post_types(), true ) && is_array( $one ) ) {
			$clean[ $type ] = clean_placement( $one );
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
}

/**
 * Prints a field with choices.
 *
 * @param string $type    A type of posts.
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
 * Prints the page.
 */
function show_placement() {
	echo '<div class="wrap">';
	printf( '<h1>%s</h1>', esc_html( get_admin_page_title() ) );
	settings_errors();
	printf( '<p>%s</p>', esc_html__( 'Ratings appear on the pages of single posts. The editor of a post has a switch to leave it out.', 'ratingd' ) );
	echo '<form method="post" action="options.php">';
	settings_fields( 'ratingd-placement' );
	echo '<table class="form-table ratingd-placement" role="presentation">';
	foreach ( post_type_titles() as $type => $title ) {
		$chosen = placement( $type );
		printf( '<tr data-ratingd-type="%s"><th scope="row">%s</th><td>', esc_attr( $type ), esc_html( $title ) );
		printf( '<fieldset><legend class="screen-reader-text">%s</legend>', esc_html( $title ) );
		$places = array(
			''       => __( 'No rating', 'ratingd' ),
			'before' => __( 'Before the content', 'ratingd' ),
			'after'  => __( 'After the content', 'ratingd' ),
		);
		show_choice( $type, 'where', __( 'Where', 'ratingd' ), $places, $chosen['where'] );
		show_choice( $type, 'template', __( 'Template', 'ratingd' ), template_choices(), $chosen['template'] );
		$sizes = array(
			'small'  => __( 'Small', 'ratingd' ),
			'medium' => __( 'Medium', 'ratingd' ),
			'large'  => __( 'Large', 'ratingd' ),
		);
		show_choice( $type, 'size', __( 'Size', 'ratingd' ), $sizes, $chosen['size'] );
		$schemas = array( '' => __( 'None', 'ratingd' ) ) + array_combine( SCHEMA_TYPES, SCHEMA_TYPES );
		show_choice( $type, 'schema', __( 'Type for search engines', 'ratingd' ), $schemas, $chosen['schema'] );
		$warning = __( 'Search engines show no stars for ratings of your own business on your own site.', 'ratingd' );
		printf( '<div class="notice notice-warning inline" data-ratingd-warning hidden><p>%s</p></div>', esc_html( $warning ) );
		printf( '</fieldset></td><td><div class="card"><small>%s</small><div data-ratingd-preview inert></div></div></td></tr>', esc_html__( 'Sample', 'ratingd' ) );
	}
	echo '</table>';
	if ( has_translations() ) {
		$label = __( 'Translations share the rating of the post in the site\'s default language', 'ratingd' );
		$about = __( 'Ratings that translations have already stay stored, and are shown again when this is off.', 'ratingd' );
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

// --- The switch of a single post ------------------------------------------------------------------

add_action(
	'init',
	function () {
		foreach ( post_types() as $type ) {
			$options = array(
				'type'          => 'boolean',
				'single'        => true,
				'default'       => false,
				'show_in_rest'  => true,
				// Whoever may edit the post: WordPress has asked that before.
				'auth_callback' => '__return_true',
			);
			register_post_meta( $type, WITHOUT_RATING, $options );
		}
	},
	20
);

add_action(
	'save_post',
	function ( $id ) {
		$nonce = isset( $_POST['ratingd_nonce'] ) ? sanitize_key( $_POST['ratingd_nonce'] ) : '';
		if ( ! wp_verify_nonce( $nonce, "ratingd-$id" ) || ! current_user_can( 'edit_post', $id ) ) {
			return;
		}
		if ( empty( $_POST['ratingd_without'] ) ) {
			delete_post_meta( $id, WITHOUT_RATING );
		} else {
			update_post_meta( $id, WITHOUT_RATING, true );
		}
	}
);

/**
 * Prints the switch in the box of the classic editor.
 *
 * @param \WP_Post $post  The post.
 * @param string   $label For people.
 */
function show_switch( $post, $label ) {
	wp_nonce_field( "ratingd-{$post->ID}", 'ratingd_nonce', false );
	$checked = checked( (bool) get_post_meta( $post->ID, WITHOUT_RATING, true ), true, false );
	printf( '<p><label><input type="checkbox" name="ratingd_without" value="1"%s> %s</label></p>', $checked, esc_html( $label ) );
}
