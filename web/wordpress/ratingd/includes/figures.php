<?php
/**
 * The ratings of posts, as wp-admin shows them in lists and editors: read from ratingd's view
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
 * Reads the ratings of posts, with one statement.
 *
 * @param int[]  $ids       Posts.
 * @param string $post_type Their type.
 * @return array For each post that has ratings, the rows of its categories.
 */
function ratings_of( array $ids, $post_type ) {
	$objects   = array_combine( $ids, array_map( __NAMESPACE__ . '\object_id', $ids ) );
	$rows      = ! $ids ? array() : read_tables(
		function ( $wpdb ) use ( $objects, $post_type ) {
			$statement = "SELECT post_id, category, total, positive, score, average FROM {$wpdb->prefix}ratingd_post_stats
				WHERE object_type = %s AND post_id IN (" . implode( ',', array_unique( $objects ) ) . ')';
			return $wpdb->get_results( $wpdb->prepare( $statement, object_type( $post_type ) ) );
		}
	);
	$by_object = array();
	foreach ( (array) $rows as $row ) {
		$by_object[ $row->post_id ][ $row->category ] = $row;
	}
	$ratings = array();
	foreach ( array_intersect( $objects, array_keys( $by_object ) ) as $id => $object ) {
		$ratings[ $id ] = $by_object[ $object ];
	}
	return $ratings;
}

/**
 * An average on a scale, rounded as the script does (words.js): from ten-thousandths. PHP 8.4 rounds 0.57 * 5 to 2.8.
 *
 * @param float $average 0 to 1.
 * @param int   $scale   The highest number of the scale.
 * @param int   $unit    10 for one decimal place.
 * @return float
 */
function on_scale( $average, $scale, $unit ) {
	return round( round( $average * 1e4 ) * $scale * $unit / 1e4 ) / $unit;
}

/**
 * The words for a row of ratings_of().
 *
 * @param object $row The row.
 * @return array "icon" (a dashicon), "figure" (short) and "text" (whole).
 */
function describe( $row ) {
	/* translators: %s: a number. */
	$votes = sprintf( _n( '%s vote', '%s votes', $row->total, 'ratingd' ), number_format_i18n( $row->total ) );
	switch ( $row->category ) {
		case 'binary':
			$share = number_format_i18n( on_scale( $row->average, 100, 1 ) ) . '%';
			/* translators: 1: a percentage, 2: "12 votes". */
			return figure( 'heart', $share, sprintf( __( 'Likes: %1$s of %2$s', 'ratingd' ), $share, $votes ), $row->total );
		case 'bipolar':
			$score = ( $row->score > 0 ? '+' : '' ) . number_format_i18n( $row->score );
			/* translators: 1: a score, such as +8, 2: "12 votes". */
			return figure( 'thumbs-up', $score, sprintf( __( 'Score: %1$s from %2$s', 'ratingd' ), $score, $votes ), $row->total );
		default:
			$average = number_format_i18n( on_scale( $row->average, 5, 10 ), 1 );
			/* translators: 1: an average, such as 4.2, 2: "12 votes". */
			return figure( 'star-filled', $average, sprintf( __( 'Average: %1$s of 5 from %2$s', 'ratingd' ), $average, $votes ), $row->total );
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
 * @return string An address; nothing for who may not see it.
 */
function details_url( $post ) {
	$may = in_array( 'analytics', rights(), true );
	return $may ? admin_url( 'admin.php?page=ratingd#/content/' . rawurlencode( object_type( $post->post_type ) ) . '/' . object_id( $post->ID ) ) : '';
}
