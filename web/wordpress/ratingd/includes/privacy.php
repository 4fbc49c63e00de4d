<?php
/**
 * Supports the tools "Export Personal Data" and "Erase Personal Data", and suggests a text for the privacy policy.
 *
 * Both tools find a registered user by the email address. ratingd identifies other visitors only by their cookie or
 * token. Such visitors can see and erase their ratings themselves (docs/data.md).
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const EXPORT_PORTION = 500;  // The number of ratings that WordPress receives at once.
const EXPORT_SECONDS = 60;
// The timeout of an erasure request, in seconds. Many servers terminate PHP requests after 30 seconds.
const ERASE_SECONDS = 20;
const ERASE_TRIES   = 60;

add_filter(
	'wp_privacy_personal_data_exporters',
	function ( $exporters ) {
		$exporters['ratingd'] = array(
			'exporter_friendly_name' => __( 'Ratings', 'ratingd' ),
			'callback'               => __NAMESPACE__ . '\export_personal_data',
		);
		return $exporters;
	}
);

add_filter(
	'wp_privacy_personal_data_erasers',
	function ( $erasers ) {
		$erasers['ratingd'] = array(
			'eraser_friendly_name' => __( 'Ratings', 'ratingd' ),
			'callback'             => __NAMESPACE__ . '\erase_personal_data',
		);
		return $erasers;
	}
);

add_action(
	'admin_init',
	function () {
		// Register the text on each wp-admin page and for AJAX requests, because WordPress reports a missing text as a
		// change to the privacy policy. Users without the "manage_privacy_options" capability never see the privacy
		// policy text.
		if ( current_user_can( 'manage_privacy_options' ) && null !== setting( 'store_address', 'hash' ) ) {
			wp_add_privacy_policy_content( __( 'Ratings', 'ratingd' ), privacy_policy_text() );
		}
	}
);

/**
 * Returns whether ratingd has tables for this site. Without tables, ratingd stores no personal data. If the database
 * does not respond, the result is true.
 *
 * @return bool
 */
function has_ratings() {
	return array() !== read_tables(
		function ( $wpdb ) {
			return $wpdb->get_col( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $wpdb->prefix . 'ratingd_votes' ) ) );
		}
	);
}

/**
 * Returns a part of the ratings of the user with this email address, in the format of WordPress's exporters.
 *
 * @param string $email The address.
 * @param int    $page  From 1.
 * @return array|\WP_Error An error if ratingd did not send all of them.
 */
function export_personal_data( $email, $page = 1 ) {
	$user = get_user_by( 'email', $email );
	if ( ! $user || ! has_ratings() ) {
		return array(
			'data' => array(),
			'done' => true,
		);
	}
	$query = array(
		'user_id' => $user->ID,
		'scope'   => 'ratings',
	);
	$file  = download_export( $query, EXPORT_SECONDS );
	if ( is_wp_error( $file ) ) {
		return $file;
	}
	$portion = portion_of_export( $file, max( 1, (int) $page ) );
	unlink( $file );
	return $portion;
}

/**
 * Stores the response to GET /data/export in a file that no other user on the host can read.
 *
 * @param array $query   The parameters.
 * @param int   $seconds The timeout.
 * @return string|\WP_Error The file's name. The caller deletes it.
 */
function download_export( array $query, $seconds ) {
	require_once ABSPATH . 'wp-admin/includes/file.php';
	$file = wp_tempnam( 'ratingd-export' );
	chmod( $file, 0600 );
	$options = array(
		'timeout'  => $seconds,
		'rights'   => array( 'administer', 'see_persons' ),
		'filename' => $file,
	);

	$response = send( 'GET', '/data/export', $query, $options );
	if ( is_wp_error( $response ) ) {
		unlink( $file );
		return $response;
	}
	return $file;
}

/**
 * Returns a part of the ratings in a file from GET /data/export.
 *
 * @param string $file The file's name.
 * @param int    $page From 1.
 * @return array|\WP_Error As returned by export_personal_data().
 */
