<?php
/**
 * Situation: a page has a host that the allowed_origins setting does not name
 * Check: warns_administrators
 */

add_filter( 'redirect_canonical', '__return_false' );
