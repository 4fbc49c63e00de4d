<?php
/**
 * Loads the plugin's texts in the site's language, or in the user's language in wp-admin.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Returns the file with the translation in the folder "languages". If the locale has no file, a file of another
 * locale with the same language is used.
 *
 * @param string $extension "mo", or "json" for the page.
 * @param string $script    The script of the translation, if any.
 * @param string $locale    The locale. The default is the locale of the request.
 * @return string The name of the file. Empty if there is none.
 */
function translation( $extension, $script = '', $locale = '' ) {
	$locale   = '' === $locale ? determine_locale() : $locale;
	$language = strtok( $locale, '_' );
	if ( 'en' === $language ) {
		return '';
	}
	$start = translations() . '/ratingd-';
	$end   = ( '' === $script ? '' : "-$script" ) . ".$extension";
	$files = array_merge( (array) glob( "$start$locale$end" ), (array) glob( "$start{$language}_??$end" ) );
	return $files ? basename( $files[0] ) : '';
}

/**
 * Returns the folder with the plugin's own translations.
 *
 * @return string
 */
function translations() {
	return dirname( __DIR__ ) . '/languages';
}

/**
 * Loads the texts of a locale. A translation in WordPress's folder takes precedence.
 *
 * @param string $locale The locale.
 */
function load_texts( $locale ) {
	$file  = translation( 'mo', '', $locale );
	$other = WP_LANG_DIR . "/plugins/ratingd-$locale.mo";
	load_textdomain( 'ratingd', $other, $locale ) || ( $file && load_textdomain( 'ratingd', translations() . "/$file", $locale ) );
}

add_action(
	'init',
	function () {
		load_texts( determine_locale() );
	},
	0
);

// When the locale is switched, WordPress finds only translations in its own folder.
add_action(
	'change_locale',
	function ( $locale ) {
		unload_textdomain( 'ratingd', true );
		load_texts( $locale );
	}
);

// Load the translations of scripts from the plugin's folder, too.
add_filter(
	'load_script_translation_file',
	function ( $file, $handle, $domain ) {
		if ( 'ratingd' !== $domain || ( $file && is_readable( $file ) ) ) {
			return $file;
		}
		$own = translation( 'json', $handle );
		return $own ? translations() . "/$own" : $file;
	},
	10,
	3
);

// The lengths of time units, in seconds.
const UNITS = array(
	'second' => 1,
	'minute' => MINUTE_IN_SECONDS,
	'hour'   => HOUR_IN_SECONDS,
	'day'    => DAY_IN_SECONDS,
);

/**
 * Translates a message from ratingd into the reader's language.
 *
 * @param string $text English.
 * @param array  $with The "pattern" of the sentence and its "values" by name, if the sentence contains values.
 * @return string
 */
function said( $text, array $with = array() ) {
	// phpcs:ignore WordPress.WP.I18n.NonSingularStringLiteralText, WordPress.WP.I18n.LowLevelTranslationFunction -- The texts are literals in lib/.
	$pattern = translate( $with['pattern'] ?? $text, 'ratingd' );
	$shown   = array();
	foreach ( isset( $with['pattern'] ) ? $with['values'] ?? array() : array() as $name => $value ) {
		$shown[ "{{$name}}" ] = said_value( $value );
	}
	return $shown ? strtr( $pattern, $shown ) : $pattern;
}

/**
 * Formats a value in a message from ratingd.
 *
 * @param mixed $value A text, a number, a duration, or another sentence.
 * @return string
 */
function said_value( $value ) {
	if ( ! is_array( $value ) ) {
		return is_int( $value ) ? number_format_i18n( $value ) : (string) $value;
	}
	if ( isset( $value['unit'] ) ) {
		return human_time_diff( 0, $value['number'] * UNITS[ $value['unit'] ] );
	}
	return said( '', $value );
}
