<?php
/**
 * Situation: an optimizer defers all scripts, and puts inline scripts into one file that comes last
 * Source: https://github.com/futtta/autoptimize/issues/365
 * Check: votes_in_german
 */

require_once __DIR__ . '/parts/german.inc';
require_once __DIR__ . '/parts/optimizer.inc';

situation_rewrite(
	function ( $html, $scripts ) {
		$tags = '';
		foreach ( array_column( $scripts, 'src' ) as $src ) {
			$tags .= sprintf( '<script defer src="%s"></script>', esc_url( $src ) );
		}
		return str_replace( '</body>', $tags . situation_file( situation_inline( $scripts ), 'defer' ) . '</body>', $html );
	}
);
