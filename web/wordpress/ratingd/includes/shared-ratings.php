<?php
/**
 * Posts that share the rating of another one, such as the translations of a post.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// Whether translations made with Polylang share the rating of the post in the site's default language.
const SHARED_BY_TRANSLATIONS = 'ratingd_shared_by_translations';

/**
 * The object that has the ratings of a post.
 *
 * @param int $post_id A post.
 * @return int
 */
function object_id( $post_id ) {
	/**
	 * Filters the object that has the ratings of a post; by default the post.
	 *
	 * @param int $object_id The object: a published post of the same type.
	 * @param int $post_id   The post.
	 */
	return (int) apply_filters( 'ratingd_object_id', (int) $post_id, (int) $post_id );
}

/**
 * Whether there are translations that can share ratings.
 *
 * @return bool
 */
function has_translations() {
	return function_exists( 'pll_get_post' ) && function_exists( 'pll_default_language' );
}

add_filter(
	'ratingd_object_id',
	function ( $object_id ) {
		if ( ! has_translations() || ! get_option( SHARED_BY_TRANSLATIONS ) ) {
			return $object_id;
		}
		$original = (int) pll_get_post( $object_id, pll_default_language() );
		// ratingd rejects votes on unpublished posts.
		return $original && 'publish' === get_post_status( $original ) ? $original : $object_id;
	}
);
