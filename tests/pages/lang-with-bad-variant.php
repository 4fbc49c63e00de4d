<?php
/**
 * Situation: the page has the language of a Portuguese WordPress, pt-PT-ao90
 * Content: [ratingd template="simple/stars"][ratingd_mine]
 * Check: lists_ratings
 */

add_filter(
	'language_attributes',
	function () {
		return 'lang="pt-PT-ao90"';
	}
);
