<?php
/**
 * Adds an AggregateRating for search engines to the HTML of the page. If an SEO plugin or a shop writes a node for the
 * post, the rating is added to this node. Otherwise the plugin adds a separate node. The numbers are read from
 * ratingd's view, without a request. docs/themes.md describes the rules.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The schema.org types for which search engines show stars:
// https://developers.google.com/search/docs/appearance/structured-data/review-snippet
const SCHEMA_TYPES = array( 'Book', 'Course', 'CreativeWorkSeason', 'CreativeWorkSeries', 'Episode', 'Event', 'Game', 'LocalBusiness', 'MediaObject', 'Movie', 'MusicPlaylist', 'MusicRecording', 'Organization', 'Product', 'Recipe', 'SoftwareApplication' );

// The schema.org types for which search engines do not show stars if a site rates itself. Other plugins use these
// types only to describe the site itself.
const SELF_SERVING = array( 'LocalBusiness', 'Organization' );

/**
 * Stores information about a page's rating while the page is built.
 */
final class Rated_Page {
	/**
	 * The attributes of the widget that shows the stars of the page's own post. Null if there is no such widget.
	 *
	 * @var array|null
	 */
	public static $widget = null;

	/**
	 * Whether a node of the page has a rating.
	 *
	 * @var bool
	 */
	public static $has_rating = false;
}

/**
 * Returns the post that the page shows. Returns null on lists, and if visitors may not read the post.
 *
 * @return \WP_Post|null
 */
function page_post() {
	$post = is_singular() && ! is_preview() && ! is_feed() ? get_queried_object() : null;
	return $post instanceof \WP_Post && is_readable_by_all( $post ) ? $post : null;
}

/**
 * Returns the category of a widget.
 *
 * @param array $widget As returned by widget_attributes(). A widget without a template uses the site's default.
 * @return string Empty if the template is unknown.
 */
function category_of( array $widget ) {
	$slug = '' === $widget['template'] ? default_template( $widget['category'] ?? '' ) : $widget['template'];
	return BUILT_IN_TEMPLATES[ $slug ] ?? own_templates()[ $slug ]->category ?? '';
}

/**
 * Returns the highest number of the scale on which a widget shows its average.
 *
 * @param array $widget As returned by widget_attributes().
 * @return int 0 if the widget shows no average.
 */
function scale_of( array $widget ) {
	$slug = $widget['template'];
	if ( 0 === strpos( $slug, 'simple/' ) ) {
		$stars = stars_of( $widget );
		return $stars ? $stars : 10;
	}
	$html = own_templates()[ $slug ]->html ?? '';
	// Authors may write attributes with single quotes, with double quotes, or without quotes.
	preg_match( '/<[^<>]*\sdata-stat\s*=\s*(["\']?)average\1[\s\/>][^<]*/i', $html, $element );
	preg_match( '/\sdata-scale\s*=\s*["\']?(\d+)/i', $element[0] ?? '', $scale );
	return (int) ( $scale[1] ?? ( $element ? 1 : 0 ) );
}

/**
 * Returns the highest number of the scale for single ratings outside of widgets. This is the default template's highest
 * number, unless the template shows averages as shares.
 *
 * @return int
 */
function site_scale() {
	$scale = scale_of( array( 'template' => default_template( 'scale' ) ) );
	return $scale > 1 ? $scale : site_stars();
}

/**
 * Registers a widget if it shows the stars and the number of ratings for the page's own post.
 *
 * @param array $widget As returned by widget_attributes().
 */
function register_shown( array $widget ) {
	$post = page_post();
	if ( ! $post || (string) object_id( $post->ID ) !== $widget['id'] || object_type( $post->post_type ) !== $widget['type']
		|| '' !== $widget['hide-result'] || 'false' === $widget['counts'] || 'scale' !== category_of( $widget ) ) {
		return;
	}
	// Store the first widget with a schema type or, if there is none, the last widget on the page.
	if ( null === Rated_Page::$widget || '' === Rated_Page::$widget['schema'] ) {
		Rated_Page::$widget = $widget;
	}
}

/**
 * Returns the widget that will be shown for the page's post. Classic themes print the head before the content, so this
 * function finds the widget in advance.
 *
 * @param \WP_Post $post The post.
 * @return array|null As returned by widget_attributes().
 */
function expected_widget( $post ) {
	$shown = Rated_Page::$widget;
	if ( null === $shown ) {
		array_map( __NAMESPACE__ . '\register_shown', widgets_within( $post ) );
	}
	$expected           = Rated_Page::$widget;
	Rated_Page::$widget = $shown;
	return $expected;
}

