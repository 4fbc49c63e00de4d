<?php
/**
 * The shortcode [ratingd], and the script that makes widgets work: docs/wordpress.md.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The attributes of the element (docs/widgets.md), beside those for labels, with their defaults in WordPress.
const WIDGET = array(
	'id'           => '',
	'type'         => '',
	'category'     => '',
	'template'     => '',
	'size'         => '',
	'color-scheme' => '',
	'counts'       => '',
	'hide-result'  => '',
	'schema'       => '',
	'stars'        => '',
	'facets'       => '',
	'weights'      => '',
	'reactions'    => '',
	'multiple'     => '',
	'text'         => '',
	'color'        => '',
	'class'        => '',
	'lang'         => '',
);

// The categories of the built-in templates.
const BUILT_IN_TEMPLATES = array(
	'simple/distribution' => 'scale',
	'simple/dots'         => 'scale',
	'simple/half-stars'   => 'scale',
	'simple/heart'        => 'binary',
	'simple/like-dislike' => 'bipolar',
	'simple/slider'       => 'scale',
	'simple/stars'        => 'scale',
	'simple/thumbs'       => 'bipolar',
);

/**
 * The attributes of a widget: known ones only, all of them in the place where authors write them.
 *
 * @param array $given As ratingd_widget(). Names of labels begin with "label-".
 * @param int   $post  The post that is rated if they name none; by default the one of the loop.
 * @return array
 */
function widget_attributes( array $given, $post = 0 ) {
	$named = array();
	foreach ( without_curly_quotes( $given ) as $name => $value ) {
		// [ratingd hide-result] is the same as [ratingd hide-result="true"].
		if ( is_int( $name ) ) {
			$name  = $value;
			$value = 'true';
		}
		$name = strtolower( (string) $name );
		// As in HTML.
		$name = array(
			'object-id'   => 'id',
			'object-type' => 'type',
		)[ $name ] ?? $name;
		if ( is_scalar( $value ) && ( isset( WIDGET[ $name ] ) || preg_match( '/^(label|icon)-[a-z0-9_-]+$/', $name ) ) ) {
			$named[ $name ] = is_bool( $value ) ? ( $value ? 'true' : 'false' ) : (string) $value;
		}
	}
	$widget = $named + array( 'text' => look()['text'] ) + WIDGET;
	$type   = strtolower( $widget['type'] );

	$widget['color'] = clean_colour( $widget['color'] );
	if ( '' === $widget['id'] && in_array( $type, array( 'comment', 'term', 'author' ), true ) ) {
		$widget['id'] = current_object( $type );
	} elseif ( '' === $widget['id'] ) {
		// A theme may have removed the post of the loop.
		$post         = $post ? $post : (int) ( get_the_ID() ? get_the_ID() : get_queried_post() );
		$widget['id'] = $post ? (string) object_id( $post ) : '';
	}
	if ( '' === $widget['type'] ) {
		$widget['type'] = object_type( (string) get_post_type( (int) $widget['id'] ) );
	}
	$widget['type'] = strtolower( $widget['type'] ); // as ratingd does
	if ( '' !== $widget['reactions'] ) {
		$widget['category'] = 'binary';
		$widget['template'] = '';
	}
	if ( '' === $widget['template'] ) {
		$widget['template'] = default_template( $widget['category'] );
	}
	$stars           = '' === $widget['reactions'] ? stars_of( $widget ) : 0;
	$widget['stars'] = $stars ? (string) $stars : '';
	if ( in_array( $widget['hide-result'], array( 'false', '0' ), true ) ) {
		$widget['hide-result'] = '';
	}
	return $widget;
}

/**
 * The attributes of a shortcode whose values have curly quotes. WordPress keeps these quotes, and splits such values at
 * their spaces.
 *
 * @param array $given As of shortcode_parse_atts().
 * @return array
 */
function without_curly_quotes( array $given ) {
	$quotes = '[“”„‟″«»]|&#82(?:20|21|22|43);|&[lr]dquo;|&bdquo;';
	$fixed  = array();
	$open   = null; // the name of the value that goes on
	foreach ( $given as $name => $value ) {
		if ( ! is_string( $value ) ) {
			$fixed[ $name ] = $value;
			continue;
		}
		if ( null !== $open && is_int( $name ) ) {
			$fixed[ $open ] .= ' ' . preg_replace( "/($quotes)$/u", '', $value, 1, $is_closed );
			$open            = $is_closed ? null : $open;
			continue;
		}
		$fixed[ $name ] = preg_replace( "/^($quotes)/u", '', $value, 1, $is_opened );
		$fixed[ $name ] = preg_replace( "/($quotes)$/u", '', $fixed[ $name ], 1, $is_closed );
		$open           = $is_opened && ! $is_closed && is_string( $name ) ? $name : null;
	}
	return $fixed;
}

