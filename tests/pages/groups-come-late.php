<?php
/*
 * Situation: criteria and reactions are built after the page was painted
 * Content: <p>Before.</p>[ratingd facets="taste,service"]<p>Between.</p>[ratingd reactions="love,funny"]<p>Behind.</p>
 * Check: does_not_shift
 */
