<?php
/**
 * Places ratings before or after the content of posts. Each post type has its own placement, and a switch in the editor
 * excludes a single post. The option also places ratings for comments (comments.php), and for terms and authors on
 * their pages (archives.php).
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const PLACEMENT = 'ratingd_placement';
// Ratings below comments are small by default.
const PLACED_BELOW_COMMENTS = array(
	'template' => 'simple/thumbs',
	'size'     => 'small',
);
// The key of the post meta field that disables the automatically placed rating on a post.
const WITHOUT_RATING = '_ratingd_without_rating';

/**
 * Returns where and how ratings for a type are placed.
 *
 * @param string $type A type of posts, or a key of further_titles().
 * @return array "where" ("", "before" or "after"), "order" (of comments: "" or "best"), and attributes as in the
 *               block "Rating". "group" is "criteria" or "reactions", and "facets" contains the names of the group.
 */
function placement( $type ) {
	$all   = (array) get_option( PLACEMENT, array() );
	$given = isset( $all[ $type ] ) && is_array( $all[ $type ] ) ? $all[ $type ] : array();
	return clean_placement( $given + ( 'comment' === $type ? PLACED_BELOW_COMMENTS : array() ) );
}

/**
 * Returns the HTML of a placed rating.
 *
 * @param string $type   As passed to placement().
 * @param array  $object The rated object, as the attributes "id" and "type".
 * @return string Empty if no rating is placed there.
 */
function placed( $type, array $object ) {
	$placement = placement( $type );
	if ( '' === $placement['where'] ) {
		return '';
	}
	// Omit the introductory text in comments, because the text would be repeated for each comment.
	$text  = 'comment' === $type ? array( 'text' => '' ) : archive_text( $type );
	$html  = widget( $object + $text + block_widget( $placement ) );
	$class = in_array( $type, array( 'term', 'author' ), true ) ? 'ratingd-placed ratingd-archive' : 'ratingd-placed';
	return '' === $html ? '' : sprintf( '<div class="%s">%s</div>', $class, $html );
}

/**
 * Returns a list of names or numbers in a normal form.
 *
 * @param mixed $given The list, as people write it.
 * @return string A list such as "taste, service".
 */
function words_of_list( $given ) {
	$given = is_array( $given ) ? implode( ',', array_filter( $given, 'is_string' ) ) : $given;
	preg_match_all( '/[a-z0-9_.-]+/', is_string( $given ) ? strtolower( $given ) : '', $found );
	return implode( ', ', array_slice( $found[0], 0, 20 ) );
}

/**
 * Returns only known values of a placement.
 *
 * @param array $given The values for one type.
 * @return array
 */
function clean_placement( array $given ) {
	$where    = $given['where'] ?? '';
	$template = $given['template'] ?? '';
	$size     = $given['size'] ?? '';
	// If the template is empty, the rating uses the "Widget for stars" setting.
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
		// Ratings of criteria require a template in the "scale" category.
		'template' => 'criteria' === $group && 'scale' !== category_of( array( 'template' => $template ) ) ? 'simple/stars' : $template,
		'size'     => in_array( $size, array( 'small', 'large' ), true ) ? $size : 'medium',
		'order'    => 'best' === ( $given['order'] ?? '' ) ? 'best' : '',
		'schema'   => in_array( $given['schema'] ?? '', SCHEMA_TYPES, true ) ? $given['schema'] : '',
	);
}

/**
 * Returns whether a rating is placed in a post. The function ignores ratings in the post's own content.
 *
 * @param \WP_Post $post The post.
 * @return bool
 */
function is_placed( $post ) {
	return '' !== placement( $post->post_type )['where'] && in_array( $post->post_type, post_types(), true )
		&& ! get_post_meta( $post->ID, WITHOUT_RATING, true );
}

/**
 * Returns the types of posts in which ratings are placed.
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
 * Returns the widget that is placed in a post.
 *
 * @param \WP_Post $post The post.
 * @return array As passed to ratingd_widget().
 */
function placed_widget( $post ) {
	return array( 'id' => object_id( $post->ID ) ) + block_widget( placement( $post->post_type ) );
}

/**
 * Returns whether the filter runs for the content of the page's own post. Returns false for lists, feeds and excerpts.
 *
 * @param \WP_Post|null $post The post.
 * @return bool
 */
function is_main_content( $post ) {
	return $post && is_singular() && get_queried_object_id() === $post->ID && in_the_loop() && is_main_query()
		&& ! is_feed() && ! is_embed() && ! doing_filter( 'get_the_excerpt' ) && ! post_password_required( $post );
}

/**
 * Returns whether a text is the current post's content. Themes also apply the filter to other texts.
 *
 * @param string $text The text.
 * @return bool
 */
function is_own_content( $text ) {
	$forms = array( get_the_content(), get_the_content( null, true ), get_post()->post_content );
	// The "Post Content" block escapes "]]>" in the content, and appends the page links of a paginated post.
	$forms = array_merge( $forms, str_replace( ']]>', ']]&gt;', $forms ) );
	foreach ( $forms as $form ) {
		if ( $text === $form || ( '' !== trim( $form ) && 0 === strpos( $text, $form ) ) ) {
			return true;
		}
	}
	return false;
}

