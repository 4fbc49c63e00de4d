<?php
/**
 * WP-CLI: wp ratingd …, a thin layer over the API. Loaded only there.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// An import or a deletion may take as long as nginx waits.
const CLI_SECONDS      = 600;
const CLI_IMPORT_BYTES = 67108864;

/**
 * Shows, exports, imports and deletes ratings.
 *
 * Everything runs by the API of ratingd, with the rights of WordPress itself: no user and no password is needed.
 * Commands fail with status 1 and a message.
 */
class Command {

	/**
	 * Shows the state of the service and what its checks found.
	 *
	 * The status is 1 if the service is not ready, or if a check failed.
	 *
	 * ## OPTIONS
	 *
	 * [--format=<format>]
	 * : How the output looks.
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
	 *     wp ratingd status
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function status( $args, $assoc_args ) {
		unset( $args );
		$health = health( SITE_HEALTH_SECONDS );
		if ( ! isset( $health['version'] ) ) {
			\WP_CLI::error( $health['error'] );
		}
		$rows = array();
		foreach ( array( 'version', 'ready', 'database', 'schema', 'schema_wanted', 'workers', 'queue', 'queue_limit', 'timezone' ) as $name ) {
			if ( isset( $health[ $name ] ) ) {
				$rows[] = array(
					'subject' => $name,
					'health'  => '',
					'text'    => is_bool( $health[ $name ] ) ? ( $health[ $name ] ? 'yes' : 'no' ) : $health[ $name ],
				);
			}
		}
		$rows[]   = array(
			'subject' => 'deletions waiting',
			'health'  => waiting_deletions() ? 'warn' : 'ok',
			'text'    => count( waiting_deletions() ),
		);
		$findings = $health['findings'] ?? array();
		\WP_CLI\Utils\format_items( $assoc_args['format'] ?? 'table', array_merge( $rows, $findings ), array( 'subject', 'health', 'text' ) );
		if ( isset( $health['error'] ) || wp_list_filter( $findings, array( 'health' => 'fail' ) ) ) {
			\WP_CLI::halt( 1 );
		}
	}

	/**
	 * Exports ratings, settings and templates.
	 *
	 * The file is complete if the command succeeds.
	 *
	 * ## OPTIONS
	 *
	 * [<file>]
	 * : Where the export is written, replacing what is there. By default standard output.
	 *
	 * [--scope=<scope>]
	 * : A list of ratings, settings, templates. By default all; with a filter, ratings.
	 *
	 * [--user-id=<id>]
	 * : Only ratings of this user.
	 *
	 * [--object-id=<id>]
	 * : Only ratings of this object, such as a post.
	 *
	 * [--object-type=<type>]
	 * : Only ratings of objects of this type; a type of WordPress, such as page, means its posts, and "post" posts of every type.
	 *
	 * [--format=<format>]
	 * : The file's format.
	 * ---
	 * default: ndjson
	 * options:
	 *   - ndjson
	 *   - csv
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd export ratings.ndjson
	 *     wp ratingd export --user-id=7 --format=csv answer.csv
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function export( $args, $assoc_args ) {
		$format = $assoc_args['format'] ?? 'ndjson';
		$file   = $args[0] ?? 'php://stdout';
		$query  = array( 'format' => $format ) + self::filters( $assoc_args );
		if ( isset( $assoc_args['scope'] ) ) {
			$query['scope'] = $assoc_args['scope'];
		}
		$part = download_export( $query, CLI_SECONDS );
		if ( is_wp_error( $part ) ) {
			\WP_CLI::error( $part->get_error_message() );
		}
		$is_whole = self::is_whole( $part, $format );
		$is_done  = $is_whole && copy( $part, $file );
		unlink( $part );
		if ( ! $is_done ) {
			\WP_CLI::error( $is_whole ? "$file cannot be written." : 'The export ended early. Please try again.' );
		}
		if ( isset( $args[0] ) ) {
			\WP_CLI::success( "Exported to $file." );
		}
	}

	/**
	 * Imports a file of "wp ratingd export" or "ratingctl export".
	 *
	 * Of two ratings of one voter the newer one wins, so an import can be repeated. Settings and templates in the
	 * file replace the stored ones. The status is 1 if the file is incomplete or a row was refused.
	 *
	 * ## OPTIONS
	 *
	 * <file>
	 * : The file, up to 64 MiB. "ratingctl import" takes larger ones.
	 *
	 * [--format=<format>]
	 * : The file's format. By default that of its name: CSV for .csv.
	 * ---
	 * options:
	 *   - ndjson
	 *   - csv
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd import ratings.ndjson
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function import( $args, $assoc_args ) {
		list( $file ) = $args;
		if ( ! is_file( $file ) || ! is_readable( $file ) ) {
			\WP_CLI::error( "$file cannot be read." );
		}
		if ( filesize( $file ) > CLI_IMPORT_BYTES ) {
			\WP_CLI::error( "$file is larger than 64 MiB. Run on the server: sudo ratingctl import " . escapeshellarg( $file ) );
		}
		$format = $assoc_args['format'] ?? ( '.csv' === strtolower( substr( $file, -4 ) ) ? 'csv' : 'ndjson' );
		$answer = request(
			'POST',
			'/data/import',
			array( 'format' => $format ),
			array(
				'timeout' => CLI_SECONDS,
				'body'    => file_get_contents( $file ),
				'headers' => array( 'Content-Type' => 'csv' === $format ? 'text/csv' : 'application/x-ndjson' ),
			)
		);
		$report = self::data_of( $answer );
		foreach ( $report['reasons'] as $reason ) {
			\WP_CLI::warning( "Line {$reason['line']}: {$reason['message']}" );
		}
		$counts = array();
		foreach ( array( 'read', 'new', 'changed', 'kept', 'folded', 'refused' ) as $name ) {
			$counts[] = "{$report[ $name ]} $name";
		}
		$counts = implode( ', ', $counts ) . '.';
		if ( ! $report['complete'] ) {
			\WP_CLI::error( "The file is not complete. $counts" );
		}
		if ( $report['refused'] > 0 ) {
			\WP_CLI::error( "Some rows were refused. $counts" );
		}
		\WP_CLI::success( $counts );
	}

	/**
	 * Deletes ratings, addresses, settings or templates. Nothing brings them back: export first.
	 *
	 * ## OPTIONS
	 *
	 * <scope>
	 * : What is deleted. Settings return to their defaults. Of addresses, the ratings stay.
	 * ---
	 * options:
	 *   - ratings
	 *   - addresses
	 *   - settings
	 *   - templates
	 * ---
	 *
	 * [--user-id=<id>]
	 * : Only of this user.
	 *
	 * [--object-id=<id>]
	 * : Only of this object, such as a post.
	 *
	 * [--object-type=<type>]
	 * : Only of objects of this type; a type of WordPress, such as page, means its posts, and "post" posts of every type.
	 *
	 * [--before=<date>]
	 * : Only ratings that were last changed before this day, such as 2026-11-21, or this time in UTC, such as
	 * 2026-11-21T05:00:00Z.
	 *
	 * [--all]
	 * : All of them, instead of filters.
	 *
	 * [--yes]
	 * : Do not ask.
	 *
	 * [--format=<format>]
	 * : How the counts of what was deleted look. By default as a sentence.
	 * ---
	 * options:
	 *   - table
	 *   - csv
	 *   - json
	 *   - yaml
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd clean ratings --user-id=7
	 *     wp ratingd clean addresses --all --yes
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function clean( $args, $assoc_args ) {
		list( $scope ) = $args;
		$filters       = self::filters( $assoc_args );
		if ( isset( $assoc_args['before'] ) ) {
			$filters['before'] = $assoc_args['before'];
		}
		$is_all = ! empty( $assoc_args['all'] );
		if ( $is_all === (bool) $filters ) {
			\WP_CLI::error( $is_all ? 'Give either filters or --all.' : 'Give filters, or --all.' );
		}
		$which = $is_all ? 'all' : urldecode( http_build_query( $filters, '', ', ' ) );
		\WP_CLI::confirm( "Delete $scope ($which)? This cannot be undone.", $assoc_args );
		$order  = $filters + array(
			'scope'   => $scope,
			'confirm' => true,
		);
		$order += $is_all ? array( 'all' => true ) : array();
		$report = self::data_of( request( 'POST', '/data/clean', $order, array( 'timeout' => CLI_SECONDS ) ) );
		// A newer service may say more.
		$counts = array_filter( $report, 'is_int' );
		if ( isset( $assoc_args['format'] ) ) {
			\WP_CLI\Utils\format_items( $assoc_args['format'], array( $counts ), array_keys( $counts ) );
			return;
		}
		$words = array();
		foreach ( array_filter( $counts ) as $name => $count ) {
			$words[] = "$count $name";
		}
		\WP_CLI::success( $words ? 'Deleted ' . implode( ', ', $words ) . '.' : 'There was nothing to delete.' );
	}

	/**
	 * Sends the mail with the figures, or shows it.
	 *
	 * The page Ratings → Mail in wp-admin has the recipients and the period. WordPress's cron sends the mail, so you need
	 * this command only to look at the mail, or if cron does not run. No mail is sent twice.
	 *
	 * ## OPTIONS
	 *
	 * [--preview]
	 * : Print the mail of the last complete period instead of sending it, even if the mail is off.
	 *
	 * [--recipient=<user>]
	 * : With --preview: the id, the login or the e-mail address of the user whose mail is printed. The default is the
	 * first recipient.
	 *
	 * [--every=<period>]
	 * : With --preview: the period. The default is the period in the settings. If the mail is off, it is the week.
	 * ---
	 * options:
	 *   - day
	 *   - week
	 * ---
	 *
	 * [--format=<format>]
	 * : With --preview: the part that is printed.
	 * ---
	 * default: text
	 * options:
	 *   - text
	 *   - html
	 * ---
	 *
	 * ## EXAMPLES
	 *
	 *     wp ratingd mail --preview
	 *     wp ratingd mail --preview --recipient=admin --format=html > mail.html
	 *
	 * @param array $args       Positional arguments.
	 * @param array $assoc_args Named arguments.
	 */
	public function mail( $args, $assoc_args ) {
		unset( $args );
		if ( empty( $assoc_args['preview'] ) ) {
			$number = deliver_mail( time() );
			\WP_CLI::success( 1 === $number ? 'Sent 1 mail.' : "Sent $number mails." );
			return;
		}
		$settings = mail_settings();
		$given    = $assoc_args['recipient'] ?? $settings['users'][0] ?? '';
		$user     = get_user_by( is_numeric( $given ) ? 'id' : ( is_email( $given ) ? 'email' : 'login' ), $given );
		if ( ! $user ) {
			\WP_CLI::error( '' === $given ? 'The mail has no recipients. Name a user with --recipient.' : "There is no user $given." );
		}
		if ( ! mail_recipients( array( $user->ID ) ) ) {
			\WP_CLI::error( "$user->user_login gets no mail: this user may not see the figures, or has no e-mail address." );
		}
		$every   = $assoc_args['every'] ?? $settings['every'];
		$period  = mail_period( 'day' === $every ? 'day' : 'week', time() );
		$figures = mail_figures( $period );
		if ( is_wp_error( $figures ) ) {
			\WP_CLI::error( $figures->get_error_message() );
		}
		$mail = mail_of( $user, $figures, $period, $settings['reasons'] );
		if ( ! $mail ) {
			\WP_CLI::success( 'There is nothing to report, so no mail is sent.' );
			return;
		}
		if ( 'html' === ( $assoc_args['format'] ?? 'text' ) ) {
			\WP_CLI::line( $mail['html'] );
			return;
		}
		\WP_CLI::line( implode( "\n", array_merge( array( "To: {$mail['to']}", "Subject: {$mail['subject']}" ), $mail['headers'], array( '', $mail['text'] ) ) ) );
	}

