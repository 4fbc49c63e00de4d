<?php
/**
 * Applies the settings on_user_deleted and on_object_deleted when WordPress deletes users, posts, comments or terms.
 *
 * DESIGN. The plugin collects what WordPress deletes, and sends it to ratingd at the end of the request. One
 * statement finds the deleted objects that have ratings. The deletions are first stored in options. Each option
 * contains a few hundred deletions, and the last option contains the rest. An option is removed when ratingd has
 * confirmed its deletions. While ratingd is unavailable, wp-cron repeats the requests. If PHP is killed, only the
 * deletions that were not stored yet are lost. It is safe to repeat a deletion.
 *
 * Deletions that ratingd refuses are repeated less and less often, but at least once a day. They do not delay other
 * deletions.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const DELETIONS_HOOK   = 'ratingd_run_deletions';
const DELETIONS_OPTION = 'ratingd_deletions_';  // The start of the options' names.
const DELETIONS_RETRY  = 5 * MINUTE_IN_SECONDS;
const DELETIONS_STORED = 200;  // The number of objects or users in one option.

add_action( 'deleted_user', __NAMESPACE__ . '\note_deleted_user' );
add_action( 'deleted_post', __NAMESPACE__ . '\note_deleted_post', 10, 2 );
add_action( 'deleted_comment', __NAMESPACE__ . '\note_deleted_comment' );
add_action( 'delete_term', __NAMESPACE__ . '\note_deleted_term' );
// Delete ratings at the very end, so that the output of other "shutdown" actions is not delayed.
add_action( 'shutdown', __NAMESPACE__ . '\run_noted_deletions', PHP_INT_MAX );
add_action( DELETIONS_HOOK, __NAMESPACE__ . '\run_deletions' );

/**
 * Returns the deletions in this request that are not stored yet.
 *
 * @param array|null $noted The new value, if given.
 * @return array[] For each site, "users" is a list of ids, and "objects" contains types by id.
 */
function noted_deletions( $noted = null ) {
	static $all = array();
	$all        = $noted ?? $all;
	return $all;
}

/**
 * Records that a user was deleted. In a network, the action also runs if a user is removed from a single site. In this
 * case, the user and the user's ratings remain.
 *
 * @param int $id The user.
 */
function note_deleted_user( $id ) {
	if ( get_userdata( $id ) ) {
		return;
	}
	$noted = noted_deletions();
	// In a network, a user may have ratings on several sites.
	foreach ( is_multisite() ? sites_of_user( $id ) : array( get_current_blog_id() ) as $site ) {
		$noted[ $site ]['users'][] = (int) $id;

		$noted[ $site ]['objects'][ (int) $id ][] = 'author';
	}
	noted_deletions( $noted );
	store_many_deletions();
}

/**
 * Records that a post was deleted.
 *
 * @param int      $id   The post.
 * @param \WP_Post $post The deleted post.
 */
function note_deleted_post( $id, $post ) {
	if ( ! in_array( $post->post_type, array( 'revision', 'nav_menu_item' ), true ) ) {
		note_deleted_object( $id, $post->post_type );
	}
}

/**
 * Records that a comment was deleted.
 *
 * @param int $id The comment.
 */
function note_deleted_comment( $id ) {
	note_deleted_object( $id, 'comment' );
}

/**
 * Records that a term was deleted.
 *
 * @param int $id The term.
 */
function note_deleted_term( $id ) {
	note_deleted_object( $id, 'term' );
}

/**
 * Records that an object was deleted.
 *
 * @param int    $id   The object.
 * @param string $type Its type. Posts of all types can also be rated as "post".
 */
function note_deleted_object( $id, $type ) {
	$noted = noted_deletions();
	$types = in_array( $type, array( 'comment', 'term' ), true ) ? array( $type ) : array( 'post', $type, object_type( $type ) );
	$site  = get_current_blog_id();

	$noted[ $site ]['objects'][ (int) $id ] = array_merge( $noted[ $site ]['objects'][ (int) $id ] ?? array(), $types );
	noted_deletions( $noted );
	store_many_deletions();
}

/**
 * Stores the recorded deletions if there are many.
 */
function store_many_deletions() {
	foreach ( noted_deletions() as $deleted ) {
		if ( max( array_map( 'count', $deleted ) ) >= DELETIONS_STORED ) {
			store_noted_deletions();
			return;
		}
	}
}

/**
 * Calls a function for a site of the network.
 *
 * @param int      $site The site.
 * @param callable $call The function.
 */
function on_site( $site, callable $call ) {
	$is_other = get_current_blog_id() !== $site;
	if ( $is_other ) {
		switch_to_blog( $site );
	}
	$call();
	if ( $is_other ) {
		restore_current_blog();
	}
}

/**
 * Stores the recorded deletions to which the settings apply.
 *
 * @return int[] The sites for which this request stored something.
 */
function store_noted_deletions() {
	static $stored = array();
	$noted         = noted_deletions();
	noted_deletions( array() );
	foreach ( $noted as $site => $deleted ) {
		on_site(
			$site,
			function () use ( $site, $deleted, &$stored ) {
				$orders = deletion_orders( $deleted );
				if ( $orders ) {
					add_option( DELETIONS_OPTION . wp_generate_uuid4(), array( 'orders' => $orders ), '', false );
					$stored[ $site ] = $site;
				}
			}
		);
	}
	return $stored;
}

/**
 * Stores the remaining deletions and sends everything that this request stored.
 */
function run_noted_deletions() {
	foreach ( store_noted_deletions() as $site ) {
		on_site( $site, __NAMESPACE__ . '\run_deletions' );
	}
}

