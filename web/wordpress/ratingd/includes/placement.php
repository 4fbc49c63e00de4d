<?php
/**
 * Ratings before or after the content of posts, without code: an option for each type of posts, and a switch in the
 * editor that leaves a single post out. The option also places ratings of comments (comments.php), and of terms and
 * authors on their pages (archives.php).
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const PLACEMENT = 'ratingd_placement';
// Below comments, a rating should be little.
const PLACED_BELOW_COMMENTS = array(
	'template' => 'simple/thumbs',
	'size'     => 'small',
);
// On posts that have no rating placed.
const WITHOUT_RATING = '_ratingd_without_rating';

/**
 * What ratings can be placed on besides posts.
 *
 * @return array Titles by types of objects.
 */
function further_titles() {
	return array(
		'comment' => __( 'Comments', 'ratingd' ),
		'term'    => __( 'Categories and tags', 'ratingd' ),
		'author'  => __( 'Authors', 'ratingd' ),
	);
}

/**
 * Where ratings are placed.
 *
 * @param string $type A type of posts, or a key of further_titles().
 * @return array "where" ("", "before", "after"), "order" (of comments; "" or "best") and attributes as of the block
 *               "Rating": "group" is "criteria" or "reactions", whose names "facets" has.
 */
function placement( $type ) {
	$all   = (array) get_option( PLACEMENT, array() );
	$given = isset( $all[ $type ] ) && is_array( $all[ $type ] ) ? $all[ $type ] : array();
	return clean_placement( $given + ( 'comment' === $type ? PLACED_BELOW_COMMENTS : array() ) );
}

/**
 * The HTML of a rating that is placed.
 *
 * @param string $type   As for placement().
 * @param array  $object What is rated: attributes "id" and "type".
 * @return string Nothing if none is placed there.
 */
function placed( $type, array $object ) {
	$placement = placement( $type );
	if ( '' === $placement['where'] ) {
		return '';
	}
	// A text before each comment's rating would be read again and again.
	$text  = 'comment' === $type ? array( 'text' => '' ) : archive_text( $type );
	$html  = widget( $object + $text + block_widget( $placement ) );
	$class = in_array( $type, array( 'term', 'author' ), true ) ? 'ratingd-placed ratingd-archive' : 'ratingd-placed';
	return '' === $html ? '' : sprintf( '<div class="%s">%s</div>', $class, $html );
}

/**
 * A list of names or numbers, as people write it, in one form.
 *
 * @param mixed $given The list.
 * @return string "taste, service".
 */
function words_of_list( $given ) {
	$given = is_array( $given ) ? implode( ',', array_filter( $given, 'is_string' ) ) : $given;
	preg_match_all( '/[a-z0-9_.-]+/', is_string( $given ) ? strtolower( $given ) : '', $found );
	return implode( ', ', array_slice( $found[0], 0, 20 ) );
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
	// Without a template, the rating has the template of the setting "Widget for stars".
	$template = is_string( $template ) && preg_match( '~^([a-z0-9_-]+/[a-z0-9_-]+)?$~D', $template ) ? $template : 'simple/stars';
	$facets   = words_of_list( $given['facets'] ?? '' );
	$group    = '' === $facets ? '' : $given['group'] ?? '';
	$group    = in_array( $group, array( 'criteria', 'reactions' ), true ) ? $group : '';
	return array(
		'where'    => in_array( $where, array( 'before', 'after' ), true ) ? $where : '',
		'group'    => $group,
		'facets'   => $facets,
		'weights'  => words_of_list( $given['weights'] ?? '' ),
		'multiple' => ! empty( $given['multiple'] ),
		// Criteria have scales.
		'template' => 'criteria' === $group && 'scale' !== category_of( array( 'template' => $template ) ) ? 'simple/stars' : $template,
		'size'     => in_array( $size, array( 'small', 'large' ), true ) ? $size : 'medium',
		'order'    => 'best' === ( $given['order'] ?? '' ) ? 'best' : '',
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
	return array( 'id' => object_id( $post->ID ) ) + block_widget( placement( $post->post_type ) );
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

/**
 * Whether a content has what is placed in its post, a rating or reactions, and not only of another object with this
 * number.
 *
 * @param \WP_Post $post    The post.
 * @param string   $content HTML.
 * @return bool
 */
function has_own_rating( $post, $content ) {
	$type    = preg_quote( object_type( $post->post_type ), '/' );
	$element = 'reactions' === placement( $post->post_type )['group'] ? 'reactions' : '(?:rating|criteria)';
	$own     = sprintf( '/<ratingd-%s(?=[^>]* object-id="%d")(?=[^>]* object-type="%s")/', $element, object_id( $post->ID ), $type );
	return (bool) preg_match( $own, $content );
}

// After blocks and shortcodes: they may be a rating, and wpautop() leaves this one alone.
add_filter(
	'the_content',
	function ( $content ) {
		$post = get_post();
		if ( ! is_for_rating() || has_own_rating( $post, $content ) ) {
			return $content;
		}
		$widget = sprintf( '<div class="ratingd-placed">%s</div>', widget( placed_widget( $post ) ) );
		return 'before' === placement( $post->post_type )['where'] ? $widget . $content : $content . $widget;
	},
	20
);

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
