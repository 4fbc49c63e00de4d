<?php
/**
 * Situation: a shortcode has an id that is none
 * Content: [ratingd id="soup"]
 * Check: tells_editors
 */
