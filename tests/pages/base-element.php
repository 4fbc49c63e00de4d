<?php
/**
 * Situation: a cached page has a base element that names another host
 * Source: https://github.com/starfederation/datastar/issues/1047
 * As: reader
 */

require_once __DIR__ . '/parts/page-cache.inc';
require_once __DIR__ . '/parts/base-element.inc';
