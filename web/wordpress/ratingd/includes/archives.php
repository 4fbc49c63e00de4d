<?php
/**
 * Ratings for categories, tags and authors on the pages that list their posts.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the term or the author whose page is shown.
 *
 * @return array The attributes "id" and "type". Empty on other pages.
 */
function archived_object() {
	$object = get_queried_object();
	if ( is_author() && $object instanceof \WP_User ) {
		return array(
			'id'   => $object->ID,
			'type' => 'author',
		);
	}
	$is_shown = $object instanceof \WP_Term && ( is_category() || is_tag() || is_tax() ) && is_taxonomy_viewable( $object->taxonomy );
	return $is_shown ? array(
		'id'   => $object->term_id,
		'type' => 'term',
	) : array();
}

/**
 * Returns the rating that is placed on the page. Later calls return nothing.
 *
 * @param string $where "before" or "after" the posts.
 * @return string HTML.
 */
function archive_rating( $where ) {
	static $is_shown = false;
	$object          = $is_shown || is_feed() ? array() : archived_object();
	if ( ! $object || placement( $object['type'] )['where'] !== $where ) {
		return '';
	}
	$is_shown = true;
	return placed( $object['type'], $object );
}

/**
 * Returns the text before an archive's rating. The text is needed because the page itself does not say what visitors
 * rate. A text that the owner has chosen takes precedence.
 *
 * @param string $type The type of the object.
 * @return array The "text" attribute. Empty for other objects.
 */
function archive_text( $type ) {
	if ( '' !== look()['text'] || ! in_array( $type, array( 'term', 'author' ), true ) ) {
		return array();
	}
	if ( 'author' === $type ) {
		return array( 'text' => __( 'Rate this author', 'ratingd' ) );
	}
	if ( is_category() ) {
		return array( 'text' => __( 'Rate this category', 'ratingd' ) );
	}
	return array( 'text' => is_tag() ? __( 'Rate this tag', 'ratingd' ) : __( 'Rate this topic', 'ratingd' ) );
}

/**
 * Returns whether a loop shows the main posts of the page, in the page's body. Block themes run this loop before the
 * head, and WooCommerce shops begin their lists before the loop.
 *
 * @param \WP_Query $query The query of the loop.
 * @return bool
 */
function is_list_of_page( $query ) {
	return $query->is_main_query() && did_action( 'wp_head' ) && ! doing_action( 'wp_head' ) && ! wp_is_block_theme()
		&& ! ( is_tax() && function_exists( 'is_woocommerce' ) && is_woocommerce() );
}

foreach ( array(
	'loop_start' => 'before',
	'loop_end'   => 'after',
) as $ratingd_hook => $ratingd_where ) {
	add_action(
		$ratingd_hook,
		function ( $query ) use ( $ratingd_where ) {
			if ( is_list_of_page( $query ) ) {
				echo archive_rating( $ratingd_where );
			}
		}
	);
}
unset( $ratingd_hook, $ratingd_where );

add_filter(
	'render_block_core/post-template',
	function ( $html, ...$given ) {
		if ( empty( $given[1]->context['query']['inherit'] ) || '' === trim( $html ) ) {
			return $html;
		}
		return archive_rating( 'before' ) . $html . archive_rating( 'after' );
	},
	10,
	3
);

/**
 * Returns the object of a widget that names no object.
 *
 * @param string $type The type that the widget names.
 * @return string The object. Empty if there is none.
 */
function current_object( $type ) {
	$shown = archived_object();
	if ( $shown && $shown['type'] === $type ) {
		return (string) $shown['id'];
	}
	if ( 'comment' === $type ) {
		return (string) ( $GLOBALS['comment']->comment_ID ?? '' );
	}
	$author = 'author' === $type ? (int) get_post_field( 'post_author', get_the_ID() ) : 0;
	return $author ? (string) $author : '';
}
