<?php
/*
 * Plugin Name: ratingd widgets
 * Description: The shortcode [ratingd], the block "Rating", and the script that makes them work.
 *
 * A file for wp-content/mu-plugins, or lines for a theme's functions.php. It asks nothing of ratingd
 * and stores nothing: pages may be cached.
 */

// Where nginx serves ratingd: its base path, whatever the permalinks are, so not rest_url(). Not home_url()
// either, to which translation plugins add a language. A site with another base path says so with the filter.
function ratingd_base_url() {
	$home = untrailingslashit( get_option( 'home' ) );
	$home = is_ssl() ? set_url_scheme( $home, 'https' ) : $home;
	return apply_filters( 'ratingd_base_url', $home . '/' . rest_get_url_prefix() . '/ratingd/v1' );
}

// [ratingd category="scale" template="simple/stars" id="123" type="post" size="large" counts="false"]
function ratingd_widget( $attributes ) {
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

	$names = array( 'id' => 'data-object-id', 'type' => 'data-object-type' );
	// Around it a block, which themes lay out. It is as high as the built-in templates, so that nothing
	// moves when the script builds the widget.
	$heights = array( 'small' => 1.85, 'medium' => 2.2, 'large' => 3.25 );
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
			'like'    => __( 'Like' ),
			'dislike' => __( 'Dislike' ),
		);
		$script = 'window.ratingdWords = Object.assign( %s, window.ratingdWords );';
		wp_add_inline_script( 'ratingd-widget', sprintf( $script, wp_json_encode( $words ) ), 'before' );

		wp_register_script( 'ratingd-block', false, array( 'wp-blocks', 'wp-block-editor', 'wp-element', 'wp-api-fetch' ), null, true );
		wp_add_inline_script( 'ratingd-block', ratingd_block_script() );
		register_block_type(
			'ratingd/rating',
			array(
				'api_version'     => 2,
				'title'           => 'Rating',
				'category'        => 'widgets',
				'icon'            => 'star-filled',
				'editor_script'   => 'ratingd-block',
				'render_callback' => 'ratingd_widget',
				'attributes'      => array(
					'category' => array( 'type' => 'string', 'default' => 'scale' ),
					'template' => array( 'type' => 'string', 'default' => '' ),
					'size'     => array( 'type' => 'string', 'default' => 'medium' ),
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

// How the block looks in the editor: what POST /preview says.
function ratingd_block_script() {
	$script = <<<'JS'
( ( { blocks, element, blockEditor, apiFetch }, base ) => {
	const { createElement, useEffect, useState } = element;
	blocks.registerBlockType( 'ratingd/rating', {
		edit: ( { attributes: { category, template, size } } ) => {
			const [ look, setLook ] = useState( { html: '', css: '' } );
			useEffect( () => {
				const data = template ? { template, size } : { category, size };
				apiFetch( { url: base + '/preview', method: 'POST', data } ).then( setLook, () => {} );
			}, [ category, template, size ] );
			return createElement( 'div', blockEditor.useBlockProps(),
				createElement( 'style', null, look.css ),
				createElement( element.RawHTML, null, look.html ) );
		},
		save: () => null,
	} );
} )
JS;
	return sprintf( '%s( window.wp, %s );', $script, wp_json_encode( ratingd_base_url() ) );
}