	/**
	 * The filters that several commands have.
	 *
	 * @param array $assoc_args Named arguments.
	 * @return array Parameters of the API.
	 */
	private static function filters( array $assoc_args ) {
		$filters = array();
		foreach ( array( 'user-id', 'object-id', 'object-type' ) as $name ) {
			if ( isset( $assoc_args[ $name ] ) ) {
				$filters[ str_replace( '-', '_', $name ) ] = $assoc_args[ $name ];
			}
		}
		return $filters;
	}

	/**
	 * Whether the last row of an export is there.
	 *
	 * @param string $file   The file's name.
	 * @param string $format ndjson or csv.
	 * @return bool
	 */
	private static function is_whole( $file, $format ) {
		$handle = fopen( $file, 'rb' );
		fseek( $handle, -min( 1024, filesize( $file ) ), SEEK_END );
		$lines = explode( "\n", trim( stream_get_contents( $handle ) ) );
		fclose( $handle );
		$start = 'csv' === $format ? 'end,' : '{"kind":"end",';
		return 0 === strpos( end( $lines ), $start );
	}

	/**
	 * The data of an answer; ends the program if there is none.
	 *
	 * @param array|\WP_Error $answer Of request().
	 * @return array
	 */
	public static function data_of( $answer ) {
		if ( is_wp_error( $answer ) ) {
			$data = $answer->get_error_data();
			foreach ( is_array( $data ) ? array_filter( $data['params'] ?? array(), 'is_string' ) : array() as $sentence ) {
				\WP_CLI::warning( $sentence );
			}
			\WP_CLI::error( $answer->get_error_message() );
		}
		return $answer['data'];
	}
}

