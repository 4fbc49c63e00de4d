<?php
/**
 * Situation: a translation has its own host, and the API is there, too
 * Source: https://github.com/polylang/polylang/issues/58
 * Check: votes_at_other_host
 */

add_filter( 'redirect_canonical', '__return_false' );
