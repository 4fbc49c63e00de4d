<?php
/**
 * Manages the names of criteria and reactions. ratingd's setting "facets" contains the list of names. A WordPress
 * option contains the label of each name, which can change at any time, and its weight or emoji.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const NAMES       = 'ratingd_names';
const MOST_NAMES  = 20; // kMaxFacets
const LABEL_SIZE  = 60; // characters
const ICON_SIZE   = 8;  // characters, as people count them
const ICON_POINTS = 64; // Unicode code points
const POST_CHUNK  = 20; // The number of posts whose contents are searched for names at a time.
const NAME_GROUPS = array( 'criteria', 'reactions' );
// Maps some names of reactions to their default emoji.
const REACTION_ICONS = array(
	'like'  => '👍',
	'love'  => '❤️',
	'funny' => '😂',
	'wow'   => '😮',
	'sad'   => '😢',
	'angry' => '😡',
);

/**
 * Returns the default label of a name, such as "Service quality" for "service_quality".
 *
 * @param string $name The name.
 * @return string
 */
function name_in_words( $name ) {
	return ucfirst( str_replace( array( '_', '-' ), ' ', $name ) );
}

/**
 * Returns the site's names in display order.
 *
 * @return array[]|null "label", "group" ("criteria" or "reactions"), "weight" and "icon" by names. Null if ratingd's
 *                      settings cannot be read.
 */
function site_names() {
	$facets = setting( 'facets', array() );
	if ( null === $facets ) {
		return null;
	}
	$stored = (array) get_option( NAMES, array() );
	$names  = array();
	foreach ( array_filter( (array) $facets, 'is_string' ) as $name ) {
		$given          = is_array( $stored[ $name ] ?? null ) ? $stored[ $name ] : array();
		$names[ $name ] = clean_name( $given + array( 'group' => isset( REACTION_ICONS[ $name ] ) ? 'reactions' : 'criteria' ), $name );
	}
	return $names;
}

/**
 * Returns only the known properties of a name.
 *
 * @param array  $given The values that are stored, or that the form sends.
 * @param string $name  The name.
 * @return array As returned by site_names().
 */
function clean_name( array $given, $name ) {
	$label  = clean_text( $given['label'] ?? '', LABEL_SIZE );
	$weight = str_replace( ',', '.', (string) ( is_scalar( $given['weight'] ?? 1 ) ? $given['weight'] ?? 1 : 1 ) );
	$weight = is_numeric( $weight ) && $weight > 0 ? min( 100, round( (float) $weight, 2 ) ) : 1;
	// An emoji may consist of several code points. For example, a family emoji consists of seven code points. In PCRE, \X
	// matches a complete character.
	preg_match( '/^\X{0,' . ICON_SIZE . '}/u', clean_text( $given['icon'] ?? '', ICON_POINTS ), $icon );
	$icon = trim( $icon[0] ?? '' );
	return array(
		'label'  => '' === $label ? name_in_words( $name ) : $label,
		'group'  => 'reactions' === ( $given['group'] ?? '' ) ? 'reactions' : 'criteria',
		'weight' => $weight > 0 ? $weight : 1,
		'icon'   => '' === $icon && ! array_key_exists( 'icon', $given ) ? REACTION_ICONS[ $name ] ?? '' : $icon,
	);
}

/**
 * Returns a new name for a label. Names are parts of URLs and of object types, so few characters are allowed.
 *
 * @param string   $label The label.
 * @param string   $group "criteria" or "reactions".
 * @param string[] $taken Names that the site has.
 * @return string
 */
function name_for( $label, $group, array $taken ) {
	$words = trim( preg_replace( '/[^a-z0-9_]+/', '-', strtolower( remove_accents( $label ) ) ), '-_' );
	$words = '' === $words ? ( 'criteria' === $group ? 'criterion' : 'reaction' ) : $words;
	$name  = substr( $words, 0, 32 );
	// Some names are reserved because they are the keys of the widgets' own texts. For example, instead of the
	// name "thanks", widgets would show the site's thank-you text. The names "like" and "dislike" are allowed,
	// because the widgets' texts for likes are also suitable for reactions.
	$taken = array_merge( $taken, array_diff( array_keys( words() + text_labels() ), array( 'like', 'dislike' ) ) );
	// If a criterion were named "book", "post:book" would refer to the criterion instead of posts of type "book".
	for ( $number = 2; in_array( $name, $taken, true ) || post_type_exists( $name ); ++$number ) {
		$name = substr( $words, 0, 31 - strlen( (string) $number ) ) . "-$number";
	}
	return $name;
}

/**
 * Stores the names of the site. ratingd may refuse the names, so the function first stores the names in ratingd, and
 * then stores their labels, weights and emoji in WordPress.
 *
 * @param array[] $names As returned by site_names().
 * @return true|\WP_Error
 */
