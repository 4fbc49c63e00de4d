<?php
/**
 * Adds the page "Ratings → Criteria and reactions", on which an owner creates names and chooses their labels.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const SAVE_NAMES = 'ratingd_save_names'; // The action of wp-admin/admin-post.php.

add_action(
	'admin_menu',
	function () {
		if ( ! is_served() ) {
			return;
		}
		$title = __( 'Criteria and reactions', 'ratingd' );
		$hook  = add_submenu_page( 'ratingd', $title, $title, 'manage_options', 'ratingd-names', __NAMESPACE__ . '\show_names' );
		add_action(
			"admin_print_styles-$hook",
			function () {
				wp_enqueue_style( 'ratingd-wp-admin', URL . '/css/wp-admin.css', array(), VERSION );
				wp_enqueue_script( 'ratingd-names', URL . '/js/names.js', array(), VERSION, true );
			}
		);
	},
	21
);

add_action(
	'admin_init',
	function () {
		add_option( NAMES, array() ); // Autoloaded, like the option of the placement.
	}
);

/**
 * Returns the URL of the page.
 *
 * @return string
 */
function names_page() {
	return admin_url( 'admin.php?page=ratingd-names' );
}

add_action(
	'admin_post_' . SAVE_NAMES,
	function () {
		check_admin_referer( SAVE_NAMES );
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( '', '', array( 'response' => 403 ) );
		}
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- names_of_form() sanitizes each value.
		$rows  = (array) wp_unslash( $_POST['names'] ?? array() );
		$saved = change_names(
			function () use ( $rows ) {
				$names = names_of_form( $rows );
				return is_wp_error( $names ) ? $names : save_names( $names );
			}
		);
		$saved = is_wp_error( $saved ) ? $saved->get_error_message() : '';
		set_transient( 'ratingd_names_' . get_current_user_id(), $saved, MINUTE_IN_SECONDS );
		wp_safe_redirect( add_query_arg( 'saved', '' === $saved ? 1 : 0, names_page() ) );
		exit;
	}
);

/**
 * Returns the names that the form sends. A row without a label is empty, and a row whose box is ticked is removed.
 * Names without a row are last, because another user has created them since the page was opened.
 *
 * @param array $rows "name" (empty for a new one), "group", "label", "weight", "icon" and "remove".
 * @return array[]|\WP_Error As returned by site_names().
 */
function names_of_form( array $rows ) {
	$known = site_names();
	if ( null === $known ) {
		return away( __( 'The rating settings cannot be read.', 'ratingd' ) );
	}
	$names   = array();
	$removed = array();
	$taken   = array_map( 'strval', array_keys( $known ) );
	foreach ( array_filter( $rows, 'is_array' ) as $row ) {
		$name  = is_string( $row['name'] ?? null ) ? $row['name'] : '';
		$label = clean_text( $row['label'] ?? '', LABEL_SIZE );
		if ( ! empty( $row['remove'] ) ) {
			$removed[ $name ] = true;
			continue;
		}
		if ( ! isset( $known[ $name ] ) ) {
			// Another user has removed the name since the page was opened, or the row is empty.
			if ( '' !== $name || '' === $label ) {
				continue;
			}
			$name    = name_for( $label, 'reactions' === ( $row['group'] ?? '' ) ? 'reactions' : 'criteria', $taken );
			$taken[] = $name;
			if ( '' === trim( (string) ( $row['icon'] ?? '' ) ) ) {
				unset( $row['icon'] );
			}
		}
		$names[ $name ] = clean_name( $row, $name );
	}
	$names += array_diff_key( $known, $removed );
	return count( $names ) > MOST_NAMES ? too_many_names() : $names;
}

/**
 * Returns a text that describes where a name is used.
 *
 * @param int      $ratings The number of ratings with the name.
 * @param int      $posts   The number of posts and pages whose content has the name.
 * @param string[] $places  The titles of the types on which the name is placed.
 * @return string
 */
