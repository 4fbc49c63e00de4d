<?php
/**
 * Returns the ratings of posts for pages, wp-admin and the REST API. The plugin reads the ratings from ratingd's view
 * {prefix}ratingd_post_stats (docs/themes.md), so they are available even if the service is down.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The categories. ratingd's tables store a category as its index in this list.
const CATEGORIES = array( 'binary', 'bipolar', 'scale' );

/**
 * Returns the post types with figures, which are all public types except attachments.
 *
 * @return string[]
 */
function post_types() {
	return is_served() ? array_values( array_diff( get_post_types( array( 'public' => true ) ), array( 'attachment' ) ) ) : array();
}

/**
 * Returns the post types with figures and their titles.
 *
 * @return array Titles by the names of the types.
 */
function post_type_titles() {
	$titles = array();
	foreach ( post_types() as $type ) {
		$titles[ $type ] = get_post_type_object( $type )->labels->name;
	}
	return $titles;
}

/**
 * Returns the types other than posts that can be rated.
 *
 * @return array The titles, by type of object.
 */
function further_titles() {
	return array(
		'comment' => __( 'Comments', 'ratingd' ),
		'term'    => __( 'Categories and tags', 'ratingd' ),
		'author'  => __( 'Authors', 'ratingd' ),
	);
}

/**
 * Returns the titles of types by their values in ratingd's settings and filters. The value "post" selects posts of all
 * types, as in votes, and "post:post" selects only posts of the type "post".
 *
 * @return array
 */
function titles_of_values() {
	$titles = array();
	foreach ( post_type_titles() as $type => $title ) {
		$titles[ 'post' === $type ? 'post:post' : $type ] = $title;
	}
	return $titles;
}

/**
 * Returns the object type of votes on posts of a given type.
 *
 * @param string $post_type "post", "page" …
 * @return string
 */
function object_type( $post_type ) {
	/**
	 * Filters the object type. The default for all post types is "post", as in the shortcode and in the block.
	 *
	 * @param string $object_type The type of objects.
	 * @param string $post_type   The type of posts.
	 */
	return apply_filters( 'ratingd_object_type', 'post', $post_type );
}

/**
 * Returns the type of the whole object. For example, the result is "post" for "post:taste" if "taste" is a criterion or
 * a reaction.
 *
 * @param string $object_type A type of objects.
 * @return string
 */
function whole_type( $object_type ) {
	$colon = (int) strrpos( $object_type, ':' );
	$is    = $colon && in_array( substr( $object_type, $colon + 1 ), (array) setting( 'facets', array() ), true );
	return $is ? substr( $object_type, 0, $colon ) : $object_type;
}

/**
 * Returns the ratings of an object. A single statement reads the ratings of all objects that the page may need.
 *
 * @param int|string $id     The object.
 * @param string     $type   Its type.
 * @param callable $others Returns more objects of the type. The function is called if the object has not been read yet.
 * @return array|null The rows of the object by category. Null if the view cannot be read.
 */
