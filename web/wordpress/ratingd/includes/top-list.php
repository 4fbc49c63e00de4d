<?php
/**
 * The list of the best rated posts: the block "Top rated" and the shortcode [ratingd_top]. It is read from ratingd's
 * views (docs/themes.md), without a request, and kept for some minutes.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const TOP_METRICS = array( 'average', 'total', 'score' );
const TOP_PERIODS = array(
	'all'   => 0,
	'day'   => 1,
	'week'  => 7,
	'month' => 30,
	'year'  => 365,
);
const TOP_MOST    = 50;
// A list is kept this long, and shown for a minute more while one request renews it.
const TOP_SECONDS = 300;

/**
 * What a list is of: known values only, whatever an author wrote.
 *
 * @param array $given Attributes of the block or the shortcode.
 * @return array
 */
function top_options( array $given ) {
	$asked   = shortcode_atts(
		array(
			'metric'   => 'average',
			'period'   => 'all',
			'category' => '',
			'type'     => 'post',
			'number'   => 5,
			'minimum'  => 1,
			'layout'   => 'list',
		),
		$given
	);
	$options = array(
		'metric'   => in_array( $asked['metric'], TOP_METRICS, true ) ? $asked['metric'] : 'average',
		'period'   => isset( TOP_PERIODS[ $asked['period'] ] ) ? $asked['period'] : 'all',
		'category' => in_array( $asked['category'], CATEGORIES, true ) ? $asked['category'] : main_category(),
		'type'     => in_array( $asked['type'], post_types(), true ) ? $asked['type'] : 'post',
		'number'   => max( 1, min( TOP_MOST, (int) $asked['number'] ) ),
		'minimum'  => max( 1, (int) $asked['minimum'] ),
		'layout'   => 'cards' === $asked['layout'] ? 'cards' : 'list',
	);
	// Stars have no score.
	if ( 'scale' === $options['category'] && 'score' === $options['metric'] ) {
		$options['metric'] = 'average';
	}
	return $options;
}

/**
 * The statement for a list.
 *
 * @param \wpdb $wpdb    The database.
 * @param array $options As of top_options().
 * @return string
 */
function top_statement( $wpdb, array $options ) {
	$orders = array(
		'average' => 'average DESC, total DESC',
		'total'   => 'total DESC, average DESC',
		'score'   => 'score DESC, total DESC',
	);
	$days   = TOP_PERIODS[ $options['period'] ];
	if ( $days ) {
		$first   = current_datetime()->modify( '-' . ( $days - 1 ) . ' days' )->format( 'Y-m-d' );
		$ratings = $wpdb->prepare(
			"SELECT post_id, SUM(total) AS total, SUM(positive) AS positive, SUM(positive) - SUM(negative) AS score,
				SUM(sum) / (1000 * SUM(total)) AS average
			FROM {$wpdb->prefix}ratingd_post_daily
			WHERE category_id = %d AND day >= %s AND object_type = %s
			GROUP BY post_id HAVING SUM(total) >= %d",
			array_search( $options['category'], CATEGORIES, true ),
			$first,
			object_type( $options['type'] ),
			$options['minimum']
		);
	} else {
		$ratings = $wpdb->prepare(
			"SELECT post_id, total, positive, score, average FROM {$wpdb->prefix}ratingd_post_stats
			WHERE category = %s AND object_type = %s AND total >= %d",
			$options['category'],
			object_type( $options['type'] ),
			$options['minimum']
		);
	}
	return $wpdb->prepare(
		"SELECT rated.* FROM ($ratings) AS rated JOIN {$wpdb->posts} AS posts ON posts.ID = rated.post_id
		WHERE posts.post_type = %s AND posts.post_status = 'publish' AND posts.post_password = ''
		ORDER BY {$orders[ $options['metric'] ]}, rated.post_id DESC LIMIT %d",
		$options['type'],
		$options['number']
	);
}

/**
 * The rows of a list, the best first.
 *
 * @param array $options As of top_options().
 * @return object[]
 */
function top_rows( array $options ) {
	unset( $options['layout'] );
	$key  = 'ratingd_top_' . md5( wp_json_encode( $options ) );
	$kept = get_transient( $key );
	if ( is_array( $kept ) && $kept['until'] > time() ) {
		return $kept['rows'];
	}
	if ( is_array( $kept ) ) {
		// Others show what there is while this request renews it.
		set_transient( $key, array( 'until' => time() + 30 ) + $kept, TOP_SECONDS + MINUTE_IN_SECONDS );
	}
	$rows = read_tables(
		function ( $wpdb ) use ( $options ) {
			return $wpdb->get_results( top_statement( $wpdb, $options ) );
		}
	);
	if ( null === $rows ) {
		return $kept['rows'] ?? array();
	}
	foreach ( $rows as $row ) {
		$row->category = $options['category'];
	}
	$kept = array(
		'until' => time() + TOP_SECONDS,
		'rows'  => $rows,
	);
	set_transient( $key, $kept, TOP_SECONDS + MINUTE_IN_SECONDS );
	return $rows;
}

/**
 * The HTML of a list.
 *
 * @param array|string $attributes Those of the shortcode [ratingd_top metric="average" period="month" category="scale"
 *                                 type="post" number="5" minimum="3" layout="cards"].
 * @param string       $wrapper    Attributes of the outermost element, if a block says them.
 * @return string
 */
function top_list( $attributes, $wrapper = 'class="wp-block-ratingd-top"' ) {
	$options = top_options( (array) $attributes );
	$rows    = top_rows( $options );
	wp_enqueue_style( 'ratingd-top' );
	if ( ! $rows ) {
		return sprintf( '<p %s>%s</p>', $wrapper, esc_html__( 'No ratings yet.', 'ratingd' ) );
	}
	_prime_post_caches( array_map( 'intval', wp_list_pluck( $rows, 'post_id' ) ), false, 'cards' === $options['layout'] );
	$items = '';
	foreach ( $rows as $row ) {
		$id     = (int) $row->post_id;
		$image  = 'cards' === $options['layout'] ? get_the_post_thumbnail( $id, 'medium', array( 'alt' => '' ) ) : '';
		$title  = get_the_title( $id );
		$items .= sprintf(
			'<li class="ratingd-top-item"><a class="ratingd-top-link" href="%s">%s<span class="ratingd-top-title">%s</span></a> <span class="ratingd-top-figure">%s</span></li>',
			esc_url( get_permalink( $id ) ),
			$image,
			esc_html( wp_strip_all_tags( '' === $title ? __( '(no title)', 'ratingd' ) : html_entity_decode( $title, ENT_QUOTES ) ) ),
			esc_html( describe( $row )['text'] )
		);
	}
	$class = 'cards' === $options['layout'] ? 'ratingd-top-cards' : 'ratingd-top-list';
	return sprintf( '<div %s><ol class="%s">%s</ol></div>', $wrapper, $class, $items );
}

add_shortcode( 'ratingd_top', __NAMESPACE__ . '\top_list' );