function use_of_name( $ratings, $posts, array $places ) {
	/* translators: %s: a number. */
	$parts = array( sprintf( _n( '%s rating', '%s ratings', $ratings, 'ratingd' ), number_format_i18n( $ratings ) ) );
	if ( $posts ) {
		/* translators: %s: a number. */
		$parts[] = sprintf( _n( 'used on %s page', 'used on %s pages', $posts, 'ratingd' ), number_format_i18n( $posts ) );
	}
	if ( $places ) {
		/* translators: %s: a list, such as "Posts, Pages". */
		$parts[] = sprintf( __( 'placed on: %s', 'ratingd' ), implode( ', ', $places ) );
	}
	return implode( ' · ', $parts );
}

/**
 * Prints a row of the form.
 *
 * @param string $key   The key of the row in the form.
 * @param string $group "criteria" or "reactions".
 * @param string $name  The name. Empty in the row for a new name.
 * @param array  $about As returned by site_names().
 * @param string $usage As returned by use_of_name().
 */
function show_name_row( $key, $group, $name, array $about, $usage ) {
	$field = function ( $one ) use ( $key ) {
		return esc_attr( "names[$key][$one]" );
	};
	// Each field shows its title on narrow screens, where the table has no header row.
	printf( '<tr data-ratingd-name><td data-title="%s">', esc_attr__( 'Label', 'ratingd' ) );
	foreach ( compact( 'name', 'group' ) as $one => $value ) {
		printf( '<input type="hidden" name="%s" value="%s">', $field( $one ), esc_attr( $value ) ); // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- $field() escapes its output.
	}
	// phpcs:disable WordPress.Security.EscapeOutput.OutputNotEscaped -- $field() escapes its output.
	printf( '<input type="text" name="%s" value="%s" maxlength="%d" aria-label="%s" placeholder=" ">', $field( 'label' ), esc_attr( $about['label'] ), (int) LABEL_SIZE, esc_attr__( 'Label', 'ratingd' ) );
	printf( '</td><td data-title="%s">', esc_attr( 'criteria' === $group ? __( 'Weight', 'ratingd' ) : __( 'Emoji', 'ratingd' ) ) );
	if ( 'criteria' === $group ) {
		printf( '<input type="number" class="small-text" name="%s" value="%s" min="0.01" max="100" step="any" aria-label="%s">', $field( 'weight' ), esc_attr( $about['weight'] ), esc_attr__( 'Weight', 'ratingd' ) );
	} else {
		printf( '<input type="text" class="small-text" name="%s" value="%s" maxlength="%d" aria-label="%s">', $field( 'icon' ), esc_attr( $about['icon'] ), (int) ICON_POINTS, esc_attr__( 'Emoji', 'ratingd' ) );
	}
	echo '</td><td>';
	if ( '' === $name ) {
		esc_html_e( 'New', 'ratingd' );
	} else {
		printf( '<code>%s</code><br><span class="description">%s</span>', esc_html( $name ), esc_html( $usage ) );
	}
	/* translators: %s: the label of a criterion or a reaction. */
	$up = sprintf( __( 'Move up: %s', 'ratingd' ), $about['label'] );
	/* translators: %s: the label of a criterion or a reaction. */
	$down = sprintf( __( 'Move down: %s', 'ratingd' ), $about['label'] );
	printf( '</td><td><button type="button" class="button" data-ratingd-move="-1" aria-label="%s" hidden>↑</button> <button type="button" class="button" data-ratingd-move="1" aria-label="%s" hidden>↓</button> ', esc_attr( $up ), esc_attr( $down ) );
	if ( '' !== $name ) {
		printf( '<label><input type="checkbox" name="%s" value="1" data-ratingd-remove> %s</label>', $field( 'remove' ), esc_html__( 'Remove', 'ratingd' ) );
		/* translators: %s: the use of a name, such as "12 ratings · used on 3 pages". */
		$loss = sprintf( __( '%s. After you save, visitors no longer see this name. The ratings for this name are kept, and are shown again if you create the same name again.', 'ratingd' ), $usage );
		printf( '<p class="description ratingd-loss" role="status">%s</p>', esc_html( $loss ) );
	}
	// phpcs:enable
	echo '</td></tr>';
}

/**
 * Prints the criteria or the reactions.
 *
 * @param string   $group  "criteria" or "reactions".
 * @param array[]  $names  As returned by site_names().
 * @param string[] $usages As returned by use_of_name(), by names.
 */
