<?php
/**
 * WP-CLI: wp ratingd settings. Loaded only there.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Reads and changes ratingd's settings. A change takes effect within two seconds.
 */
class Settings_Command {

	/**
	 * Lists the settings.
	 *
	 * ## OPTIONS
	 *
	 * [--changed]
	 * : Only settings that differ from their default.
	 *
	 * [--fields=<fields>]
	 * : A list of name, value, default, title and description.
	 * ---
	 * default: name,value,default
	 * ---
	 *
	 * [--format=<format>]
	 * : The format of the output.
	 * ---
	 * default: table
	 * options:
	 *   - table
	 *   - csv
	 *   - json
	 *   - yaml
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd settings list --changed
	 *
	 * @subcommand list
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function list_( $args, $assoc_args ) {
		unset( $args );
		$rows = array();
		foreach ( self::ask( 'GET' ) as $name => $setting ) {
			if ( empty( $assoc_args['changed'] ) || $setting['value'] !== $setting['default'] ) {
				$rows[] = array(
					'name'        => $name,
					'value'       => self::text_of( $setting['value'] ),
					'default'     => self::text_of( $setting['default'] ),
					'title'       => $setting['title'] ?? '',
					'description' => $setting['description'] ?? '',
				);
			}
		}
		$fields = explode( ',', $assoc_args['fields'] ?? 'name,value,default' );
		\WP_CLI\Utils\format_items( $assoc_args['format'] ?? 'table', $rows, $fields );
	}

	/**
	 * Prints the value of a setting.
	 *
	 * ## OPTIONS
	 *
	 * <name>
	 * : The setting.
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd settings get revote
	 *
	 * @param array $args Positional arguments.
	 */
	public function get( $args ) {
		list( $name ) = $args;
		$settings     = self::ask( 'GET' );
		if ( ! isset( $settings[ $name ] ) ) {
			\WP_CLI::error( "There is no setting $name." );
		}
		\WP_CLI::line( self::text_of( $settings[ $name ]['value'] ) );
	}

	/**
	 * Changes settings. If a value is not allowed, no setting is changed.
	 *
	 * ## OPTIONS
	 *
	 * <setting>...
	 * : name=value. Items of lists are separated by commas.
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd settings set revote=cooldown revote_cooldown_hours=48
	 *
	 * @param array $args Positional arguments.
	 */
	public function set( $args ) {
		$current = self::ask( 'GET' );
		$changes = array();
		foreach ( $args as $arg ) {
			list( $name, $text ) = array_pad( explode( '=', $arg, 2 ), 2, null );
			if ( null === $text ) {
				\WP_CLI::error( "Not name=value: $arg" );
			}
			$changes[ $name ] = self::value_of( $text, $current[ $name ]['type'] ?? 'string' );
		}
		self::ask( 'POST', $changes );
		\WP_CLI::success( 'Changed ' . implode( ', ', array_keys( $changes ) ) . '.' );
	}

	/**
	 * Resets settings to their defaults.
	 *
	 * ## OPTIONS
	 *
	 * <name>...
	 * : The settings.
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd settings reset revote
	 *
	 * @param array $args Positional arguments.
	 */
	public function reset( $args ) {
		$current = self::ask( 'GET' );
		$changes = array();
		foreach ( $args as $name ) {
			if ( ! isset( $current[ $name ] ) ) {
				\WP_CLI::error( "There is no setting $name." );
			}
			$changes[ $name ] = $current[ $name ]['default'];
		}
		self::ask( 'POST', $changes );
		\WP_CLI::success( 'Reset ' . implode( ', ', $args ) . '.' );
	}

	/**
	 * Returns the settings after a request. Ends the program if the request fails.
	 *
	 * @param string $method  GET or POST.
	 * @param array  $changes Values by name.
	 * @return array[] The schema and the "value" of each setting, by name.
	 */
	private static function ask( $method, array $changes = array() ) {
		$answer   = request( $method, '/settings', $changes, array( 'timeout' => 10 ) );
		$values   = Command::data_of( $answer );
		$settings = array();
		foreach ( $answer['meta']['schema'] as $name => $schema ) {
			$settings[ $name ] = array( 'value' => $values[ $name ] ) + $schema;
		}
		return $settings;
	}

	/**
	 * Returns a value as text.
	 *
	 * @param mixed $value The value of a setting.
	 * @return string
	 */
	private static function text_of( $value ) {
		if ( is_bool( $value ) ) {
			return $value ? 'true' : 'false';
		}
		return is_array( $value ) ? implode( ',', $value ) : (string) $value;
	}

	/**
	 * Converts a text to a value. A text that does not fit the type is sent as it is, because ratingd explains which
	 * values are allowed.
	 *
	 * @param string $text The text from the command line.
	 * @param string $type The type of the setting.
	 * @return mixed
	 */
	private static function value_of( $text, $type ) {
		if ( 'boolean' === $type && in_array( $text, array( 'true', 'false' ), true ) ) {
			return 'true' === $text;
		}
		if ( in_array( $type, array( 'integer', 'number' ), true ) && is_numeric( $text ) ) {
			return $text + 0;
		}
		if ( 'array' === $type ) {
			return '' === $text ? array() : array_map( 'trim', explode( ',', $text ) );
		}
		return $text;
	}
}

\WP_CLI::add_command( 'ratingd settings', __NAMESPACE__ . '\Settings_Command' );
