<?php
/**
 * Adds the page "Ratings → Mail", which contains the settings that mail_settings() reads.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const MAIL_CANDIDATES = 100;  // The maximum number of users that the page offers as recipients.

add_action(
	'admin_menu',
	function () {
		if ( is_served() ) {
			$title = __( 'Statistics email', 'ratingd' );
			add_submenu_page( 'ratingd', $title, __( 'Mail', 'ratingd' ), 'manage_options', 'ratingd-mail', __NAMESPACE__ . '\show_mail_page' );
		}
	},
	22
);

add_action(
	'admin_init',
	function () {
		$options = array(
			'type'              => 'array',
			'sanitize_callback' => __NAMESPACE__ . '\clean_mail',
		);
		register_setting( 'ratingd-mail', MAIL, $options );
		add_option( MAIL, array() ); // Autoloaded, like the option of the placement.
	}
);

/**
 * Returns only the known values of the form.
 *
 * @param mixed $given The values that the form sends.
 * @return array As returned by mail_settings(), with the site's current address.
 */
function clean_mail( $given ) {
	$given = is_array( $given ) ? $given : array();
	$every = in_array( $given['every'] ?? '', array( 'day', 'week' ), true ) ? $given['every'] : '';
	$users = user_ids( $given['users'] ?? array() );
	if ( isset( $given['shown'] ) ) {
		// Apply only the changes that were made in the form, because recipients may have changed since the page was opened.
		$shown  = user_ids( $given['shown'] );
		$stored = mail_settings()['users'];
		$users  = array_merge( array_diff( $stored, array_diff( $shown, $users ) ), array_diff( $users, $shown ) );
		$users  = array_unique( $users );
	}
	$users = array_values( array_filter( $users, 'get_userdata' ) );
	if ( count( $users ) > MAIL_RECIPIENTS ) {
		/* translators: %s: a number. */
		add_mail_error( sprintf( __( 'The email can have at most %s recipients, so the other users were left out.', 'ratingd' ), number_format_i18n( MAIL_RECIPIENTS ) ) );
	} elseif ( '' !== $every && ! $users ) {
		add_mail_error( __( 'Nobody receives the email yet. Choose at least one recipient.', 'ratingd' ) );
	}
	return array(
		'every'   => $every,
		'users'   => array_slice( $users, 0, MAIL_RECIPIENTS ),
		'reasons' => ! empty( $given['reasons'] ),
		'site'    => mail_site(),
	);
}

/**
 * Returns the ids in a list that a form sends.
 *
 * @param mixed $given The list.
 * @return int[]
 */
function user_ids( $given ) {
	return array_values( array_unique( array_map( 'absint', array_filter( (array) $given, 'is_scalar' ) ) ) );
}

/**
 * Shows an error on the page. WordPress may clean an option twice, but the error is shown only once.
 *
 * @param string $text A sentence.
 */
function add_mail_error( $text ) {
	if ( function_exists( 'add_settings_error' ) && ! get_settings_errors( MAIL ) ) {
		add_settings_error( MAIL, 'recipients', $text, 'warning' );
	}
}

/**
 * Returns the users whom the page offers as recipients. These are users who may see the figures, and all chosen users.
 *
 * @param int[] $chosen The ids of the chosen users.
 * @return \WP_User[]
 */
function mail_candidates( array $chosen ) {
	$query = array(
		'capability__in' => array( 'manage_options', 'edit_others_posts' ),
		'number'         => MAIL_CANDIDATES,
		'orderby'        => 'display_name',
	);
	$users = array_column( get_users( $query ), null, 'ID' );
	foreach ( array_filter( array_map( 'get_userdata', $chosen ) ) as $user ) {
		$users[ $user->ID ] = $user;
	}
	return array_filter(
		$users,
		function ( $user ) use ( $chosen ) {
			return in_array( $user->ID, $chosen, true ) || in_array( 'analytics', rights_of( $user ), true );
		}
	);
}

/**
 * Prints the reason why no email is sent, if there is one.
 *
 * @param array $settings As returned by mail_settings().
 */
