<?php
/**
 * AggregateRating for search engines, in the page as the server makes it: in the node that an SEO plugin or a shop
 * writes already, else in one of its own. The numbers come from ratingd's view, without a request.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// Search engines show stars for these: https://developers.google.com/search/docs/appearance/structured-data/review-snippet
const SCHEMA_TYPES = array( 'Book', 'Course', 'CreativeWorkSeason', 'CreativeWorkSeries', 'Episode', 'Event', 'Game', 'LocalBusiness', 'MediaObject', 'Movie', 'MusicPlaylist', 'MusicRecording', 'Organization', 'Product', 'Recipe', 'SoftwareApplication' );

/**
 * What a page says of its rating, kept while it is made.
 */
final class Rated_Page {
	/**
	 * Attributes of the widget for the page's own post; null without one.
	 *
	 * @var array|null
	 */
	public static $widget = null;

	/**
	 * Whether some node of the page has a rating.
	 *
	 * @var bool
	 */
	public static $has_rating = false;
}

/**
 * The post that the page is about; null on lists.
 *
 * @return \WP_Post|null
 */
function page_post() {
	$post = is_singular() && ! is_preview() && ! post_password_required() ? get_queried_object() : null;
	return $post instanceof \WP_Post ? $post : null;
}

/**
 * The category of a widget.
 *
 * @param array $attributes As widget() has them.
 * @return string
 */
function category_of( array $attributes ) {
	$builtin = array(
		'simple/heart'        => 'binary',
		'simple/like-dislike' => 'bipolar',
		'simple/thumbs'       => 'bipolar',
	);
	$slug    = $attributes['template'] ?? '';
	if ( '' === $slug ) {
		return $attributes['category'] ?? 'scale';
	}
	if ( 0 === strpos( $slug, 'simple/' ) ) {
		return $builtin[ $slug ] ?? 'scale';
	}
	return own_templates()[ $slug ]->category ?? '';
}

/**
 * Takes notice of a widget, if it shows the stars of the page's own post.
 *
 * @param array $attributes As widget() has them.
 */
function note_widget( array $attributes ) {
	$post = page_post();
	if ( ! $post || (string) $post->ID !== (string) ( $attributes['id'] ?? $post->ID )
		|| object_type( $post->post_type ) !== ( $attributes['type'] ?? 'post' )
		|| '' !== (string) ( $attributes['hide-result'] ?? '' ) || 'scale' !== category_of( $attributes ) ) {
		return;
	}
	// One that names a type comes first.
	if ( null === Rated_Page::$widget || '' === ( Rated_Page::$widget['schema'] ?? '' ) ) {
		Rated_Page::$widget = $attributes;
	}
}

/**
 * Looks for the widget of a post that was not shown yet: classic themes print the head before the content.
 *
 * @param \WP_Post $post The post.
 */
function look_for_widgets( $post ) {
	if ( is_placed( $post ) ) {
		note_widget( placement( $post->post_type ) );
	}
	if ( has_shortcode( $post->post_content, 'ratingd' ) ) {
		preg_match_all( '/' . get_shortcode_regex( array( 'ratingd' ) ) . '/', $post->post_content, $found );
		foreach ( $found[3] as $text ) {
			note_widget( (array) shortcode_parse_atts( $text ) );
		}
	}
	if ( has_block( 'ratingd/rating', $post ) ) {
		look_for_blocks( parse_blocks( $post->post_content ) );
	}
}

/**
 * Looks for the block "Rating", also within other blocks.
 *
 * @param array $blocks As of parse_blocks().
 */
function look_for_blocks( array $blocks ) {
	foreach ( $blocks as $block ) {
		if ( 'ratingd/rating' === $block['blockName'] ) {
			$own = array(
				'hide-result' => empty( $block['attrs']['hideResult'] ) ? '' : 'true',
			);
			if ( ! empty( $block['attrs']['objectId'] ) ) {
				$own['id'] = $block['attrs']['objectId'];
			}
			note_widget( $own + $block['attrs'] );
		}
		look_for_blocks( $block['innerBlocks'] );
	}
}

/**
 * The rating of the page's post, as far as it is shown.
 *
 * @return array|null AggregateRating; null if there is none to tell.
 */
