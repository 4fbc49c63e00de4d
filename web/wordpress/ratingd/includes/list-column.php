<?php
/**
 * Adds the "Rating" column to the lists of posts, pages and other public types.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const COLUMN = 'ratingd';

// Add the column on every wp-admin screen, because Quick Edit renders table rows in an AJAX request.
add_action(
	'admin_init',
	function () {
		foreach ( post_types() as $type ) {
			add_filter( "manage_{$type}_posts_columns", __NAMESPACE__ . '\add_column' );
			add_action( "manage_{$type}_posts_custom_column", __NAMESPACE__ . '\show_column', 10, 2 );
			add_filter( "manage_edit-{$type}_sortable_columns", __NAMESPACE__ . '\make_sortable' );
		}
	}
);

/**
 * Returns the column's title. If the column shows several figures, the title contains the name of the figure by which
 * the column sorts.
 *
 * @return string HTML.
 */
function column_title() {
	$titles = array(
		'binary'  => __( 'Rating (likes)', 'ratingd' ),
		'bipolar' => __( 'Rating (score)', 'ratingd' ),
		'scale'   => __( 'Rating (stars)', 'ratingd' ),
	);
	return esc_html( count( category_means() ) > 1 ? $titles[ main_category() ] : __( 'Rating', 'ratingd' ) );
}

/**
 * Adds the column before the date column, or as the last column if there is no date column.
 *
 * @param array $columns Titles by names.
 * @return array
 */
function add_column( $columns ) {
	$ours = array( COLUMN => column_title() );
	$at   = array_search( 'date', array_keys( $columns ), true );
	$at   = false === $at ? count( $columns ) : $at;
	return array_slice( $columns, 0, $at, true ) + $ours + array_slice( $columns, $at, null, true );
}

/**
 * Makes the column sortable. After the first click, the best posts are first.
 *
 * @param array $columns The sortable columns.
 * @return array
 */
function make_sortable( $columns ) {
	$columns[ COLUMN ] = array( ORDER, true );
	return $columns;
}

/**
 * Prints the figures of a post.
 *
 * @param string $column The column.
 * @param int    $id     The post.
 */
function show_column( $column, $id ) {
	if ( COLUMN !== $column ) {
		return;
	}
	$ratings = listed_ratings( get_post( $id ) );
	if ( ! $ratings ) {
		printf( '<span aria-hidden="true">—</span><span class="screen-reader-text">%s</span>', esc_html__( 'No ratings', 'ratingd' ) );
		return;
	}
	$link = details_url( get_post( $id ) );
	// The first figure in a cell is the figure by which the column is sorted.
	$main    = main_category();
	$ratings = isset( $ratings[ $main ] ) ? array( $main => $ratings[ $main ] ) + $ratings : $ratings;
	foreach ( $ratings as $category => $rating ) {
		$said  = describe( $rating, true );
		$html  = sprintf(
			'<span class="dashicons dashicons-%s" aria-hidden="true"></span><span aria-hidden="true">%s</span><span class="screen-reader-text">%s</span>',
			esc_attr( $said['icon'] ),
			esc_html( $said['figure'] ),
			esc_html( $said['text'] )
		);
		$html  = $link ? sprintf( '<a href="%s">%s</a>', esc_url( $link ), $html ) : $html;
		$class = esc_attr( $category ) . ( $main === $category ? ' ratingd-main' : '' );
		printf( '<div class="ratingd-figure ratingd-%s" title="%s">%s</div>', $class, esc_attr( $said['text'] ), $html );
	}
}

/**
 * Returns the ratings of a post in a list. The function reads the ratings of all posts in the list at once.
 *
 * @param \WP_Post $post The post.
 * @return array Rows by categories.
 */
function listed_ratings( $post ) {
	$listed = function () use ( $post ) {
		// For hierarchical post types, $wp_query->posts contains all posts of the type, but only their ids and
		// parents.
		$ids = wp_list_pluck( $GLOBALS['wp_query']->posts ?? array(), 'ID' );
		foreach ( array_chunk( $ids, 1000 ) as $some ) {
			if ( in_array( $post->ID, $some, true ) ) {
				return $some;
			}
		}
		return array();
	};
	return ratings_of( $post, $listed );
}

add_action(
	'admin_enqueue_scripts',
	function ( $screen ) {
		if ( 'edit.php' === $screen && is_served() ) {
			wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
		}
	}
);
