<?php
/**
 * Adds the settings of the scripts to a page. The settings are in a data block, which optimizers do not move into a
 * file, and which a Content Security Policy does not block. If a user is logged in, the block contains the REST nonce.
 * If the nonce is missing or has expired, the script requests one at /?ratingd-nonce, to which rules and redirects for
 * wp-admin do not apply.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const HOSTS = 'ratingd_hosts';  // The transient with the origins that were checked for the API

/**
 * Returns the origin of a URL in the form that browsers use.
 *
 * @param string $url The URL.
 * @return string The origin. Empty if the URL has none.
 */
function origin_of( $url ) {
	$parts   = wp_parse_url( strtolower( $url ) );
	$scheme  = $parts['scheme'] ?? '';
	$port    = $parts['port'] ?? null;
	$default = array(
		'http'  => 80,
		'https' => 443,
	);
	if ( empty( $parts['host'] ) || ! isset( $default[ $scheme ] ) ) {
		return '';
	}
	return "$scheme://{$parts['host']}" . ( null === $port || $default[ $scheme ] === $port ? '' : ":$port" );
}

/**
 * Returns the host of the page. The host may include a port.
 *
 * @return string
 */
function page_host() {
	return strtolower( sanitize_text_field( wp_unslash( $_SERVER['HTTP_HOST'] ?? '' ) ) );
}

/**
 * Returns whether a host belongs to the site's own URLs, where the API is.
 *
 * @param string $host The host. It may include a port.
 * @return bool
 */
function is_own_host( $host ) {
	foreach ( array( ratingd_base_url(), get_option( 'home' ), get_option( 'siteurl' ) ) as $url ) {
		if ( (string) wp_parse_url( origin_of( $url ), PHP_URL_HOST ) === (string) wp_parse_url( "http://$host", PHP_URL_HOST ) ) {
			return true;
		}
	}
	return false;
}

/**
 * Returns the origin of the page if it differs from the origin of the API and is in the allowed_origins setting. A
 * request may contain any Host header, so only origins in the setting are accepted.
 *
 * @return string The origin. Otherwise empty.
 */
function other_origin() {
	$host = page_host();
	if ( '' === $host || is_own_host( $host ) ) {
		return '';
	}
	$allowed = (array) setting( 'allowed_origins', array() );
	// Check both "http" and "https", because WordPress does not detect TLS if a proxy terminates TLS without
	// sending a header.
	foreach ( is_ssl() ? array( 'https' ) : array( 'http', 'https' ) as $scheme ) {
		$origin = origin_of( "$scheme://$host" );
		if ( '' !== $origin && in_array( $origin, $allowed, true ) ) {
			return $origin;
		}
	}
	return '';
}

/**
 * Returns the API's URL at another of the site's origins.
 *
 * @param string $origin The origin.
 * @return string The URL, without a slash at its end.
 */
function base_url_at( $origin ) {
	return $origin . wp_parse_url( ratingd_base_url(), PHP_URL_PATH );
}

/**
 * Returns whether the API is also available at another origin of the site. Pages do not wait for a response, because
 * cron checks the origin once a day.
 *
 * @param string $origin An origin in the allowed_origins setting.
 * @return bool False until the response is known.
 */
function has_api( $origin ) {
	$known = get_transient( HOSTS );
	if ( ! isset( $known[ $origin ] ) && ! wp_next_scheduled( 'ratingd_ask_host', array( $origin ) ) ) {
		wp_schedule_single_event( time(), 'ratingd_ask_host', array( $origin ) );
	}
	return $known[ $origin ] ?? false;
}

add_action(
	'ratingd_ask_host',
	function ( $origin ) {
		$answer = json_decode( wp_remote_retrieve_body( wp_remote_get( base_url_at( $origin ) . '/public/stats/1' ) ), true );
		$known  = get_transient( HOSTS );
		set_transient( HOSTS, array( $origin => ! empty( $answer['success'] ) ) + ( is_array( $known ) ? $known : array() ), DAY_IN_SECONDS );
	}
);

/**
 * Returns the URL at which the browser of this page reaches the API. If the API is also available at the page's own
 * origin, returns its URL there, because browsers then store its cookies.
 *
 * @return string The URL, without a slash at its end.
 */
function page_base_url() {
	$origin = other_origin();
	return '' !== $origin && has_api( $origin ) ? base_url_at( $origin ) : ratingd_base_url();
}

/**
 * Returns a REST nonce that ratingd accepts. ratingd expects that nonces are valid for a day, as by default, and does
 * not know the site's filters. So this nonce is made without them.
 *
 * @return string
 */