function portion_of_export( $file, $page ) {
	$first = ( $page - 1 ) * EXPORT_PORTION;
	$rows  = 0;
	$items = array();
	foreach ( new \SplFileObject( $file ) as $line ) {
		$row = json_decode( $line, true );
		if ( isset( $row['kind'] ) && 'end' === $row['kind'] && $row['rows'] === $rows ) {
			return array(
				'data' => $items,
				'done' => $rows <= $first + EXPORT_PORTION,
			);
		}
		if ( $rows >= $first && $rows < $first + EXPORT_PORTION && isset( $row['object_id'] ) ) {
			$items[] = export_item( $row );
		}
		++$rows;
	}
	// The last line, which contains the number of rows, is missing, so the export is incomplete.
	return new \WP_Error( 'ratingd_incomplete', __( 'The export of the ratings was interrupted. Please try again.', 'ratingd' ) );
}

/**
 * Returns a rating as an exporter's item. The item does not show whether the rating is held, because voters cannot see
 * this state anywhere else.
 *
 * @param array $row A row from GET /data/export.
 * @return array
 */
function export_item( array $row ) {
	$object = rated_object( $row['object_type'], $row['object_id'] );
	$facet  = rated_facet( $row['object_type'] );
	$rating = rating_in_words( $row['category'], $row['value'] );
	if ( 'reactions' === $facet['group'] ) {
		$rating = $row['value'] > 0 ? $facet['label'] : "{$facet['label']}: $rating";
	}
	$data = array();
	$add  = function ( $name, $value ) use ( &$data ) {
		$data[] = array(
			'name'  => $name,
			'value' => $value,
		);
	};
	$add( __( 'Rated', 'ratingd' ), $object['title'] );
	if ( '' !== $object['link'] ) {
		$add( __( 'URL', 'ratingd' ), $object['link'] );
	}
	$add( __( 'Rating', 'ratingd' ), $rating );
	if ( isset( $row['reason'] ) ) {
		// WordPress allows some HTML in exported values.
		$add( __( 'Reason', 'ratingd' ), nl2br( esc_html( $row['reason'] ) ) );
	}
	$add( __( 'First rated', 'ratingd' ), wp_date( 'Y-m-d H:i:s T', strtotime( $row['created_at'] ) ) );
	$add( __( 'Last changed', 'ratingd' ), wp_date( 'Y-m-d H:i:s T', strtotime( $row['rated_at'] ) ) );
	return array(
		'group_id'          => 'ratingd',
		'group_label'       => __( 'Ratings', 'ratingd' ),
		'group_description' => __( 'These are the user’s ratings on this site.', 'ratingd' ),
		'item_id'           => "ratingd-{$row['object_type']}-{$row['object_id']}-{$row['category']}",
		'data'              => $data,
	);
}

/**
 * Returns the criterion or the reaction in an object type, such as "taste" in "post:taste".
 *
 * @param string $type The object's type.
 * @return string[] "label" and "group". Both are empty if the type is that of a whole object.
 */
function rated_facet( $type ) {
	$name  = (string) substr( $type, strlen( whole_type( $type ) ) + 1 );
	$names = '' !== $name && HAS_WIDGETS ? (array) site_names() : array();
	$usual = array(
		'label' => $name,
		'group' => '',
	);
	return $names[ $name ] ?? $usual;
}

/**
 * Returns the title and the link of a rated object. The title contains the label of a rated criterion. If
 * visitors cannot see the object, the title is its type and id, and the link is empty.
 *
 * @param string $type The object's type.
 * @param int    $id   The object's id.
 * @return string[] The title and the link.
 */
