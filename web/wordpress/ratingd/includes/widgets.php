<?php
/**
 * Provides the shortcode [ratingd] and the widgets' script (docs/wordpress.md).
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// Contains the attributes of <ratingd-rating> (docs/widgets.md) except for labels, with their defaults in WordPress.
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

// Maps each built-in template to its category.
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
 * Returns the attributes of a widget. All known attributes are present, and other attributes are removed. Only this
 * function accepts attributes from authors.
 *
 * @param array $given As passed to ratingd_widget(). Names of labels begin with "label-".
 * @param int $post The rated post if the attributes contain no post. The default is the post of the loop.
 * @return array
 */
function widget_attributes( array $given, $post = 0 ) {
	$named = array();
	foreach ( without_curly_quotes( $given ) as $name => $value ) {
		// The shortcode [ratingd hide-result] is equivalent to [ratingd hide-result="true"].
		if ( is_int( $name ) ) {
			$name  = $value;
			$value = 'true';
		}
		$name = strtolower( (string) $name );
		// Shortcodes also accept the attribute names of <ratingd-rating>.
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
		// If the theme has unset the current post, use the requested post.
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
	foreach ( array( 'hide-result', 'multiple' ) as $name ) {
		if ( in_array( $widget[ $name ], array( 'false', '0' ), true ) ) {
			$widget[ $name ] = '';
		}
	}
	return $widget;
}

/**
 * Returns the attributes of a shortcode whose values have curly quotes. WordPress leaves these quotes in the values,
 * and splits such values at spaces.
 *
 * @param array $given As returned by shortcode_parse_atts().
 * @return array
 */
function without_curly_quotes( array $given ) {
	$quotes = '[“”„‟″«»]|&#82(?:20|21|22|43);|&[lr]dquo;|&bdquo;';
	$fixed  = array();
	$open   = null; // the attribute whose value continues
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
 * Returns the post that the page shows, for widgets outside the loop.
 *
 * @return int The id of the post, or 0 if there is none.
 */
function get_queried_post() {
	return is_singular() ? get_queried_object_id() : 0;
}

/**
 * Returns whether a text is the id of an object.
 *
 * @param string $id The text.
 * @return bool
 */
function is_object_id( $id ) {
	return preg_match( '/^[1-9][0-9]{0,18}$/', $id ) && strcmp( str_pad( $id, 19, '0', STR_PAD_LEFT ), '9223372036854775807' ) <= 0;
}

/**
 * Returns a note that replaces a widget. Visitors do not see the note.
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
 * Returns the reason why a widget without an ID has no object.
 *
 * @param string $type The type of the object.
 * @return string
 */
function no_object_text( $type ) {
	switch ( $type ) {
		case 'term':
			return __( 'No rating is shown here, because this is not the page of a category or tag. Enter the ID of a category or tag in the shortcode, for example [ratingd type="term" id="123"]. Only editors see this note.', 'ratingd' );
		case 'comment':
			return __( 'No rating is shown here, because this is not part of a comment. Enter the ID of a comment in the shortcode, for example [ratingd type="comment" id="123"]. Only editors see this note.', 'ratingd' );
		case 'author':
			return __( 'No rating is shown here, because this page has no author. Enter the ID of a user in the shortcode, for example [ratingd type="author" id="123"]. Only editors see this note.', 'ratingd' );
		default:
			return __( 'No rating is shown here, because this is not the page of a single post. Enter the ID of a post in the shortcode, for example [ratingd id="123"]. Only editors see this note.', 'ratingd' );
	}
}

/**
 * Returns the HTML of a widget, which is an element that the script fills. Until then, the element contains the
 * widget's figures as text. The HTML contains everything except the numbers, so that the script requests only the
 * numbers.
 *
 * @param array $given As passed to ratingd_widget().
 * @return string HTML. Empty in feeds, in sites without ratings, and if the rated object is unknown. On pages of
 *                another site, it contains only the figures.
 */
function widget( array $given ) {
	if ( is_feed() || ! is_served() ) {
		return '';
	}
	$widget = widget_attributes( $given );
	if ( '' === $widget['id'] ) {
		return hint( no_object_text( $widget['type'] ) );
	}
	if ( ! is_object_id( $widget['id'] ) ) {
		/* translators: %s: what the author of the page has written. */
		$text = __( 'No rating is shown here, because the ID “%s” is not valid. Enter a number, for example [ratingd id="123"]. Only editors see this note.', 'ratingd' );
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
	// Omit the category attribute, because the template determines the category. Omit the schema attribute,
	// because the page already contains structured data for search engines.
	return $text . opening_tag( 'ratingd-rating', $widget, array( 'category', 'schema' ) ) . figures_html( $widget ) . '</ratingd-rating>';
}

/**
 * Returns a note for administrators that votes from this page will be refused. The note is shown once per page.
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
	$text = __( 'Visitors to %s cannot rate. Add this address to the “Other sites whose visitors may rate” setting. Only administrators see this note.', 'ratingd' );
	return hint( sprintf( $text, wp_parse_url( get_option( 'home' ), PHP_URL_SCHEME ) . "://$host" ), 'manage_options' );
}

/**
 * Adds the widgets' script, style sheet and texts to the page.
 */
function enqueue_widgets() {
	wp_enqueue_script( 'ratingd-widget' );
	wp_enqueue_style( 'ratingd-widget' );
	add_words();
}

/**
 * Returns the figures of a widget as HTML.
 *
 * @param array $widget As returned by widget_attributes().
 * @return string HTML. Empty if the widget shows no figures.
 */
function figures_html( array $widget ) {
	$figures = figures_in_words( $widget );
	return '' === $figures ? '' : sprintf( '<bdi>%s</bdi>', esc_html( $figures ) );
}

/**
 * Returns the HTML for a group of criteria with the post's overall rating, or for a row of reactions. The widgets'
 * script loads the code for both kinds of groups.
 *
 * @param array $widget As returned by widget_attributes().
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
 * Returns the opening tag of an element for the script.
 *
 * @param string   $element The name of the element.
 * @param array    $widget  The attributes, as of widget_attributes(). Empty attributes are left out.
 * @param string[] $without The names of other attributes that are left out.
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
		$widget['stars'] = ''; // The script uses this number by default.
	} elseif ( 'simple/distribution' === $widget['template'] ) {
		$style[] = "--ratingd-bars:{$widget['stars']}"; // for the height that is reserved
	}
	if ( 'ratingd-criteria' === $element ) {
		$style[] = '--ratingd-rows:' . count( wp_parse_list( $widget['facets'] ) ); // for the height that the page reserves
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
 * Returns the widget elements that the page has printed so far, with their attributes. While content is saved, the list
 * is empty, so that authors cannot use additional HTML.
 *
 * @param string   $element    An additional element.
 * @param string[] $attributes The attributes of this element.
 * @return array As passed to wp_kses().
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
 * Returns the template for widgets without a template. This is the template in the settings if it exists and has the
 * category.
 *
 * @param string $category The category. Other texts count as "scale".
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
 * Returns the site's own templates. A page that needs one of these templates reads all of them once, with one
 * statement.
 *
 * @return object[] Objects with category, html and css, by slug.
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
 * Adds a template to the page. The template is a template of the site, or a built-in template that is not in the
 * script.
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
 * Prints the site's own texts and the texts in the site's language, once per page. The script contains the English
 * texts.
 */
function add_words() {
	static $added = false;
	$words        = array_merge( is_textdomain_loaded( 'ratingd' ) ? words() : array(), own_texts() );
	if ( ! $added && $words ) {
		// Words that are defined by the theme take precedence.
		$script = 'window.ratingdWords = Object.assign( %s, window.ratingdWords );';
		wp_add_inline_script( 'ratingd-widget', sprintf( $script, wp_json_encode( $words, JSON_HEX_TAG ) ), 'before' );
	}
	$added = true;
}

/**
 * Returns the widgets' texts in the site's language.
 *
 * @return array The words by their names in the script.
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
		'wait_voter'    => __( 'You have reached the daily limit. Please try again {n}.', 'ratingd' ),
		/* translators: {n}: a time, such as "in 2 hours" or "tomorrow". */
		'wait_network'  => __( 'Too many ratings from your network. Please try again {n}.', 'ratingd' ),
		'refused'       => __( 'Rating not accepted.', 'ratingd' ),
		'failed'        => __( 'Not saved. Please try again.', 'ratingd' ),
		'reload'        => __( 'Reload the page to rate with your account.', 'ratingd' ),
		'overall'       => __( 'Overall', 'ratingd' ),
		'save'          => __( 'Save', 'ratingd' ),
		'unsaved'       => __( 'Not saved yet', 'ratingd' ),
		'votes'         => plural_forms(),
		// Include the texts for reasons even if low_vote_reasons is disabled, because the page may be cached when the
		// setting changes.
		'reason'         => __( 'What could be better?', 'ratingd' ),
		'reason_private' => __( 'Only the site’s team reads your text.', 'ratingd' ),
		'reason_send'    => __( 'Send', 'ratingd' ),
		'reason_skip'    => __( 'Skip', 'ratingd' ),
		'reason_thanks'  => __( 'Thank you.', 'ratingd' ),
	);
}

/**
 * Returns the words for a number of votes by the plural categories of Intl.PluralRules. Only the browser can tell which
 * category a language uses for a given number, so the word for each category is translated with an example number.
 *
 * @return array
 */
function plural_forms() {
	$forms = array();
	// Maps each plural category to an example number. Arabic, for example, uses all six plural categories, and
	// English uses only "one" and "other".
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

// Make wp_kses_post() keep the widgets' HTML elements, because themes and page builders use it to print content.
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
		// The URL contains the version, because browsers cache the script for an hour, and an older script may not
		// support newer markup.
		wp_register_script( 'ratingd-widget', page_base_url() . '/ratingd-widget.js', array(), VERSION, true );
		// If WordPress knows the path of a small style sheet, it prints the style sheet inline.
		wp_register_style( 'ratingd-widget', URL . '/css/widget.css', array(), VERSION );
		wp_style_add_data( 'ratingd-widget', 'path', dirname( __DIR__ ) . '/css/widget.css' );
		wp_register_style( 'ratingd-top', URL . '/css/top.css', array(), VERSION );
		wp_style_add_data( 'ratingd-top', 'path', dirname( __DIR__ ) . '/css/top.css' );
	}
);

// Enqueue the style sheets before the widgets are printed, because classic themes print the <head> first, and a
// style sheet loaded later would shift the page content.
add_action(
	'wp_enqueue_scripts',
	function () {
		$archived = archived_object();
		$type     = is_singular() && ( comments_open() || get_comments_number() ) ? 'comment' : $archived['type'] ?? '';
		if ( $type && '' !== placement( $type )['where'] ) {
			// Enqueue the scripts, too, because themes may load comments later with a request that does not load scripts.
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

// Also print the settings as attributes of the script tag, because version 0.3 of the widgets' script reads only
// attributes. "data-ajax" is the URL of the nonce for logged-in users, and "data-login" is the URL of the login
// page.
add_filter(
	'script_loader_tag',
	function ( $tag, $handle ) {
		if ( 'ratingd-widget' !== $handle ) {
			return $tag;
		}
		// Change only the script tag with this id, because $tag may also contain other scripts.
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
