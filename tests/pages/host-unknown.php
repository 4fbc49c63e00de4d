<?php
/**
 * Situation: a page has a host that the setting allowed_origins does not name
 * Check: warns_administrators
 */

add_filter( 'redirect_canonical', '__return_false' );
