<?php
/**
 * Situation: a theme prints the content through wp_kses_post()
 * Content: [ratingd template="simple/stars" label-rating="Opinion" size="large"]
 * Check: keeps_attributes
 */

add_filter( 'the_content', 'wp_kses_post', 999 );
