<?php
/**
 * The ratings of posts in WordPress's REST API: the field "ratingd" of /wp/v2/posts and other public types.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * The ratings of a post, read for all posts that queries have found since the last time.
 *
 * @param \WP_Post $post The post.
 * @return object By category; without ratings it is empty.
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
 * The field until fill_field().
 *
 * @return object
 */
function no_ratings() {
	return (object) array();
}

/**
 * Fills the field, if the request wants it. Not when WordPress asks for its value: with "_fields" it may name neither
 * the post nor its type then.
 *
 * @param \WP_REST_Response $response The answer.
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
					'description'          => __( 'Ratings by category; categories without ratings are absent.', 'ratingd' ),
					'type'                 => 'object',
					'context'              => array( 'view', 'edit', 'embed' ),
					'readonly'             => true,
					'additionalProperties' => array(
						'type'       => 'object',
						'properties' => array(
							'total'   => array( 'type' => 'integer' ),
							'average' => array(
								'description' => __( '0 to 1; -1 to 1 for "bipolar".', 'ratingd' ),
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
