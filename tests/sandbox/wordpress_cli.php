<?php
// Runs a command that the plugin adds to WP-CLI. Debian has no package for WP-CLI, so this file replaces the part
// of WP-CLI used by the plugin. Unlike WP-CLI, this file does not check arguments against the commands' doc
// comments.
// Usage: wordpress_cli.php FOLDER COMMAND... [--NAME[=VALUE]]...

namespace WP_CLI\Utils {
	function format_items( $format, $items, $fields ) {
		$rows = array();
		foreach ( $items as $item ) {
			$row = array();
			foreach ( $fields as $field ) {
				$row[ $field ] = $item[ $field ];
			}
			$rows[] = $row;
		}
		if ( 'json' === $format ) {
			echo json_encode( $rows, JSON_THROW_ON_ERROR ), "\n";
			return;
		}
		foreach ( $rows as $row ) {
			echo implode( "\t", $row ), "\n";
		}
	}
}

namespace {
	class WP_CLI {
		public static $commands = array();

		public static function add_command( $name, $command ) {
			self::$commands[ $name ] = $command;
		}

		public static function line( $text ) {
			echo "$text\n";
		}

		public static function success( $text ) {
			echo "Success: $text\n";
		}

		public static function warning( $text ) {
			fwrite( STDERR, "Warning: $text\n" );
		}

		public static function error( $text ) {
			fwrite( STDERR, "Error: $text\n" );
			exit( 1 );
		}

		public static function halt( $status ) {
			exit( $status );
		}

		public static function confirm( $question, $assoc_args ) {
			if ( empty( $assoc_args['yes'] ) ) {
				echo "$question [y/n] ";
				if ( 'y' !== strtolower( trim( (string) fgets( STDIN ) ) ) ) {
					exit;
				}
			}
		}

		// Runs the command with the longest name that matches the beginning of "words".
		public static function run( array $words, array $assoc_args ) {
			for ( $length = count( $words ) - 1; $length > 0; --$length ) {
				$name = implode( ' ', array_slice( $words, 0, $length ) );
				if ( isset( self::$commands[ $name ] ) ) {
					$method = 'list' === $words[ $length ] ? 'list_' : $words[ $length ];
					$object = new self::$commands[ $name ]();
					$object->$method( array_slice( $words, $length + 1 ), $assoc_args );
					return;
				}
			}
			self::error( 'No such command.' );
		}
	}

	define( 'WP_CLI', true );
	require "$argv[1]/wp-load.php";

	$words      = array();
	$assoc_args = array();
	foreach ( array_slice( $argv, 2 ) as $word ) {
		if ( '--' !== substr( $word, 0, 2 ) ) {
			$words[] = $word;
			continue;
		}
		list( $name, $value ) = array_pad( explode( '=', substr( $word, 2 ), 2 ), 2, true );
		$assoc_args[ $name ]  = $value;
	}
	WP_CLI::run( $words, $assoc_args );
}
