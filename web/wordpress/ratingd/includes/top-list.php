<?php
/**
 * Lists the best rated posts in the "Top rated" block and in the shortcode [ratingd_top]. The list is read from
 * ratingd's views (docs/themes.md), without a request to ratingd, and is cached for a few minutes.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const TOP_PERIODS = array(
	'all'   => 0,
	'day'   => 1,
	'week'  => 7,
	'month' => 30,
	'year'  => 365,
);
const TOP_MOST    = 50;
const TOP_MINIMUM = 1000;
// The number of posts to read if translations share ratings, because some posts have no translation into the language
// of the page.
const TOP_SHARED = 200;
// The maximum number of cached lists for an exact minimum number of ratings, such as 37 (see top_rows()).
const TOP_EXACT = 20;
// How long a list is cached, in seconds. An expired list is shown for another minute while one request renews it.
const TOP_SECONDS = 300;

/**
 * Returns a number in a range.
 *
 * @param mixed $given    What the author wrote.
 * @param int   $fallback The result if this is not a number.
 * @param int   $most     The greatest number. The smallest number is 1.
 * @return int
 */
function number_within( $given, $fallback, $most ) {
	return is_numeric( $given ) ? (int) max( 1, min( $most, $given ) ) : $fallback;
}

/**
 * Returns the options of a list. Only known values are returned, because authors may write anything.
 *
 * @param array $given Attributes of the block or the shortcode.
 * @return array
 */
function top_options( array $given ) {
	$asked    = shortcode_atts(
		array(
			'metric'   => 'average',
			'period'   => 'all',
			'category' => '',
			'type'     => 'post',
			'number'   => 5,
			'minimum'  => 1,
			'layout'   => 'list',
		),
		$given,
		'ratingd_top'
	);
	$category = in_array( $asked['category'], CATEGORIES, true ) ? $asked['category'] : main_category();
	return array(
		'metric'   => known_metric( $asked['metric'], $category ),
		'period'   => isset( TOP_PERIODS[ $asked['period'] ] ) ? $asked['period'] : 'all',
		'category' => $category,
		'type'     => in_array( $asked['type'], post_types(), true ) ? $asked['type'] : 'post',
		'number'   => number_within( $asked['number'], 5, TOP_MOST ),
		'minimum'  => number_within( $asked['minimum'], 1, TOP_MINIMUM ),
		'layout'   => 'cards' === $asked['layout'] ? 'cards' : 'list',
	);
}

/**
 * Returns the number of posts to read for a list.
 *
 * @return int
 */
function top_limit() {
	return is_shared_by_translations() ? TOP_SHARED : TOP_MOST;
}

/**
 * Returns the SQL statement for a list. It reads top_limit() posts.
 *
 * @param \wpdb $wpdb    The database.
 * @param array $options As returned by top_options().
 * @return string
 */
function top_statement( $wpdb, array $options ) {
	$days  = TOP_PERIODS[ $options['period'] ];
	$since = $days ? current_datetime()->modify( '-' . ( $days - 1 ) . ' days' )->format( 'Y-m-d' ) : '';
	$mean  = $days ? read_means( $since )[ $options['category'] ]['mean'] ?? 0 : null;
	// Compute weighted averages only if the list is sorted by average.
	$weighted = 'average' === $options['metric'] ? fair_average( $options['category'], 'rated', $mean ) : 'NULL';
	$orders   = array(
		'average' => 'weighted DESC, rated.total DESC',
		'total'   => 'rated.total DESC, rated.average DESC',
		'score'   => 'rated.score DESC, rated.total DESC',
	);
	$type     = object_type( $options['type'] );
	if ( $days ) {
		$rated = $wpdb->prepare(
			"SELECT post_id, SUM(total) AS total, SUM(positive) - SUM(negative) AS score, SUM(sum) / (1000 * SUM(total)) AS average
			FROM {$wpdb->prefix}ratingd_post_daily WHERE category_id = %d AND day >= %s AND object_type = %s GROUP BY post_id",
			array_search( $options['category'], CATEGORIES, true ),
			$since,
			$type
		);
	} else {
		$rated = $wpdb->prepare(
			"SELECT post_id, total, score, average FROM {$wpdb->prefix}ratingd_post_stats WHERE category = %s AND object_type = %s",
			$options['category'],
			$type
		);
	}
	return $wpdb->prepare(
		"SELECT rated.*, $weighted AS weighted FROM ($rated) AS rated JOIN {$wpdb->posts} AS posts ON posts.ID = rated.post_id
		WHERE rated.total >= %d AND posts.post_type = %s AND posts.post_status = 'publish' AND posts.post_password = ''
		ORDER BY {$orders[ $options['metric'] ]}, rated.post_id DESC LIMIT %d",
		$options['minimum'],
		$options['type'],
		top_limit()
	);
}

