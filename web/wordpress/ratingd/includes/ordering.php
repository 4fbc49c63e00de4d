<?php
/**
 * Orders posts by rating. Queries, the REST API and the "Query Loop" block accept orderby=ratingd, and wp-admin's lists
 * also use this order. See docs/themes.md.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const ORDER         = 'ratingd';
const METRICS       = array( 'average', 'total', 'score' );
const ORDER_SECONDS = 300;
// An SQL expression for the number of ratings in a table row, which is the sum of the row's bins.
const ALL_BINS = 'bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10';

/**
 * Returns the number and the mean of the site's ratings in each category, without criteria and reactions. The result
 * is cached for an hour.
 *
 * @return array "total" and "mean" by category. The category with the most ratings is first.
 */
function category_means() {
	$known = get_transient( 'ratingd_categories' );
	if ( is_array( $known ) ) {
		return $known;
	}
	$known = read_means( '1970-01-01' );
	// Cache an empty result only briefly, so that the first ratings of a new site or a restored table become visible
	// soon.
	set_transient( 'ratingd_categories', $known, $known ? HOUR_IN_SECONDS : MINUTE_IN_SECONDS );
	return $known;
}

/**
 * Reads the number and the mean of the ratings since a day from the database.
 *
 * @param string $since The day.
 * @return array
 */
function read_means( $since ) {
	$rows  = read_tables(
		function ( $wpdb ) use ( $since ) {
			$total  = 'SUM(' . ALL_BINS . ')';
			$facets = (array) setting( 'facets', array() );
			$wholes = $facets ? "AND NOT (object_type LIKE '_%%:%%' AND SUBSTRING_INDEX(object_type, ':', -1) IN (" . implode( ',', array_fill( 0, count( $facets ), '%s' ) ) . '))' : '';
			return $wpdb->get_results(
				$wpdb->prepare(
					"SELECT ELT(category + 1, 'binary', 'bipolar', 'scale') AS category, $total AS total, SUM(sum) / (1000 * $total) AS mean
					FROM {$wpdb->prefix}ratingd_site_daily WHERE day >= %s $wholes GROUP BY category HAVING total > 0 ORDER BY total DESC",
					array_merge( array( $since ), $facets )
				)
			);
		}
	);
	$means = array();
	foreach ( (array) $rows as $row ) {
		$means[ $row->category ] = array(
			'total' => (int) $row->total,
			'mean'  => (float) $row->mean,
		);
	}
	return $means;
}

/**
 * Returns the category for queries without a category, which is the category with the most ratings.
 *
 * @return string
 */
function main_category() {
	return array_key_first( category_means() ) ?? 'scale';
}

/**
 * Returns the metric by which posts of a category are ordered. Stars have no score.
 *
 * @param mixed  $asked    The metric in the query. It may be anything.
 * @param string $category The category.
 * @return string
 */
function known_metric( $asked, $category ) {
	$is_known = in_array( $asked, METRICS, true ) && ( 'score' !== $asked || 'scale' !== $category );
	return $is_known ? $asked : 'average';
}

/**
 * Returns the SQL expression for an order by average. The expression computes the Bayesian average, as in GET
 * /analytics/top-rated, so that a post with few high ratings does not precede a post with many high ratings.
 *
 * @param string     $category The category.
 * @param string     $of       The alias of {prefix}ratingd_post_stats, or of a table with its columns "total" and
 *                             "average".
 * @param float|null $mean     The mean of the ratings in the rows. The default is the mean of all ratings.
 * @return string SQL.
 */
function fair_average( $category, $of, $mean = null ) {
	$weight = max( 0, (int) setting( 'bayesian_prior_weight', 10 ) );
	$mean   = $mean ?? category_means()[ $category ]['mean'] ?? 0;
	return sprintf( '(%1$s.average * %1$s.total + %2$d * %3$.6F) / (%1$s.total + %2$d)', $of, $weight, $mean );
}

/**
 * Returns whether the view exists. A list must not fail without the view.
 *
 * @return bool
 */
function has_view() {
	static $known = array();
	$blog         = get_current_blog_id();
	if ( ! isset( $known[ $blog ] ) ) {
		$known[ $blog ] = null !== read_tables(
			function ( $wpdb ) {
				return $wpdb->get_col( "SELECT post_id FROM {$wpdb->prefix}ratingd_post_stats LIMIT 0" );
			}
		);
	}
	return $known[ $blog ];
}

/**
 * Returns the orders that a query requests.
 *
 * @param \WP_Query $query The query.
 * @return array Directions by the names that WP_Query knows.
 */
function asked_orders( $query ) {
	$asked = $query->get( 'orderby' );
	if ( ! is_array( $asked ) ) {
		$names = array_filter( explode( ' ', (string) $asked ) );
		$asked = array_fill_keys( $names, (string) $query->get( 'order' ) );
	}
	return $asked;
}

