<?php
/**
 * Renders the blocks "Rating", "Top rated" and "My ratings", which blocks/ defines. js/ contains the code for the
 * editor.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the widget's attributes for a block "Rating".
 *
 * @param array $block Attributes of the block, with or without their defaults.
 * @return array As passed to ratingd_widget().
 */
function block_widget( array $block ) {
	$scheme = $block['colorScheme'] ?? 'auto';
	$widget = array(
		'id'           => $block['objectId'] ?? '',
		'category'     => $block['category'] ?? '',
		'template'     => $block['template'] ?? '',
		'size'         => $block['size'] ?? '',
		'color-scheme' => 'auto' === $scheme ? '' : $scheme,
		'counts'       => $block['counts'] ?? true ? '' : 'false',
		'hide-result'  => empty( $block['hideResult'] ) ? '' : 'true',
		'schema'       => $block['schema'] ?? '',
		'stars'        => $block['stars'] ?? '',
		'text'         => $block['text'] ?? '',
		'color'        => $block['color'] ?? '',
	);
	$group  = $block['group'] ?? '';
	if ( 'criteria' === $group ) {
		$widget['facets']  = $block['facets'] ?? '';
		$widget['weights'] = $block['weights'] ?? '';
	} elseif ( 'reactions' === $group ) {
		$widget['reactions'] = $block['facets'] ?? '';
		$widget['multiple']  = empty( $block['multiple'] ) ? '' : 'true';
	}
	// Keep only strings, because authors can write values of any type into a block's markup.
	return array_filter(
		$widget,
		function ( $value ) {
			return is_string( $value ) && '' !== $value;
		}
	);
}

/**
 * Prints the "Rating" block.
 *
 * @param array     $attributes Its attributes.
 * @param string $content The stored content of the block, which is always empty.
 * @param \WP_Block $block The block. In templates and query loops, its context contains the post.
 * @return string
 */
function show_rating_block( $attributes, $content, $block ) {
	if ( '' !== ( $attributes['group'] ?? '' ) && '' === words_of_list( $attributes['facets'] ?? '' ) ) {
		return names_hint( '' );
	}
	$own = $attributes['objectId'] ?? '';
	$id  = '' !== $own ? $own : object_id( $block->context['postId'] ?? get_the_ID() );
	if ( ! $id ) {
		return '';
	}
	$widget = widget( array( 'id' => $id ) + block_widget( $attributes ) );
	return '' === $widget ? '' : sprintf( '<div %s>%s</div>', get_block_wrapper_attributes(), $content . $widget );
}

/**
 * Prints the "Top rated" block.
 *
 * @param array $attributes Its attributes.
 * @return string
 */
function show_top_block( $attributes ) {
	return top_list( $attributes, get_block_wrapper_attributes() );
}

add_action(
	'init',
	function () {
		if ( ! is_served() ) {
			return;
		}
		wp_register_style( 'ratingd-group', URL . '/css/group.css', array(), VERSION );
		wp_register_script( 'ratingd-group', URL . '/js/group.js', array( 'wp-api-fetch' ), VERSION, true );
		wp_add_inline_script( 'ratingd-group', sprintf( 'window.ratingdSamples = %s;', wp_json_encode( array( 'base' => ratingd_base_url() ) ) ), 'before' );
		$needed = array( 'ratingd-group', 'wp-api-fetch', 'wp-block-editor', 'wp-blocks', 'wp-components', 'wp-compose', 'wp-data', 'wp-element', 'wp-hooks', 'wp-html-entities', 'wp-i18n', 'wp-notices', 'wp-server-side-render' );
		wp_register_script( 'ratingd-blocks', URL . '/js/blocks.js', $needed, VERSION, true );
		wp_set_script_translations( 'ratingd-blocks', 'ratingd' );

		$blocks = dirname( __DIR__ ) . '/blocks';
		register_block_type( "$blocks/rating", array( 'render_callback' => __NAMESPACE__ . '\show_rating_block' ) );
		register_block_type( "$blocks/top", array( 'render_callback' => __NAMESPACE__ . '\show_top_block' ) );
		$mine = function () {
			return my_ratings( get_block_wrapper_attributes() );
		};
		register_block_type( "$blocks/mine", array( 'render_callback' => $mine ) );
	},
	20
);

add_action(
	'enqueue_block_editor_assets',
	function () {
		$categories = array();
		foreach ( builtin_templates() as $slug => $title ) {
			$categories[ $slug ] = category_of( array( 'template' => $slug ) );
		}
		$problems = array();
		foreach ( CATEGORIES as $category ) {
			$problems[ $category ] = array_filter( array( category_problem( $category ) ) );
		}
		$post    = get_post();
		$general = array_column( general_contradictions(), 'text' );
		if ( $post && in_array( $post->post_type, post_types(), true ) && ! is_type_enabled( $post->post_type ) ) {
			$general[] = __( 'The settings do not allow ratings of this content type, so visitors cannot vote.', 'ratingd' );
		}
		$data = array(
			'base'          => ratingd_base_url(),
			'categories'    => $categories,
			'colours'       => theme_palette(),
			'namesPage'     => current_user_can( 'manage_options' ) ? names_page() : '',
			'names'         => (object) site_names(),
			'isRead'        => null !== site_names(),
			'text'          => look()['text'],
			'general'       => $general,
			'problems'      => $problems,
			'schemas'       => SCHEMA_TYPES,
			'selfServing'   => SELF_SERVING,
			'standard'      => default_template( 'scale' ),
			'stars'         => site_stars(),
			'starTemplates' => STAR_TEMPLATES,
			'templates'     => builtin_templates(),
			'types'         => post_type_titles(),
			'words'         => words(),
		);
		wp_add_inline_script( 'ratingd-blocks', sprintf( 'window.ratingdBlocks = %s;', wp_json_encode( $data, JSON_HEX_TAG ) ), 'before' );
	}
);