/**
 * The post that the page is about, for widgets outside of the loop.
 *
 * @return int 0 for none.
 */
function get_queried_post() {
	return is_singular() ? get_queried_object_id() : 0;
}

/**
 * Whether a text is an id of an object.
 *
 * @param string $id The text.
 * @return bool
 */
function is_object_id( $id ) {
	return preg_match( '/^[1-9][0-9]{0,18}$/', $id ) && strcmp( str_pad( $id, 19, '0', STR_PAD_LEFT ), '9223372036854775807' ) <= 0;
}

/**
 * A note in the place of a widget that is not shown. Visitors do not see it.
 *
 * @param string $text       Why the widget is not shown.
 * @param string $capability The capability of the users who see the note.
 * @return string HTML.
 */
function hint( $text, $capability = 'edit_posts' ) {
	if ( ! current_user_can( $capability ) || wp_is_json_request() ) {
		return '';
	}
	return sprintf( '<p class="ratingd-editor-hint"><strong>ratingd:</strong> %s</p>', esc_html( $text ) );
}

/**
 * The HTML of a widget: an element that the script fills, with its figures in words until then. It has what the page
 * needs, so that the script asks for numbers only.
 *
 * @param array $given As ratingd_widget().
 * @return string Nothing in feeds, in sites that have no ratings, and if it is not clear what is rated. The figures
 *                alone in pages of another site.
 */
function widget( array $given ) {
	if ( is_feed() || ! is_served() ) {
		return '';
	}
	$widget = widget_attributes( $given );
	if ( '' === $widget['id'] ) {
		return hint( __( 'No rating is shown here, because there is no current post. Name what is rated, for example [ratingd id="123"]. Only editors see this note.', 'ratingd' ) );
	}
	if ( ! is_object_id( $widget['id'] ) ) {
		/* translators: %s: what the author of the page has written. */
		$text = __( 'No rating is shown here, because the id “%s” is not a number from 1 to 9223372036854775807. Only editors see this note.', 'ratingd' );
		return hint( sprintf( $text, $widget['id'] ) );
	}
	if ( is_page_of_another_site() ) {
		return '' === $widget['reactions'] ? figures_html( $widget ) : '';
	}
	$note = '';
	if ( '' !== $widget['facets'] . $widget['reactions'] ) {
		$group  = '' === $widget['reactions'] ? 'facets' : 'reactions';
		$note   = names_hint( $widget[ $group ] );
		$widget = with_site_names( $widget );
		if ( '' === $widget[ $group ] ) {
			return $note;
		}
	}
	enqueue_widgets();
	add_template( $widget['template'] );
	register_shown( $widget );
	$text = $note . look_text( $widget['text'] ) . foreign_origin_hint();
	if ( '' !== $widget['facets'] . $widget['reactions'] ) {
		return $text . group_widget( $widget );
	}
	// The template says the category; what search engines read is in the page already.
	return $text . opening_tag( 'ratingd-rating', $widget, array( 'category', 'schema' ) ) . figures_html( $widget ) . '</ratingd-rating>';
}

/**
 * A note for administrators, once in a page: votes of this page will be refused.
 *
 * @return string HTML.
 */
function foreign_origin_hint() {
	static $is_shown = false;
	$host            = page_host();
	if ( $is_shown || '' === $host || is_own_host( $host ) || '' !== other_origin() ) {
		return '';
	}
	$is_shown = true;
	/* translators: %s: an address, such as https://de.example.org. */
	$text = __( 'Visitors of %s cannot rate. Add this address to the setting “Other sites whose visitors may rate”. Only administrators see this note.', 'ratingd' );
	return hint( sprintf( $text, wp_parse_url( get_option( 'home' ), PHP_URL_SCHEME ) . "://$host" ), 'manage_options' );
}

/**
 * Brings the script of widgets, its style and its words into the page.
 */
function enqueue_widgets() {
	wp_enqueue_script( 'ratingd-widget' );
	wp_enqueue_style( 'ratingd-widget' );
	add_words();
}

/**
 * The figures of a widget in words.
 *
 * @param array $widget As of widget_attributes().
 * @return string HTML; nothing if it shows none.
 */
function figures_html( array $widget ) {
	$figures = figures_in_words( $widget );
	return '' === $figures ? '' : sprintf( '<bdi>%s</bdi>', esc_html( $figures ) );
}

