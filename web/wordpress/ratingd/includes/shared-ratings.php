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

// The maximum number of rated posts whose translations are ordered by the shared ratings.
const MOST_SHARED = 500;

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

/**
 * Returns whether translations share ratings.
 *
 * @return bool
 */
function is_shared_by_translations() {
	return has_translations() && get_option( SHARED_BY_TRANSLATIONS );
}

add_filter(
	'ratingd_object_id',
	function ( $object_id ) {
		if ( ! is_shared_by_translations() ) {
			return $object_id;
		}
		$original = (int) pll_get_post( $object_id, pll_default_language() );
		// Share the original post's rating only if the original is published, because ratingd rejects votes on
		// unpublished posts.
		return $original && 'publish' === get_post_status( $original ) ? $original : $object_id;
	}
);

/**
 * Returns the posts that can show the ratings of objects on the page. If translations share ratings, these are the
 * translations into the language of the page.
 *
 * @param int[]  $object_ids The objects for which the ratings are stored.
 * @param string $post_type  Their type.
 * @return int[] Posts by objects, in the order of the objects. Objects without a translation are left out.
 */
function posts_in_page_language( array $object_ids, $post_type ) {
	$posts    = array_combine( $object_ids, $object_ids );
	$language = is_shared_by_translations() && function_exists( 'pll_current_language' ) ? pll_current_language() : '';
	if ( ! $language ) {
		return $posts;
	}
	update_object_term_cache( $object_ids, $post_type ); // Polylang stores languages and translations as terms.
	foreach ( $object_ids as $id ) {
		// Posts of a type that is not translated have no language.
		$posts[ $id ] = pll_get_post_language( $id ) ? (int) pll_get_post( $id, $language ) : $id;
	}
	return array_filter( $posts );
}

/**
 * Returns the objects of posts whose ratings are stored for another post. The list contains the translations of the
 * posts with the most ratings and is cached for a few minutes.
 *
 * @param string $object_type The type of the objects.
 * @param string $category    The category of the ratings.
 * @return int[] Objects by posts. Empty if translations do not share ratings.
 */
function shared_objects( $object_type, $category ) {
	if ( ! is_shared_by_translations() ) {
		return array();
	}
	$key    = 'ratingd_shared_' . md5( "$object_type $category" );
	$cached = get_transient( $key );
	if ( is_array( $cached ) ) {
		return $cached;
	}
	$rated   = read_tables(
		function ( $wpdb ) use ( $object_type, $category ) {
			$statement = "SELECT post_id FROM {$wpdb->prefix}ratingd_post_stats WHERE object_type = %s AND category = %s ORDER BY total DESC LIMIT %d";
			return $wpdb->get_col( $wpdb->prepare( $statement, $object_type, $category, MOST_SHARED ) );
		}
	);
	$objects = objects_of_translations( array_map( 'intval', (array) $rated ) );
	set_transient( $key, $objects, ORDER_SECONDS );
	return $objects;
}

/**
 * Returns the objects of posts and their translations if the ratings are stored for another post.
 *
 * @param int[] $post_ids The posts.
 * @return int[] Objects by posts.
 */
function objects_of_translations( array $post_ids ) {
	_prime_post_caches( $post_ids, true, false );
	$all = $post_ids;
	foreach ( $post_ids as $id ) {
		array_push( $all, ...array_map( 'intval', array_values( pll_get_post_translations( $id ) ) ) );
	}
	$all = array_unique( $all );
	_prime_post_caches( $all, true, false );
	$objects = array();
	foreach ( $all as $id ) {
		if ( object_id( $id ) !== $id ) {
			$objects[ $id ] = object_id( $id );
		}
	}
	return $objects;
}

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
	if ( ! is_shared_by_translations() ) {
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
