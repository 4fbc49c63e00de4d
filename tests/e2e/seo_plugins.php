<?php
// Imitates the structured data and the filters of Yoast SEO, Rank Math, SEOPress, WooCommerce, and Yoast's plugin
// for WooCommerce. The "seo" query parameter selects the plugin.

function others_print( $data ) {
	printf( "<script type='application/ld+json'>%s</script>\n", wp_json_encode( $data ) );
}
function others_offers() {
	return array( array( '@type' => 'Offer', 'price' => '9.90', 'priceCurrency' => 'EUR', 'availability' => 'http://schema.org/InStock',
		'seller' => array( '@type' => 'Organization', 'name' => get_bloginfo( 'name' ), 'url' => home_url() ) ) );
}
function others_recipe() {
	return array( '@type' => 'Recipe', '@id' => get_permalink() . '#recipe', 'name' => 'Cake', 'image' => home_url( '/cake.jpg' ),
		'mainEntityOfPage' => array( '@id' => get_permalink() ) );
}
function others_product() {
	return array( '@type' => 'Product', '@id' => get_permalink() . '#product', 'name' => get_the_title(), 'url' => get_permalink(),
		'description' => '', 'image' => home_url( '/cake.jpg' ), 'sku' => 7, 'offers' => others_offers() );
}
class Others_Product {
	public function __construct( $id ) {
		$this->id = $id; }
	public function get_id() {
		return $this->id; }
}
$seo = isset( $_GET['seo'] ) ? $_GET['seo'] : '';
if ( 0 === strpos( $seo, 'yoast' ) ) {
	add_action(
		'wp_head', function () use ( $seo ) {
			$main  = 'yoast-article' === $seo ? array( '@type' => array( 'Article', 'BlogPosting' ), '@id' => get_permalink() . '#article' ) : others_recipe();
			$graph = array(
			array( '@type' => 'WebPage', '@id' => get_permalink(), 'name' => wp_get_document_title() ),
			array( '@type' => array( 'Organization', 'LocalBusiness' ), '@id' => home_url( '/#organization' ), 'name' => 'Us',
				'address' => array( '@type' => 'PostalAddress' ) ),
			$main,
			);
			if ( 'yoast-rated' === $seo ) {
				$graph[] = array( '@type' => 'CreativeWork', '@id' => get_permalink() . '#work', 'name' => 'Work',
				'aggregateRating' => array( '@type' => 'AggregateRating', 'ratingValue' => '3.00', 'ratingCount' => 2 ) );
			}
			others_print( array( '@context' => 'https://schema.org', '@graph' => apply_filters( 'wpseo_schema_graph', $graph, new stdClass() ) ) );
		}, 1
	);
}
if ( 'rank-math' === $seo ) {
	add_filter(
		'rank_math/json_ld', function ( $data ) {
			$data['publisher']   = array( '@type' => 'Organization', '@id' => home_url( '/#organization' ), 'name' => 'Us' );
			$data['WebPage']     = array( '@type' => 'WebPage', '@id' => get_permalink() . '#webpage' );
			$data['richSnippet'] = others_product();
			return $data;
		}
	);
	add_action(
		'wp_head', function () {
			$data = apply_filters( 'rank_math/json_ld', array(), new stdClass() );
			others_print( array( '@context' => 'https://schema.org', '@graph' => array_values( array_filter( $data ) ) ) );
		}, 90
	);
}
if ( in_array( $seo, array( 'seopress', 'seopress-manual' ), true ) ) {
	add_action(
		'wp_head', function () use ( $seo ) {
			$node = array( '@context' => 'https://schema.org' ) + others_product();
			others_print( 'seopress' === $seo ? apply_filters( 'seopress_schemas_auto_product_json', $node ) : apply_filters( 'seopress_pro_get_json_data_product', $node, array() ) );
		}, 1
	);
}
if ( 0 === strpos( $seo, 'shop' ) ) {
	add_action(
		'template_redirect', function () use ( $seo ) {
			global $others_node;
			the_post();
			rewind_posts();
			$node = others_product();
			if ( 'shop-rated' === $seo ) {
				$node['aggregateRating'] = array( '@type' => 'AggregateRating', 'ratingValue' => '3.00', 'reviewCount' => 2 );
			}
			$product     = new Others_Product( 'shop-other' === $seo ? 1 : get_queried_object_id() );
			$others_node = apply_filters( 'woocommerce_structured_data_product', $node, $product );
		}
	);
	add_action(
		'wp_footer', function () {
			global $others_node;
			if ( $others_node ) {
				others_print( array( '@context' => 'https://schema.org/' ) + $others_node );
			}
		}
	);
}
if ( 'shop-yoast' === $seo ) {
	add_filter(
		'woocommerce_structured_data_product', function ( $node ) {
			add_action(
				'wp_footer', function () use ( $node ) {
					others_print( array( '@context' => 'https://schema.org', '@graph' => array( $node ) ) );
				}
			);
			return array();
		}
	);
}