function object_ratings( $id, $type, $others = '__return_empty_array' ) {
	static $known = array();
	$key          = get_current_blog_id() . " $type";
	if ( ! array_key_exists( $id, $known[ $key ] ?? array() ) ) {
		$ids  = array_unique( array_merge( array( $id ), $others() ) );
		$rows = read_tables(
			function ( $wpdb ) use ( $ids, $type ) {
				$statement = "SELECT post_id, category, total, positive, negative, score, average FROM {$wpdb->prefix}ratingd_post_stats
					WHERE object_type = %s AND post_id IN (" . implode( ',', $ids ) . ')';
				return $wpdb->get_results( $wpdb->prepare( $statement, $type ) );
			}
		);
		// Cache an empty list for each object without ratings.
		$known[ $key ] = array_fill_keys( $ids, null === $rows ? null : array() ) + ( $known[ $key ] ?? array() );
		foreach ( (array) $rows as $row ) {
			$known[ $key ][ $row->post_id ][ $row->category ] = $row;
		}
	}
	return $known[ $key ][ $id ];
}

/**
 * Returns the posts that queries have found and whose ratings have not been read yet, such as the posts of a page or of
 * a REST response.
 *
 * @param string $type Their type.
 * @param int[] $new Posts to add. If the list is empty, the function returns the posts and clears the list.
 * @return int[]
 */
function found_posts( $type, array $new = array() ) {
	static $found  = array();
	$key           = get_current_blog_id() . " $type";
	$all           = array_merge( $found[ $key ] ?? array(), $new );
	$found[ $key ] = $new ? array_slice( $all, -100 ) : array();
	return $all;
}

add_filter(
	'the_posts',
	function ( $posts ) {
		foreach ( (array) $posts as $post ) {
			if ( $post instanceof \WP_Post ) {
				found_posts( $post->post_type, array( $post->ID ) );
			}
		}
		return $posts;
	}
);

/**
 * Returns the ratings of a post.
 *
 * @param \WP_Post $post   The post.
 * @param callable $others Returns the ids of more posts of the same type that the request may need.
 * @return array The rows of the post by category.
 */
function ratings_of( $post, $others = '__return_empty_array' ) {
	$objects = function () use ( $others ) {
		return array_map( __NAMESPACE__ . '\object_id', $others() );
	};
	return (array) object_ratings( object_id( $post->ID ), object_type( $post->post_type ), $objects );
}

/**
 * Returns whether visitors may read a post.
 *
 * @param \WP_Post $post The post.
 * @return bool
 */
function is_readable_by_all( $post ) {
	return 'publish' === $post->post_status && '' === $post->post_password;
}

/**
 * Returns the number of decimal places for an average. Averages on smaller scales have more decimal places.
 *
 * @param int $scale The highest number of the scale.
 * @return int
 */
function places_of( $scale ) {
	return $scale >= 100 ? 0 : ( $scale >= 5 ? 1 : 2 );
}

/**
 * Returns an average on a scale. The average is rounded from ten-thousandths, as in the script (words.js), because PHP
 * 8.4 rounds 0.57 * 5 to 2.8.
 *
 * @param float    $average -1 to 1.
 * @param int      $scale   The highest number of the scale.
 * @param int|null $places  The number of decimal places, or null for the usual number.
 * @return float
 */
function on_scale( $average, $scale, $places = null ) {
	$unit = 10 ** ( $places ?? places_of( $scale ) );
	return round( round( $average * 1e4 ) * $scale * $unit / 1e4 ) / $unit;
}

/**
 * Returns a number of votes with the word for "votes".
 *
 * @param int $total The number.
 * @return string
 */
function votes( $total ) {
	/* translators: %s: a number. */
	return sprintf( _n( '%s vote', '%s votes', $total, 'ratingd' ), number_format_i18n( $total ) );
}

/**
 * Returns a number with its sign. In right-to-left text, a mark keeps the sign on the left.
 *
 * @param int|float $number The number.
 * @param int       $places The number of decimal places.
 * @return string
 */
function signed( $number, $places = 0 ) {
	return ( is_rtl() ? "\u{200E}" : '' ) . ( $number > 0 ? '+' : '' ) . number_format_i18n( $number, $places );
}

/**
 * Describes a row of ratings_of().
 *
 * @param object $row      The row.
 * @param bool   $is_exact Whether stars have two decimal places, as on the administration page, instead of one.
 * @return array "icon" (a dashicon), "figure" (a short text) and "text" (a sentence).
 */
function describe( $row, $is_exact = false ) {
	$votes = votes( $row->total );
	switch ( $row->category ) {
		case 'binary':
			$share = number_format_i18n( on_scale( $row->average, 100 ) ) . '%';
			/* translators: 1: a percentage, 2: "12 votes". */
			return figure( 'heart', $share, sprintf( __( 'Likes: %1$s of %2$s', 'ratingd' ), $share, $votes ), $row->total );
		case 'bipolar':
			$score = signed( $row->score );
			/* translators: 1: a score, such as +8, 2: "12 votes". */
			return figure( 'thumbs-up', $score, sprintf( __( 'Score: %1$s (%2$s)', 'ratingd' ), $score, $votes ), $row->total );
		default:
			$stars   = site_stars();
			$places  = $is_exact ? 2 : places_of( $stars );
			$average = number_format_i18n( on_scale( $row->average, $stars, $places ), $places );
			/* translators: 1: an average, such as 4.2, 2: the number of stars, such as 5, 3: "12 votes". */
			return figure( 'star-filled', $average, sprintf( __( 'Average: %1$s of %2$s (%3$s)', 'ratingd' ), $average, number_format_i18n( $stars ), $votes ), $row->total );
	}
}

/**
 * Returns a description.
 *
 * @param string $icon   A dashicon.
 * @param string $figure The most important number.
 * @param string $text   A sentence.
 * @param int    $total  The number of votes.
 * @return array
 */
function figure( $icon, $figure, $text, $total ) {
	return array(
		'icon'   => $icon,
		'figure' => sprintf( '%s (%s)', $figure, number_format_i18n( $total ) ),
		'text'   => $text,
	);
}

/**
 * Returns the URL of a post's details on the administration page.
 *
 * @param \WP_Post $post The post.
 * @return string The URL. Empty for users who may not see the details.
 */
function details_url( $post ) {
	$may = in_array( 'analytics', rights(), true );
	return $may ? admin_url( 'admin.php?page=ratingd#/content/' . rawurlencode( object_type( $post->post_type ) ) . '/' . object_id( $post->ID ) ) : '';
}
