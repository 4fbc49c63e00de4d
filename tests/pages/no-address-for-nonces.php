<?php
/**
 * Situation: a cached page, and neither address says who is logged in
 * As: reader
 * Check: asks_to_reload
 */

require_once __DIR__ . '/parts/page-cache.inc';
require_once __DIR__ . '/parts/closed-wp-admin.inc';
require_once __DIR__ . '/parts/closed-front-page.inc';
