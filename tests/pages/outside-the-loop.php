<?php
/**
 * Situation: a theme prints the content outside of the loop, and has removed the current post
 * Content: Words.
 */

add_action(
	'wp_footer',
	function () {
		unset( $GLOBALS['post'] );
		echo do_shortcode( '[ratingd template="simple/stars"]' );
	},
	1
);
