<?php
/**
 * A contradiction is a setting that makes the service refuse votes on a rating that visitors see. Contradictions are
 * shown on Ratings → Placement, in the block editor, in Site Health, and on the "Health" page.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns whether the settings accept ratings for a type.
 *
 * @param string $type A type of posts, or a key of further_titles().
 * @return bool
 */
function is_type_enabled( $type ) {
	$enabled = (array) setting( 'enabled_object_types', array() );
	$rated   = isset( further_titles()[ $type ] ) ? $type : object_type( $type );
	// A rule for "post:post" applies only to posts of type "post", while a rule for "post" applies to posts of all
	// types. ratingd looks up a post's type only if the rated type is "post".
	$names = 'post' === $rated ? array( 'post', $type, "post:$type" ) : array( $rated );
	return ! $enabled || array_intersect( $names, $enabled );
}

/**
 * Returns a contradiction.
 *
 * @param string $title The subject.
 * @param string $text  The effect on visitors, and the remedy.
 * @param string $url   The page on which an owner can change the setting.
 * @param string $type  The type on which the rating is placed. Empty if the contradiction is not about one type.
 * @return array
 */
function contradiction( $title, $text, $url, $type = '' ) {
	return array(
		'title' => $title,
		'text'  => $text,
		'url'   => $url,
		'type'  => $type,
	);
}

/**
 * Returns the URL of a setting on the administration page.
 *
 * @param string $search The search words for the setting.
 * @return string
 */
function settings_url( $search ) {
	return admin_url( 'admin.php?page=ratingd#/settings?search=' . rawurlencode( $search ) );
}

/**
 * Returns the settings that make all votes, or many visitors' votes, fail.
 *
 * @return array[] As returned by contradiction().
 */
function general_contradictions() {
	$found = array();
	if ( false === setting( 'enabled', true ) ) {
		$found[] = contradiction(
			__( 'Ratings are closed', 'ratingd' ),
			__( 'Visitors see ratings, but nobody can rate. Turn on the “Accept ratings” setting.', 'ratingd' ),
			settings_url( 'enabled' )
		);
	}
	$can_register = is_multisite() ? in_array( get_site_option( 'registration' ), array( 'all', 'user' ), true ) : get_option( 'users_can_register' );
	if ( setting( 'require_login', false ) && ! $can_register ) {
		$found[] = contradiction(
			__( 'Visitors cannot register', 'ratingd' ),
			__( 'Only registered users may rate, and nobody can register on this site. Allow registrations in Settings → General, or let visitors rate without logging in.', 'ratingd' ),
			settings_url( 'require_login' )
		);
	}
	return $found;
}

/**
 * Returns the reason why votes in a category fail.
 *
 * @param string $category "binary", "bipolar" or "scale".
 * @return string Empty if the settings accept the category, or if they cannot be read.
 */
function category_problem( $category ) {
	$enabled = setting( 'enabled_categories', CATEGORIES );
	if ( null === $enabled || in_array( $category, (array) $enabled, true ) ) {
		return '';
	}
	return __( 'This kind of rating is turned off in the settings, so visitors cannot vote. Turn on this kind of rating under “Kinds of ratings”, or choose another template.', 'ratingd' );
}

/**
 * Returns the contradictions of the rating that is placed on a type.
 *
 * @param string $type  As passed to placement().
 * @param string $title The title of the type.
 * @return array[] As returned by contradiction().
 */
function contradictions_of( $type, $title ) {
	$placement = placement( $type );
	if ( '' === $placement['where'] ) {
		return array();
	}
	$found = array();
	$here  = admin_url( 'admin.php?page=ratingd-placement' );
	if ( ! is_type_enabled( $type ) ) {
		$text    = __( 'The settings do not allow ratings of this content type, so visitors cannot vote. Allow this type under “Content types that may be rated”, or remove the rating.', 'ratingd' );
		$found[] = contradiction( $title, $text, settings_url( 'enabled_object_types' ), $type );
	}
	$category = 'reactions' === $placement['group'] ? 'binary' : category_of( $placement );
	if ( '' === $category ) {
		$found[] = contradiction( $title, __( 'The template of this rating no longer exists, so nothing is shown. Choose another template.', 'ratingd' ), $here, $type );
	} elseif ( '' !== category_problem( $category ) ) {
		$found[] = contradiction( $title, category_problem( $category ), settings_url( 'enabled_categories' ), $type );
	}
	$unknown = '' === $placement['group'] ? array() : divide_names( $placement['facets'] )[1];
	if ( $unknown ) {
		/* translators: %s: a list of names. */
		$text    = __( 'The site has no criteria or reactions with these names, so visitors do not see them: %s', 'ratingd' );
		$found[] = contradiction( $title, sprintf( $text, implode( ', ', $unknown ) ), $here, $type );
	}
	return $found;
}

/**
 * Returns the contradiction about unknown criteria and reactions in the content of posts.
 *
 * @return array[] As returned by contradiction().
 */
function contradictions_of_posts() {
	$names = site_names();
	$lost  = null === $names ? array() : array_diff_key( posts_with_names(), $names );
	if ( ! $lost ) {
		return array();
	}
	$posts = count( array_unique( array_merge( ...array_values( $lost ) ) ) );
	/* translators: 1: a number, 2: a list of names. */
	$text = _n( '%1$s post or page uses criteria or reactions that do not exist on this site. Visitors do not see these names: %2$s', '%1$s posts and pages use criteria or reactions that do not exist on this site. Visitors do not see these names: %2$s', $posts, 'ratingd' );
	$text = sprintf( $text, number_format_i18n( $posts ), implode( ', ', array_keys( $lost ) ) );
	return array( contradiction( __( 'Criteria and reactions', 'ratingd' ), $text, names_page() ) );
}

/**
 * Returns all contradictions of the site.
 *
 * @param bool $with_posts Whether the content of posts is also searched, which is slow on a large site.
 * @return array[] As returned by contradiction().
 */
function contradictions( $with_posts ) {
	if ( ! HAS_WIDGETS || ! is_served() || null === setting( 'enabled', true ) ) {
		return array();
	}
	$found = general_contradictions();
	foreach ( placeable() as $type => $title ) {
		$found = array_merge( $found, contradictions_of( $type, $title ) );
	}
	return $with_posts ? array_merge( $found, contradictions_of_posts() ) : $found;
}

/**
 * Prints a contradiction.
 *
 * @param array $one As returned by contradiction().
 */
function show_contradiction( array $one ) {
	printf(
		'<div class="notice notice-warning inline" data-ratingd-contradiction><p><strong>%s:</strong> %s <a href="%s">%s</a></p></div>',
		esc_html( $one['title'] ),
		esc_html( $one['text'] ),
		esc_url( $one['url'] ),
		esc_html__( 'Change this', 'ratingd' )
	);
}
