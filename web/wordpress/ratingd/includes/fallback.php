<?php
/**
 * Adds the figures of a widget as text. Visitors see this text until the widget's script runs, and visitors without
 * scripts see only the text. A single statement reads the figures for all widgets of a page from ratingd's view. A page
 * cache may store old figures, but the script replaces them with the current figures.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The figures shown by the built-in templates for likes. All other templates show an average and the number of
// votes.
const SHOWN_FIGURES = array(
	'simple/heart'        => array( 'positive' ),
	'simple/like-dislike' => array( 'positive', 'negative' ),
	'simple/thumbs'       => array( 'score' ),
);

/**
 * Returns the figures that a widget shows.
 *
 * @param array $widget As returned by widget_attributes().
 * @return string[] A selection of average, total, positive, negative and score.
 */
function shown_figures( array $widget ) {
	$slug      = $widget['template'];
	$is_hidden = 'false' === $widget['counts'];
	if ( 0 === strpos( $slug, 'simple/' ) ) {
		$shown = SHOWN_FIGURES[ $slug ] ?? array( 'average', 'total' );
		return $is_hidden ? array_intersect( $shown, array( 'average' ) ) : $shown;
	}
	$html = own_templates()[ $slug ]->html ?? '';
	$html = $is_hidden ? preg_replace( '~{{#COUNTS}}.*?{{/COUNTS}}~s', '', $html ) : $html;
	preg_match_all( '/\sdata-(?:count|stat)\s*=\s*["\']?(average|total|positive|negative|score)\b/i', (string) $html, $found );
	return array_map( 'strtolower', $found[1] );
}

/**
 * Returns the objects of other widgets that the page may contain. For posts, the result contains the posts that queries
 * have found, and the posts that their content mentions. For comments, the result contains the loaded comments. For
 * authors, the result contains the authors of the posts.
 *
 * @param string $type The type of objects.
 * @return array
 */
function expected_objects( $type ) {
	if ( 'comment' === $type ) {
		return loaded_comments();
	}
	if ( 'author' === $type ) {
		return array_map( 'intval', wp_list_pluck( $GLOBALS['wp_query']->posts ?? array(), 'post_author' ) );
	}
	$objects = array();
	foreach ( post_types() as $post_type ) {
		if ( object_type( $post_type ) === $type ) {
			$objects = array_merge( $objects, array_map( __NAMESPACE__ . '\object_id', found_posts( $post_type ) ) );
		}
	}
	static $named = array();
	$blog         = get_current_blog_id();
	if ( ! isset( $named[ $blog ] ) ) {
		$named[ $blog ] = array();
		foreach ( (array) $GLOBALS['wp_query']->posts as $post ) {
			foreach ( $post instanceof \WP_Post ? written_widgets( $post->post_content ) : array() as $given ) {
				$named[ $blog ][] = (string) ( $given['id'] ?? $given['object-id'] ?? '' );
			}
		}
	}
	return array_merge( $objects, preg_grep( '/^[1-9][0-9]{0,18}$/D', $named[ $blog ] ) );
}

/**
 * Returns the rows of a widget's object if visitors may see them.
 *
 * @param array $widget As returned by widget_attributes().
 * @return array|null Rows by category. Null if they are unknown, or if visitors may not see them.
 */
function public_ratings( array $widget ) {
	$of_posts = array_map( __NAMESPACE__ . '\object_type', post_types() );
	$post     = in_array( $widget['type'], $of_posts, true ) ? get_post( (int) $widget['id'] ) : null;
	if ( $post && ! is_readable_by_all( $post ) ) {
		return null;
	}
	$others = function () use ( $widget ) {
		return expected_objects( $widget['type'] );
	};
	return object_ratings( $widget['id'], $widget['type'], $others );
}

/**
 * Returns the figures of a widget as text, such as "Rating: 4.3 of 5 (12 votes)".
 *
 * @param array $widget As returned by widget_attributes().
 * @return string Empty if the widget shows no figures, or shows them only to voters.
 */
function figures_in_words( array $widget ) {
	$category = category_of( $widget );
	$shown    = array_fill_keys( shown_figures( $widget ), true );
	if ( 'scale' !== $category ) {
		unset( $shown['average'] );
	}
	// Excerpts should not contain figures.
	if ( '' === $category || '' !== $widget['hide-result'] || ! $shown || doing_filter( 'get_the_excerpt' ) ) {
		return '';
	}
	$ratings = public_ratings( $widget );
	if ( null === $ratings ) {
		return '';
	}
	return isset( $ratings[ $category ] ) ? say_figures( $widget, $shown, $ratings[ $category ] ) : __( 'No ratings yet.', 'ratingd' );
}

/**
 * Returns the words for the figures.
 *
 * @param array  $widget As returned by widget_attributes().
 * @param array  $shown  An array whose keys are the names of the figures.
 * @param object $row    A row of object_ratings().
 * @return string
 */
