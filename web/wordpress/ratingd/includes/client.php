<?php
/**
 * Sends requests from PHP to ratingd over HTTP. The requests are signed by WordPress itself with a ticket
 * (docs/headless.md).
 *
 * DESIGN. Both sides derive the ticket's key from AUTH_KEY and AUTH_SALT in wp-config.php, so nothing has to be
 * configured. The client works in pages, in cron and in WP-CLI. A ticket is valid once, for one request, and has only
 * the permissions that this request needs. A person who intercepts a ticket can send only this request.
 *
 * The request goes to the site's own URL. The first attempt connects to the loopback address of this host. The loopback
 * works even if the name does not resolve or a proxy is in front of the site. Only the IP address is replaced. The web
 * server still receives the site's name, and its certificate must be valid for this name. On a shared host, only the
 * site's server block can therefore respond. (A root-owned socket would provide the same guarantee, but each site's web
 * server would need a configuration for it.)
 *
 * The loopback route needs PHP's cURL extension. Without cURL, or if ratingd does not respond on the loopback, the
 * client resolves the site's name. WordPress may be on another host than nginx, or only a proxy in front of the site
 * may have a certificate. The client stores the successful route for a day. The loopback is used only for ports below
 * 1024, because any account on the host could listen on other ports. The "ratingd_client_url" filter replaces both
 * routes with another URL.
 *
 * Pages must not wait for a service that is down. A request has a timeout of one second. After a failure, further
 * requests in the same page fail immediately. Requests in other pages fail immediately for half a minute.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const AWAY  = 'ratingd_away';   // The transient after a failure.
const ROUTE = 'ratingd_route';  // The transient that names the successful route.

const TICKET_SECONDS = 30;
const SIGNED_PIECE   = 2097152;  // The body is signed in pieces of 2 MiB.

/**
 * Sends a request to ratingd on behalf of WordPress itself, which has permissions and is not a voter.
 *
 * @param string $method     GET, POST, DELETE …
 * @param string $path       The path below the base URL, such as "/analytics/stats".
 * @param array  $parameters The parameters of the query for GET, HEAD and DELETE. For other methods, the members of
 *                           the JSON body.
 * @param array  $options    See send().
 * @return array|\WP_Error The JSON of the response. An error has ratingd's code and message, and its data is ratingd's
 *                         "data" with the "status" member. If no response arrived in time, the code is "ratingd_away",
 *                         and there is no status.
 */
function request( $method, $path, array $parameters = array(), array $options = array() ) {
	$response = send( $method, $path, $parameters, $options );
	if ( is_wp_error( $response ) ) {
		return $response;
	}
	$answer = json_decode( wp_remote_retrieve_body( $response ), true );
	return is_array( $answer ) ? $answer : away( __( 'The response is not JSON.', 'ratingd' ) );
}

/**
 * Sends a request like request(), for callers that need headers such as X-WP-TotalPages, or whose response is not JSON.
 *
 * @param string $method As in request().
 * @param string $path As in request().
 * @param array $parameters As in request().
 * @param array  $options    "rights" is the list of permissions that the request needs, out of "administer",
 *   "see_persons" and "see_unpublished". The default is "administer". "timeout" is in seconds, and its default is 1.
 *   Only programs use a longer timeout, and their requests are sent even after other requests failed. "headers" are
 *   additional headers. "body" is a text that is sent instead of JSON. A body needs a "Content-Type" header, and the
 *   parameters are then sent in the query string. "filename" is the file that receives the body of the response.
 * @return array|\WP_Error The result of wp_remote_request() if the status is below 400.
 */
function send( $method, $path, array $parameters = array(), array $options = array() ) {
	static $failed_at = 0;
	$timeout          = $options['timeout'] ?? 1;
	$is_patient       = $timeout > 1;
	if ( ! $is_patient && ( time() - $failed_at < 30 || get_transient( AWAY ) ) ) {
		return away( __( 'ratingd did not respond to the previous request.', 'ratingd' ) );
	}

	$target   = $path . query_of( $method, $parameters, $options );
	$response = ask_routes( $target, arguments( $method, $parameters, $options ), $options['rights'] ?? array( 'administer' ) );
	if ( is_wp_error( $response ) ) {
		$failed_at = time();
		set_transient( AWAY, 1, 30 );
		return $response;
	}
	if ( $failed_at > 0 || $is_patient ) {
		$failed_at = 0;
		delete_transient( AWAY );
	}
	if ( wp_remote_retrieve_response_code( $response ) < 400 ) {
		return $response;
	}
	return error_of( $response, isset( $options['filename'] ) ? file_get_contents( $options['filename'] ) : $response['body'] );
}

/**
 * Returns a ticket that identifies WordPress for one request. The ticket is valid once, within half a minute.
 *
 * @param string   $request The method and the target below the base URL: "GET /settings".
 * @param string   $body    The request's body.
 * @param string[] $rights  As in send().
 * @return string
 */
