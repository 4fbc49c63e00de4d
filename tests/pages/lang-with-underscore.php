<?php
/**
 * Situation: the page's language is written as in PHP, de_DE
 * Content: [ratingd template="simple/stars"][ratingd_mine]
 * Check: lists_ratings
 */

add_filter(
	'language_attributes',
	function () {
		return 'lang="de_DE"';
	}
);