function say_figures( array $widget, array $shown, $row ) {
	$best    = scale_of( $widget );
	$average = number_format_i18n( on_scale( (float) $row->average, $best ), places_of( $best ) );
	/* translators: 1: an average, such as 4.2, 2: the best that there is, such as 5. */
	$average = sprintf( __( '%1$s of %2$s', 'ratingd' ), $average, number_format_i18n( $best ) );
	$figures = array(
		'average'  => array( 'rating', __( 'Rating', 'ratingd' ), $average ),
		'positive' => array( 'like', __( 'Likes', 'ratingd' ), number_format_i18n( (int) $row->positive ) ),
		'negative' => array( 'dislike', __( 'Dislikes', 'ratingd' ), number_format_i18n( (int) $row->negative ) ),
		'score'    => array( 'rating', __( 'Score', 'ratingd' ), signed( (int) $row->score ) ),
	);
	$said    = array();
	foreach ( array_intersect_key( $figures, $shown ) as list( $label, $word, $figure ) ) {
		/* translators: 1: a word, such as "Rating" or "Likes", 2: a figure, such as "4.2 of 5" or 12. */
		$said[] = sprintf( __( '%1$s: %2$s', 'ratingd' ), $widget[ "label-$label" ] ?? $word, $figure );
	}
	$said  = implode( wp_get_list_item_separator(), $said );
	$votes = isset( $shown['total'] ) ? votes( (int) $row->total ) : '';
	/* translators: 1: "Rating: 4.2 of 5", 2: "12 votes". */
	return $said && $votes ? sprintf( __( '%1$s (%2$s)', 'ratingd' ), $said, $votes ) : $said . $votes;
}

/**
 * Returns the ratings of an object's criteria or reactions. The function reads all ratings with one statement.
 *
 * @param array    $widget   As returned by widget_attributes().
 * @param string[] $facets   The names of the criteria or reactions.
 * @param int      $category The number of their category, as in CATEGORIES.
 * @return object[]|null Rows by name. Null if they are unknown, or if visitors may not see them.
 */
function public_facet_ratings( array $widget, array $facets, $category ) {
	if ( null === public_ratings( $widget ) ) {
		return null;
	}
	$types = array();
	foreach ( $facets as $facet ) {
		$types[ "{$widget['type']}:$facet" ] = $facet;
	}
	$rows = read_tables(
		function ( $wpdb ) use ( $widget, $types, $category ) {
			$marks     = implode( ',', array_fill( 0, count( $types ), '%s' ) );
			$statement = "SELECT object_type, total, positive, average FROM {$wpdb->prefix}ratingd_post_stats
				WHERE post_id = {$widget['id']} AND category = %s AND object_type IN ($marks)";
			return $wpdb->get_results( $wpdb->prepare( $statement, CATEGORIES[ $category ], ...array_keys( $types ) ) );
		}
	);
	if ( null === $rows ) {
		return null;
	}
	$ratings = array();
	foreach ( $rows as $row ) {
		$ratings[ $types[ $row->object_type ] ] = $row;
	}
	return $ratings;
}

/**
 * Returns the figures of a group as text, such as a line "Taste: 4.3 of 5" for each criterion.
 *
 * @param array $widget As returned by widget_attributes(), with the names in "facets".
 * @return string HTML. Empty if there are no figures that visitors may see.
 */
function group_figures_html( array $widget ) {
	if ( '' !== $widget['hide-result'] || doing_filter( 'get_the_excerpt' ) ) {
		return '';
	}
	$is_reactions = '' !== $widget['reactions'];
	$facets       = wp_parse_list( strtolower( $widget['facets'] ) );
	$best         = scale_of( $widget );
	$best         = $best ? $best : USUAL_STARS;
	$ratings      = $facets ? public_facet_ratings( $widget, $facets, $is_reactions ? 0 : 2 ) : null;
	if ( null === $ratings || ( $is_reactions && 'false' === $widget['counts'] ) ) {
		return '';
	}
	$lines = array();
	foreach ( $facets as $facet ) {
		$row   = $ratings[ $facet ] ?? null;
		$label = $widget[ "label-$facet" ] ?? ucfirst( str_replace( array( '_', '-' ), ' ', $facet ) );
		if ( $is_reactions ) {
			$figure = number_format_i18n( $row ? (int) $row->positive : 0 );
		} elseif ( $row ) {
			/* translators: 1: an average, such as 4.2, 2: the best that there is, such as 5. */
			$figure = sprintf( __( '%1$s of %2$s', 'ratingd' ), number_format_i18n( on_scale( (float) $row->average, $best ), places_of( $best ) ), number_format_i18n( $best ) );
		} else {
			$figure = '–';
		}
		/* translators: 1: a word, such as "Rating" or "Likes", 2: a figure, such as "4.2 of 5" or 12. */
		$lines[] = esc_html( sprintf( __( '%1$s: %2$s', 'ratingd' ), $label, $figure ) );
	}
	return '<bdi>' . implode( $is_reactions ? ' &nbsp; ' : '<br>', $lines ) . '</bdi>';
}
