<?php
/**
 * Situation: a theme loads comments with its own request
 * Content: Words.
 * Check: rates_comments
 */

add_action(
	'wp_footer',
	function () {
		?>
		<section id="loaded"></section>
		<script>
			addEventListener( 'load', async () => {
				const answer = await fetch( '?comments-alone=1' );
				document.querySelector( '#loaded' ).innerHTML = await answer.text();
			} );
		</script>
		<?php
	}
);
// Hide the theme's comment list, because a separate request loads the comments.
add_filter( 'comments_template', '__return_empty_string' );
add_filter( 'render_block', 'situation_without_comments', 10, 2 );
function situation_without_comments( $html, $block ) {
	return 'core/comments' === $block['blockName'] || 'core/post-comments' === $block['blockName'] ? '' : $html;
}
add_action(
	'template_redirect',
	function () {
		if ( isset( $_GET['comments-alone'] ) ) {
			wp_list_comments( array(), get_comments( array( 'post_id' => get_queried_object_id() ) ) );
			exit;
		}
	}
);