function rated_object( $type, $id ) {
	$whole = whole_type( $type );
	$facet = rated_facet( $type );
	$label = 'reactions' === $facet['group'] || '' === $facet['label'] ? '' : ": {$facet['label']}";
	$post  = 'post' === $whole || post_type_exists( $whole ) ? get_post( $id ) : null;
	$found = $post && is_post_publicly_viewable( $post ) ? array( get_the_title( $post ), get_permalink( $post ) ) : rated_page( $whole, $id );
	if ( $found ) {
		return array(
			'title' => wp_specialchars_decode( wp_strip_all_tags( $found[0] ), ENT_QUOTES ) . $label,
			'link'  => (string) $found[1],
		);
	}
	return array(
		'title' => "$type $id",
		'link'  => '',
	);
}

/**
 * Returns the title and the link of a comment, a term or an author, if visitors can see it.
 *
 * @param string $type The object's type.
 * @param int    $id   The object's id.
 * @return array The title and the link. Empty if there is none.
 */
function rated_page( $type, $id ) {
	$comment = 'comment' === $type ? get_comment( $id ) : null;
	if ( $comment && '1' === $comment->comment_approved && is_post_publicly_viewable( (int) $comment->comment_post_ID ) ) {
		return array( get_comment_excerpt( $comment ), get_comment_link( $comment ) );
	}
	$term = 'term' === $type ? get_term( $id ) : null;
	if ( $term instanceof \WP_Term && is_taxonomy_viewable( $term->taxonomy ) ) {
		return array( $term->name, get_term_link( $term ) );
	}
	if ( 'author' === $type && count_user_posts( $id, 'post', true ) ) {
		return array( get_the_author_meta( 'display_name', $id ), get_author_posts_url( $id ) );
	}
	return array();
}

/**
 * Returns a rating's value as the default template shows it. ratingd does not store which template a user saw.
 *
 * @param string    $category binary, bipolar or scale.
 * @param int|float $value    The value that ratingd stores.
 * @return string
 */
function rating_in_words( $category, $value ) {
	if ( 'scale' === $category ) {
		$scale  = HAS_WIDGETS ? site_scale() : site_stars();
		$number = on_scale( $value, $scale );
		/* translators: 1: a rating, such as 3 or 7.5, 2: the highest one, such as 5 or 10. */
		return sprintf( __( '%1$s of %2$s', 'ratingd' ), number_format_i18n( $number, fmod( $number, 1 ) ? 1 : 0 ), number_format_i18n( $scale ) );
	}
	if ( 'bipolar' === $category && 0.0 === (float) $value ) {
		return _x( 'Neutral', 'rating', 'ratingd' );
	}
	return $value > 0 ? __( 'Like', 'ratingd' ) : __( 'Dislike', 'ratingd' );
}

/**
 * Erases the ratings of the user with this email address. ratingd also updates all sums. A call takes at most about 20
 * seconds. ratingd continues in the background, and the next call waits for ratingd or continues the erasure.
 *
 * @param string $email The address.
 * @param int    $page  From 1.
 * @return array|\WP_Error The result in the format of WordPress's erasers. "done" is true only if ratingd confirmed
 *                         that everything is erased.
 */
function erase_personal_data( $email, $page = 1 ) {
	$result = array(
		'items_removed'  => false,
		'items_retained' => false,
		'messages'       => array(),
		'done'           => true,
	);
	$user   = get_user_by( 'email', $email );
	if ( ! $user || ! has_ratings() ) {
		return $result;
	}
	$started = microtime( true );
	$answer  = request(
		'POST',
		'/data/clean',
		array(
			'scope'   => 'ratings',
			'user_id' => $user->ID,
			'confirm' => true,
		),
		array( 'timeout' => ERASE_SECONDS )
	);
	if ( ! is_wp_error( $answer ) ) {
		$result['items_removed'] = $answer['data']['ratings'] > 0;
		return $result;
	}
	$seconds    = microtime( true ) - $started;
	$is_erasing = $seconds > 0.9 * ERASE_SECONDS;
	// If ratingd is unavailable, an erasure request fails within three seconds. After more than three seconds, status
	// 503 means that ratingd is running but had to wait for other changes, such as the previous erasure request.
	$error_data = $answer->get_error_data();
	$is_waiting = $seconds > 3 && isset( $error_data['status'] ) && 503 === $error_data['status'];
	if ( ( ! $is_erasing && ! $is_waiting ) || $page >= ERASE_TRIES ) {
		return $answer;
	}
	$result['items_removed'] = $is_erasing;
	$result['done']          = false;
	return $result;
}

