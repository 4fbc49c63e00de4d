<?php
/**
 * The shortcode [ratingd], the block "Rating" and the script that makes them work: docs/widgets.md.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * The HTML of a widget.
 *
 * @param array $attributes As ratingd_widget().
 * @return string
 */
function widget( $attributes ) {
	$attributes = shortcode_atts(
		array(
			'category' => 'scale',
			'template' => '',
			'id'       => get_the_ID(),
			'type'     => 'post',
			'size'     => 'medium',
			'counts'   => 'true',
			'schema'   => '',
		),
		(array) $attributes
	);
	wp_enqueue_script( 'ratingd-widget' );

	$names = array(
		'id'   => 'data-object-id',
		'type' => 'data-object-type',
	);
	// Around it a block, which themes lay out. It is as high as the built-in templates, so that nothing
	// moves when the script builds the widget.
	$heights = array(
		'small'  => 1.85,
		'medium' => 2.2,
		'large'  => 3.25,
	);
	$html    = sprintf( '<div style="min-height:%srem;line-height:1"><div data-ratingd', $heights[ $attributes['size'] ] ?? 2.2 );
	foreach ( $attributes as $name => $value ) {
		if ( '' !== (string) $value ) {
			$html .= sprintf( ' %s="%s"', $names[ $name ] ?? "data-$name", esc_attr( $value ) );
		}
	}
	return $html . '></div></div>';
}

add_shortcode( 'ratingd', 'ratingd_widget' );

add_action(
	'init',
	function () {
		wp_register_script( 'ratingd-widget', ratingd_base_url() . '/ratingd-widget.js', array(), null, true );
		// Words of the site's language; those of the theme come first.
		$words  = array(
			'like'    => __( 'Like', 'ratingd' ),
			'dislike' => __( 'Dislike', 'ratingd' ),
		);
		$script = 'window.ratingdWords = Object.assign( %s, window.ratingdWords );';
		wp_add_inline_script( 'ratingd-widget', sprintf( $script, wp_json_encode( $words ) ), 'before' );

		$needed = array( 'wp-blocks', 'wp-block-editor', 'wp-element', 'wp-api-fetch' );
		wp_register_script( 'ratingd-block', URL . '/js/block.js', $needed, VERSION, true );
		$base = sprintf( 'window.ratingdBase = %s;', wp_json_encode( ratingd_base_url() ) );
		wp_add_inline_script( 'ratingd-block', $base, 'before' );
		register_block_type(
			'ratingd/rating',
			array(
				'api_version'     => 2,
				'title'           => _x( 'Rating', 'block title', 'ratingd' ),
				'category'        => 'widgets',
				'icon'            => 'star-filled',
				'editor_script'   => 'ratingd-block',
				'render_callback' => 'ratingd_widget',
				'attributes'      => array(
					'category' => array(
						'type'    => 'string',
						'default' => 'scale',
					),
					'template' => array(
						'type'    => 'string',
						'default' => '',
					),
					'size'     => array(
						'type'    => 'string',
						'default' => 'medium',
					),
				),
			)
		);
	}
);

// Where the script gets a nonce for who is logged in: WordPress may be in a folder of its own.
add_filter(
	'script_loader_tag',
	function ( $tag, $handle ) {
		if ( 'ratingd-widget' !== $handle ) {
			return $tag;
		}
		$address = esc_url( admin_url( 'admin-ajax.php', 'relative' ) );
		return str_replace( ' src=', " data-ajax=\"$address\" src=", $tag );
	},
	10,
	2
);
