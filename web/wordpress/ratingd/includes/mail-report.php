<?php
/**
 * Creates the content and the layout of the email with the figures.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const MAIL_SECONDS = 20;   // The timeout of a request to ratingd.
const MAIL_OBJECTS = 5;    // The length of the lists with the best and the lowest rated objects.
const MAIL_REASONS = 10;
const MAIL_TITLE   = 80;   // The maximum length of a title, in characters.
const MAIL_REASON  = 300;  // The maximum length of a reason, in characters.

/**
 * Reads all figures for a period that at least one recipient may see.
 *
 * @param array $period As returned by mail_period().
 * @return array|\WP_Error "stats", "best", "lowest" (rows of GET /analytics/top-rated), "category", "reasons" (rows of
 *                         GET /analytics/recent) and "held" (a number). An error if one of these cannot be read.
 */
function mail_figures( array $period ) {
	$days   = array(
		'from' => $period['first'],
		'to'   => $period['last'],
	);
	$people = array( 'rights' => array( 'administer', 'see_persons' ) );
	$lists  = array(
		'stats'   => array( 'stats', array() ),
		'best'    => array( 'top-rated', array( 'per_page' => MAIL_OBJECTS ) ),
		'lowest'  => array(
			'top-rated',
			array(
				'per_page' => MAIL_OBJECTS,
				'order'    => 'asc',
			),
		),
		'reasons' => array(
			'recent',
			array(
				'per_page'    => MAIL_REASONS,
				'with_reason' => 'true',
			),
		),
	);

	$figures = array();
	foreach ( $lists as $name => list( $path, $parameters ) ) {
		$options = array( 'timeout' => MAIL_SECONDS ) + ( 'reasons' === $name ? $people : array() );
		$answer  = request( 'GET', "/analytics/$path", $days + $parameters, $options );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$figures[ $name ]    = $answer['data'];
		$figures['category'] = $answer['meta']['category'] ?? $figures['category'] ?? '';
	}
	$held = send( 'GET', '/data/held', array( 'per_page' => 1 ), array( 'timeout' => MAIL_SECONDS ) + $people );
	if ( is_wp_error( $held ) ) {
		return $held;
	}
	$figures['held'] = (int) wp_remote_retrieve_header( $held, 'x-wp-total' );
	return $figures;
}

/**
 * Returns the email for a user, in the user's language.
 *
 * @param \WP_User $user         The user.
 * @param array    $figures      As returned by mail_figures().
 * @param array    $period       As returned by mail_period().
 * @param bool     $with_reasons Whether the email contains the reasons for low ratings.
 * @return array|null "to", "subject", "html", "text" and "headers". Null if there is nothing to report.
 */
function mail_of( $user, array $figures, array $period, $with_reasons ) {
	$rights = rights_of( $user );
	// Administrators who may not see voters cannot open the page with held votes.
	if ( ! in_array( 'see_persons', $rights, true ) ) {
		$figures['reasons'] = array();
		$figures['held']    = 0;
	} elseif ( ! in_array( 'administer', $rights, true ) ) {
		$figures['held'] = 0;
	}
	if ( 0 === $figures['stats']['total_ratings'] && 0 === $figures['held'] ) {
		return null;
	}
	$is_switched = switch_to_locale( get_user_locale( $user ) );
	$content     = array(
		'title'    => mail_title( $period ),
		'lines'    => mail_lines( $figures, $period ),
		'sections' => mail_sections( $figures, $with_reasons ),
		'stop'     => mail_stop_url( $user->ID ),
	);
	$mail        = array(
		'to'      => $user->user_email,
		'subject' => mail_subject( $figures, $period ),
		'html'    => mail_html( $content ),
		'text'    => mail_text( $content ),
		'headers' => mail_headers( $content['stop'] ),
	);
	if ( $is_switched ) {
		restore_previous_locale();
	}
	return $mail;
}

/**
 * Returns a text in one line, without HTML.
 *
 * @param string $html      The text, as WordPress or ratingd stores it.
 * @param int    $length    The maximum number of characters.
 * @param bool   $is_markup Whether the text is HTML.
 * @return string
 */
function mail_line( $html, $length, $is_markup = true ) {
	$text = $is_markup ? html_entity_decode( wp_strip_all_tags( $html ), ENT_QUOTES | ENT_HTML5, 'UTF-8' ) : $html;
	$text = trim( preg_replace( '/[\p{Z}\p{Cc}]+/u', ' ', wp_check_invalid_utf8( $text, true ) ) );
	return mb_strlen( $text ) > $length ? rtrim( mb_substr( $text, 0, $length - 1 ) ) . '…' : $text;
}

