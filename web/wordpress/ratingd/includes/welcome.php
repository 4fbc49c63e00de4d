<?php
/**
 * After the installation, leads administrators to "Ratings → Placement" with a notice in wp-admin and with the link
 * "Settings" in the list of plugins.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The "ratingd_welcome" option is 1 until an administrator follows or dismisses the welcome notice.
const WELCOME = 'ratingd_welcome';
// This action of wp-admin/admin-post.php dismisses the welcome notice.
const DISMISS_WELCOME = 'ratingd_dismiss_welcome';

/**
 * Returns the page with an owner's first step.
 *
 * @return string The URL.
 */
function first_page() {
	return admin_url( 'admin.php?page=' . ( HAS_WIDGETS ? 'ratingd-placement' : 'ratingd' ) );
}

/**
 * Returns whether a screen shows the notice. The dashboard and the list of plugins show it.
 *
 * @param \WP_Screen|null $screen The screen.
 * @return bool
 */
function is_welcome_screen( $screen ) {
	return $screen && in_array( $screen->id, array( 'dashboard', 'plugins' ), true );
}

add_action(
	'admin_notices',
	function () {
		if ( ! is_served() || ! HAS_WIDGETS || ! current_user_can( 'manage_options' ) || ! is_welcome_screen( get_current_screen() ) || ! get_option( WELCOME ) ) {
			return;
		}
		wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
		printf(
			'<div class="notice notice-info ratingd-welcome"><p><strong>%6$s</strong></p><p>%1$s</p><p><a class="button button-primary" href="%2$s">%3$s</a></p><a class="notice-dismiss" href="%4$s"><span class="screen-reader-text">%5$s</span></a></div>',
			esc_html__( 'Visitors rate your posts, pages and comments with stars, likes or thumbs, and you see what they like best.', 'ratingd' ),
			esc_url( first_page() ),
			esc_html__( 'Choose where ratings appear', 'ratingd' ),
			esc_url( wp_nonce_url( admin_url( 'admin-post.php?action=' . DISMISS_WELCOME ), DISMISS_WELCOME ) ),
			esc_html__( 'Dismiss this notice', 'ratingd' ),
			esc_html__( 'Ratings', 'ratingd' )
		);
	}
);

add_action(
	'admin_post_' . DISMISS_WELCOME,
	function () {
		check_admin_referer( DISMISS_WELCOME );
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( '', '', array( 'response' => 403 ) );
		}
		update_option( WELCOME, 0 );
		$from = wp_get_referer();
		wp_safe_redirect( $from ? $from : admin_url() );
		exit;
	}
);

/**
 * Adds the "Settings" link to the links in the plugin's row.
 *
 * @param string[] $links HTML.
 * @return string[]
 */
function with_settings_link( $links ) {
	if ( is_served() && current_user_can( 'manage_options' ) ) {
		$link  = sprintf( '<a href="%s">%s</a>', esc_url( first_page() ), esc_html__( 'Settings', 'ratingd' ) );
		$links = array( 'ratingd-settings' => $link ) + $links;
	}
	return $links;
}

// On the "Plugins" screen, add the settings link to the row of the plugin and to the row of the must-use plugin's
// loader.
add_filter( 'plugin_action_links_ratingd/ratingd.php', __NAMESPACE__ . '\with_settings_link' );
add_filter( 'plugin_action_links_ratingd-mu-loader.php', __NAMESPACE__ . '\with_settings_link' );

add_filter(
	'network_admin_plugin_action_links_ratingd/ratingd.php',
	function ( $links ) {
		$link = sprintf( '<a href="%s">%s</a>', esc_url( network_admin_url( 'admin.php?page=ratingd' ) ), esc_html__( 'Settings', 'ratingd' ) );
		return array( 'ratingd-settings' => $link ) + $links;
	}
);