function rest_nonce() {
	$day = function () {
		return DAY_IN_SECONDS;
	};
	add_filter( 'nonce_life', $day, PHP_INT_MAX );
	$nonce = wp_create_nonce( 'wp_rest' );
	remove_filter( 'nonce_life', $day, PHP_INT_MAX );
	return $nonce;
}

/**
 * Returns the settings for the scripts.
 *
 * @return array
 */
function page_settings() {
	$base     = page_base_url();
	$settings = array(
		'base'     => "$base/",
		'ajax'     => admin_url( 'admin-ajax.php', 'relative' ),
		'nonceUrl' => nonce_path(),
	);
	$origin   = other_origin();
	if ( '' !== $origin && origin_of( $base ) !== $origin ) {
		$settings['credentials'] = 'include';
	}
	// Reveal the URL of the login page only if voters must log in, because some sites hide this URL from visitors.
	if ( setting( 'require_login', false ) ) {
		$settings['login'] = login_prefix();
	}
	if ( is_user_logged_in() ) {
		$settings['nonce'] = rest_nonce();
	}
	return $settings;
}

/**
 * Returns the path of the site's front page, without a slash at its end. The path of home_url() is not used, because
 * translation plugins add a language to it.
 *
 * @return string
 */
function home_path() {
	return untrailingslashit( (string) wp_parse_url( get_option( 'home' ), PHP_URL_PATH ) );
}

/**
 * Returns the path at which scripts request a nonce.
 *
 * @return string
 */
function nonce_path() {
	return home_path() . '/?ratingd-nonce';
}

/**
 * Returns the start of the login page's URL. The script appends the URL of the page.
 *
 * @return string
 */
function login_prefix() {
	$login = wp_login_url();
	return $login . ( strpos( $login, '?' ) ? '&' : '?' ) . 'redirect_to=';
}

// Print the page's settings in the footer, because the scripts used by the page are not known earlier, and because
// fragment caches would store settings printed in a block or shortcode.
add_action(
	'wp_footer',
	function () {
		foreach ( array( 'ratingd-widget', 'ratingd-my-ratings' ) as $script ) {
			if ( wp_script_is( $script ) || wp_script_is( $script, 'done' ) ) {
				$json       = wp_json_encode( page_settings(), JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES );
				$attributes = array(
					'type' => 'application/json',
					'id'   => 'ratingd-settings',
				);
				wp_print_inline_script_tag( $json, $attributes );
				return;
			}
		}
	},
	30
);

/**
 * Returns whether a script requests a nonce at the site's front page. The function also checks the path, because some
 * caches store every path that looks like a file.
 *
 * @return bool
 */
function is_nonce_request() {
	// phpcs:ignore WordPress.Security.NonceVerification.Recommended -- The script requests its nonce with this parameter.
	if ( ! isset( $_GET['ratingd-nonce'] ) || 'GET' !== ( $_SERVER['REQUEST_METHOD'] ?? '' ) || is_admin() ) {
		return false;
	}
	$path = wp_parse_url( sanitize_url( wp_unslash( $_SERVER['REQUEST_URI'] ?? '' ) ), PHP_URL_PATH );
	return untrailingslashit( (string) $path ) === home_path() && is_served();
}

/**
 * Sends the REST nonce of the user, or "0" if nobody is logged in. Only pages of the site itself may read the response.
 */
function answer_nonce_request() {
	if ( ! is_nonce_request() ) {
		return;
	}
	// Discard output that other plugins have printed by mistake.
	while ( ob_get_level() > 0 && ob_end_clean() ) {
		continue;
	}
	if ( headers_sent() ) {
		exit; // A cache could store a longer response.
	}
	// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedConstantFound -- Cache plugins read this constant.
	defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
	nocache_headers();
	header( 'Cache-Control: no-store, private' );
	header( 'Content-Type: text/plain; charset=UTF-8' );
	header( 'X-Content-Type-Options: nosniff' );
	header( 'X-Robots-Tag: noindex' );
	header_remove( 'Access-Control-Allow-Origin' );
	header_remove( 'Access-Control-Allow-Credentials' );
	if ( 'same-origin' !== ( $_SERVER['HTTP_SEC_FETCH_SITE'] ?? 'same-origin' ) ) {
		status_header( 403 );
		exit( 'Forbidden' );
	}
	exit( is_user_logged_in() ? esc_html( rest_nonce() ) : '0' );
}

// Respond to a nonce request before other plugins can redirect the request.
add_action( 'init', __NAMESPACE__ . '\answer_nonce_request', PHP_INT_MIN );