/**
 * Returns the suggested text for the privacy policy. The text depends on the settings.
 *
 * @return string HTML.
 */
function privacy_policy_text() {
	$text  = '<p class="privacy-policy-tutorial">' . __( 'This text depends on the settings of ratingd. After you change the settings, check the text again.', 'ratingd' ) . '</p>';
	$text .= '<strong class="privacy-policy-tutorial">' . __( 'Suggested text:', 'ratingd' ) . ' </strong>';
	foreach ( privacy_sentences() as $paragraph ) {
		$text .= "<p>$paragraph</p>";
	}
	return $text;
}

/**
 * Returns the paragraphs of the suggestion.
 *
 * @return string[]
 */
function privacy_sentences() {
	$days         = (int) setting( 'voter_cookie_days', 365 );
	$paragraphs   = array();
	$paragraphs[] = __( 'When you rate content on this site, we store your rating, the rated content, and the times of your first and last rating of this content. If you are logged in, your rating is stored with your account. Only you and the site’s staff can see who gave a rating.', 'ratingd' )
		. ' ' . sprintf(
			/* translators: 1: the name of a cookie, 2: a number of days. */
			_n(
				'If you are not logged in, a cookie (%1$s) with a random number recognizes your browser, so that you can change your rating and nobody is counted twice. The cookie is kept for %2$d day.',
				'If you are not logged in, a cookie (%1$s) with a random number recognizes your browser, so that you can change your rating and nobody is counted twice. The cookie is kept for %2$d days.',
				$days,
				'ratingd'
			),
			'<code>ratingd_voter</code>',
			$days
		)
		. ' ' . __( 'The cookie is set only when you rate something.', 'ratingd' );
	if ( setting( 'low_vote_reasons', false ) ) {
		$paragraphs[] = __( 'If you tell us why you gave a low rating, your text is stored with the rating and kept as long as the rating. Only the site’s staff can read your text.', 'ratingd' );
		$mail         = mail_settings();
		if ( '' !== $mail['every'] && $mail['reasons'] ) {
			$paragraphs[] = __( 'Reasons for low ratings are also sent to the site’s staff by email. These emails are kept as long as the staff’s other emails.', 'ratingd' );
		}
	}
	$paragraphs[] = address_sentence();
	$months       = (int) setting( 'retention_months', 0 );
	$paragraphs[] = $months > 0
		? sprintf(
			/* translators: %d: a number of months. */
			_n(
				'After %d month, individual ratings are replaced by totals, which do not show who rated.',
				'After %d months, individual ratings are replaced by totals, which do not show who rated.',
				$months,
				'ratingd'
			),
			$months
		)
		: __( 'Ratings are kept until you withdraw them or ask us to erase them.', 'ratingd' );
	return $paragraphs;
}

/**
 * Returns the sentence about the storage of IP addresses.
 *
 * @return string
 */
function address_sentence() {
	$store = setting( 'store_address', 'hash' );
	if ( 'none' === $store ) {
		return __( 'Your IP address is used to prevent abuse, but it is not stored with your rating.', 'ratingd' );
	}
	$what = 'full' === $store
		? __( 'To prevent abuse, your IP address and a keyed hash of your browser’s name are stored with your rating.', 'ratingd' )
		: __( 'To prevent abuse, keyed hashes of your IP address and of your browser’s name are stored with your rating. The IP address itself is not stored.', 'ratingd' );
	$days = (int) setting( 'address_retention_days', 30 );
	return $what . ' ' . ( $days > 0
		/* translators: %d: a number of days. */
		? sprintf( _n( 'This data is deleted after %d day.', 'This data is deleted after %d days.', $days, 'ratingd' ), $days )
		: __( 'This data is kept as long as your rating.', 'ratingd' ) );
}
