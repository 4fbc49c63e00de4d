<?php
/**
 * Adds the menu entry "Ratings" to wp-admin, which shows the page that nginx serves at {base}/admin/.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the capability for opening the page. All users who may see analytics have this capability.
 *
 * @return string A capability.
 */
function page_capability() {
	if ( current_user_can( 'manage_options' ) ) {
		return 'manage_options';
	}
	return in_array( 'analytics', rights(), true ) ? 'read' : 'do_not_allow';
}

add_action(
	'admin_menu',
	function () {
		$capability = page_capability();
		if ( ! is_served() || 'do_not_allow' === $capability ) {
			return;
		}
		$title = __( 'Ratings', 'ratingd' );
		$hook  = add_menu_page( $title, $title . badge(), $capability, 'ratingd', __NAMESPACE__ . '\show_page', 'dashicons-star-filled', 26 );
		add_action( "admin_print_scripts-$hook", __NAMESPACE__ . '\enqueue_page' );
	}
);

/**
 * Returns the language of wp-admin for the current user: a BCP 47 tag without variants such as "formal".
 *
 * @return string
 */
function locale_tag() {
	return implode( '-', array_slice( explode( '_', get_user_locale() ), 0, 2 ) );
}

// The maximum number of held votes counted by a wp-admin page.
const HELD_COUNTED = 100;

/**
 * Returns the number of votes that are held until an administrator decides. The maximum is HELD_COUNTED.
 *
 * @return int
 */
function held_votes() {
	static $known   = array();
	$blog           = get_current_blog_id();
	$known[ $blog ] = $known[ $blog ] ?? (int) read_tables(
		function ( $wpdb ) {
			return $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM (SELECT 1 FROM {$wpdb->prefix}ratingd_held LIMIT %d) AS counted", HELD_COUNTED ) );
		}
	);
	return $known[ $blog ];
}

/**
 * Returns the number at the menu entry, which the page's script updates later. WordPress hides the number 0.
 *
 * @return string HTML. Empty for users who may not decide on held votes.
 */
function badge() {
	if ( ! current_user_can( 'manage_options' ) ) {
		return '';
	}
	$held   = held_votes();
	$number = $held < HELD_COUNTED ? number_format_i18n( $held ) : number_format_i18n( HELD_COUNTED - 1 ) . '+';
	/* translators: %s: a number. */
	$text = sprintf( _n( '%s held vote', '%s held votes', $held, 'ratingd' ), $number );
	return sprintf(
		' <span class="awaiting-mod count-%d"><span aria-hidden="true">%s</span><span class="screen-reader-text">%s</span></span>',
		$held,
		esc_html( $number ),
		esc_html( $text )
	);
}

/**
 * Adds the page's script and style sheet. The page has no inline script.
 */
function enqueue_page() {
	$base = ratingd_base_url() . '/admin/ratingd-admin';
	wp_enqueue_style( 'ratingd-admin', "$base.css", array(), VERSION );
	wp_enqueue_script( 'ratingd-admin-page', URL . '/js/admin-page.js', array(), VERSION, true );
	wp_enqueue_script( 'ratingd-admin', "$base.js", array( 'ratingd-admin-page' ), VERSION, true );
}

// WordPress before version 6.5 does not support script modules.
add_filter(
	'script_loader_tag',
	function ( $tag, $handle, $address ) {
		if ( 'ratingd-admin' !== $handle ) {
			return $tag;
		}
		return sprintf( '<script type="module" src="%s" id="ratingd-admin-js"></script>' . "\n", esc_url( $address ) );
	},
	10,
	3
);

/**
 * Returns the newest post that visitors can read, so that the owner can look at its rating. If ratings are placed in
 * some types of posts, the post has one of these types.
 *
 * @return string The URL of the post. Empty if there is no such post.
 */
function newest_post() {
	$types = HAS_WIDGETS ? placed_types() : array();
	$posts = get_posts(
		array(
			'numberposts'  => 1,
			'post_type'    => $types ? $types : 'post',
			'has_password' => false,
		)
	);
	return $posts ? get_permalink( $posts[0] ) : '';
}

/**
 * Prints the page.
 */
function show_page() {
	if ( ! current_user_can( page_capability() ) ) {
		return;
	}
	$owns = current_user_can( 'manage_options' );
	printf( '<div class="wrap"><h1>%s</h1>', esc_html__( 'Ratings', 'ratingd' ) );
	print_root(
		array(
			'rights'    => implode( ' ', rights() ),
			'edit'      => admin_url( 'post.php?post={id}&action=edit' ),
			'profile'   => current_user_can( 'edit_users' ) ? admin_url( 'user-edit.php?user_id={id}' ) : '',
			'held'      => $owns ? (string) held_votes() : '',
			'placement' => $owns ? menu_page_url( 'ratingd-placement', false ) : '',
			'names'     => $owns ? menu_page_url( 'ratingd-names', false ) : '',
			'placed'    => HAS_WIDGETS && placed_types() ? '1' : '',
			'newest'    => newest_post(),
			'hint'      => $owns && HAS_WIDGETS ? stars_hint() : '',
			'problems'  => $owns && HAS_WIDGETS ? wp_json_encode( contradictions( false ), JSON_HEX_AMP ) : '',
		)
	);
	echo '</div>';
}

/**
 * Prints the element that the page's script fills.
 *
 * @param string[] $data Additional data for the script. "rights" determines the views of the page.
 */
function print_root( $data ) {
	$words = translation( 'json' );
	$data += array(
		'base'      => ratingd_base_url(),
		'nonce'     => rest_nonce(),
		'nonce-url' => nonce_path(),
		'ajax'      => admin_url( 'admin-ajax.php' ),
		'locale'    => locale_tag(),
		'stars'     => site_stars(),
		'types'     => wp_json_encode( titles_of_values(), JSON_FORCE_OBJECT | JSON_HEX_AMP ),
		'facets'    => wp_json_encode( HAS_WIDGETS ? wp_list_pluck( (array) site_names(), 'label' ) : array(), JSON_FORCE_OBJECT | JSON_HEX_AMP ),
		'words'     => $words ? URL . "/languages/$words" : '',
	);
	printf(
		'<div class="notice notice-error" id="ratingd-admin-missing" hidden><p>%s</p></div>',
		esc_html__( 'The page cannot be loaded, because the web server did not receive it from ratingd. For details, see Tools → Site Health.', 'ratingd' )
	);
	printf( '<noscript><p>%s</p></noscript>', esc_html__( 'This page needs JavaScript.', 'ratingd' ) );
	echo '<div id="ratingd-admin"';
	foreach ( $data as $name => $value ) {
		printf( ' data-%s="%s"', esc_attr( $name ), esc_attr( $value ) );
	}
	echo '></div>';
}
