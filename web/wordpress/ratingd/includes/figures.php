<?php
/**
 * The ratings of posts, as pages, wp-admin and the REST API show them: read from ratingd's view
 * {prefix}ratingd_post_stats (docs/themes.md), so also while ratingd is unavailable.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// By the numbers that they have in ratingd's tables.
const CATEGORIES = array( 'binary', 'bipolar', 'scale' );

/**
 * The types of posts that have figures: the public ones without attachments.
 *
 * @return string[]
 */
function post_types() {
	return is_served() ? array_values( array_diff( get_post_types( array( 'public' => true ) ), array( 'attachment' ) ) ) : array();
}

/**
 * The same with what people read.
 *
 * @return array Titles by names.
 */
function post_type_titles() {
	$titles = array();
	foreach ( post_types() as $type ) {
		$titles[ $type ] = get_post_type_object( $type )->labels->name;
	}
	return $titles;
}

/**
 * The titles of types by the values that ratingd's settings and filters have for them: "post" stands for posts of
 * every type, as in votes, and "post:post" for those of the type "post" alone.
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
 * The type of objects that votes for posts of a type have.
 *
 * @param string $post_type "post", "page" …
 * @return string
 */
function object_type( $post_type ) {
	/**
	 * Filters the type of objects; "post" for posts of all types, as in the shortcode and the block.
	 *
	 * @param string $object_type The type of objects.
	 * @param string $post_type   The type of posts.
	 */
	return apply_filters( 'ratingd_object_type', 'post', $post_type );
}

/**
 * The type of the object that a type stands for: of "post:taste", "post" if "taste" is a criterion or a reaction.
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
 * The ratings of an object. A request reads them once, with one statement for all objects that it may need.
 *
 * @param int|string $id     The object.
 * @param string     $type   Its type.
 * @param callable   $others More objects of the type, asked for if this one is not known yet.
 * @return array|null The rows of its categories; null if the view cannot be read.
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
		// Those without rows, too.
		$known[ $key ] = array_fill_keys( $ids, null === $rows ? null : array() ) + ( $known[ $key ] ?? array() );
		foreach ( (array) $rows as $row ) {
			$known[ $key ][ $row->post_id ][ $row->category ] = $row;
		}
	}
	return $known[ $key ][ $id ];
}

/**
 * The posts that queries have found and that nobody has asked for yet: those of a page, or of one page of an answer.
 *
 * @param string $type Their type.
 * @param int[]  $new  More of them; without, those that there are, once.
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
 * The ratings of a post.
 *
 * @param \WP_Post $post   The post.
 * @param callable $others More posts of its type, by their numbers, that the request may ask for.
 * @return array The rows of its categories.
 */
function ratings_of( $post, $others = '__return_empty_array' ) {
	$objects = function () use ( $others ) {
		return array_map( __NAMESPACE__ . '\object_id', $others() );
	};
	return (array) object_ratings( object_id( $post->ID ), object_type( $post->post_type ), $objects );
}

/**
 * Whether visitors may read a post.
 *
 * @param \WP_Post $post The post.
 * @return bool
 */
function is_readable_by_all( $post ) {
	return 'publish' === $post->post_status && '' === $post->post_password;
}

/**
 * The decimal places of an average: the more the smaller the scale.
 *
 * @param int $scale The highest number of the scale.
 * @return int
 */
function places_of( $scale ) {
	return $scale >= 100 ? 0 : ( $scale >= 5 ? 1 : 2 );
}

/**
 * An average on a scale, rounded as the script does (words.js): from ten-thousandths. PHP 8.4 rounds 0.57 * 5 to 2.8.
 *
 * @param float $average 0 to 1.
 * @param int   $scale   The highest number of the scale.
 * @return float
 */
function on_scale( $average, $scale ) {
	$unit = 10 ** places_of( $scale );
	return round( round( $average * 1e4 ) * $scale * $unit / 1e4 ) / $unit;
}

/**
 * A number of votes with the word for it.
 *
 * @param int $total The number.
 * @return string
 */
function votes( $total ) {
	/* translators: %s: a number. */
	return sprintf( _n( '%s vote', '%s votes', $total, 'ratingd' ), number_format_i18n( $total ) );
}

/**
 * A score with its sign.
 *
 * @param int $score The score.
 * @return string
 */
function signed( $score ) {
	return ( $score > 0 ? '+' : '' ) . number_format_i18n( $score );
}

/**
 * The words for a row of ratings_of().
 *
 * @param object $row      The row.
 * @param bool   $is_exact Whether stars have two decimal places, as on the administration page. Otherwise, stars are
 *                         rounded as in widgets.
 * @return array "icon" (a dashicon), "figure" (short) and "text" (whole).
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
			return figure( 'thumbs-up', $score, sprintf( __( 'Score: %1$s from %2$s', 'ratingd' ), $score, $votes ), $row->total );
		default:
			$stars   = site_stars();
			$average = $is_exact ? number_format_i18n( $stars * $row->average, 2 ) : number_format_i18n( on_scale( $row->average, $stars ), places_of( $stars ) );
			/* translators: 1: an average, such as 4.2, 2: the number of stars, such as 5, 3: "12 votes". */
			return figure( 'star-filled', $average, sprintf( __( 'Average: %1$s of %2$s from %3$s', 'ratingd' ), $average, number_format_i18n( $stars ), $votes ), $row->total );
	}
}

/**
 * A description.
 *
 * @param string $icon   A dashicon.
 * @param string $figure The number that counts.
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
 * Where the page shows a post in detail.
 *
 * @param \WP_Post $post The post.
 * @return string An address; nothing for users who may not see it.
 */
function details_url( $post ) {
	$may = in_array( 'analytics', rights(), true );
	return $may ? admin_url( 'admin.php?page=ratingd#/content/' . rawurlencode( object_type( $post->post_type ) ) . '/' . object_id( $post->ID ) ) : '';
}
