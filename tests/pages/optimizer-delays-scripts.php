<?php
/**
 * Situation: an optimizer delays all scripts until the visitor does something
 * As: reader
 * Check: votes_in_german
 */

require_once __DIR__ . '/parts/german.inc';
require_once __DIR__ . '/parts/optimizer.inc';

situation_rewrite(
	function ( $html, $scripts ) {
		$runner = <<<'JS'
<script>
addEventListener('load', () => setTimeout(async () => {
  for (const {src, code} of JSON.parse(document.querySelector('#delayed').text)) {
    await new Promise((resolve) => {
      const script = document.createElement('script');
      script.onload = script.onerror = resolve;
      if (src) script.src = src;
      else script.text = code;
      document.head.append(script);
      if (code) resolve();
    });
  }
}, 50));
</script>
JS;
		$list   = '<script type="application/json" id="delayed">' . wp_json_encode( $scripts, JSON_HEX_TAG ) . '</script>';
		return str_replace( '</body>', $list . $runner . '</body>', $html );
	}
);
