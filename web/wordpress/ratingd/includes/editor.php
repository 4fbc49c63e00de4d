<?php
/**
 * The ratings of the edited post, in a panel of the block editor and in a box of the classic editor.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the texts about a post for both editors.
 *
 * @param \WP_Post $post The post.
 * @return array
 */
function post_words( $post ) {
	$rows       = ratings_of( $post );
	$has_switch = HAS_WIDGETS && '' !== placement( $post->post_type )['where'];
	return array(
		'title'    => __( 'Ratings', 'ratingd' ),
		'figures'  => array_values( array_map( __NAMESPACE__ . '\describe', $rows ) ),
		'none'     => __( 'Nobody has rated this yet.', 'ratingd' ),
		'link'     => $rows ? details_url( $post ) : '',
		'linkText' => __( 'Show all statistics', 'ratingd' ),
		'without'  => $has_switch ? __( 'Show no rating in this post', 'ratingd' ) : '',
		'meta'     => $has_switch ? WITHOUT_RATING : '',
	);
}

add_action(
	'enqueue_block_editor_assets',
	function () {
		$post = get_post();
		if ( ! is_admin() || ! $post || 'post' !== get_current_screen()->base || ! in_array( $post->post_type, post_types(), true ) ) {
			return;
		}
		$needed = array( 'wp-components', 'wp-data', 'wp-plugins', 'wp-edit-post', 'wp-editor', 'wp-element' );
		wp_enqueue_script( 'ratingd-editor', URL . '/js/editor.js', $needed, VERSION, true );
		$data = sprintf( 'window.ratingdEditor = %s;', wp_json_encode( post_words( $post ), JSON_HEX_TAG ) );
		wp_add_inline_script( 'ratingd-editor', $data, 'before' );
		wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
	}
);

add_action(
	'add_meta_boxes',
	function ( $type ) {
		if ( ! in_array( $type, post_types(), true ) ) {
			return;
		}
		$in_classic = array( '__back_compat_meta_box' => true );
		add_meta_box( 'ratingd', __( 'Ratings', 'ratingd' ), __NAMESPACE__ . '\show_box', null, 'side', 'default', $in_classic );
		wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
	}
);

/**
 * Prints the box of the classic editor.
 *
 * @param \WP_Post $post The post.
 */
function show_box( $post ) {
	$words = post_words( $post );
	if ( ! $words['figures'] ) {
		printf( '<p>%s</p>', esc_html( $words['none'] ) );
	}
	foreach ( $words['figures'] as $said ) {
		printf(
			'<p class="ratingd-figure"><span class="dashicons dashicons-%s" aria-hidden="true"></span>%s</p>',
			esc_attr( $said['icon'] ),
			esc_html( $said['text'] )
		);
	}
	if ( $words['link'] ) {
		printf( '<p><a href="%s">%s</a></p>', esc_url( $words['link'] ), esc_html( $words['linkText'] ) );
	}
	if ( $words['without'] ) {
		show_switch( $post, $words['without'] );
	}
}