function save_names( array $names ) {
	$facets = array_map( 'strval', array_keys( $names ) );
	if ( array_keys( (array) site_names() ) !== $facets ) {
		$answer = request( 'PATCH', '/settings', array( 'facets' => $facets ), array( 'timeout' => 10 ) );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
	}
	update_option( NAMES, $names );
	return true;
}

/**
 * Changes the names while no other request can change them, so that nothing is lost if two administrators create names
 * at the same time.
 *
 * @param callable $change Reads the stored names, and saves the new names.
 * @return mixed The result of $change, or a \WP_Error.
 */
function change_names( callable $change ) {
	global $wpdb;
	$lock = 'ratingd_names_' . md5( DB_NAME . $wpdb->prefix );
	if ( '1' !== (string) $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 10)', $lock ) ) ) {
		return away( __( 'Somebody else is changing the names at the moment. Please try again.', 'ratingd' ) );
	}
	setting( 'facets', array(), true );
	wp_cache_delete( 'alloptions', 'options' );
	wp_cache_delete( NAMES, 'options' );
	$result = $change();
	$wpdb->query( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $lock ) );
	return $result;
}

/**
 * Adds names.
 *
 * @param string   $group  "criteria" or "reactions".
 * @param string[] $labels Their labels.
 * @return string[]|\WP_Error The names.
 */
function create_names( $group, array $labels ) {
	return change_names(
		function () use ( $group, $labels ) {
			return add_names( $group, $labels );
		}
	);
}

/**
 * Adds names to the names that are stored. Only create_names() calls this function.
 *
 * @param string   $group  "criteria" or "reactions".
 * @param string[] $labels Their labels.
 * @return string[]|\WP_Error The names.
 */
function add_names( $group, array $labels ) {
	$names = site_names();
	if ( null === $names ) {
		return away( __( 'The rating settings cannot be read.', 'ratingd' ) );
	}
	$chosen = array();
	foreach ( $labels as $label ) {
		$label = clean_text( $label, LABEL_SIZE );
		if ( '' === $label ) {
			continue;
		}
		$same = array_keys( wp_list_filter( $names, array( 'label' => $label, 'group' => $group ) ) );
		$name = $same ? (string) $same[0] : name_for( $label, $group, array_map( 'strval', array_keys( $names ) ) );
		if ( ! $same ) {
			$names[ $name ] = clean_name( compact( 'label', 'group' ), $name );
		}
		$chosen[] = $name;
	}
	if ( count( $names ) > MOST_NAMES ) {
		return too_many_names();
	}
	$saved = save_names( $names );
	return is_wp_error( $saved ) ? $saved : array_values( array_unique( $chosen ) );
}

/**
 * Returns the error for more names than a site can have.
 *
 * @return \WP_Error
 */
function too_many_names() {
	/* translators: %s: a number. */
	return new \WP_Error( 'ratingd_too_many_names', sprintf( __( 'A site can have at most %s criteria and reactions.', 'ratingd' ), number_format_i18n( MOST_NAMES ) ), array( 'status' => 400 ) );
}

/**
 * Divides a list into names that exist on the site and unknown names. If the settings cannot be read, all names count
 * as known.
 *
 * @param string $facets Names as authors write them: "taste, service".
 * @return array[] The known and the unknown names.
 */
function divide_names( $facets ) {
	$given = array_values( array_unique( wp_parse_list( strtolower( $facets ) ) ) );
	$known = site_names();
	$valid = null === $known ? $given : array_values( array_intersect( $given, array_map( 'strval', array_keys( $known ) ) ) );
	return array( $valid, array_values( array_diff( $given, $valid ) ) );
}

/**
 * Returns a group of criteria or reactions as the site shows it. Names that do not exist on the site are omitted. The
 * site defines the labels, weights and emoji, unless the author has chosen others.
 *
 * @param array $widget As returned by widget_attributes().
 * @return array
 */
function with_site_names( array $widget ) {
	$key                     = '' === $widget['reactions'] ? 'facets' : 'reactions';
	$given                   = array_values( wp_parse_list( strtolower( $widget[ $key ] ) ) );
	list( $known, $unknown ) = divide_names( $widget[ $key ] );
	$names                   = (array) site_names();
	$own                     = wp_parse_list( $widget['weights'] );
	$weights                 = array();
	foreach ( $known as $name ) {
		$about = $names[ $name ] ?? clean_name( array(), $name );
		if ( name_in_words( $name ) !== $about['label'] ) {
			$widget += array( "label-$name" => $about['label'] );
		}
		if ( 'reactions' === $key && '' !== $about['icon'] ) {
			$widget += array( "icon-$name" => $about['icon'] );
		}
		$weights[] = $own ? $own[ array_search( $name, $given, true ) ] ?? '1' : (string) $about['weight'];
	}
	if ( $unknown ) {
		$widget[ $key ] = implode( ', ', $known );
	}
	if ( $unknown || ! $own ) {
		$widget['weights'] = array_diff( $weights, array( '1' ) ) ? implode( ', ', $weights ) : '';
	}
	return $widget;
}

