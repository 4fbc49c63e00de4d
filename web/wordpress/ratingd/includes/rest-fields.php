<?php
/**
 * The ratings of posts in WordPress's REST API: the "ratingd" field of /wp/v2/posts and other public types.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the ratings of a post. Reads them for all posts that queries have found since the last call.
 *
 * @param \WP_Post $post The post.
 * @return object The ratings by category. Empty if there are none.
 */
function rest_ratings( $post ) {
	$found   = function () use ( $post ) {
		return found_posts( $post->post_type );
	};
	$ratings = array();
	foreach ( ratings_of( $post, $found ) as $category => $row ) {
		$ratings[ $category ] = array(
			'total'   => (int) $row->total,
			'average' => (float) $row->average,
		);
		if ( 'scale' !== $category ) {
			$ratings[ $category ]['score'] = (int) $row->score;
		}
	}
	return (object) $ratings;
}

/**
 * Returns the value of the field before fill_field() runs.
 *
 * @return object
 */
function no_ratings() {
	return (object) array();
}

/**
 * Fills the field if the request includes it. WordPress's own callback for the field's value cannot do this, because it
 * may lack the post and its type if the request has "_fields".
 *
 * @param \WP_REST_Response $response The response.
 * @param \WP_Post          $post     The post.
 * @return \WP_REST_Response
 */
function fill_field( $response, $post ) {
	$data = $response->get_data();
	if ( isset( $data['ratingd'] ) ) {
		$data['ratingd'] = rest_ratings( $post );
		$response->set_data( $data );
	}
	return $response;
}

add_action(
	'rest_api_init',
	function () {
		foreach ( post_types() as $type ) {
			add_filter( "rest_prepare_$type", __NAMESPACE__ . '\fill_field', 10, 2 );
		}
		register_rest_field(
			post_types(),
			'ratingd',
			array(
				'get_callback' => __NAMESPACE__ . '\no_ratings',
				'schema'       => array(
					'description'          => __( 'Contains the ratings of the post, grouped by category. Categories without ratings are omitted.', 'ratingd' ),
					'type'                 => 'object',
					'context'              => array( 'view', 'edit', 'embed' ),
					'readonly'             => true,
					'additionalProperties' => array(
						'type'       => 'object',
						'properties' => array(
							'total'   => array( 'type' => 'integer' ),
							'average' => array(
								'description' => __( 'The value is from 0 to 1, or from -1 to 1 for the "bipolar" category.', 'ratingd' ),
								'type'        => 'number',
							),
							'score'   => array( 'type' => 'integer' ),
						),
					),
				),
			)
		);
	}
);
