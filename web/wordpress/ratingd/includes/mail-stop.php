<?php
/**
 * Each email with figures contains a link with which the recipient can stop the emails without a login. A GET request
 * only shows a page with a button, because programs that check emails open links. The button or the recipient's mail
 * program (RFC 8058) sends a POST request, which stops the emails.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const MAIL_STOP = 'ratingd-mail-stop';  // The parameter of the front page: the user's id, "-" and the signature.

/**
 * Returns the signature of a user's link, which is valid only on this site.
 *
 * @param int $user The user.
 * @return string
 */
function mail_signature( $user ) {
	return substr( hash_hmac( 'sha256', 'ratingd mail stop ' . get_current_blog_id() . " $user", wp_salt( 'auth' ) ), 0, 40 );
}

/**
 * Returns the link for a user.
 *
 * @param int $user The user.
 * @return string
 */
function mail_stop_url( $user ) {
	return untrailingslashit( get_option( 'home' ) ) . '/?' . MAIL_STOP . "=$user-" . mail_signature( $user );
}

/**
 * Returns the user of a link.
 *
 * @param mixed $given The parameter.
 * @return int 0 if the signature is wrong.
 */
function user_of_mail_stop( $given ) {
	if ( ! is_string( $given ) || ! preg_match( '/^([1-9]\d{0,18})-([0-9a-f]{40})$/', $given, $found ) ) {
		return 0;
	}
	return hash_equals( mail_signature( (int) $found[1] ), $found[2] ) ? (int) $found[1] : 0;
}

/**
 * Removes a user from the recipients.
 *
 * @param int $user The user.
 */
function stop_mail( $user ) {
	$settings = mail_settings();
	if ( in_array( $user, $settings['users'], true ) ) {
		$settings['users'] = array_values( array_diff( $settings['users'], array( $user ) ) );
		update_option( MAIL, $settings );
	}
}

/**
 * Responds to a request for the link.
 */
function answer_mail_stop() {
	// phpcs:ignore WordPress.Security.NonceVerification.Recommended -- The link is signed.
	if ( ! isset( $_GET[ MAIL_STOP ] ) || is_admin() ) {
		return;
	}
	// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedConstantFound -- Cache plugins read this constant.
	defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
	header( 'Referrer-Policy: no-referrer' );
	// phpcs:ignore WordPress.Security -- The signature is checked.
	$user   = user_of_mail_stop( wp_unslash( $_GET[ MAIL_STOP ] ) );
	$reader = get_userdata( $user );
	if ( $reader ) {
		switch_to_locale( get_user_locale( $reader ) );
	}
	if ( 0 === $user ) {
		show_mail_stop( __( 'This link is not valid. Please use the link in the latest email.', 'ratingd' ), 403 );
	}
	if ( 'POST' === ( $_SERVER['REQUEST_METHOD'] ?? '' ) ) {
		stop_mail( $user );
	}
	if ( ! in_array( $user, mail_settings()['users'], true ) ) {
		show_mail_stop( __( 'You no longer receive statistics emails for this site.', 'ratingd' ), 200 );
	}
	show_mail_stop( __( 'Do you want to stop the statistics emails for this site?', 'ratingd' ), 200, __( 'Stop these emails', 'ratingd' ) );
}

/**
 * Shows a page and ends the request.
 *
 * @param string $text   A sentence.
 * @param int    $status The HTTP status.
 * @param string $button The text of the button. If it is empty, the page has no button.
 */
function show_mail_stop( $text, $status, $button = '' ) {
	$html = sprintf( '<h1>%s</h1><p>%s</p>', esc_html( mail_site_name() ), esc_html( $text ) );
	if ( '' !== $button ) {
		$html .= sprintf( '<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button class="button">%s</button></form>', esc_html( $button ) );
	}
	// phpcs:ignore WordPress.Security.EscapeOutput -- The HTML is already escaped.
	wp_die( $html, esc_html( mail_site_name() ), array( 'response' => $status ) );
}

add_action( 'init', __NAMESPACE__ . '\answer_mail_stop' );
