<?php
/**
 * WP-CLI: wp ratingd …, a thin layer over the API. Loaded only there.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

require __DIR__ . '/cli-data.php';

/**
 * Shows, exports, imports and deletes ratings.
 *
 * Everything runs through ratingd's API, with the permissions of WordPress itself. No user and no password is
 * needed. Commands fail with status 1 and a message.
 */
class Command {
	use Data_Commands;

	/**
	 * Shows the state of the service and what its checks found.
	 *
	 * The status is 1 if the service is not ready, or if a check failed.
	 *
	 * ## OPTIONS
	 *
	 * [--format=<format>]
	 * : The format of the output.
	 * ---
	 * default: table
	 * options:
	 *   - table
	 *   - csv
	 *   - json
	 *   - yaml
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd status
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function status( $args, $assoc_args ) {
		unset( $args );
		$health = health( SITE_HEALTH_SECONDS );
		if ( ! isset( $health['version'] ) ) {
			\WP_CLI::error( $health['error'] );
		}
		$rows = array();
		foreach ( array( 'version', 'ready', 'database', 'schema', 'schema_wanted', 'workers', 'queue', 'queue_limit', 'timezone' ) as $name ) {
			if ( isset( $health[ $name ] ) ) {
				$rows[] = array(
					'subject' => $name,
					'health'  => '',
					'text'    => is_bool( $health[ $name ] ) ? ( $health[ $name ] ? 'yes' : 'no' ) : $health[ $name ],
				);
			}
		}
		$rows[]   = array(
			'subject' => 'deletions waiting',
			'health'  => waiting_deletions() ? 'warn' : 'ok',
			'text'    => count( waiting_deletions() ),
		);
		$findings = $health['findings'] ?? array();
		\WP_CLI\Utils\format_items( $assoc_args['format'] ?? 'table', array_merge( $rows, $findings ), array( 'subject', 'health', 'text' ) );
		if ( isset( $health['error'] ) || wp_list_filter( $findings, array( 'health' => 'fail' ) ) ) {
			\WP_CLI::halt( 1 );
		}
	}

	/**
	 * Sends the email with the figures, or shows it.
	 *
	 * The page Ratings → Mail in wp-admin has the recipients and the period. WordPress's cron sends the email, so you need
	 * this command only to look at the email, or if cron does not run. No email is sent twice.
	 *
	 * ## OPTIONS
	 *
	 * [--preview]
	 * : Print the email of the last complete period instead of sending it, even if the email is off.
	 *
	 * [--recipient=<user>]
	 * : With --preview: the id, the login or the email address of the user whose email is printed. The default is the
	 * first recipient.
	 *
	 * [--every=<period>]
	 * : With --preview: the period. The default is the period in the settings. If the email is off, it is the week.
	 * ---
	 * options:
	 *   - day
	 *   - week
	 * ---
	 *
	 * [--format=<format>]
	 * : With --preview: the part that is printed.
	 * ---
	 * default: text
	 * options:
	 *   - text
	 *   - html
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd mail --preview
	 *     wp ratingd mail --preview --recipient=admin --format=html > mail.html
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function mail( $args, $assoc_args ) {
		unset( $args );
		if ( empty( $assoc_args['preview'] ) ) {
			self::send_mail();
			return;
		}
		$settings = mail_settings();
		$given    = $assoc_args['recipient'] ?? $settings['users'][0] ?? '';
		$user     = get_user_by( is_numeric( $given ) ? 'id' : ( is_email( $given ) ? 'email' : 'login' ), $given );
		if ( ! $user ) {
			\WP_CLI::error( '' === $given ? 'The email has no recipients. Name a user with --recipient.' : "There is no user $given." );
		}
		if ( ! mail_recipients( array( $user->ID ) ) ) {
			\WP_CLI::error( "$user->user_login gets no email: this user may not see the statistics, or has no email address." );
		}
		$every   = $assoc_args['every'] ?? $settings['every'];
		$period  = mail_period( 'day' === $every ? 'day' : 'week', time() );
		$figures = mail_figures( $period );
		if ( is_wp_error( $figures ) ) {
			\WP_CLI::error( $figures->get_error_message() );
		}
		$mail = mail_of( $user, $figures, $period, $settings['reasons'] );
		if ( ! $mail ) {
			\WP_CLI::success( 'There is nothing to report, so no email is sent.' );
			return;
		}
		if ( 'html' === ( $assoc_args['format'] ?? 'text' ) ) {
			\WP_CLI::line( $mail['html'] );
			return;
		}
		\WP_CLI::line( implode( "\n", array_merge( array( "To: {$mail['to']}", "Subject: {$mail['subject']}" ), $mail['headers'], array( '', $mail['text'] ) ) ) );
	}

	/**
	 * Sends the email that is due, and prints why there are fewer emails than recipients.
	 */
	private static function send_mail() {
		$why    = array(
			'off'         => 'The email is off, or has no recipients. Ratings → Mail in wp-admin has both.',
			'environment' => 'This WordPress is marked as a copy for tests: WP_ENVIRONMENT_TYPE is not "production".',
			'moved'       => "The site's address has changed since the settings were saved. Save Ratings → Mail again.",
			'sent'        => 'The email of the last period was sent before, or another process sends it now.',
			'recipients'  => 'None of the recipients may see the statistics.',
			'nothing'     => 'There is nothing to report.',
			'away'        => 'ratingd does not answer. Cron tries again in an hour.',
			'failed'      => 'WordPress could not send some emails. Cron tries again in an hour.',
		);
		$number = deliver_mail( time(), $reason );
		$text   = trim( ( 1 === $number ? 'Sent 1 email. ' : "Sent $number emails. " ) . ( $why[ $reason ] ?? '' ) );
		if ( in_array( $reason, array( 'away', 'failed' ), true ) ) {
			\WP_CLI::error( $text );
		}
		\WP_CLI::success( $text );
	}

	/**
	 * Returns the data of a response. Ends the program if there is none.
	 *
	 * @param array|\WP_Error $answer The result of request().
	 * @return array
	 */
	public static function data_of( $answer ) {
		if ( is_wp_error( $answer ) ) {
			$data = $answer->get_error_data();
			foreach ( is_array( $data ) ? array_filter( $data['params'] ?? array(), 'is_string' ) : array() as $sentence ) {
				\WP_CLI::warning( $sentence );
			}
			\WP_CLI::error( $answer->get_error_message() );
		}
		return $answer['data'];
	}
}

\WP_CLI::add_command( 'ratingd', __NAMESPACE__ . '\Command' );
require __DIR__ . '/cli-settings.php';
