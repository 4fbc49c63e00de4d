<?php
/**
 * Situation: a cached page, and PHP prints a notice before each response
 * As: reader
 */

require_once __DIR__ . '/parts/page-cache.inc';
if ( wp_doing_ajax() || isset( $_GET['ratingd-nonce'] ) ) {
	ob_start(); // php.ini of most hosts has output_buffering
	echo "<br />\n<b>Deprecated</b>:  Creation of dynamic property is deprecated in <b>plugin.php</b> on line <b>7</b><br />\n";
}