/**
 * The HTML of a group of criteria with the overall rating of the post, or of a row of reactions. The script loads the
 * code of both.
 *
 * @param array $widget As of widget_attributes().
 * @return string
 */
function group_widget( array $widget ) {
	$without = array( 'category', 'schema', 'reactions' );
	if ( '' === $widget['reactions'] ) {
		return opening_tag( 'ratingd-criteria', $widget, $without ) . group_figures_html( $widget ) . '</ratingd-criteria>';
	}
	$widget['facets'] = $widget['reactions'];
	return opening_tag( 'ratingd-reactions', $widget, array( ...$without, 'template', 'weights' ) ) . group_figures_html( $widget ) . '</ratingd-reactions>';
}

/**
 * The opening tag of an element of the script.
 *
 * @param string   $element Its name.
 * @param array    $widget  Its attributes, as of widget_attributes(). Empty ones are left out.
 * @param string[] $without Those that are left out, too.
 * @return string
 */
function opening_tag( $element, array $widget, array $without ) {
	$names = array(
		'id'   => 'object-id',
		'type' => 'object-type',
	);
	printed_elements( $element, array( ...array_values( $names ), ...array_keys( $widget ), 'style' ) );
	$html  = "<$element";
	$style = '' === $widget['color'] ? array() : array( "--ratingd-color:{$widget['color']}" );
	if ( (string) USUAL_STARS === $widget['stars'] ) {
		$widget['stars'] = ''; // The script has this number without an attribute.
	} elseif ( 'simple/distribution' === $widget['template'] ) {
		$style[] = "--ratingd-bars:{$widget['stars']}"; // for the height that is reserved
	}
	if ( 'ratingd-criteria' === $element ) {
		$style[] = '--ratingd-rows:' . count( wp_parse_list( $widget['facets'] ) ); // for the height that is reserved
	}
	if ( $style ) {
		$html .= sprintf( ' style="%s"', implode( ';', $style ) );
	}
	$without = array( ...$without, 'color', 'text' );
	foreach ( $widget as $name => $value ) {
		if ( '' !== $value && ! in_array( $name, $without, true ) ) {
			$html .= sprintf( ' %s="%s"', $names[ $name ] ?? $name, esc_attr( $value ) );
		}
	}
	return "$html>";
}

/**
 * The elements of widgets that the page has printed so far, with their attributes. While content is saved, there are
 * none, so authors may not write more than before.
 *
 * @param string   $element    A further element to add.
 * @param string[] $attributes Its attributes.
 * @return array As for wp_kses().
 */
function printed_elements( $element = '', array $attributes = array() ) {
	static $printed = array();
	if ( '' !== $element ) {
		$printed[ $element ] = array_fill_keys( $attributes, true ) + ( $printed[ $element ] ?? array() );
		$printed['bdi']      = array();
	}
	return $printed;
}

/**
 * The template of widgets that name none: the one in the settings, if there is such a template of that category.
 *
 * @param string $category Their category; "scale" if it is not one.
 * @return string
 */
function default_template( $category ) {
	$ours     = array(
		'binary'  => 'simple/heart',
		'bipolar' => 'simple/thumbs',
		'scale'   => 'simple/stars',
	);
	$category = isset( $ours[ $category ] ) ? $category : 'scale';
	$chosen   = setting( "default_template_$category", $ours[ $category ] );
	return is_string( $chosen ) && '' !== $chosen && category_of( array( 'template' => $chosen ) ) === $category ? $chosen : $ours[ $category ];
}

/**
 * The site's own templates, all read with one statement, once in a page that needs one of them.
 *
 * @return object[] By slug: category, html, css.
 */
function own_templates() {
	static $known = array();
	$blog         = get_current_blog_id();
	if ( ! isset( $known[ $blog ] ) ) {
		$known[ $blog ] = (array) read_tables(
			function ( $wpdb ) {
				return $wpdb->get_results( "SELECT slug, ELT(category + 1, 'binary', 'bipolar', 'scale') AS category, html, css FROM {$wpdb->prefix}ratingd_templates", OBJECT_K );
			}
		);
	}
	return $known[ $blog ];
}

/**
 * Puts a template into the page: one of the site, or a built-in one that the script does not have.
 *
 * @param string $slug The template.
 */