/**
 * Returns the requests for ratingd.
 *
 * @param array $deleted As an entry of noted_deletions().
 * @return array[] The filters of POST /data/clean.
 */
function deletion_orders( array $deleted ) {
	$orders = array();
	if ( isset( $deleted['users'] ) && 'erase' === setting( 'on_user_deleted', 'keep' ) ) {
		foreach ( $deleted['users'] as $id ) {
			$orders[] = array( 'user_id' => $id );
		}
	}
	if ( isset( $deleted['objects'] ) && 'remove' === setting( 'on_object_deleted', 'keep' ) ) {
		foreach ( rated_types( array_keys( $deleted['objects'] ) ) as $row ) {
			$type  = whole_type( $row->object_type );
			$stays = ! isset( further_titles()[ $type ] ) && has_left_translations( (int) $row->object_id );
			if ( ! $stays && in_array( $type, $deleted['objects'][ $row->object_id ], true ) ) {
				$orders[] = array(
					'object_id'   => (int) $row->object_id,
					'object_type' => $row->object_type,
				);
			}
		}
	}
	return $orders;
}

/**
 * Returns the objects that have ratings, and the types of these ratings.
 *
 * @param int[] $ids The objects.
 * @return object[] Rows with object_id and object_type.
 */
function rated_types( array $ids ) {
	$rows = array();
	foreach ( array_chunk( $ids, 500 ) as $some ) {
		$marks = implode( ',', array_fill( 0, count( $some ), '%d' ) );
		$found = read_tables(
			function ( $wpdb ) use ( $some, $marks ) {
				$of        = "WHERE object_id IN ($marks)";
				$statement = "SELECT DISTINCT object_id, object_type FROM {$wpdb->prefix}ratingd_votes $of"
					. " UNION SELECT object_id, object_type FROM {$wpdb->prefix}ratingd_balances $of";
				return $wpdb->get_results( $wpdb->prepare( $statement, array_merge( $some, $some ) ) );
			}
		);
		$rows  = array_merge( $rows, $found ?? array() );
	}
	return $rows;
}

/**
 * Sends the stored deletions while ratingd responds and time is left. wp-cron sends the rest.
 */
function run_deletions() {
	$is_program = wp_doing_cron() || 'cli' === PHP_SAPI;
	if ( ! $is_program && function_exists( 'fastcgi_finish_request' ) ) {
		fastcgi_finish_request();  // The visitor no longer waits.
	}
	$deadline = microtime( true ) + ( $is_program ? 50 : 5 );
	foreach ( stored_deletions() as $name => $stored ) {
		if ( time() < $stored['failed_at'] + $stored['pause'] ) {
			continue;
		}
		$rest = run_orders( $stored, $deadline );
		if ( ! $rest['orders'] ) {
			delete_option( $name );
			continue;
		}
		update_option( $name, $rest, false );
		if ( 0 === $rest['pause'] ) {
			break;  // ratingd does not respond, or no time is left.
		}
	}
	if ( waiting_deletions() && ! wp_next_scheduled( DELETIONS_HOOK ) ) {
		wp_schedule_single_event( time() + DELETIONS_RETRY, DELETIONS_HOOK );
	}
}

/**
 * Sends deletions to ratingd until one fails.
 *
 * @param array $stored   An entry of stored_deletions().
 * @param float $deadline The time after which no request begins.
 * @return array The remaining deletions, and the failure.
 */
function run_orders( array $stored, $deadline ) {
	while ( $stored['orders'] && microtime( true ) < $deadline ) {
		$order   = array_shift( $stored['orders'] );
		$timeout = max( 2, (int) ceil( $deadline - microtime( true ) ) );
		$answer  = request(
			'POST',
			'/data/clean',
			$order + array(
				'scope'   => 'ratings',
				'confirm' => true,
			),
			array( 'timeout' => $timeout )
		);
		$status  = is_wp_error( $answer ) ? $answer->get_error_data()['status'] ?? 0 : 200;
		// Do not retry after status 400, because the object or user cannot have any ratings.
		if ( 200 !== $status && 400 !== $status ) {
			$is_refused = $status > 400 && $status < 500;
			return array(
				'orders'    => array_merge( $stored['orders'], array( $order ) ),  // the other orders come first
				'failed_at' => time(),
				'pause'     => $is_refused ? min( DAY_IN_SECONDS, max( DELETIONS_RETRY, 2 * $stored['pause'] ) ) : 0,
				'error'     => $answer->get_error_message(),
			);
		}
	}
	return array( 'pause' => 0 ) + $stored;
}

/**
 * Returns the options with deletions that ratingd has not confirmed yet.
 *
 * @return string[] Their names.
 */
function waiting_deletions() {
	global $wpdb;
	$like = $wpdb->esc_like( DELETIONS_OPTION ) . '%';
	return $wpdb->get_col( $wpdb->prepare( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s ORDER BY option_id", $like ) );
}

/**
 * Returns the deletions that ratingd has not confirmed yet. The option with the latest failure is last.
 *
 * @return array[] By the options' names: "orders" as in deletion_orders(), "error" (of the last attempt), "failed_at"
 *   (the time of that attempt) and "pause" (the seconds to wait before the next attempt).
 */
function stored_deletions() {
	$never  = array(
		'orders'    => array(),
		'failed_at' => 0,
		'pause'     => 0,
		'error'     => '',
	);
	$stored = array();
	foreach ( waiting_deletions() as $name ) {
		$stored[ $name ] = (array) get_option( $name ) + $never;
	}
	// Put the most recently failed deletion at the end, so that it does not delay the other deletions.
	return wp_list_sort( $stored, 'failed_at', 'ASC', true );
}