/**
 * Reads and changes the settings of ratingd. A change takes effect within two seconds.
 */
class Settings_Command {

	/**
	 * Lists the settings.
	 *
	 * ## OPTIONS
	 *
	 * [--changed]
	 * : Only those that do not have their default.
	 *
	 * [--fields=<fields>]
	 * : Of name, value, default, title, description.
	 * ---
	 * default: name,value,default
	 * ---
	 *
	 * [--format=<format>]
	 * : How the output looks.
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
	 * Changes settings: all of those named, or none if a value is not allowed.
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
	 * Gives settings their defaults.
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
	 * The settings after a request; ends the program if it fails.
	 *
	 * @param string $method  GET or POST.
	 * @param array  $changes Values by name.
	 * @return array[] Their schema with "value", by name.
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
	 * A value as text.
	 *
	 * @param mixed $value Of a setting.
	 * @return string
	 */
	private static function text_of( $value ) {
		if ( is_bool( $value ) ) {
			return $value ? 'true' : 'false';
		}
		return is_array( $value ) ? implode( ',', $value ) : (string) $value;
	}

	/**
	 * A text as a value. What does not fit is sent as it is: ratingd says what is allowed.
	 *
	 * @param string $text Of the command line.
	 * @param string $type Of the setting.
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

\WP_CLI::add_command( 'ratingd', __NAMESPACE__ . '\Command' );
\WP_CLI::add_command( 'ratingd settings', __NAMESPACE__ . '\Settings_Command' );