function ticket( $request, $body, array $rights ) {
	$encode = function ( $bytes ) {
		return rtrim( strtr( base64_encode( $bytes ), '+/', '-_' ), '=' );
	};
	$hashes = array();
	$length = strlen( $body );
	for ( $start = 0; $start < $length; $start += SIGNED_PIECE ) {
		$hashes[] = $encode( hash( 'sha256', substr( $body, $start, SIGNED_PIECE ), true ) );
	}
	$now    = time();
	$claims = array(
		'iss'     => 'wordpress',
		'sub'     => '0',
		// ratingd reads the site's URLs from the database or from wp-config.php.
		'aud'     => array( get_option( 'home' ), get_option( 'siteurl' ) ),
		'iat'     => $now,
		'exp'     => $now + TICKET_SECONDS,
		'jti'     => bin2hex( random_bytes( 16 ) ),
		'request' => $request,
		'body'    => $hashes,
		'rights'  => $rights,
	);
	$text   = $encode( '{"alg":"HS256","typ":"JWT"}' ) . '.' . $encode( wp_json_encode( $claims ) );
	$key    = hash_hmac( 'sha256', 'ratingd ticket', wp_salt( 'auth' ) );
	return $text . '.' . $encode( hash_hmac( 'sha256', $text, $key, true ) );
}

/**
 * Returns whether the parameters are sent in the query string.
 *
 * @param string $method  As in send().
 * @param array  $options As in send().
 * @return bool
 */
function is_query( $method, array $options ) {
	return isset( $options['body'] ) || in_array( $method, array( 'GET', 'HEAD', 'DELETE' ), true );
}

/**
 * Returns the query of the request.
 *
 * @param string $method     As in send().
 * @param array  $parameters As in send().
 * @param array  $options    As in send().
 * @return string The query with its "?". Empty if there is none.
 */
function query_of( $method, array $parameters, array $options ) {
	return is_query( $method, $options ) && $parameters ? '?' . http_build_query( $parameters, '', '&', PHP_QUERY_RFC3986 ) : '';
}

/**
 * Returns the arguments for wp_remote_request(), without the ticket.
 *
 * @param string $method     As in send().
 * @param array  $parameters As in send().
 * @param array  $options    As in send().
 * @return array
 */
function arguments( $method, array $parameters, array $options ) {
	$arguments = array(
		'method'      => $method,
		'timeout'     => $options['timeout'] ?? 1,
		'redirection' => 0,  // the ticket is valid for this site only
		'headers'     => $options['headers'] ?? array(),
		'body'        => $options['body'] ?? '',
	);
	if ( ! is_query( $method, $options ) ) {
		$arguments['headers'] += array( 'Content-Type' => 'application/json' );
		$arguments['body']     = wp_json_encode( (object) $parameters );
	}
	if ( isset( $options['filename'] ) ) {
		$arguments['stream']   = true;
		$arguments['filename'] = $options['filename'];
	}
	return $arguments;
}

/**
 * Sends the request through the first route on which ratingd responds.
 *
 * @param string   $target    The target below the base URL.
 * @param array    $arguments The arguments of wp_remote_request().
 * @param string[] $rights    As in send().
 * @return array|\WP_Error The response of ratingd, with any status.
 */
function ask_routes( $target, array $arguments, array $rights ) {
	$routes  = routes( ratingd_base_url() );
	$known   = get_transient( ROUTE );
	$routes  = isset( $routes[ $known ] ) ? array( $known => $routes[ $known ] ) + $routes : $routes;
	$started = microtime( true );
	foreach ( $routes as $name => $base ) {
		// Create a new ticket for each attempt, because the server at the previous URL may already have accepted
		// the previous ticket.
		$arguments['headers']['X-Ratingd-Ticket'] = ticket( "{$arguments['method']} $target", $arguments['body'], $rights );

		$response = ask( $base . $target, $arguments, 'loopback' === $name );
		if ( ! is_wp_error( $response ) ) {
			if ( count( $routes ) > 1 && $name !== $known ) {
				set_transient( ROUTE, $name, DAY_IN_SECONDS );
			}
			return $response;
		}
		// If the server was slow, do not try another route, because users should not have to wait twice.
		if ( microtime( true ) - $started > 0.8 * $arguments['timeout'] ) {
			break;
		}
	}
	return $response;
}

/**
 * Returns the base URLs to try, in order.
 *
 * @param string $base The base URL of the site's API.
 * @return string[] Base URLs by route. The route "loopback" connects to this host, even if the name resolves to another
 *                  host.
 */
function routes( $base ) {
	/**
	 * Filters the base URL that WordPress's server uses. Use this filter if ratingd responds neither on the loopback nor
	 * at the site's own URL. The Host header contains the site's name.
	 *
	 * @param string $url The base URL.
	 */
	$other = untrailingslashit( apply_filters( 'ratingd_client_url', $base ) );
	if ( $other !== $base ) {
		return array( 'filter' => $other );
	}
	// Send requests to the loopback address only if the port is below 1024, because any user can start a server on
	// a higher port.
	$has_loopback = defined( 'CURLOPT_CONNECT_TO' ) && wp_parse_url( $base, PHP_URL_PORT ) < 1024;
	return ( $has_loopback ? array( 'loopback' => $base ) : array() ) + array( 'name' => $base );
}

