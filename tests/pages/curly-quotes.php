<?php
/**
 * Situation: an editor has written the shortcode with curly quotes
 * Content: [ratingd template=“simple/stars” text=“How was the soup?” label-rating=„Opinion“ size=”large”]
 * Check: keeps_attributes
 */
