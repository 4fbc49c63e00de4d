<?php
/**
 * Situation: the page's language is that of a WordPress in Portuguese, pt-PT-ao90
 * Content: [ratingd template="simple/stars"][ratingd_mine]
 * Check: lists_ratings
 */

add_filter(
	'language_attributes',
	function () {
		return 'lang="pt-PT-ao90"';
	}
);
