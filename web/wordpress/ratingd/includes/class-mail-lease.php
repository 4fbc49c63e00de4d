<?php
/**
 * Sends the email for a period only once, even if cron runs several times at once or on several hosts.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * The lease for a period is a row in the options table, which records the users who received the email. add_option()
 * would replace a row that another process inserted in the meantime, so take() inserts the row itself. Each change
 * requires the value that it replaces, so it fails if another process has changed the row.
 */
class Mail_Lease {
	const START   = 'ratingd_mail_lease_';   // The prefix of the options' names. The last day of the period follows.
	const SECONDS = 15 * MINUTE_IN_SECONDS;  // If the process dies, another process continues after this time.
	const TRIES   = 5;                       // The maximum number of tries if the mail server refuses emails.
	const KEPT    = 40 * DAY_IN_SECONDS;     // Leases of earlier periods are kept, because the hosts' clocks may differ.

	/**
	 * The option's name.
	 *
	 * @var string
	 */
	private $name;

	/**
	 * The option's value, as this process has stored it.
	 *
	 * @var string
	 */
	private $stored;

	/**
	 * The decoded value: "until" (the end of the lease), "sent" (ids of users), "tries".
	 *
	 * @var array
	 */
	private $state;

	/**
	 * Takes the lease for a period.
	 *
	 * @param string $period The period's name: its last day, and "day" or "week".
	 * @param int    $now    The current time.
	 * @return self|null Null if another process has the lease, or if the email for this period was sent.
	 */
	public static function take( $period, $now ) {
		global $wpdb;
		$lease        = new self();
		$lease->name  = self::START . $period;
		$lease->state = array(
			'until' => $now + self::SECONDS,
			'sent'  => array(),
			'tries' => 1,
		);

		$lease->stored = wp_json_encode( $lease->state );

		$insert = "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')";
		if ( 1 === $wpdb->query( $wpdb->prepare( $insert, $lease->name, $lease->stored ) ) ) {
			self::delete_old( $now );
			return $lease;
		}
		$lease->stored = (string) $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", $lease->name ) );
		$known         = json_decode( $lease->stored, true );
		if ( ! is_array( $known ) || $known['until'] > $now ) {
			return null;
		}
		$known['until'] = $now + self::SECONDS;
		return $lease->change( $known ) ? $lease : null;
	}

	/**
	 * Returns whether a user has already received the email.
	 *
	 * @param int $user The user.
	 * @return bool
	 */
	public function has_sent( $user ) {
		return in_array( $user, $this->state['sent'] ?? array(), true );
	}

	/**
	 * Records that a user gets the email. Call this function before the email is sent, so that nobody receives the email
	 * twice, even if the process dies.
	 *
	 * @param int $user The user.
	 * @param int $now  The time.
	 * @return bool False if another process has taken the lease.
	 */
	public function note_sent( $user, $now ) {
		$state           = $this->state;
		$state['sent'][] = $user;
		$state['until']  = $now + self::SECONDS;
		return $this->change( $state );
	}

	/**
	 * Ends the lease, so that a later run tries again.
	 *
	 * @param int[] $users Users to whom the email could not be sent. After TRIES tries they get no email for this period.
	 */
	public function give_back( array $users = array() ) {
		$state          = $this->state;
		$state['sent']  = array_values( array_diff( $state['sent'], $users ) );
		$state['tries'] = $state['tries'] + ( $users ? 1 : 0 );
		$state['until'] = $state['tries'] > self::TRIES ? PHP_INT_MAX : 0;
		$this->change( $state );
	}

	/**
	 * Records that the email for the period was sent.
	 */
	public function finish() {
		$this->change( array( 'until' => PHP_INT_MAX ) + $this->state );
	}

	/**
	 * Replaces the state that this process has stored.
	 *
	 * @param array $state The state.
	 * @return bool False if another process has changed the lease.
	 */
	private function change( array $state ) {
		global $wpdb;
		$value  = wp_json_encode( $state );
		$update = "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value = %s";
		// If the row already has the new value, MariaDB reports that no row was changed.
		$changed = $value === $this->stored || 1 === $wpdb->query( $wpdb->prepare( $update, $value, $this->name, $this->stored ) );
		if ( $changed ) {
			$this->stored = $value;
			$this->state  = $state;
		}
		return $changed;
	}

	/**
	 * Deletes the leases of periods that ended long ago.
	 *
	 * @param int $now The time.
	 */
	private static function delete_old( $now ) {
		global $wpdb;
		$like  = $wpdb->esc_like( self::START ) . '%';
		$first = self::START . gmdate( 'Y-m-d', $now - self::KEPT );
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name LIKE %s AND option_name < %s", $like, $first ) );
	}
}