/**
 * Returns the rows of a list with the best post first. Authors choose the minimum number of ratings, and each list is
 * cached. To limit the number of cached lists, only lists for the minimums 1, 2 … 10, 20 … 100, 200 … 1000 are read,
 * and other lists are parts of these lists. If such a part is too short, the list for the exact minimum is also cached.
 *
 * @param array $options As returned by top_options().
 * @return object[]
 */
function top_rows( array $options ) {
	$minimum = $options['minimum'];
	$unit    = 10 ** ( strlen( (string) $minimum ) - 1 );
	$all     = cached_rows( array( 'minimum' => $minimum - $minimum % $unit ) + $options );
	$rows    = array_filter(
		$all,
		function ( $row ) use ( $minimum ) {
			return $row->total >= $minimum;
		}
	);
	if ( count( $rows ) >= $options['number'] || count( $all ) < top_limit() || ! may_be_exact( $options ) ) {
		return $rows;
	}
	$exact = cached_rows( $options );
	// Return the rows found so far while another request is reading the list for the exact minimum.
	return $exact ? $exact : $rows;
}

/**
 * Returns whether the list for an exact minimum may be cached. Authors may choose any minimum, so only a few such
 * lists are cached at a time.
 *
 * @param array $options As returned by top_options().
 * @return bool
 */
function may_be_exact( array $options ) {
	$key    = top_key( $options );
	$in_use = array_filter(
		(array) get_transient( 'ratingd_top_exact' ),
		function ( $until ) {
			return $until > time();
		}
	);
	if ( isset( $in_use[ $key ] ) ) {
		return true;
	}
	if ( count( $in_use ) >= TOP_EXACT ) {
		return false;
	}
	$in_use[ $key ] = time() + TOP_SECONDS;
	set_transient( 'ratingd_top_exact', $in_use, TOP_SECONDS );
	return true;
}

/**
 * Returns the key under which a list is cached.
 *
 * @param array $options As returned by top_options().
 * @return string
 */
function top_key( array $options ) {
	return 'ratingd_top_' . md5( wp_json_encode( array_diff_key( $options, array_flip( array( 'layout', 'number' ) ) ) ) );
}

/**
 * Returns the rows of a list whose minimum has a cached list.
 *
 * @param array $options As returned by top_options().
 * @return object[]
 */
function cached_rows( array $options ) {
	$key    = top_key( $options );
	$cached = get_transient( $key );
	if ( is_array( $cached ) && $cached['until'] > time() ) {
		return $cached['rows'];
	}
	// Other requests use the old list while this request reads the new list. If reading the list fails, the next
	// attempt is made 30 seconds later.
	$cached = array(
		'until' => time() + 30,
		'rows'  => $cached['rows'] ?? array(),
	);
	set_transient( $key, $cached, TOP_SECONDS + MINUTE_IN_SECONDS );
	$rows = read_tables(
		function ( $wpdb ) use ( $options ) {
			return $wpdb->get_results( top_statement( $wpdb, $options ) );
		}
	);
	if ( null === $rows ) {
		return $cached['rows'];
	}
	foreach ( $rows as $row ) {
		$row->category = $options['category'];
	}
	$cached = array(
		'until' => time() + TOP_SECONDS,
		'rows'  => $rows,
	);
	set_transient( $key, $cached, TOP_SECONDS + MINUTE_IN_SECONDS );
	return $rows;
}

/**
 * Returns the posts of a list. The rows may be cached, so some posts may no longer be public.
 *
 * @param array $options As returned by top_options().
 * @return array For each post, its row "rating" and the "post" itself. The posts are then in WordPress's cache.
 */
function top_posts( array $options ) {
	$items = array();
	$rows  = array_column( top_rows( $options ), null, 'post_id' );
	$posts = posts_in_page_language( array_keys( $rows ), $options['type'] );
	// Load a few more posts than the list shows, and load the remaining posts only if necessary.
	foreach ( array_chunk( $posts, $options['number'] + 5, true ) as $some ) {
		// Also load the terms of the posts, because some sites use terms in the URLs of posts.
		_prime_post_caches( array_unique( array_merge( array_keys( $some ), $some ) ), true, 'cards' === $options['layout'] );
		foreach ( $some as $object_id => $post_id ) {
			$post = get_post( $post_id );
			// A translation may still have ratings from before it shared the ratings of another post.
			if ( $post && is_readable_by_all( $post ) && object_id( $post_id ) === $object_id ) {
				$items[] = array(
					'rating' => $rows[ $object_id ],
					'post'   => $post,
				);
			}
		}
		if ( count( $items ) >= $options['number'] ) {
			break;
		}
	}
	$items = array_slice( $items, 0, $options['number'] );
	if ( 'cards' === $options['layout'] ) {
		$images = array_filter( array_map( 'get_post_thumbnail_id', array_column( $items, 'post' ) ) );
		_prime_post_caches( $images, false, true );
	}
	return $items;
}

