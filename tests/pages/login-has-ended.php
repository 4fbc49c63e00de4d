<?php
/**
 * Situation: the browser still has the cookie of a login that has ended
 * As: somebody
 */
