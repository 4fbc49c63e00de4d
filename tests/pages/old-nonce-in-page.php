<?php
/**
 * Situation: a cache for each user keeps a page longer than its nonce is valid
 * As: reader
 */

add_action(
	'template_redirect',
	function () {
		ob_start(
			function ( $html ) {
				return preg_replace( '/"nonce":"\w+"/', '"nonce":"0123456789"', $html );
			}
		);
	}
);