/**
 * Returns the name of the site.
 *
 * @return string
 */
function mail_site_name() {
	$name = mail_line( get_option( 'blogname' ), MAIL_TITLE );
	return '' === $name ? (string) wp_parse_url( get_option( 'home' ), PHP_URL_HOST ) : $name;
}

/**
 * Returns a day in the format of the site.
 *
 * @param string $day Such as "2026-11-29".
 * @return string
 */
function mail_day( $day ) {
	return wp_date( get_option( 'date_format' ), ( new \DateTimeImmutable( "$day 12:00", wp_timezone() ) )->getTimestamp() );
}

/**
 * Returns the title of the email.
 *
 * @param array $period As returned by mail_period().
 * @return string
 */
function mail_title( array $period ) {
	if ( 'day' === $period['every'] ) {
		/* translators: %s: a date. */
		return sprintf( __( 'Ratings on %s', 'ratingd' ), mail_day( $period['last'] ) );
	}
	/* translators: 1: a date, 2: a date. */
	return sprintf( __( 'Ratings from %1$s to %2$s', 'ratingd' ), mail_day( $period['first'] ), mail_day( $period['last'] ) );
}

/**
 * Returns the subject of the email.
 *
 * @param array $figures As returned by mail_figures().
 * @param array $period  As returned by mail_period().
 * @return string In one line.
 */
function mail_subject( array $figures, array $period ) {
	$total = $figures['stats']['total_ratings'];
	$texts = array(
		/* translators: 1: the name of the site, 2: a number. */
		'day'  => _n( '[%1$s] %2$s new rating yesterday', '[%1$s] %2$s new ratings yesterday', $total, 'ratingd' ),
		/* translators: 1: the name of the site, 2: a number. */
		'week' => _n( '[%1$s] %2$s new rating in the last week', '[%1$s] %2$s new ratings in the last week', $total, 'ratingd' ),
	);
	return mail_line( sprintf( $texts[ $period['every'] ], mail_site_name(), number_format_i18n( $total ) ), 2 * MAIL_TITLE, false );
}

/**
 * Returns the figures as lines of text.
 *
 * @param array $figures As returned by mail_figures().
 * @param array $period  As returned by mail_period().
 * @return array[] Pairs of a text and a link. The link may be empty.
 */
function mail_lines( array $figures, array $period ) {
	$stats = $figures['stats'];
	$total = number_format_i18n( $stats['total_ratings'] );
	/* translators: %s: a number. */
	$text = sprintf( __( 'New ratings: %s', 'ratingd' ), $total );
	if ( isset( $stats['change'] ) ) {
		$texts = array(
			/* translators: 1: a number, 2: a number, such as +12. */
			'day'  => __( 'New ratings: %1$s (%2$s compared with the day before)', 'ratingd' ),
			/* translators: 1: a number, 2: a number, such as +12. */
			'week' => __( 'New ratings: %1$s (%2$s compared with the week before)', 'ratingd' ),
		);
		$text  = sprintf( $texts[ $period['every'] ], $total, signed( $stats['change']['total_ratings'] ) );
	}
	$lines = array( array( $text, admin_url( 'admin.php?page=ratingd' ) ) );
	if ( $figures['held'] > 0 ) {
		/* translators: %s: a number. */
		$lines[] = array( sprintf( __( 'Votes waiting for your decision: %s', 'ratingd' ), number_format_i18n( $figures['held'] ) ), admin_url( 'admin.php?page=ratingd#/held' ) );
	}
	$reasons = count( $figures['reasons'] );
	if ( $reasons > 0 ) {
		$number = number_format_i18n( $reasons ) . ( MAIL_REASONS === $reasons ? '+' : '' );
		/* translators: %s: a number. */
		$lines[] = array( sprintf( __( 'Low ratings with a reason: %s', 'ratingd' ), $number ), admin_url( 'admin.php?page=ratingd' ) );
	}
	return $lines;
}

/**
 * Returns the lists in the email.
 *
 * @param array $figures      As returned by mail_figures().
 * @param bool  $with_reasons Whether the reasons for low ratings are one of the lists.
 * @return array[] Entries by headings. An entry has a text, a link and a note. The link and the note may be empty.
 */
