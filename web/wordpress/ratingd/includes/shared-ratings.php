<?php
/**
 * Supports posts that share another post's rating, such as translations.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// If the ratingd_shared_by_translations option is set, translations created with Polylang share the rating of the
// post in the site's default language.
const SHARED_BY_TRANSLATIONS = 'ratingd_shared_by_translations';

// The name of the action that creates the input file for "ratingctl merge". The file lists all posts that share another
// post's rating.
const SHARED_OBJECTS = 'ratingd_shared_objects';

/**
 * Returns the object for which the ratings of a post are stored.
 *
 * @param int $post_id A post.
 * @return int
 */
function object_id( $post_id ) {
	/**
	 * Filters the object for which the ratings of a post are stored. The default is the post itself.
	 *
	 * @param int $object_id The object: a published post of the same type.
	 * @param int $post_id   The post.
	 */
	return (int) apply_filters( 'ratingd_object_id', (int) $post_id, (int) $post_id );
}

/**
 * Returns whether there are translations that can share ratings.
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
		// Share the original post's rating only if the original is published, because ratingd rejects votes on
		// unpublished posts.
		return $original && 'publish' === get_post_status( $original ) ? $original : $object_id;
	}
);

// Run this action before Polylang's own actions, which delete the links between translations.
add_action( 'before_delete_post', __NAMESPACE__ . '\note_translations', 1 );
add_action( 'delete_attachment', __NAMESPACE__ . '\note_translations', 1 );

/**
 * Returns the translations that shared a post's ratings when the deletion of the post began.
 *
 * @param int        $post_id      The post.
 * @param array|null $translations The new translations, if given.
 * @return int[]
 */
function noted_translations( $post_id, $translations = null ) {
	static $all = array();
	$site       = get_current_blog_id();

	$all[ $site ][ $post_id ] = $translations ?? $all[ $site ][ $post_id ] ?? array();
	return $all[ $site ][ $post_id ];
}

/**
 * Records the translations of a post that is about to be deleted, if they share its ratings.
 *
 * @param int $post_id The post.
 */
function note_translations( $post_id ) {
	if ( ! has_translations() || ! get_option( SHARED_BY_TRANSLATIONS ) ) {
		return;
	}
	if ( (int) pll_get_post( $post_id, pll_default_language() ) === (int) $post_id ) {
		noted_translations( (int) $post_id, array_map( 'intval', pll_get_post_translations( $post_id ) ) );
	}
}

/**
 * Returns whether a translation that shared the ratings of a deleted post still exists outside the trash.
 *
 * @param int $post_id The post.
 * @return bool
 */
function has_left_translations( $post_id ) {
	foreach ( noted_translations( $post_id ) as $id ) {
		if ( ! in_array( get_post_status( $id ), array( false, 'trash' ), true ) ) {
			return true;
		}
	}
	return false;
}

add_action(
	'admin_post_' . SHARED_OBJECTS,
	function () {
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( '', 403 );
		}
		check_admin_referer( SHARED_OBJECTS );
		header( 'Content-Type: text/csv; charset=utf-8' );
		header( 'Content-Disposition: attachment; filename="translations.csv"' );
		echo "from,into\n";
		global $wpdb;
		$last = 0;
		do {
			$ids = array_map(
				'intval',
				// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- It reads all posts in parts, and no cache contains them.
				$wpdb->get_col( $wpdb->prepare( "SELECT ID FROM {$wpdb->posts} WHERE ID > %d AND post_type <> 'revision' ORDER BY ID LIMIT 1000", $last ) )
			);
			_prime_post_caches( $ids );
			foreach ( $ids as $id ) {
				$last = $id;
				if ( object_id( $id ) !== $id ) {
					printf( "%d,%d\n", (int) $id, (int) object_id( $id ) );
				}
			}
			wp_cache_flush_runtime();
		} while ( $ids );
		exit;
	}
);