/**
 * Sends the request through one route.
 *
 * @param string $url         The address.
 * @param array  $arguments   The arguments of wp_remote_request().
 * @param bool   $is_loopback Whether to connect to this host instead of the host in the URL.
 * @return array|\WP_Error The response. An error if a server other than ratingd responded.
 */
function ask( $url, array $arguments, $is_loopback ) {
	$host = host_of( ratingd_base_url() );
	if ( host_of( $url ) !== $host ) {
		$arguments['headers']['Host'] = $host;
	} else {
		$arguments['headers'] += web_server_password();
	}
	// Set a shorter timeout, because WordPress's Requests library waits ten seconds for a connection by default.
	$limit = function ( &...$given ) use ( $arguments ) {
		$given[4]['connect_timeout'] = min( 5, $arguments['timeout'] );
		if ( isset( $arguments['filename'] ) ) {
			// Use HTTP/1.0, because without cURL, WordPress's Requests library would also write the chunk headers
			// of HTTP/1.1 to the file.
			$given[4]['protocol_version'] = 1.0;
		}
	};
	// Do not change the host name in the URL, because the Host header, TLS (SNI) and the certificate need the name.
	$connect = function ( ...$given ) use ( $is_loopback, $url ) {
		// Change only the request for $url, because other plugins may send requests, too.
		if ( $is_loopback && $given[2] === $url ) {
			// phpcs:ignore WordPress.WP.AlternativeFunctions.curl_curl_setopt -- WordPress has no argument for this option.
			curl_setopt( $given[0], CURLOPT_CONNECT_TO, array( '::localhost:' ) );
		}
	};
	add_action( 'requests-requests.before_request', $limit, 10, 5 );
	add_action( 'http_api_curl', $connect, 10, 3 );
	$response = wp_remote_request( $url, $arguments );
	remove_action( 'http_api_curl', $connect );
	remove_action( 'requests-requests.before_request', $limit );
	if ( is_wp_error( $response ) ) {
		return away( $response->get_error_message() );
	}
	if ( is_of_ratingd( $response ) ) {
		return $response;
	}
	/* translators: %d: a status of HTTP, such as 404. */
	return away( sprintf( __( 'Another program responded instead of ratingd (HTTP status %d).', 'ratingd' ), wp_remote_retrieve_response_code( $response ) ) );
}

/**
 * Returns the header with the password that the visitor's browser sent. A staging site may be protected by a password
 * in the web server, which would otherwise refuse the plugin's requests. WordPress sends the header with its own
 * requests to the site, too. ratingd ignores the header, because the request has a ticket.
 *
 * @return string[] The header by its name. Empty if there is no password.
 */
function web_server_password() {
	if ( ! isset( $_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'] ) ) {
		return array();
	}
	// phpcs:ignore WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- Sanitizing would change the password.
	$password = wp_unslash( $_SERVER['PHP_AUTH_USER'] ) . ':' . wp_unslash( $_SERVER['PHP_AUTH_PW'] );
	return array( 'Authorization' => 'Basic ' . base64_encode( $password ) );
}

/**
 * Returns whether the response is from ratingd, or from nginx on behalf of ratingd. If nginx is not configured for
 * ratingd, WordPress itself responds.
 *
 * @param array $response The result of wp_remote_request().
 * @return bool
 */
function is_of_ratingd( array $response ) {
	$links = implode( ' ', (array) wp_remote_retrieve_header( $response, 'link' ) );
	return '' !== wp_remote_retrieve_header( $response, 'x-request-id' ) && false === strpos( $links, 'https://api.w.org/' );
}

/**
 * Returns the host of a URL, with its port.
 *
 * @param string $url The address.
 * @return string
 */
function host_of( $url ) {
	$port = wp_parse_url( $url, PHP_URL_PORT );
	return wp_parse_url( $url, PHP_URL_HOST ) . ( $port ? ":$port" : '' );
}

/**
 * Returns the error for a response whose status is 400 or higher.
 *
 * @param array  $response The result of wp_remote_request().
 * @param string $text     Its body.
 * @return \WP_Error
 */
function error_of( array $response, $text ) {
	$status = wp_remote_retrieve_response_code( $response );
	$body   = json_decode( $text, true );
	$body   = is_array( $body ) ? $body : array();
	$data   = ( isset( $body['data'] ) && is_array( $body['data'] ) ? $body['data'] : array() ) + array( 'status' => $status );
	/* translators: %d: a status of HTTP, such as 503. */
	$message = sprintf( __( 'ratingd responded with HTTP status %d.', 'ratingd' ), $status );
	$said    = isset( $body['message'] ) ? said( $body['message'], $data ) : $message;
	return new \WP_Error( $body['code'] ?? 'ratingd_error', $said, $data );
}

/**
 * Returns the error for a request that got no response.
 *
 * @param string $reason A sentence.
 * @return \WP_Error
 */
function away( $reason ) {
	/* translators: %s: a sentence that says why. */
	return new \WP_Error( 'ratingd_away', sprintf( __( 'ratingd cannot be reached. %s', 'ratingd' ), $reason ) );
}
