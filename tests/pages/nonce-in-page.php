<?php
/**
 * Situation: a user is logged in, and no cache is there
 * As: reader
 * Check: finds_nonce_in_page
 */