function mail_sections( array $figures, $with_reasons ) {
	$object    = function ( array $row ) {
		return array( mail_line( $row['title'] ?? "{$row['object_type']} {$row['object_id']}", MAIL_TITLE ), (string) ( $row['link'] ?? '' ) );
	};
	$of_object = function ( array $row ) use ( $object, $figures ) {
		return array_merge( $object( $row ), array( describe( (object) ( $row + array( 'category' => $figures['category'] ) ) )['text'] ) );
	};
	$of_reason = function ( array $row ) use ( $object ) {
		$reason = rating_in_words( $row['category'], $row['value'] ) . ': ' . mail_line( $row['reason'], MAIL_REASON, false );
		return array_merge( $object( $row ), array( $reason ) );
	};
	// On a small site, an object may be among both the best and the lowest rated objects, but is listed only among
	// the best rated objects.
	$lowest   = array_udiff(
		$figures['lowest'],
		$figures['best'],
		function ( array $one, array $other ) {
			return array( $one['object_id'], $one['object_type'] ) <=> array( $other['object_id'], $other['object_type'] );
		}
	);
	$sections = array(
		__( 'Best rated', 'ratingd' )              => array_map( $of_object, $figures['best'] ),
		__( 'Lowest rated', 'ratingd' )            => array_map( $of_object, $lowest ),
		__( 'Reasons for low ratings', 'ratingd' ) => $with_reasons ? array_map( $of_reason, $figures['reasons'] ) : array(),
	);
	return array_filter( $sections );
}

/**
 * Returns the headers of the email.
 *
 * @param string $stop The link that stops the emails.
 * @return string[]
 */
function mail_headers( $stop ) {
	$headers = array( 'Content-Type: text/html; charset=UTF-8', "List-Unsubscribe: <$stop>", 'Auto-Submitted: auto-generated' );
	if ( 'https' === wp_parse_url( $stop, PHP_URL_SCHEME ) ) {
		$headers[] = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click'; // RFC 8058 requires HTTPS.
	}
	return $headers;
}

/**
 * Returns the sentence that explains why the user receives the email.
 *
 * @return string
 */
function mail_why() {
	/* translators: %s: the name of the site. */
	return sprintf( __( 'You are receiving this email because an administrator of %s added you as a recipient.', 'ratingd' ), mail_site_name() );
}

/**
 * Returns the email as plain text.
 *
 * @param array $content As in mail_of().
 * @return string
 */
function mail_text( array $content ) {
	$text = $content['title'] . "\n\n";
	foreach ( $content['lines'] as list( $line, $link ) ) {
		$text .= "$line\n$link\n";
	}
	foreach ( $content['sections'] as $heading => $items ) {
		$text .= "\n$heading\n\n";
		foreach ( $items as list( $title, $link, $note ) ) {
			$text .= "- $title\n  $note\n" . ( '' === $link ? '' : "  $link\n" );
		}
	}
	/* translators: %s: a link. */
	return $text . "\n" . mail_why() . "\n" . sprintf( __( 'To stop these emails, open %s', 'ratingd' ), $content['stop'] ) . "\n";
}

/**
 * Returns the email as HTML.
 *
 * @param array $content As in mail_of().
 * @return string
 */
function mail_html( array $content ) {
	$link = function ( $text, $url ) {
		return '' === $url ? sprintf( '<bdi>%s</bdi>', esc_html( $text ) ) : sprintf( '<a href="%s"><bdi>%s</bdi></a>', esc_url( $url ), esc_html( $text ) );
	};
	$body = sprintf( '<h1>%s</h1>', esc_html( $content['title'] ) );
	foreach ( $content['lines'] as list( $line, $url ) ) {
		$body .= '<p>' . $link( $line, $url ) . '</p>';
	}
	foreach ( $content['sections'] as $heading => $items ) {
		$body .= sprintf( '<h2>%s</h2><ul>', esc_html( $heading ) );
		foreach ( $items as list( $title, $url, $note ) ) {
			$body .= '<li>' . $link( $title, $url ) . '<br><bdi>' . esc_html( $note ) . '</bdi></li>';
		}
		$body .= '</ul>';
	}
	$stop = $link( __( 'Stop these emails', 'ratingd' ), $content['stop'] );
	$body = sprintf( '<div class="mail">%s<p class="why">%s<br>%s</p></div>', $body, esc_html( mail_why() ), $stop );
	$head = sprintf(
		'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>%s</title><style>%s</style>',
		esc_html( $content['title'] ),
		trim( preg_replace( '/\s+/', ' ', file_get_contents( dirname( __DIR__ ) . '/css/mail.css' ) ) )
	);
	$lang = str_replace( '_', '-', determine_locale() );
	return sprintf( "<!DOCTYPE html>\n<html lang=\"%s\" dir=\"%s\"><head>%s</head>\n<body>%s</body></html>\n", esc_attr( $lang ), is_rtl() ? 'rtl' : 'ltr', $head, str_replace( '</li>', "</li>\n", $body ) );
}