/**
 * Returns the widgets of the page's post, from the post's content and from its placement.
 *
 * @param \WP_Post $post The post.
 * @return array[] As returned by widget_attributes().
 */
function widgets_within( $post ) {
	$data    = generate_postdata( $post );
	$content = $data['pages'][ min( $data['page'], count( $data['pages'] ) ) - 1 ] ?? '';
	$widgets = array();
	foreach ( written_widgets( $content ) as $attributes ) {
		$widget = widget_attributes( $attributes, $post->ID );
		if ( (string) object_id( $post->ID ) === $widget['id'] && object_type( $post->post_type ) === $widget['type'] ) {
			$widgets[] = $widget;
		}
	}
	return $widgets || ! is_placed( $post ) ? $widgets : array( widget_attributes( placed_widget( $post ) ) );
}

/**
 * Returns the widgets in a post's content, from shortcodes and blocks.
 *
 * @param string $content The content.
 * @return array[] As passed to ratingd_widget().
 */
function written_widgets( $content ) {
	$written = array();
	if ( has_shortcode( $content, 'ratingd' ) ) {
		preg_match_all( '/' . get_shortcode_regex( array( 'ratingd' ) ) . '/', $content, $found, PREG_SET_ORDER );
		foreach ( $found as $one ) {
			// WordPress shows a shortcode in double brackets as text.
			if ( '[' !== $one[1] ) {
				$written[] = (array) shortcode_parse_atts( $one[3] );
			}
		}
	}
	if ( has_block( 'ratingd/rating', $content ) ) {
		$written = array_merge( $written, array_map( __NAMESPACE__ . '\block_widget', blocks_within( parse_blocks( $content ) ) ) );
	}
	return $written;
}

/**
 * Returns the attributes of all "Rating" blocks for the post in a list of blocks and in their inner blocks.
 *
 * @param array $blocks As returned by parse_blocks().
 * @return array[] The attributes of each block.
 */
function blocks_within( array $blocks ) {
	$found = array();
	foreach ( $blocks as $block ) {
		if ( 'ratingd/rating' === $block['blockName'] ) {
			// If an author has written invalid JSON, the parsed block has no attributes.
			$found[] = (array) $block['attrs'];
		}
		// Skip the blocks inside a post template or a product template, because they show other posts.
		if ( in_array( $block['blockName'], array( 'core/post-template', 'woocommerce/product-template' ), true ) ) {
			continue;
		}
		array_push( $found, ...blocks_within( $block['innerBlocks'] ) );
	}
	return $found;
}

/**
 * Returns the rating of the page's post as a widget shows it.
 *
 * @param array|null $widget As returned by widget_attributes().
 * @return array The AggregateRating. Empty if there is none.
 */
function aggregate_rating( $widget ) {
	$post = page_post();
	$best = $widget ? scale_of( $widget ) : 0;
	if ( ! $post || ! $best || ! is_served() ) {
		return array();
	}
	$row = public_ratings( $widget )['scale'] ?? null;
	if ( ! $row ) {
		return array();
	}
	// In a widget, the lowest rating is one star. Programs that use the API can send lower values.
	$value = on_scale( $row->average, $best );
	$worst = ( 5 === $best || stars_of( $widget ) ) && $value >= 1 ? 1 : 0;
	return array(
		'@type'       => 'AggregateRating',
		// Use a string, because PHP prints 4.3 as 4.2999999999999998 if serialize_precision is 17.
		'ratingValue' => rtrim( rtrim( sprintf( '%.2F', $value ), '0' ), '.' ),
		'bestRating'  => $best,
		'worstRating' => $worst,
		'ratingCount' => (int) $row->total,
	);
}

/**
 * Returns whether search engines show stars for a node that another plugin writes.
 *
 * @param mixed    $node  A node of JSON-LD.
 * @param string[] $types The types.
 * @return bool
 */
function is_ratable( $node, array $types ) {
	return is_array( $node ) && array_intersect( (array) ( $node['@type'] ?? array() ), $types )
		&& ! array_intersect( (array) $node['@type'], SELF_SERVING );
}

/**
 * Adds the rating to the node that describes the post. This is the node with the widget's schema type, or the first
 * node that may have a rating if the widget has no type.
 *
 * @param mixed $nodes Nodes of JSON-LD.
 * @return mixed
 */
