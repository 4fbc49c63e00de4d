<?php
/**
 * Sends an email with the figures for a day or a week to the chosen users. The email is disabled by default.
 *
 * DESIGN. WordPress's cron runs every hour and sends the email for the last complete period, unless the email was
 * already sent (Mail_Lease). The plugin reads all figures before it sends the first email. If ratingd does not respond,
 * nobody receives an email, and cron tries again an hour later. The permissions of a user are checked when the email is
 * sent.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const MAIL            = 'ratingd_mail';
const MAIL_HOOK       = 'ratingd_mail';
const MAIL_HOUR       = 6;   // The email of a period is sent from this hour on, in the site's time zone.
const MAIL_RECIPIENTS = 20;

/**
 * Returns the settings of the email.
 *
 * @return array "every" ("", "day" or "week"), "users" (their ids), "reasons" (whether the email contains the
 *               reasons for low ratings), "site" (as of mail_site()).
 */
function mail_settings() {
	$stored = get_option( MAIL, array() );
	$stored = is_array( $stored ) ? $stored : array();
	// Convert the user ids to numbers, because WP-CLI stores them as strings.
	$users = array_map( 'absint', array_filter( (array) ( $stored['users'] ?? array() ), 'is_scalar' ) );
	return array(
		'every'   => in_array( $stored['every'] ?? '', array( 'day', 'week' ), true ) ? $stored['every'] : '',
		'users'   => array_values( array_unique( array_filter( $users ) ) ),
		'reasons' => ! empty( $stored['reasons'] ),
		'site'    => is_string( $stored['site'] ?? '' ) ? $stored['site'] ?? '' : '',
	);
}

/**
 * Returns a hash of the site's address. A copy of the site has the same options but another address, and must not send
 * emails. Tools that replace the address in all options do not recognize the hash.
 *
 * @return string
 */
function mail_site() {
	$address = preg_replace( '#^https?://(?:www\.)?#', '', strtolower( untrailingslashit( get_option( 'home' ) ) ) );
	return md5( $address );
}

/**
 * Returns the reason why no email is sent.
 *
 * @param array $settings As returned by mail_settings().
 * @return string "off", "environment" or "moved". Empty if emails are sent.
 */
function mail_obstacle( array $settings ) {
	if ( '' === $settings['every'] || ! $settings['users'] || ! is_served() ) {
		return 'off';
	}
	if ( 'production' !== wp_get_environment_type() ) {
		return 'environment';
	}
	return mail_site() === $settings['site'] ? '' : 'moved';
}

// Restores the email's schedule in WP-Cron if a tool has deleted it. The schedule is checked only by requests to
// wp-admin and WP-Cron.
add_action(
	'init',
	function () {
		if ( ! is_admin() && ! wp_doing_cron() ) {
			return;
		}
		$is_on = '' !== mail_settings()['every'];
		$next  = wp_next_scheduled( MAIL_HOOK );
		if ( $is_on && ! $next ) {
			wp_schedule_event( time() + MINUTE_IN_SECONDS, 'hourly', MAIL_HOOK );
		} elseif ( ! $is_on && $next ) {
			wp_unschedule_hook( MAIL_HOOK );
		}
	}
);

add_action(
	MAIL_HOOK,
	function () {
		deliver_mail( time() );
	}
);

/**
 * Returns the last complete day or week.
 *
 * @param string $every "day" or "week".
 * @param int    $now   The current time.
 * @return array "every", and the days "first" and "last" in the site's time zone, such as "2026-11-29".
 */
function mail_period( $every, $now ) {
	$today = ( new \DateTimeImmutable( '@' . ( $now - MAIL_HOUR * HOUR_IN_SECONDS ) ) )->setTimezone( wp_timezone() );
	$days  = 'week' === $every ? 7 : 1;
	$since = 'week' === $every ? ( (int) $today->format( 'w' ) - (int) get_option( 'start_of_week' ) + 7 ) % 7 : 0;
	return array(
		'every' => $every,
		'first' => $today->modify( '-' . ( $since + $days ) . ' days' )->format( 'Y-m-d' ),
		'last'  => $today->modify( '-' . ( $since + 1 ) . ' days' )->format( 'Y-m-d' ),
	);
}

/**
 * Returns the chosen users who may receive the email now. The result does not contain users who were deleted or who may
 * no longer see the figures.
 *
 * @param int[] $ids The chosen users.
 * @return \WP_User[]
 */
function mail_recipients( array $ids ) {
	$users = array();
	foreach ( array_slice( $ids, 0, MAIL_RECIPIENTS ) as $id ) {
		$user = get_userdata( $id );
		// Do not send email to users marked as spam by a network.
		if ( $user && empty( $user->spam ) && is_email( $user->user_email ) && in_array( 'analytics', rights_of( $user ), true ) ) {
			$users[] = $user;
		}
	}
	return $users;
}

/**
 * Sends the email for the last complete period if it is due.
 *
 * @param int    $now    The time.
 * @param string $reason Receives the reason why there are fewer emails than recipients, or an empty text. The reason is
 *                       a value of mail_obstacle(), "sent" (the email was sent, or another process sends it now),
 *                       "recipients" (nobody may see the figures), "away" (ratingd does not respond), "nothing" (there
 *                       is nothing to report) or "failed".
 * @return int The number of emails.
 */
function deliver_mail( $now, &$reason = '' ) {
	$settings = mail_settings();
	$reason   = mail_obstacle( $settings );
	if ( '' !== $reason ) {
		return 0;
	}
	$period = mail_period( $settings['every'], $now );
	$lease  = Mail_Lease::take( "{$period['last']}_{$period['every']}", $now );
	$reason = $lease ? '' : 'sent';
	if ( ! $lease ) {
		return 0;
	}
	$users   = mail_recipients( $settings['users'] );
	$reason  = $users ? 'nothing' : 'recipients';
	$figures = $users ? mail_figures( $period ) : array();
	if ( is_wp_error( $figures ) ) {
		$lease->give_back();
		$reason = 'away';
		return 0;
	}
	$sent   = 0;
	$failed = array();
	foreach ( $users as $user ) {
		$mail = $lease->has_sent( $user->ID ) ? null : mail_of( $user, $figures, $period, $settings['reasons'] );
		if ( ! $mail ) {
			continue;
		}
		$reason = '';
		if ( ! $lease->note_sent( $user->ID, time() ) ) {
			$reason = 'sent';
			return $sent;
		}
		if ( send_mail( $mail ) ) {
			++$sent;
		} else {
			$failed[] = $user->ID;
		}
	}
	if ( $failed ) {
		$reason = 'failed';
		$lease->give_back( $failed );
	} else {
		$lease->finish();
	}
	return $sent;
}

/**
 * Sends an email as text and as HTML.
 *
 * @param array $mail As returned by mail_of().
 * @return bool Whether WordPress could send it.
 */
function send_mail( array $mail ) {
	// If a plugin replaces wp_mail() and does not run the "phpmailer_init" action, the email contains only the HTML.
	$add_text = function ( $mailer ) use ( $mail ) {
		$mailer->isHTML( true ); // A filter of another plugin may have chosen plain text.
		$mailer->AltBody = $mail['text'];
	};
	add_action( 'phpmailer_init', $add_text );
	$is_sent = wp_mail( array( $mail['to'] ), $mail['subject'], $mail['html'], $mail['headers'] );
	remove_action( 'phpmailer_init', $add_text );
	return $is_sent;
}