function show_names_of( $group, array $names, array $usages ) {
	$is_criteria = 'criteria' === $group;
	printf( '<h2>%s</h2>', esc_html( $is_criteria ? __( 'Criteria', 'ratingd' ) : __( 'Reactions', 'ratingd' ) ) );
	printf(
		'<p>%s</p>',
		esc_html(
			$is_criteria
				? __( 'Visitors rate criteria, such as quality and service, with stars. A criterion with a weight of 2 counts twice in the overall rating.', 'ratingd' )
				: __( 'Visitors choose reactions, such as love or funny, with a click.', 'ratingd' )
		)
	);
	printf(
		'<table class="widefat striped ratingd-names wp-exclude-emoji" data-ratingd-group="%s"><thead><tr><th scope="col">%s</th><th scope="col">%s</th><th scope="col">%s</th><th scope="col">%s</th></tr></thead><tbody>',
		esc_attr( $group ),
		esc_html__( 'Label', 'ratingd' ),
		esc_html( $is_criteria ? __( 'Weight', 'ratingd' ) : __( 'Emoji', 'ratingd' ) ),
		esc_html__( 'Name and usage', 'ratingd' ),
		esc_html__( 'Order', 'ratingd' )
	);
	$own = wp_list_filter( $names, array( 'group' => $group ) );
	foreach ( $own as $name => $about ) {
		show_name_row( "$group-$name", $group, (string) $name, $about, $usages[ $name ] );
	}
	$empty = array(
		'label'  => '',
		'weight' => 1,
		'icon'   => '',
	);
	for ( $row = 0; $row < 3; ++$row ) {
		show_name_row( "$group.$row", $group, '', $empty, '' );
	}
	echo '</tbody></table>';
	if ( $own ) {
		$shortcode = sprintf( '[ratingd %s="%s"]', $is_criteria ? 'facets' : 'reactions', implode( ', ', array_keys( $own ) ) );
		printf( '<p>%s <code class="ratingd-shortcode">%s</code></p>', esc_html__( 'Shortcode for the classic editor:', 'ratingd' ), esc_html( $shortcode ) );
	}
}

/**
 * Prints the page.
 */
function show_names() {
	printf( '<div class="wrap"><h1>%s</h1>', esc_html( get_admin_page_title() ) );
	$said = get_transient( 'ratingd_names_' . get_current_user_id() );
	if ( false !== $said ) {
		delete_transient( 'ratingd_names_' . get_current_user_id() );
		$text = '' === $said ? __( 'Saved.', 'ratingd' ) : $said . ' ' . __( 'Nothing was saved.', 'ratingd' );
		printf( '<div class="notice notice-%s" role="status"><p>%s</p></div>', '' === $said ? 'success' : 'error', esc_html( $text ) );
	}
	$names = site_names();
	if ( null === $names ) {
		printf( '<div class="notice notice-error"><p>%s</p></div></div>', esc_html__( 'The rating settings cannot be read.', 'ratingd' ) );
		return;
	}
	printf(
		'<p>%s</p><p>%s <a href="%s">%s</a></p>',
		esc_html__( 'Blocks, shortcodes and the Placement page use this list of names. You can change a label at any time, and pages then show the new label.', 'ratingd' ),
		esc_html__( 'After you save, insert the “Criteria” or “Reactions” block in a post, or place the criteria or reactions on all posts.', 'ratingd' ),
		esc_url( admin_url( 'admin.php?page=ratingd-placement' ) ),
		esc_html__( 'Choose where ratings appear', 'ratingd' )
	);
	printf( '<form method="post" action="%s"><input type="hidden" name="action" value="%s">', esc_url( admin_url( 'admin-post.php' ) ), esc_attr( SAVE_NAMES ) );
	wp_nonce_field( SAVE_NAMES );
	$ratings = ratings_of_names();
	$posts   = posts_with_names();
	$places  = places_with_names();
	$usages  = array();
	foreach ( array_keys( $names ) as $name ) {
		$usages[ $name ] = use_of_name( $ratings[ $name ] ?? 0, count( $posts[ $name ] ?? array() ), $places[ $name ] ?? array() );
	}
	foreach ( NAME_GROUPS as $group ) {
		show_names_of( $group, $names, $usages );
	}
	show_save_bar();
	echo '</form></div>';
}
