<?php
/**
 * Defines the WP-CLI commands "wp ratingd export", "import" and "clean". Only WP-CLI loads this file.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The timeout for requests that import or delete data, in seconds. The supplied nginx configuration uses the same
// timeout.
const CLI_SECONDS      = 600;
const CLI_IMPORT_BYTES = 67108864;
/**
 * The commands for data, which are methods of Command.
 */
trait Data_Commands {

	/**
	 * Exports ratings, settings and templates.
	 *
	 * The file is complete if the command succeeds.
	 *
	 * ## OPTIONS
	 *
	 * [<file>]
	 * : The file for the export. An existing file is replaced. The default is standard output.
	 *
	 * [--scope=<scope>]
	 * : A list of ratings, settings and templates. The default is all. With a filter, the default is ratings.
	 *
	 * [--user-id=<id>]
	 * : Only ratings of this user.
	 *
	 * [--object-id=<id>]
	 * : Only ratings of this object, such as a post.
	 *
	 * [--object-type=<type>]
	 * : Only ratings of objects of this type. A WordPress post type such as "page"
	 * selects the posts of this type, and "post" selects the posts of all types.
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
	 * Imports a file from "wp ratingd export" or "ratingctl export".
	 *
	 * If a voter has two ratings of an object, the newer rating is kept, so an import can be repeated. Settings and
	 * templates in the file replace the stored settings and templates. The status is 1 if the file is incomplete or a
	 * row was refused.
	 *
	 * ## OPTIONS
	 *
	 * <file>
	 * : The file, up to 64 MiB. "ratingctl import" accepts larger files.
	 *
	 * [--format=<format>]
	 * : The file's format. The default depends on the file's name: CSV for .csv, otherwise NDJSON.
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
	 * Deletes ratings, addresses, settings or templates. A deletion cannot be undone, so export first.
	 *
	 * ## OPTIONS
	 *
	 * <scope>
	 * : The data to delete. Settings return to their defaults. If addresses are deleted, the ratings are kept.
	 * ---
	 * options:
	 *   - ratings
	 *   - addresses
	 *   - settings
	 *   - templates
	 * ---
	 *
	 * [--user-id=<id>]
	 * : Only data of this user.
	 *
	 * [--object-id=<id>]
	 * : Only data of this object, such as a post.
	 *
	 * [--object-type=<type>]
	 * : Only data of objects of this type. A WordPress post type such as "page"
	 * selects the posts of this type, and "post" selects the posts of all types.
	 *
	 * [--before=<date>]
	 * : Only ratings that were last changed before this day, such as 2026-11-21, or this time in UTC, such as
	 * 2026-11-21T05:00:00Z.
	 *
	 * [--all]
	 * : All data of the scope, instead of filters.
	 *
	 * [--yes]
	 * : Do not ask.
	 *
	 * [--format=<format>]
	 * : The format of the counts of deleted data. The default is a sentence.
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
		// Keep only the counts, because newer versions of the service may return other members.
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
	 * Returns the filters that several commands share.
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
	 * Returns whether an export has its last row.
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
}
