<?php
// Calls a WordPress function and prints the function's result as JSON.
// Usage: wordpress_call.php FOLDER FUNCTION ARGUMENTS, where ARGUMENTS is a JSON list.

list( , $folder, $function, $arguments ) = $argv;
require "$folder/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/plugin.php';
require_once ABSPATH . 'wp-admin/includes/user.php';

$arguments = json_decode( $arguments, true, 512, JSON_THROW_ON_ERROR );
$result    = call_user_func_array( $function, $arguments );
if ( is_wp_error( $result ) ) {
	fwrite( STDERR, $result->get_error_message() );
	exit( 1 );
}
echo json_encode( $result, JSON_THROW_ON_ERROR );
