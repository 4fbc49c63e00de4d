<?php
/**
 * Situation: a cached page, and wp-admin redirects subscribers, admin-ajax.php included
 * Source: https://github.com/mailchimp/mc-woocommerce/issues/254
 * As: reader
 */

require_once __DIR__ . '/parts/page-cache.inc';
require_once __DIR__ . '/parts/closed-wp-admin.inc';