function add_template( $slug ) {
	static $added = array();
	if ( isset( $added[ $slug ] ) ) {
		return;
	}
	$added[ $slug ] = true;

	$large = dirname( __DIR__ ) . '/js/' . basename( $slug ) . '.js';
	if ( in_array( $slug, array( 'simple/distribution', 'simple/half-stars' ), true ) && is_readable( $large ) ) {
		wp_add_inline_script( 'ratingd-widget', trim( (string) file_get_contents( $large ) ), 'before' );
	}
	$template = 0 === strpos( $slug, 'simple/' ) ? null : own_templates()[ $slug ] ?? null;
	if ( $template ) {
		$template = array(
			'category' => $template->category,
			'html'     => $template->html,
			'css'      => $template->css,
		);
		$script   = sprintf(
			'( window.ratingdTemplates = window.ratingdTemplates || {} )[ %s ] = %s;',
			wp_json_encode( $slug, JSON_HEX_TAG ),
			wp_json_encode( $template, JSON_HEX_TAG )
		);
		wp_add_inline_script( 'ratingd-widget', $script, 'before' );
	}
}

/**
 * Prints the site's own words and the words in the site's language, once in a page. The script has the English words.
 */
function add_words() {
	static $added = false;
	$words        = array_merge( is_textdomain_loaded( 'ratingd' ) ? words() : array(), own_texts() );
	if ( ! $added && $words ) {
		// Those of the theme come first.
		$script = 'window.ratingdWords = Object.assign( %s, window.ratingdWords );';
		wp_add_inline_script( 'ratingd-widget', sprintf( $script, wp_json_encode( $words, JSON_HEX_TAG ) ), 'before' );
	}
	$added = true;
}

/**
 * The words of widgets in the site's language.
 *
 * @return array By the script's names.
 */
function words() {
	return array(
		'rating'        => _x( 'Rating', 'block title', 'ratingd' ),
		'like'          => __( 'Like', 'ratingd' ),
		'dislike'       => __( 'Dislike', 'ratingd' ),
		'average'       => __( 'Average rating:', 'ratingd' ),
		/* translators: {n}: a number of stars, such as 4, or the word for "Like" or "Dislike". */
		'own'           => __( 'Your rating: {n}', 'ratingd' ),
		'change'        => _x( 'Change', 'one\'s rating', 'ratingd' ),
		'remove'        => __( 'Remove', 'ratingd' ),
		'remove_own'    => __( 'Remove your rating', 'ratingd' ),
		'undo'          => __( 'Undo', 'ratingd' ),
		'first'         => __( 'Be the first to rate', 'ratingd' ),
		/* translators: {n}: a number of stars, 1 to 5. */
		'step'          => __( '{n} of 5', 'ratingd' ),
		/* translators: {n}: a number of stars, such as 7; {stars}: the greatest number, such as 10. */
		'step_of'       => __( '{n} of {stars}', 'ratingd' ),
		'step_1'        => _x( 'Very poor', '1 star', 'ratingd' ),
		'step_2'        => _x( 'Poor', '2 stars', 'ratingd' ),
		'step_3'        => _x( 'Okay', '3 stars', 'ratingd' ),
		'step_4'        => _x( 'Good', '4 stars', 'ratingd' ),
		'step_5'        => _x( 'Excellent', '5 stars', 'ratingd' ),
		'saved'         => __( 'Rating saved.', 'ratingd' ),
		'removed'       => __( 'Rating removed.', 'ratingd' ),
		'login'         => __( 'Log in to rate', 'ratingd' ),
		'disabled'      => __( 'Ratings are closed.', 'ratingd' ),
		'already_rated' => __( 'You have already rated this.', 'ratingd' ),
		'cooldown'      => __( 'You can change your rating later.', 'ratingd' ),
		'limited'       => __( 'Too many ratings. Try again later.', 'ratingd' ),
		/* translators: {n}: a time, such as "in 2 hours" or "tomorrow". */
		'wait_revote'   => __( 'You have already rated this. You can change your rating {n}.', 'ratingd' ),
		/* translators: {n}: a time, such as "in 2 minutes". */
		'wait_cooldown' => __( 'You rated a moment ago. Please try again {n}.', 'ratingd' ),
		/* translators: {n}: a time, such as "tomorrow". */
		'wait_voter'    => __( 'You have rated enough for today. Please try again {n}.', 'ratingd' ),
		/* translators: {n}: a time, such as "in 2 hours" or "tomorrow". */
		'wait_network'  => __( 'Too many ratings from your network. Please try again {n}.', 'ratingd' ),
		'refused'       => __( 'Rating not accepted.', 'ratingd' ),
		'failed'        => __( 'Not saved. Please try again.', 'ratingd' ),
		'reload'        => __( 'Reload the page to rate with your account.', 'ratingd' ),
		'overall'       => __( 'Overall', 'ratingd' ),
		'save'          => __( 'Save', 'ratingd' ),
		'unsaved'       => __( 'Not saved yet', 'ratingd' ),
		'votes'         => plural_forms(),
		// Always: pages may be cached for longer than the setting low_vote_reasons lasts.
		'reason'         => __( 'What could be better?', 'ratingd' ),
		'reason_private' => __( 'Only the owner of this site reads it.', 'ratingd' ),
		'reason_send'    => __( 'Send', 'ratingd' ),
		'reason_skip'    => __( 'Skip', 'ratingd' ),
		'reason_thanks'  => __( 'Thank you.', 'ratingd' ),
	);
}

