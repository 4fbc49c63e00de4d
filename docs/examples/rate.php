<?php
// A sample page that visitors can rate with ratingd. The page requires PHP 8, but no framework or additional
// extensions.

// Returns a ticket that identifies the visitor. Never write the ticket to a log or into a URL.
function ticket( $visitor ) {
	$issuer = array( 'iss' => getenv( 'RATINGD_KEY_NAME' ), 'aud' => getenv( 'RATINGD_SITE' ) );
	$claims = $issuer + array( 'sub' => $visitor, 'iat' => time(), 'exp' => time() + 60, 'address' => $_SERVER['REMOTE_ADDR'] );
	$encode = fn( $bytes ) => rtrim( strtr( base64_encode( $bytes ), '+/', '-_' ), '=' );
	$text   = $encode( '{"alg":"HS256","typ":"JWT"}' ) . '.' . $encode( json_encode( $claims ) );
	$key    = trim( file_get_contents( getenv( 'RATINGD_KEY_FILE' ) ) );
	return $text . '.' . $encode( hash_hmac( 'sha256', $text, $key, true ) );
}

// Returns ratingd's response, or null if the request fails.
function ask( $path, $visitor, $vote = null ) {
	$header = array( 'Content-Type: application/json' );
	if ( $visitor ) {
		$header[] = 'X-Ratingd-Ticket: ' . ticket( $visitor );
	}
	$http = array( 'header' => $header, 'timeout' => 5, 'follow_location' => 0, 'ignore_errors' => true );
	if ( $vote ) {
		$http += array( 'method' => 'POST', 'content' => json_encode( $vote ) );
	}
	$body   = file_get_contents( getenv( 'RATINGD_URL' ) . $path, false, stream_context_create( array( 'http' => $http ) ) );
	$answer = json_decode( (string) $body, true );
	return empty( $answer['success'] ) ? null : $answer;
}

$is_vote = 'POST' === $_SERVER['REQUEST_METHOD'];
// This page must check the origin of each vote, because ratingd sees only requests from this page's server.
if ( $is_vote && ( $_SERVER['HTTP_ORIGIN'] ?? '' ) !== getenv( 'ORIGIN' ) ) {
	http_response_code( 403 );
	exit( 'Forbidden' );
}
if ( $is_vote || isset( $_COOKIE[ session_name() ] ) ) {
	session_start( array( 'cookie_httponly' => true, 'cookie_secure' => true, 'cookie_samesite' => 'Lax', 'use_strict_mode' => true ) );
	// Administrators can see the visitor's id, so use a random id instead of the session ID, which must stay
	// secret.
	$_SESSION['visitor'] ??= bin2hex( random_bytes( 16 ) );
}
$visitor = $_SESSION['visitor'] ?? null;
$vote    = array( 'object_id' => 1, 'object_type' => 'page', 'category' => 'binary', 'value' => $_POST['value'] ?? null );
$answer  = $is_vote ? ask( '/rate', $visitor, $vote ) : ask( '/stats/1?object_type=page', $visitor );
if ( ! $answer ) {
	http_response_code( 502 );
	exit( 'Ratings are not available. Please try again.' );
}
header( 'Cache-Control: no-store' );
?>
<!doctype html>
<meta charset="utf-8">
<title>Teapot</title>
<p>Likes: <?php echo htmlspecialchars( $answer['stats']['binary']['positive'] ); ?></p>
<p>Your rating: <?php echo htmlspecialchars( $answer['user_ratings']['binary']['value'] ?? 'none' ); ?></p>
<form method="post"><button name="value" value="1">Like</button><button name="value" value="0">Dislike</button></form>
