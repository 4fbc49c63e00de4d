<?php
/**
 * Shows ratings below the texts of comments, and orders comments by their ratings. get_comments() accepts
 * orderby=ratingd in the same way as WP_Query (ordering.php). The order of a post's comments is set on the "Placement"
 * page.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the rating that is placed below a comment. Only approved comments on the page of their post have a rating.
 * Pingbacks have no rating.
 *
 * @param mixed $comment The comment.
 * @return string HTML.
 */
function comment_rating( $comment ) {
	$is_rated = $comment instanceof \WP_Comment && '1' === $comment->comment_approved && is_singular() && ! is_feed()
		&& ! in_array( $comment->comment_type, array( 'pingback', 'trackback' ), true );
	$object   = array(
		'id'   => $is_rated ? (int) $comment->comment_ID : 0,
		'type' => 'comment',
	);
	return $is_rated ? placed( 'comment', $object ) : '';
}

// Add the rating only in wp_list_comments(), because themes, emails, REST and wp-admin also apply the
// "comment_text" filter. Priority 100 makes the filter run after wpautop().
add_filter(
	'comment_text',
	function ( $text, $comment = null ) {
		return empty( $GLOBALS['in_comment_loop'] ) || is_admin() ? $text : $text . comment_rating( $comment );
	},
	100,
	2
);

add_filter(
	'render_block_core/comment-content',
	function ( $html, ...$given ) {
		$id = $given[1]->context['commentId'] ?? 0;
		return $id && '' !== trim( $html ) ? $html . comment_rating( get_comment( $id ) ) : $html;
	},
	10,
	3
);

/**
 * Returns the comments that WordPress has loaded since the last call. WordPress loads all comments of a page before it
 * shows the first comment.
 *
 * @param int $more A comment to add. If it is missing, the function returns the comments and clears the list.
 * @return int[]
 */
function loaded_comments( $more = 0 ) {
	static $loaded = array();
	$blog          = get_current_blog_id();
	if ( $more ) {
		$loaded[ $blog ][ $more ] = $more;
		return array();
	}
	$all             = $loaded[ $blog ] ?? array();
	$loaded[ $blog ] = array();
	return $all;
}

add_filter(
	'get_comment',
	function ( $comment ) {
		loaded_comments( (int) $comment->comment_ID );
		return $comment;
	}
);

// --- The order of comments ------------------------------------------------------------------------

/**
 * Returns whether post pages show comments in the order of their ratings.
 *
 * @return bool
 */
function is_best_first() {
	$placement = placement( 'comment' );
	return 'best' === $placement['order'] && '' !== $placement['where'] && has_view();
}

/**
 * Returns whether the current page orders comments by rating.
 *
 * @return bool
 */
function are_best_first() {
	return did_action( 'wp' ) && is_singular() && ! is_feed() && is_best_first();
}

// Orders comments by their ratings. Comments with equal ratings are ordered by age, with the oldest comment first.
// The replies to a comment are ordered separately.
add_filter(
	'comments_clauses',
	function ( $clauses, $query ) {
		global $wpdb;
		if ( ORDER !== $query->query_vars['orderby'] || ! has_view() ) {
			return $clauses;
		}
		$category = $query->query_vars['ratingd_category'] ?? '';
		$category = in_array( $category, CATEGORIES, true ) ? $category : main_category();
		// Treat comments without ratings like comments with average ratings, so that comments with bad ratings come
		// last.
		$figures = array(
			'binary'  => 'COALESCE(ratingd.positive, 0)',
			'bipolar' => 'COALESCE(ratingd.score, 0)',
			'scale'   => sprintf( 'COALESCE(%s, %.6F)', fair_average( 'scale', 'ratingd' ), category_means()['scale']['mean'] ?? 0 ),
		);

		$clauses['join']   .= $wpdb->prepare(
			" LEFT JOIN {$wpdb->prefix}ratingd_post_stats AS ratingd ON ratingd.post_id = {$wpdb->comments}.comment_ID AND ratingd.object_type = 'comment' AND ratingd.category = %s",
			$category
		);
		$clauses['orderby'] = "{$figures[ $category ]} DESC, {$wpdb->comments}.comment_date_gmt ASC, {$wpdb->comments}.comment_ID ASC";
		return $clauses;
	},
	10,
	2
);

add_action(
	'pre_get_comments',
	function ( $query ) {
		$vars = $query->query_vars;
		// Both comments_template() and the "Comments" block order their queries by comment_date_gmt.
		if ( 'comment_date_gmt' === $vars['orderby'] && ! $vars['count'] && are_best_first() && get_queried_object_id() === (int) $vars['post_id'] ) {
			$query->query_vars['orderby']          = ORDER;
			$query->query_vars['ratingd_category'] = category_of( placement( 'comment' ) );
		}
		if ( ORDER === $query->query_vars['orderby'] ) {
			// WordPress caches the result until a comment changes, so change the cache key regularly to take new ratings
			// into account.
			$query->query_vars['cache_domain'] = sprintf( 'ratingd-%s-%d', $query->query_vars['ratingd_category'] ?? '', time() / ORDER_SECONDS );
		}
	}
);

/**
 * Overrides an option on pages that show the best comments first, because WordPress reverses the order for some
 * settings.
 *
 * @param mixed $value "asc" or "oldest".
 * @return callable
 */
function while_best_first( $value ) {
	return function ( $chosen ) use ( $value ) {
		return are_best_first() ? $value : $chosen;
	};
}
add_filter( 'pre_option_comment_order', while_best_first( 'asc' ) );
add_filter( 'pre_option_default_comments_page', while_best_first( 'oldest' ) );

// A link to a comment contains the number of the comment's page. By default, WordPress computes the page of a
// comment from the number of older comments.
add_filter(
	'get_page_of_comment',
	function ( $page, $args, ...$given ) {
		static $places = array();
		$id            = (int) $given[1];
		$comment       = get_comment( $id );
		$post          = (int) $comment->comment_post_ID;
		$key           = get_current_blog_id() . " $post";
		// If threaded comments are disabled, WordPress paginates replies like all other comments.
		$is_threaded = get_option( 'thread_comments' );
		if ( $args['per_page'] < 1 || ! is_best_first() || ( $is_threaded && $comment->comment_parent ) ) {
			return $page;
		}
		if ( ! isset( $places[ $key ] ) ) {
			$query          = array(
				'post_id'          => $post,
				'parent'           => $is_threaded ? 0 : '',
				'status'           => 'approve',
				'fields'           => 'ids',
				'orderby'          => ORDER,
				'ratingd_category' => category_of( placement( 'comment' ) ),
			);
			$places[ $key ] = array_flip( get_comments( $query ) );
		}
		return isset( $places[ $key ][ $id ] ) ? 1 + intdiv( $places[ $key ][ $id ], (int) $args['per_page'] ) : $page;
	},
	10,
	4
);