function rate_nodes( $nodes ) {
	if ( ! is_array( $nodes ) || ! page_post() ) {
		return $nodes;
	}
	// Do not add a rating if another plugin has already added one, because a page may contain only one rating.
	foreach ( $nodes as $node ) {
		Rated_Page::$has_rating = Rated_Page::$has_rating || ( is_array( $node ) && isset( $node['aggregateRating'] ) );
	}
	// Nodes for WooCommerce's variable products have the type "ProductGroup".
	$ratable = array_filter(
		$nodes,
		function ( $node ) {
			return is_ratable( $node, array_merge( SCHEMA_TYPES, array( 'ProductGroup' ) ) );
		}
	);
	if ( ! $ratable ) {
		return $nodes;
	}
	$widget = expected_widget( page_post() );
	$rating = Rated_Page::$has_rating ? array() : aggregate_rating( $widget );
	if ( ! $rating ) {
		return $nodes;
	}
	$named = array_filter(
		$ratable,
		function ( $node ) use ( $widget ) {
			return is_ratable( $node, array( $widget['schema'] ) );
		}
	);
	$key   = array_key_first( $named ? $named : $ratable );

	$nodes[ $key ]['aggregateRating'] = $rating;
	Rated_Page::$has_rating           = true;
	return $nodes;
}

/**
 * Adds the rating to a single node in the same way as rate_nodes().
 *
 * @param mixed $node A node of JSON-LD.
 * @return mixed
 */
function rate_node( $node ) {
	return rate_nodes( array( $node ) )[0];
}

/**
 * Adds the rating to a WooCommerce product in the same way as rate_nodes(). The product may differ from the page's
 * post.
 *
 * @param mixed       $node    A node of JSON-LD.
 * @param \WC_Product $product The product.
 * @return mixed
 */
function rate_product( $node, $product = null ) {
	$post = page_post();
	return $post && is_object( $product ) && $product->get_id() === $post->ID ? rate_node( $node ) : $node;
}

add_filter( 'wpseo_schema_graph', __NAMESPACE__ . '\rate_nodes', 100 );
add_filter( 'rank_math/json_ld', __NAMESPACE__ . '\rate_nodes', 100 );
// Run this filter before Yoast's WooCommerce plugin moves the product's node elsewhere.
add_filter( 'woocommerce_structured_data_product', __NAMESPACE__ . '\rate_product', 5, 2 );
// SEOPress has two kinds of nodes: nodes for all posts of a type, and nodes for a single post.
foreach ( array( 'product', 'recipe', 'course', 'event', 'softwareapp' ) as $ratingd_kind ) {
	add_filter( "seopress_schemas_auto_{$ratingd_kind}_json", __NAMESPACE__ . '\rate_node', 100 );
}
foreach ( array( 'product', 'recipe', 'course', 'event', 'software_app' ) as $ratingd_kind ) {
	add_filter( "seopress_pro_get_json_data_{$ratingd_kind}", __NAMESPACE__ . '\rate_node', 100 );
}
unset( $ratingd_kind );

/**
 * Returns the node for the page's post if no other plugin writes a rating.
 *
 * @return array The node. Empty if there is none.
 */
function own_node() {
	$post   = page_post();
	$type   = Rated_Page::$widget['schema'] ?? '';
	$rating = Rated_Page::$has_rating || ! in_array( $type, SCHEMA_TYPES, true ) ? array() : aggregate_rating( Rated_Page::$widget );
	if ( ! $rating ) {
		return array();
	}
	$link = get_permalink( $post );
	$name = html_entity_decode( wp_strip_all_tags( get_the_title( $post ) ), ENT_QUOTES, 'UTF-8' );
	if ( '' === $name ) {
		return array(); // search engines reject a node without a name
	}
	$node = array(
		'@context'        => 'https://schema.org',
		'@type'           => $type,
		'@id'             => "$link#ratingd",
		'name'            => $name,
		'url'             => $link,
		'image'           => get_the_post_thumbnail_url( $post, 'full' ),
		'aggregateRating' => $rating,
	);
	/**
	 * Filters the node with the rating of a post for search engines.
	 *
	 * @param array    $node JSON-LD. An empty array means that there is no node.
	 * @param \WP_Post $post The post.
	 */
	return (array) apply_filters( 'ratingd_structured_data', array_filter( $node ), $post );
}

// Wait for the footer, because all widgets and all structured data from other plugins are known by then.
add_action(
	'wp_footer',
	function () {
		$node = own_node();
		if ( $node ) {
			$json = wp_json_encode( $node, JSON_HEX_TAG | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );
			wp_print_inline_script_tag( $json, array( 'type' => 'application/ld+json' ) );
		}
	},
	30
);