function aggregate_rating() {
	static $known = array();
	$post         = page_post();
	if ( ! $post || ! is_served() ) {
		return null;
	}
	if ( ! array_key_exists( $post->ID, $known ) ) {
		look_for_widgets( $post );
		$known[ $post->ID ] = ratings_of( array( $post->ID ), $post->post_type )[ $post->ID ]['scale'] ?? null;
	}
	$row = $known[ $post->ID ];
	if ( ! $row || null === Rated_Page::$widget || 'false' === ( Rated_Page::$widget['counts'] ?? '' ) ) {
		return null;
	}
	$best = 'simple/slider' === ( Rated_Page::$widget['template'] ?? '' ) ? 10 : 5;
	return array(
		'@type'       => 'AggregateRating',
		'ratingValue' => round( $row->average * $best, 1 ),
		'bestRating'  => $best,
		'worstRating' => 0,
		'ratingCount' => (int) $row->total,
	);
}

/**
 * Adds the rating to the first node of a graph that may have one.
 *
 * @param array $nodes Nodes of JSON-LD.
 * @return array
 */
function rate_nodes( $nodes ) {
	if ( Rated_Page::$has_rating || ! is_array( $nodes ) ) {
		return $nodes;
	}
	foreach ( $nodes as &$node ) {
		$types = is_array( $node ) ? (array) ( $node['@type'] ?? array() ) : array();
		if ( ! array_intersect( $types, array_diff( SCHEMA_TYPES, array( 'Organization', 'LocalBusiness' ) ) ) ) {
			continue;
		}
		if ( ! isset( $node['aggregateRating'] ) ) {
			$rating = aggregate_rating();
			if ( ! $rating ) {
				return $nodes;
			}
			$node['aggregateRating'] = $rating;
		}
		Rated_Page::$has_rating = true;
		break;
	}
	return $nodes;
}

/**
 * The same for a single node.
 *
 * @param array $node A node of JSON-LD.
 * @return array
 */
function rate_node( $node ) {
	return rate_nodes( array( $node ) )[0];
}

add_filter( 'wpseo_schema_graph', __NAMESPACE__ . '\rate_nodes', 100 );
add_filter( 'rank_math/json_ld', __NAMESPACE__ . '\rate_nodes', 100 );
add_filter( 'woocommerce_structured_data_product', __NAMESPACE__ . '\rate_node', 100 );
foreach ( array( 'product', 'recipe', 'course', 'event', 'softwareapp', 'localbusiness' ) as $ratingd_kind ) {
	add_filter( "seopress_schemas_auto_{$ratingd_kind}_json", __NAMESPACE__ . '\rate_node', 100 );
}
unset( $ratingd_kind );

// Where every widget of the page is known, and no other plugin has said it.
add_action(
	'wp_footer',
	function () {
		$post = page_post();
		$type = Rated_Page::$widget['schema'] ?? '';
		if ( Rated_Page::$has_rating || ! $post || ! in_array( $type, SCHEMA_TYPES, true ) ) {
			return;
		}
		$rating = aggregate_rating();
		if ( ! $rating ) {
			return;
		}
		$node  = array(
			'@context'        => 'https://schema.org',
			'@type'           => $type,
			'@id'             => get_permalink( $post ) . '#ratingd',
			'name'            => html_entity_decode( wp_strip_all_tags( get_the_title( $post ) ), ENT_QUOTES ),
			'url'             => get_permalink( $post ),
			'aggregateRating' => $rating,
		);
		$image = get_the_post_thumbnail_url( $post, 'full' );
		if ( $image ) {
			$node['image'] = $image;
		}
		/**
		 * Filters the node that tells search engines the rating of a post.
		 *
		 * @param array    $node JSON-LD; an empty array for none.
		 * @param \WP_Post $post The post.
		 */
		$node = apply_filters( 'ratingd_structured_data', $node, $post );
		if ( $node ) {
			$json = wp_json_encode( $node, JSON_HEX_TAG | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );
			wp_print_inline_script_tag( $json, array( 'type' => 'application/ld+json' ) );
		}
	},
	30
);
