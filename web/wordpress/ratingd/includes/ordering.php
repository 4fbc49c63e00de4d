<?php
/**
 * Posts by rating: orderby=ratingd in queries, in the REST API and in the block "Query Loop"; wp-admin's lists use it, too.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const ORDER = 'ratingd';

/**
 * The category by which posts are ordered unless a query names one: the one with most ratings.
 *
 * @return string
 */
function main_category() {
	$known = get_transient( 'ratingd_category' );
	if ( ! $known ) {
		$known = read_tables(
			function ( $wpdb ) {
				return $wpdb->get_var(
					"SELECT ELT(category + 1, 'binary', 'bipolar', 'scale') FROM {$wpdb->prefix}ratingd_site_daily GROUP BY category
					ORDER BY SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10) DESC LIMIT 1"
				);
			}
		) ?? 'scale';
		set_transient( 'ratingd_category', $known, HOUR_IN_SECONDS );
	}
	return $known;
}

/**
 * Whether the view is there: a list must not fail without it.
 *
 * @return bool
 */
function has_view() {
	static $known = array();
	$blog         = get_current_blog_id();
	if ( ! isset( $known[ $blog ] ) ) {
		$known[ $blog ] = null !== read_tables(
			function ( $wpdb ) {
				return $wpdb->get_col( "SELECT 1 FROM {$wpdb->prefix}ratingd_post_stats LIMIT 0" );
			}
		);
	}
	return $known[ $blog ];
}

/**
 * Whether a query asks for the order by rating, and in which direction.
 *
 * @param \WP_Query $query The query.
 * @return string ASC or DESC; nothing if it asks for another order.
 */
function asked_order( $query ) {
	$order_by = $query->get( 'orderby' );
	if ( is_array( $order_by ) ) {
		$order = ORDER === array_key_first( $order_by ) ? $order_by[ ORDER ] : '';
	} else {
		$order = ORDER === $order_by ? $query->get( 'order', 'DESC' ) : '';
	}
	if ( '' === $order ) {
		return '';
	}
	return 'ASC' === strtoupper( $order ) ? 'ASC' : 'DESC';
}

// Posts without ratings come last, in both directions.
add_filter(
	'posts_clauses',
	function ( $clauses, $query ) {
		global $wpdb;
		$order = asked_order( $query );
		if ( '' === $order || ! has_view() ) {
			return $clauses;
		}
		$type     = $query->get( 'post_type' );
		$category = $query->get( 'ratingd_category' );
		$category = in_array( $category, CATEGORIES, true ) ? $category : main_category();
		$on       = $wpdb->prepare( 'ratingd.object_type = %s AND ratingd.category = %s', object_type( is_string( $type ) && '' !== $type ? $type : 'post' ), $category );

		$clauses['join']   .= " LEFT JOIN {$wpdb->prefix}ratingd_post_stats AS ratingd ON ratingd.post_id = {$wpdb->posts}.ID AND $on";
		$clauses['orderby'] = "ratingd.average IS NULL, ratingd.average $order, ratingd.total $order, {$wpdb->posts}.ID DESC";
		return $clauses;
	},
	10,
	2
);

// The REST API takes it, so the preview of the block "Query Loop" does.
add_action(
	'rest_api_init',
	function () {
		foreach ( post_types() as $type ) {
			add_filter(
				"rest_{$type}_collection_params",
				function ( $params ) {
					$params['orderby']['enum'][] = ORDER;
					return $params;
				}
			);
		}
	}
);