/**
 * The words for a number of votes, by the names of Intl.PluralRules. Which numbers have which form only the browser
 * knows, so each form is asked for by a number that has it.
 *
 * @return array
 */
function plural_forms() {
	$forms = array();
	// Numbers that have these forms in languages that have them: Arabic has all, Slavic ones the middle.
	$numbers = array(
		'zero'  => 0,
		'one'   => 1,
		'two'   => 2,
		'few'   => 3,
		'many'  => 11,
		'other' => 100,
	);
	foreach ( $numbers as $form => $number ) {
		/* translators: The word alone, beside a number. */
		$forms[ $form ] = _nx( 'vote', 'votes', $number, 'widget', 'ratingd' );
	}
	return $forms;
}

add_shortcode( 'ratingd', 'ratingd_widget' );

// Themes and page builders print content through wp_kses_post(), which must keep the elements of this page's widgets.
add_filter(
	'wp_kses_allowed_html',
	function ( $allowed, $context ) {
		return 'post' === $context && is_array( $allowed ) ? $allowed + printed_elements() : $allowed;
	},
	10,
	2
);

add_action(
	'init',
	function () {
		if ( ! is_served() ) {
			return;
		}
		// With the version: browsers keep the script for an hour, and an older one does not know newer markup.
		wp_register_script( 'ratingd-widget', page_base_url() . '/ratingd-widget.js', array(), VERSION, true );
		// WordPress puts a file as small as this one into the page.
		wp_register_style( 'ratingd-widget', URL . '/css/widget.css', array(), VERSION );
		wp_style_add_data( 'ratingd-widget', 'path', dirname( __DIR__ ) . '/css/widget.css' );
		wp_register_style( 'ratingd-top', URL . '/css/top.css', array(), VERSION );
		wp_style_add_data( 'ratingd-top', 'path', dirname( __DIR__ ) . '/css/top.css' );
	}
);

// Widgets want their sheets when they are made. Classic themes print the head before that, and the page must not move.
add_action(
	'wp_enqueue_scripts',
	function () {
		$archived = archived_object();
		$type     = is_singular() && ( comments_open() || get_comments_number() ) ? 'comment' : $archived['type'] ?? '';
		if ( $type && '' !== placement( $type )['where'] ) {
			// Themes may load comments later, by a request that brings no scripts.
			'comment' === $type ? enqueue_widgets() : wp_enqueue_style( 'ratingd-widget' );
		}
		$shown = (array) $GLOBALS['wp_query']->posts;
		foreach ( $shown as $post ) {
			if ( ! $post instanceof \WP_Post ) {
				continue;
			}
			$has_widget = has_shortcode( $post->post_content, 'ratingd' ) || has_block( 'ratingd/rating', $post );
			if ( $has_widget || ( is_singular() && is_placed( $post ) ) ) {
				wp_enqueue_style( 'ratingd-widget' );
			}
			foreach ( array( 'top', 'mine' ) as $list ) {
				if ( has_shortcode( $post->post_content, "ratingd_$list" ) || has_block( "ratingd/$list", $post ) ) {
					wp_enqueue_style( 'ratingd-top' );
				}
			}
		}
	}
);

// The settings of page-settings.php for a script of version 0.3, which reads attributes only: the address at which it
// gets a nonce for users who are logged in, and the address at which visitors log in.
add_filter(
	'script_loader_tag',
	function ( $tag, $handle ) {
		if ( 'ratingd-widget' !== $handle ) {
			return $tag;
		}
		// Not at another place: the tag comes with scripts that are put before it.
		$id = preg_quote( $handle, '/' ) . '-js';
		return preg_replace_callback(
			"/ id=(['\"])$id\\1/",
			function ( $found ) {
				$tag = $found[0] . sprintf( ' data-ajax="%s"', esc_url( admin_url( 'admin-ajax.php', 'relative' ) ) );
				if ( setting( 'require_login', false ) ) {
					$tag .= sprintf( ' data-login="%s"', esc_url( login_prefix() ) );
				}
				return $tag;
			},
			$tag
		);
	},
	10,
	2
);
