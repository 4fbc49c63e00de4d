<?php
/**
 * Adds the dashboard widget with the week's figures. A script requests the figures, so the dashboard does not wait for
 * them.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

add_action(
	'wp_dashboard_setup',
	function () {
		if ( ! is_served() || ! in_array( 'analytics', rights(), true ) ) {
			return;
		}
		wp_add_dashboard_widget( 'ratingd', __( 'Ratings of the week', 'ratingd' ), __NAMESPACE__ . '\show_week', null, null, 'side', 'high' );
		wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
		wp_enqueue_script( 'ratingd-dashboard', URL . '/js/dashboard.js', array(), VERSION, true );
	}
);

/**
 * Prints the widget with placeholders for the figures.
 */
function show_week() {
	$figures = array(
		'total_ratings' => __( 'Ratings', 'ratingd' ),
		'rated_objects' => __( 'Rated items', 'ratingd' ),
		'active_voters' => __( 'Active voters', 'ratingd' ),
	);
	// The average of a category is shown only if the category has ratings.
	$averages = array(
		'binary'  => __( 'Likes', 'ratingd' ),
		'bipolar' => __( 'Up and down', 'ratingd' ),
		'scale'   => __( 'Stars', 'ratingd' ),
	);
	/* translators: {n}: a number, such as +12. */
	$change = __( '{n} compared with the week before', 'ratingd' );
	/* translators: {n}: a number of votes. */
	$votes = __( 'Votes: {n}', 'ratingd' );
	printf(
		'<div id="ratingd-week" data-base="%s" data-nonce="%s" data-change="%s" data-votes="%s" data-locale="%s" data-stars="%d" aria-busy="true">',
		esc_attr( ratingd_base_url() ),
		esc_attr( rest_nonce() ),
		esc_attr( $change ),
		esc_attr( $votes ),
		esc_attr( locale_tag() ),
		(int) site_stars()
	);
	echo '<dl class="ratingd-week">';
	foreach ( $figures as $name => $title ) {
		printf( '<div><dt>%s</dt><dd data-figure="%s">…</dd></div>', esc_html( $title ), esc_attr( $name ) );
	}
	foreach ( $averages as $name => $title ) {
		printf( '<div hidden><dt>%s</dt><dd data-figure="%s"></dd></div>', esc_html( $title ), esc_attr( $name ) );
	}
	echo '</dl><ol class="ratingd-top"></ol>';
	printf( '<p class="ratingd-failed" hidden>%s</p>', esc_html__( 'The statistics are not available at the moment. Please try again later.', 'ratingd' ) );
	printf( '<p><a href="%s">%s</a></p></div>', esc_url( admin_url( 'admin.php?page=ratingd' ) ), esc_html__( 'Show all statistics', 'ratingd' ) );
}
