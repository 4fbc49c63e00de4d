<?php
/**
 * Situation: Cloudflare's Rocket Loader runs all scripts later, without document.currentScript
 * Source: https://github.com/divolte/divolte-collector/pull/179
 * As: reader
 * Check: votes_in_german
 */

require_once __DIR__ . '/parts/german.inc';
require_once __DIR__ . '/parts/optimizer.inc';

situation_rewrite(
	function ( $html, $scripts ) {
		$tags = '';
		foreach ( $scripts as $script ) {
			$tags .= isset( $script['src'] )
				? sprintf( '<script type="a1b2-text/javascript" data-src="%s"></script>', esc_url( $script['src'] ) )
				: sprintf( '<script type="a1b2-text/javascript">%s</script>', $script['code'] );
		}
		$runner = <<<'JS'
<script>
Object.defineProperty(Document.prototype, 'currentScript', {get: () => null});
addEventListener('load', async () => {
  for (const old of document.querySelectorAll('script[type^="a1b2-"]')) {
    const code = old.dataset.src ? await (await fetch(old.dataset.src)).text() : old.text;
    const script = document.createElement('script');
    script.text = code;
    old.replaceWith(script);
  }
});
</script>
JS;
		return str_replace( '</body>', $tags . $runner . '</body>', $html );
	}
);
