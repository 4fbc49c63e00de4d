<?php
/**
 * Situation: a cached page, only admin-ajax.php responds, and a plugin prints an empty line before each response
 * As: reader
 */

require_once __DIR__ . '/parts/page-cache.inc';
require_once __DIR__ . '/parts/closed-front-page.inc';
require_once __DIR__ . '/parts/empty-line.inc';
