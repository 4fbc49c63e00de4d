<?php
/**
 * Situation: everything comes together: cache, closed wp-admin, optimizer, curly quotes, kses, names, a wrong id, lang, base
 * As: reader
 * Content: [ratingd template=“simple/stars” label-rating=“Opinion” size=“large”][ratingd_mine]
 * Check: keeps_attributes
 */

require_once __DIR__ . '/parts/page-cache.inc';
require_once __DIR__ . '/parts/closed-wp-admin.inc';
require_once __DIR__ . '/parts/base-element.inc';
require_once __DIR__ . '/parts/optimizer.inc';
if ( isset( $_GET['ratingd-nonce'] ) ) {
	ob_start();
	echo "\n<b>Notice</b>: Undefined index\n";
}

add_filter( 'the_content', 'wp_kses_post', 999 );
add_filter(
	'language_attributes',
	function () {
		return 'lang="pt-PT-ao90"';
	}
);
add_filter(
	'the_content',
	function ( $content ) {
		$names = '<a id="ratingd"></a><a id="ratingd" name="scan"></a><form id="ratingdWords"><input name="own"></form>';
		$wrong = '<ratingd-rating object-id="9223372036854775808" template="simple/heart"></ratingd-rating>';
		$host  = '<div id="host"></div>';
		return $names . $wrong . $host . $content;
	},
	1000
);

situation_rewrite(
	function ( $html, $scripts ) {
		$tags = '';
		foreach ( array_column( $scripts, 'src' ) as $src ) {
			$tags .= sprintf( '<script defer src="%s"></script>', esc_url( $src ) );
		}
		$more  = situation_inline( $scripts );
		$more .= <<<'JS'
;delete Document.prototype.adoptedStyleSheets;
addEventListener('load', () => {
  const root = document.querySelector('#host').attachShadow({mode: 'open'});
  root.innerHTML = '<ratingd-rating object-id="9223372036854775807" template="simple/heart"></ratingd-rating>';
});
JS;
		return str_replace( '</body>', $tags . situation_file( $more, 'defer' ) . '</body>', $html );
	}
);
