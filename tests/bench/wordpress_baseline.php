<?php
/**
 * Plugin Name: WordPress baseline
 * Description: Answers the two most frequent requests in a WordPress plugin, with as little work as possible.
 *
 * The plugin only stores votes and counts them, in copies of ratingd's tables. It has no rules and no limits and does
 * not identify voters. The work that WordPress does before it calls the plugin is the work that ratingd saves.
 */

function wordpress_baseline_table( $name ) {
	global $wpdb;
	return $wpdb->prefix . 'baseline_' . $name;
}

function wordpress_baseline_stats( $object_id ) {
	global $wpdb;
	$bins  = implode( ', ', array_map( fn( $bin ) => "bin$bin", range( 0, 10 ) ) );
	$rows  = $wpdb->get_results(
		$wpdb->prepare(
			"SELECT category, sum, $bins, last_rated_at FROM " . wordpress_baseline_table( 'totals' ) .
			" WHERE object_id = %d AND object_type = 'post'",
			$object_id
		),
		ARRAY_N
	);
	$stats = array();
	foreach ( $rows as $row ) {
		$total            = array_sum( array_slice( $row, 2, 11 ) );
		$stats[ $row[0] ] = array(
			'total'         => $total,
			'average'       => $total ? round( $row[1] / $total / 1000, 4 ) : null,
			'last_rated_at' => $row[13],
		);
	}
	return array(
		'success'   => true,
		'object_id' => $object_id,
		'stats'     => $stats,
	);
}

function wordpress_baseline_rate( WP_REST_Request $request ) {
	global $wpdb;
	$object_id = $request['object_id'];
	$value     = $request['value'] * 1000;
	$bin       = 'bin' . intdiv( $value, 100 );
	$voter     = random_int( 1, PHP_INT_MAX );
	$now       = gmdate( 'Y-m-d H:i:s' );
	$wpdb->query( 'START TRANSACTION' );
	$wpdb->query(
		$wpdb->prepare(
			'INSERT INTO ' . wordpress_baseline_table( 'votes' ) .
			' (object_id, object_type, category, voter, value, created_at, rated_at)' .
			" VALUES (%d, 'post', 0, %d, %d, %s, %s)",
			$object_id, $voter, $value, $now, $now
		)
	);
	$wpdb->query(
		$wpdb->prepare(
			'INSERT INTO ' . wordpress_baseline_table( 'totals' ) .
			" (object_id, object_type, category, sum, $bin, last_rated_at, version)" .
			" VALUES (%d, 'post', 0, %d, 1, %s, 1) ON DUPLICATE KEY UPDATE sum = sum + VALUES(sum)," .
			" $bin = $bin + 1, last_rated_at = VALUES(last_rated_at), version = version + 1",
			$object_id, $value, $now
		)
	);
	$wpdb->query( 'COMMIT' );
	return wordpress_baseline_stats( $object_id );
}

add_action(
	'rest_api_init',
	function () {
		register_rest_route(
			'baseline/v1',
			'/stats/(?P<object_id>\d+)',
			array(
				'methods'             => 'GET',
				'callback'            => fn( $request ) => wordpress_baseline_stats( (int) $request['object_id'] ),
				'permission_callback' => '__return_true',
			)
		);
		register_rest_route(
			'baseline/v1',
			'/rate',
			array(
				'methods'             => 'POST',
				'callback'            => 'wordpress_baseline_rate',
				'permission_callback' => '__return_true',
				'args'                => array(
					'object_id' => array( 'type' => 'integer', 'minimum' => 1, 'required' => true ),
					'category'  => array( 'enum' => array( 'binary' ), 'required' => true ),
					'value'     => array( 'type' => 'integer', 'enum' => array( 0, 1 ), 'required' => true ),
				),
			)
		);
	}
);
