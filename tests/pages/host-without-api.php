<?php
/**
 * Situation: a translation has its own host, and the API is not there
 * Check: votes_with_credentials
 */

add_filter( 'redirect_canonical', '__return_false' );
add_filter(
	'pre_transient_ratingd_hosts',
	function () {
		return array( str_replace( '127.0.0.1', 'localhost', get_option( 'home' ) ) => false );
	}
);