/**
 * Records for each running content filter whether a rating is added. Content filters may be nested.
 *
 * @param bool|null $is_for Whether the filter that starts gets a rating. Null if a filter ends.
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
 * Returns whether a content already has the rating or reactions that are placed in its post. A rating for another
 * object type with the same id does not count.
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

/**
 * Returns the HTML of the rating that is placed in a post.
 *
 * @param \WP_Post $post The post.
 * @return string
 */
function placed_in( $post ) {
	return sprintf( '<div class="ratingd-placed">%s</div>', widget( placed_widget( $post ) ) );
}

/**
 * Returns a post's content with the rating that is placed there.
 *
 * @param \WP_Post $post    The post.
 * @param string   $content HTML.
 * @return string HTML.
 */
function with_placed_rating( $post, $content ) {
	if ( has_own_rating( $post, $content ) ) {
		return $content;
	}
	return 'before' === placement( $post->post_type )['where'] ? placed_in( $post ) . $content : $content . placed_in( $post );
}

/**
 * Returns whether the filter for the content has already run for a post that may have a placed rating.
 *
 * @param int $post_id The post.
 * @param bool $has_run Whether the filter runs now.
 * @return bool
 */
function has_content_run( $post_id, $has_run = false ) {
	static $all      = array();
	$all[ $post_id ] = $has_run || ! empty( $all[ $post_id ] );
	return $all[ $post_id ];
}

// Run this filter after wpautop(), which would change the added rating, and after blocks and shortcodes, which may
// already contain a rating.
add_filter(
	'the_content',
	function ( $content ) {
		if ( ! is_for_rating() ) {
			return $content;
		}
		has_content_run( get_the_ID(), true );
		return with_placed_rating( get_post(), $content );
	},
	20
);

// --- Pages of other plugins that do not apply the filters for the content -------------------------

// WooCommerce shows a product's content in a tab, and omits the tab if the content is empty. Add the rating after the
// tabs, unless the template also shows the content elsewhere.
add_action(
	'woocommerce_after_single_product_summary',
	function () {
		$post = get_post();
		if ( is_main_content( $post ) && is_placed( $post ) && '' === $post->post_content && ! has_content_run( $post->ID ) ) {
			echo placed_in( $post ); // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- widget() escapes its output.
		}
	},
	11
);

/**
 * Adds the rating that is placed in a topic or a reply on bbPress's pages. The topic's page shows its replies, too.
 *
 * @param string $content HTML.
 * @param int    $id      The topic or the reply. Versions of bbPress before 2.1 do not pass it.
 * @return string HTML.
 */
function rate_forum_post( $content, $id = 0 ) {
	$post  = $id ? get_post( $id ) : null;
	$types = function_exists( 'bbp_get_topic_post_type' ) ? array( bbp_get_topic_post_type(), bbp_get_reply_post_type() ) : array();
	$is_on = $post && is_singular( $types ) && ! is_feed() && ! is_embed();
	return $is_on && is_placed( $post ) && ! post_password_required( $post ) ? with_placed_rating( $post, $content ) : $content;
}

// bbPress removes all filters of the_content on its pages, and applies the following filters instead. It adds the list
// of revisions with priority 99.
add_filter( 'bbp_get_topic_content', __NAMESPACE__ . '\rate_forum_post', 100, 2 );
add_filter( 'bbp_get_reply_content', __NAMESPACE__ . '\rate_forum_post', 100, 2 );

// The page of a forum does not show the forum's content.
foreach ( array( 'before', 'after' ) as $ratingd_where ) {
	add_action(
		"bbp_template_{$ratingd_where}_single_forum",
		function () use ( $ratingd_where ) {
			$post = function_exists( 'bbp_get_forum_post_type' ) && is_singular( bbp_get_forum_post_type() ) ? get_queried_object() : null;
			if ( $post && is_placed( $post ) && placement( $post->post_type )['where'] === $ratingd_where && ! post_password_required( $post ) ) {
				echo placed_in( $post ); // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- widget() escapes its output.
			}
		}
	);
}
unset( $ratingd_where );

// --- The switch for a single post -----------------------------------------------------------------

add_action(
	'init',
	function () {
		foreach ( post_types() as $type ) {
			$options = array(
				'type'          => 'boolean',
				'single'        => true,
				'default'       => false,
				'show_in_rest'  => true,
				// WordPress has already checked that the user may edit the post.
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
 * @param string   $label The label for people.
 */
function show_switch( $post, $label ) {
	wp_nonce_field( "ratingd-{$post->ID}", 'ratingd_nonce', false );
	$checked = checked( (bool) get_post_meta( $post->ID, WITHOUT_RATING, true ), true, false );
	printf( '<p><label><input type="checkbox" name="ratingd_without" value="1"%s> %s</label></p>', $checked, esc_html( $label ) );
}
