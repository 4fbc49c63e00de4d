<?php
/**
 * Situation: an optimizer combines the files of all scripts into one with another address
 * Source: https://github.com/futtta/autoptimize/issues/271
 * As: reader
 * Check: votes_in_german
 */

require_once __DIR__ . '/parts/german.inc';
require_once __DIR__ . '/parts/optimizer.inc';

situation_rewrite(
	function ( $html, $scripts ) {
		// ratingd serves the widgets' script, which is not a file, so begin the combined file with code that
		// requests the script.
		$load = '';
		foreach ( array_column( $scripts, 'src' ) as $src ) {
			$load .= sprintf( 'r=new XMLHttpRequest;r.open("GET",%s,false);r.send();(0,eval)(r.responseText);', wp_json_encode( $src ) );
		}
		return str_replace( '</body>', situation_file( "let r;$load" . situation_inline( $scripts ), 'defer' ) . '</body>', $html );
	}
);