/**
 * Returns a note for editors about the names that a group omits.
 *
 * @param string $facets Names as the author wrote them.
 * @return string HTML.
 */
function names_hint( $facets ) {
	list( $known, $unknown ) = divide_names( $facets );
	if ( ! $unknown && $known ) {
		return '';
	}
	if ( ! $unknown ) {
		return hint( __( 'No rating is shown here, because no criteria or reactions are chosen. Only editors see this note.', 'ratingd' ) );
	}
	/* translators: %s: a list of names. */
	$text = __( 'Visitors do not see these names, because the site has no such criteria or reactions: %s. Create these names under Ratings → Criteria and reactions, or choose other names. Only editors see this note.', 'ratingd' );
	return hint( sprintf( $text, implode( ', ', $unknown ) ) );
}

// --- Uses of names --------------------------------------------------------------------------------

/**
 * Returns the number of ratings for each name, including removed names.
 *
 * @return int[] By names.
 */
function ratings_of_names() {
	$rows   = read_tables(
		function ( $wpdb ) {
			return $wpdb->get_results( "SELECT object_type, SUM(total) AS total FROM {$wpdb->prefix}ratingd_post_stats WHERE object_type LIKE '%:%' GROUP BY object_type" );
		}
	);
	$totals = array();
	foreach ( (array) $rows as $row ) {
		$name            = substr( $row->object_type, strrpos( $row->object_type, ':' ) + 1 );
		$totals[ $name ] = ( $totals[ $name ] ?? 0 ) + (int) $row->total;
	}
	return $totals;
}

/**
 * Returns the names in a text's blocks and shortcodes.
 *
 * @param string $content The content of a post.
 * @return string[]
 */
function names_in_content( $content ) {
	preg_match_all( '/\b(?:facets|reactions)(?:"\s*:|\s*=)\s*(?:["“”\']|&quot;)?([a-z0-9_, -]+)/i', $content, $found );
	return $found[1] ? array_unique( wp_parse_list( strtolower( implode( ',', $found[1] ) ) ) ) : array();
}

/**
 * Returns the newest thousand posts, pages, templates and patterns whose content has criteria or reactions. Contents
 * may be large, so only a few contents are in memory at a time.
 *
 * @return array[] Lists of ids by names.
 */
function posts_with_names() {
	global $wpdb;
	$uses = array();
	$end  = PHP_INT_MAX;
	for ( $read = 0; $read < 1000; $read += POST_CHUNK ) {
		$posts = $wpdb->get_results(
			$wpdb->prepare(
				"SELECT ID, post_content FROM $wpdb->posts WHERE ID < %d AND post_status NOT IN ('trash', 'auto-draft', 'inherit')
				AND post_content LIKE '%%ratingd%%' AND (post_content LIKE '%%facets%%' OR post_content LIKE '%%reactions=%%') ORDER BY ID DESC LIMIT %d",
				$end,
				POST_CHUNK
			)
		);
		foreach ( $posts as $post ) {
			$end = (int) $post->ID;
			foreach ( names_in_content( $post->post_content ) as $name ) {
				$uses[ $name ][] = $end;
			}
		}
		$is_last = count( $posts ) < POST_CHUNK;
		unset( $posts );
		$wpdb->flush();
		if ( $is_last ) {
			break;
		}
	}
	return $uses;
}

/**
 * Returns the titles of the types on which names are placed.
 *
 * @return array[] Lists of titles by names.
 */
function places_with_names() {
	$uses = array();
	foreach ( placeable() as $type => $title ) {
		$placement = placement( $type );
		if ( '' === $placement['where'] || '' === $placement['group'] ) {
			continue;
		}
		foreach ( wp_parse_list( $placement['facets'] ) as $name ) {
			$uses[ $name ][] = $title;
		}
	}
	return $uses;
}

// --- REST routes for the block editor -------------------------------------------------------------

add_action(
	'rest_api_init',
	function () {
		register_rest_route(
			SITE_HEALTH_NAMESPACE,
			'/names',
			array(
				'methods'             => 'POST',
				'callback'            => function ( $request ) {
					$chosen = create_names( $request['group'], (array) $request['labels'] );
					return is_wp_error( $chosen ) ? $chosen : array(
						'chosen' => $chosen,
						'names'  => (object) get_option( NAMES, array() ),
					);
				},
				'permission_callback' => function () {
					return current_user_can( 'manage_options' );
				},
				'args'                => array(
					'group'  => array(
						'type'     => 'string',
						'enum'     => NAME_GROUPS,
						'required' => true,
					),
					'labels' => array(
						'type'     => 'array',
						'items'    => array( 'type' => 'string' ),
						'minItems' => 1,
						'maxItems' => MOST_NAMES,
						'required' => true,
					),
				),
			)
		);
	}
);
