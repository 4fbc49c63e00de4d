<?php
/**
 * Plugin Name: Ratings
 * Description: Visitors rate your posts, pages and comments with stars, likes or thumbs, and you see what they like best.
 * Version: 0.4.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * Author: ratingd
 * License: MIT
 * Text Domain: ratingd
 * Domain Path: /languages
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The plugin may be installed both as a plugin and as a must-use plugin.
if ( defined( __NAMESPACE__ . '\VERSION' ) ) {
	return;
}

const VERSION = '0.4.0';

$ratingd_url = defined( 'RATINGD_PLUGIN_URL' ) ? RATINGD_PLUGIN_URL : plugins_url( '', __FILE__ );
// The site's address may begin with http:// although a proxy serves the page by HTTPS. Browsers block scripts from
// http:// on such a page.
define( __NAMESPACE__ . '\URL', is_ssl() ? set_url_scheme( $ratingd_url, 'https' ) : $ratingd_url );
unset( $ratingd_url );

require __DIR__ . '/includes/translations.php';
// Wait until WordPress has loaded the theme's functions.php, which may contain code from version 0.1 of the
// plugin. If functions.php or ratingd-widgets.php still contains version 0.1, do not replace its functions,
// shortcode and block.
add_action(
	'after_setup_theme',
	function () {
		define( __NAMESPACE__ . '\HAS_WIDGETS', ! function_exists( 'ratingd_widget' ) );
		require __DIR__ . '/includes/template-tags.php';
		if ( HAS_WIDGETS ) {
			require __DIR__ . '/includes/names.php';
			require __DIR__ . '/includes/names-page.php';
			require __DIR__ . '/includes/widgets.php';
			require __DIR__ . '/includes/fallback.php';
			require __DIR__ . '/includes/top-list.php';
			require __DIR__ . '/includes/my-ratings.php';
			require __DIR__ . '/includes/structured-data.php';
			require __DIR__ . '/includes/placement.php';
			require __DIR__ . '/includes/placement-page.php';
			require __DIR__ . '/includes/contradictions.php';
			require __DIR__ . '/includes/comments.php';
			require __DIR__ . '/includes/archives.php';
			require __DIR__ . '/includes/look.php';
			require __DIR__ . '/includes/texts.php';
			require __DIR__ . '/includes/blocks.php';
		}
	},
	0
);
require __DIR__ . '/includes/site.php';
require __DIR__ . '/includes/network.php';
require __DIR__ . '/includes/page-settings.php';
require __DIR__ . '/includes/client.php';
require __DIR__ . '/includes/shared-ratings.php';
require __DIR__ . '/includes/figures.php';
require __DIR__ . '/includes/stars.php';
require __DIR__ . '/includes/ordering.php';
require __DIR__ . '/includes/rest-fields.php';
require __DIR__ . '/includes/admin-page.php';
require __DIR__ . '/includes/welcome.php';
require __DIR__ . '/includes/list-column.php';
require __DIR__ . '/includes/editor.php';
require __DIR__ . '/includes/dashboard.php';
require __DIR__ . '/includes/privacy.php';
require __DIR__ . '/includes/deletions.php';
require __DIR__ . '/includes/site-health.php';
require __DIR__ . '/includes/class-mail-lease.php';
require __DIR__ . '/includes/mail.php';
require __DIR__ . '/includes/mail-report.php';
require __DIR__ . '/includes/mail-stop.php';
require __DIR__ . '/includes/mail-page.php';
if ( defined( 'WP_CLI' ) && WP_CLI ) {
	require __DIR__ . '/includes/cli.php';
}