/**
 * Returns whether a greater average or score follows a smaller value. Readers would consider such an order an error.
 *
 * @param object[] $rows Rows of top_rows(), in their order.
 * @return bool
 */
function seems_unordered( array $rows ) {
	$shown   = array_map(
		function ( $row ) {
			return 'bipolar' === $row->category ? (float) $row->score : on_scale( $row->average, 'scale' === $row->category ? site_stars() : 100 );
		},
		array_values( $rows )
	);
	$ordered = $shown;
	rsort( $ordered );
	return $shown !== $ordered;
}

/**
 * Returns the weighted average of a row, in the unit of its average.
 *
 * @param object $row The row.
 * @return string
 */
function weighted_average( $row ) {
	switch ( $row->category ) {
		case 'binary':
			return number_format_i18n( on_scale( $row->weighted, 100, 1 ), 1 ) . '%';
		case 'bipolar':
			return signed( on_scale( $row->weighted, 1, 2 ), 2 );
		default:
			return number_format_i18n( on_scale( $row->weighted, site_stars(), 2 ), 2 );
	}
}

/**
 * Returns the HTML of a list.
 *
 * @param array|string $attributes The attributes of the shortcode [ratingd_top metric="average" period="month"
 *                                 category="scale" type="post" number="5" minimum="3" layout="cards"].
 * @param string       $wrapper    The attributes of the outermost element, from the block.
 * @return string
 */
function top_list( $attributes, $wrapper = 'class="wp-block-ratingd-top"' ) {
	if ( ! is_served() ) {
		return '';
	}
	$options = top_options( without_curly_quotes( (array) $attributes ) );
	$items   = top_posts( $options );
	if ( ! $items ) {
		// Only editors see the message that the list is empty.
		return current_user_can( 'edit_posts' ) ? sprintf( '<p %s>%s</p>', $wrapper, esc_html__( 'No ratings yet.', 'ratingd' ) ) : '';
	}
	wp_enqueue_style( 'ratingd-top' );
	$cards    = 'cards' === $options['layout'];
	$rows     = array_column( $items, 'rating' );
	$weighted = isset( $rows[0]->weighted ) && seems_unordered( $rows );
	$html     = '';
	foreach ( $items as $item ) {
		$image = $cards ? get_the_post_thumbnail( $item['post'], 'medium', array( 'alt' => '' ) ) : '';
		$title = html_entity_decode( wp_strip_all_tags( get_the_title( $item['post'] ) ), ENT_QUOTES, 'UTF-8' );
		$html .= sprintf(
			'<li class="ratingd-top-item"><a class="ratingd-top-link" href="%s">%s<span class="ratingd-top-title">%s</span></a> <span class="ratingd-top-figure">%s</span>%s</li>',
			esc_url( get_permalink( $item['post'] ) ),
			$cards ? sprintf( '<span class="ratingd-top-image">%s</span>', $image ) : '',
			esc_html( '' === $title ? __( '(no title)', 'ratingd' ) : $title ),
			esc_html( describe( $item['rating'] )['text'] ),
			/* translators: %s: an average, such as 4.21. */
			$weighted ? sprintf( ' <span class="ratingd-top-weighted">%s</span>', esc_html( sprintf( __( 'Weighted: %s', 'ratingd' ), weighted_average( $item['rating'] ) ) ) ) : ''
		);
	}
	// Some screen readers do not announce a list without markers as a list.
	$list = $cards ? 'class="ratingd-top-cards" role="list"' : 'class="ratingd-top-list"';
	$note = $weighted ? sprintf( '<p class="ratingd-top-note">%s</p>', esc_html__( 'Posts are sorted by the weighted average, so a few high ratings do not put a post at the top.', 'ratingd' ) ) : '';
	return sprintf( '<div %s><ol %s>%s</ol>%s</div>', $wrapper, $list, $html, $note );
}

add_shortcode(
	'ratingd_top',
	function ( $attributes ) {
		return top_list( $attributes );
	}
);
