<?php
/**
 * Situation: an optimizer moves all scripts into the head, inline scripts behind the others
 * Check: votes_in_german
 */

require_once __DIR__ . '/parts/german.inc';
require_once __DIR__ . '/parts/optimizer.inc';

situation_rewrite(
	function ( $html, $scripts ) {
		$tags = '';
		foreach ( array_column( $scripts, 'src' ) as $src ) {
			$tags .= sprintf( '<script src="%s"></script>', esc_url( $src ) );
		}
		return str_replace( '</head>', $tags . situation_file( situation_inline( $scripts ) ) . '</head>', $html );
	}
);
