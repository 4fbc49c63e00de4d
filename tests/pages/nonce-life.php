<?php
/**
 * Situation: a filter lengthens the lifetime of nonces because of a page cache
 * As: reader
 */

add_filter(
	'nonce_life',
	function () {
		return 2 * DAY_IN_SECONDS;
	},
	PHP_INT_MAX
);