function show_mail_obstacle( array $settings ) {
	$texts = array(
		/* translators: %s: "staging", "development" or "local". */
		'environment' => sprintf( __( 'No email is sent, because this WordPress site is marked as a test copy (WP_ENVIRONMENT_TYPE is “%s”).', 'ratingd' ), wp_get_environment_type() ),
		'moved'       => __( 'No email is sent, because the site’s address has changed since these settings were saved. If this site is not a copy, save the settings again.', 'ratingd' ),
	);
	$text  = $texts[ mail_obstacle( $settings ) ] ?? '';
	if ( '' !== $text ) {
		printf( '<div class="notice notice-warning inline"><p>%s</p></div>', esc_html( $text ) );
	}
}

/**
 * Prints the users to choose from.
 *
 * @param int[] $chosen The ids of the chosen users.
 */
function show_mail_recipients( array $chosen ) {
	$able = array_column( mail_recipients( $chosen ), 'ID' );
	printf( '<input type="hidden" name="%s" value="">', esc_attr( MAIL . '[shown][]' ) );
	printf( '<fieldset><legend class="screen-reader-text">%s</legend>', esc_html__( 'Recipients', 'ratingd' ) );
	foreach ( mail_candidates( $chosen ) as $user ) {
		$is_chosen = in_array( $user->ID, $chosen, true );
		if ( $is_chosen ) {
			printf( '<input type="hidden" name="%s" value="%d">', esc_attr( MAIL . '[shown][]' ), (int) $user->ID );
		}
		printf(
			'<p><label><input type="checkbox" name="%s" value="%d"%s> %s</label>%s</p>',
			esc_attr( MAIL . '[users][]' ),
			(int) $user->ID,
			checked( $is_chosen, true, false ),
			esc_html( "$user->display_name ($user->user_email)" ),
			$is_chosen && ! in_array( $user->ID, $able, true ) ? '<br><span class="description">' . esc_html__( 'This user does not have permission to see the statistics and therefore receives no email.', 'ratingd' ) . '</span>' : ''
		);
	}
	/* translators: %s: a number. */
	$about = __( 'Choose up to %s recipients from the users who may see the statistics. Recipients can unsubscribe with a link in each email.', 'ratingd' );
	printf( '<p class="description">%s</p></fieldset>', esc_html( sprintf( $about, number_format_i18n( MAIL_RECIPIENTS ) ) ) );
}

/**
 * Prints the page.
 */
function show_mail_page() {
	$settings = mail_settings();
	$choices  = array(
		''     => __( 'Never', 'ratingd' ),
		'day'  => __( 'Every day', 'ratingd' ),
		'week' => __( 'Every week', 'ratingd' ),
	);
	printf( '<div class="wrap"><h1>%s</h1>', esc_html( get_admin_page_title() ) );
	settings_errors();
	show_mail_obstacle( $settings );
	printf( '<p>%s</p>', esc_html__( 'The email contains the new ratings, the best-rated and the lowest-rated posts, and the number of votes that are waiting for a decision. WordPress sends the email at 6 a.m. or later. If there is nothing to report, no email is sent.', 'ratingd' ) );
	echo '<form method="post" action="options.php">';
	settings_fields( 'ratingd-mail' );
	echo '<table class="form-table" role="presentation">';
	printf( '<tr><th scope="row"><label for="ratingd-mail-every">%s</label></th><td>', esc_html__( 'Send the email', 'ratingd' ) );
	printf( '<select id="ratingd-mail-every" name="%s">', esc_attr( MAIL . '[every]' ) );
	foreach ( $choices as $value => $title ) {
		printf( '<option value="%s"%s>%s</option>', esc_attr( $value ), selected( $value, $settings['every'], false ), esc_html( $title ) );
	}
	printf( '</select></td></tr><tr><th scope="row">%s</th><td>', esc_html__( 'Recipients', 'ratingd' ) );
	show_mail_recipients( $settings['users'] );
	printf( '</td></tr><tr><th scope="row">%s</th><td>', esc_html__( 'Reasons', 'ratingd' ) );
	printf(
		'<label><input type="checkbox" name="%s" value="1" aria-describedby="ratingd-mail-reasons"%s> %s</label>',
		esc_attr( MAIL . '[reasons]' ),
		checked( $settings['reasons'], true, false ),
		esc_html__( 'Include the reasons for low ratings', 'ratingd' )
	);
	printf( '<p class="description" id="ratingd-mail-reasons">%s</p></td></tr></table>', esc_html__( 'Reasons are included only for recipients with permission to list the site’s users. Reasons may contain personal data. If you erase a visitor’s ratings later, the reasons remain in emails that were already sent.', 'ratingd' ) );
	submit_button();
	echo '</form></div>';
}