/**
 * Returns the SQL terms that order rated posts.
 *
 * @param \WP_Query $query    The query.
 * @param string    $category The category.
 * @param string    $order    ASC or DESC.
 * @return string SQL.
 */
function rating_order( $query, $category, $order ) {
	$metric = known_metric( $query->get( 'ratingd_metric' ), $category );
	if ( 'average' === $metric ) {
		// In wp-admin, posts are ordered by the average or score shown in the ratings column.
		$shown  = 'bipolar' === $category ? 'ratingd.score' : 'ratingd.average';
		$metric = is_admin() && $query->is_main_query() ? $shown : fair_average( $category, 'ratingd' );
	} else {
		$metric = "ratingd.$metric";
	}
	return "ratingd.post_id IS NULL, $metric $order, ratingd.total $order";
}

/**
 * Returns the SQL expression for the object whose ratings a post shows.
 *
 * @param \wpdb  $wpdb        The database.
 * @param string $object_type The type of the object.
 * @param string $category    The category.
 * @return string SQL.
 */
function rated_object_id( $wpdb, $object_type, $category ) {
	$cases = '';
	foreach ( shared_objects( $object_type, $category ) as $post_id => $object_id ) {
		$cases .= sprintf( ' WHEN %d THEN %d', $post_id, $object_id );
	}
	return '' === $cases ? "{$wpdb->posts}.ID" : "CASE {$wpdb->posts}.ID$cases ELSE {$wpdb->posts}.ID END";
}

// Posts without ratings come last in both ascending and descending order.
add_filter(
	'posts_clauses',
	function ( $clauses, $query ) {
		global $wpdb;
		$asked = asked_orders( $query );
		if ( ! isset( $asked[ ORDER ] ) || ! has_view() ) {
			return $clauses;
		}
		$type     = $query->get( 'post_type' );
		$type     = is_array( $type ) ? (string) reset( $type ) : $type;
		$category = $query->get( 'ratingd_category' );
		$category = in_array( $category, CATEGORIES, true ) ? $category : main_category();
		$order    = is_string( $asked[ ORDER ] ) && 'ASC' === strtoupper( $asked[ ORDER ] ) ? 'ASC' : 'DESC';
		$rating   = rating_order( $query, $category, $order );
		$others   = trim( $clauses['orderby'] );
		$rated    = object_type( $type && 'any' !== $type ? $type : 'post' );
		$id       = rated_object_id( $wpdb, $rated, $category );

		$clauses['join'] .= $wpdb->prepare(
			" LEFT JOIN {$wpdb->prefix}ratingd_post_stats AS ratingd ON ratingd.post_id = $id AND ratingd.object_type = %s AND ratingd.category = %s",
			$rated,
			$category
		);
		// $others contains the query's sort criteria except the rating. If the query has no other criteria, $others
		// contains WordPress's default, the date.
		$orders   = array_key_first( $asked ) === ORDER ? array( $rating, $others ) : array( $others, $rating );
		$orders[] = "{$wpdb->posts}.ID DESC";
		// WordPress caches the result until a post changes, so change the SQL statement regularly to take new ratings
		// into account.
		$period             = (int) ( time() / ORDER_SECONDS );
		$clauses['orderby'] = implode( ', ', array_filter( $orders ) ) . " /* $period */";
		return $clauses;
	},
	10,
	2
);

// Adds the rating category chosen in a "Query Loop" block to the block's query.
add_filter(
	'query_loop_block_query_vars',
	function ( $query, $block ) {
		$category = $block->context['query']['ratingd_category'] ?? '';
		return '' === $category ? $query : array( 'ratingd_category' => $category ) + $query;
	},
	10,
	2
);

// The REST API must accept sorting by rating, so that the editor can show a preview of the "Query Loop" block.
add_action(
	'rest_api_init',
	function () {
		foreach ( post_types() as $type ) {
			add_filter( "rest_{$type}_collection_params", __NAMESPACE__ . '\add_order' );
			add_filter( "rest_{$type}_query", __NAMESPACE__ . '\take_category', 10, 2 );
		}
	}
);

/**
 * Adds the order to the orders of a list in the REST API.
 *
 * @param array $params The list's parameters.
 * @return array
 */
function add_order( $params ) {
	if ( isset( $params['orderby']['enum'] ) ) {
		$params['orderby']['enum'][] = ORDER;
		$params['ratingd_category']  = array(
			'description' => __( 'Selects the rating category for orderby=ratingd. The default is the category with the most ratings.', 'ratingd' ),
			'type'        => 'string',
			'enum'        => CATEGORIES,
		);
	}
	return $params;
}

/**
 * Copies the parameter of add_order() into the query.
 *
 * @param array            $query   Arguments of WP_Query.
 * @param \WP_REST_Request $request The request.
 * @return array
 */
function take_category( $query, $request ) {
	if ( isset( $request['ratingd_category'] ) ) {
		$query['ratingd_category'] = $request['ratingd_category'];
	}
	return $query;
}
