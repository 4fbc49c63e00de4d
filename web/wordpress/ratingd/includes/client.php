<?php
/**
 * How PHP asks ratingd: by HTTP, as WordPress itself, with a signed ticket (docs/headless.md).
 *
 * DESIGN. The ticket's key is derived from AUTH_KEY and AUTH_SALT of wp-config.php by both sides, so nothing is
 * configured. It works in pages, from cron and in WP-CLI. A ticket is valid for one request, once, and has no more
 * rights than that request needs: whoever reads it gains nothing but this request.
 *
 * The request goes to the site's own address. First it is sent to this host itself, by the loopback: there, a name
 * that does not resolve and proxies in front of the site do not matter. The loopback replaces the address that the
 * name has, and nothing else: the web server is told the site's name and has to prove it by its certificate. So of
 * the server blocks of a shared host, that of the site answers, and no other program can. (A socket of root would
 * prove the same, but the web server of each site would have to be configured for it.) Only PHP's cURL can do that;
 * without it the name is resolved as usual. So it is if ratingd does not answer by the loopback: then WordPress is on
 * another host than nginx, or only a proxy in front of the site has a certificate. What worked is remembered for a
 * day. From port 1024 on, the loopback is not asked, since any account of the host could listen there. The filter
 * "ratingd_client_url" names another address instead of both.
 *
 * Pages must not wait for a service that is down: a request has one second, and after a failure the next ones fail
 * immediately, in the same page and for half a minute in others.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

const AWAY  = 'ratingd_away';   // The transient after a failure.
const ROUTE = 'ratingd_route';  // The transient that names the route that worked.

const TICKET_SECONDS = 30;
const SIGNED_PIECE   = 2097152;  // The body is signed in pieces of 2 MiB.

/**
 * Asks ratingd as WordPress itself, which has rights and is no voter.
 *
 * @param string $method     GET, POST, DELETE …
 * @param string $path       Below the base URL: "/analytics/stats".
 * @param array  $parameters Of the query for GET, HEAD and DELETE; else the members of the JSON body.
 * @param array  $options    See send().
 * @return array|\WP_Error The answer's JSON. Errors have ratingd's code and message, and as data its "data" with
 *                         the member "status"; "ratingd_away" without a status if nobody answered in time.
 */
function request( $method, $path, array $parameters = array(), array $options = array() ) {
	$response = send( $method, $path, $parameters, $options );
	if ( is_wp_error( $response ) ) {
		return $response;
	}
	$answer = json_decode( wp_remote_retrieve_body( $response ), true );
	return is_array( $answer ) ? $answer : away( __( 'The answer is not JSON.', 'ratingd' ) );
}

/**
 * As request(), for answers that are not JSON and for headers, such as X-WP-TotalPages.
 *
 * @param string $method     As there.
 * @param string $path       As there.
 * @param array  $parameters As there.
 * @param array  $options    "rights": a list of "administer", "see_persons", "see_unpublished": those that the request needs;
 *                           by default the first.
 *                           "timeout": seconds; 1. More is for programs, not for pages: such a request is also
 *                           sent after a failure of others.
 *                           "headers": further ones. "body": text that is sent instead of JSON, with its
 *                           "Content-Type" in the headers; then the parameters are those of the query.
 *                           "filename": a file that gets the body.
 * @return array|\WP_Error As wp_remote_request(), for a status below 400.
 */
function send( $method, $path, array $parameters = array(), array $options = array() ) {
	static $failed_at = 0;
	$timeout          = $options['timeout'] ?? 1;
	$is_patient       = $timeout > 1;
	if ( ! $is_patient && ( time() - $failed_at < 30 || get_transient( AWAY ) ) ) {
		return away( __( 'It did not answer a moment ago.', 'ratingd' ) );
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
 * Who WordPress is, for one request: a token that is valid once, within half a minute.
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
		// ratingd knows the site by what the database or wp-config.php says.
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
 * Whether the parameters are those of the query.
 *
 * @param string $method  As in send().
 * @param array  $options As in send().
 * @return bool
 */
function is_query( $method, array $options ) {
	return isset( $options['body'] ) || in_array( $method, array( 'GET', 'HEAD', 'DELETE' ), true );
}

/**
 * The query of the request.
 *
 * @param string $method     As in send().
 * @param array  $parameters As in send().
 * @param array  $options    As in send().
 * @return string With its "?"; empty if there is none.
 */
function query_of( $method, array $parameters, array $options ) {
	return is_query( $method, $options ) && $parameters ? '?' . http_build_query( $parameters, '', '&', PHP_QUERY_RFC3986 ) : '';
}

/**
 * The arguments of wp_remote_request(), without the ticket.
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
		'redirection' => 0,  // The ticket is for this site alone.
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
 * Sends the request by the first route on which ratingd answers.
 *
 * @param string   $target    Below the base URL.
 * @param array    $arguments Of wp_remote_request().
 * @param string[] $rights    As in send().
 * @return array|\WP_Error An answer of ratingd, whatever its status.
 */
function ask_routes( $target, array $arguments, array $rights ) {
	$routes  = routes( ratingd_base_url() );
	$known   = get_transient( ROUTE );
	$routes  = isset( $routes[ $known ] ) ? array( $known => $routes[ $known ] ) + $routes : $routes;
	$started = microtime( true );
	foreach ( $routes as $name => $base ) {
		// One for each route: whoever answers on the first one may have used it.
		$arguments['headers']['X-Ratingd-Ticket'] = ticket( "{$arguments['method']} $target", $arguments['body'], $rights );

		$response = ask( $base . $target, $arguments, 'loopback' === $name );
		if ( ! is_wp_error( $response ) ) {
			if ( count( $routes ) > 1 && $name !== $known ) {
				set_transient( ROUTE, $name, DAY_IN_SECONDS );
			}
			return $response;
		}
		// Who was reached, but slow, must not be asked twice; and nobody waits twice.
		if ( microtime( true ) - $started > 0.8 * $arguments['timeout'] ) {
			break;
		}
	}
	return $response;
}

/**
 * Where the base URL is asked for, in order.
 *
 * @param string $base As the site knows it.
 * @return string[] Base URLs by names. "loopback" is this host, whatever the URL's name resolves to.
 */
function routes( $base ) {
	/**
	 * Filters the base URL that WordPress's server uses: for a host where neither the loopback nor the site's
	 * own address leads to ratingd. The header Host is that of the site.
	 *
	 * @param string $url The base URL.
	 */
	$other = untrailingslashit( apply_filters( 'ratingd_client_url', $base ) );
	if ( $other !== $base ) {
		return array( 'filter' => $other );
	}
	// Below port 1024, root started what answers.
	$has_loopback = defined( 'CURLOPT_CONNECT_TO' ) && wp_parse_url( $base, PHP_URL_PORT ) < 1024;
	return ( $has_loopback ? array( 'loopback' => $base ) : array() ) + array( 'name' => $base );
}

/**
 * Sends the request by one route.
 *
 * @param string $url         The address.
 * @param array  $arguments   Of wp_remote_request().
 * @param bool   $is_loopback Whether to connect to this host instead of the one that the address names.
 * @return array|\WP_Error An error also if somebody else than ratingd answered.
 */
function ask( $url, array $arguments, $is_loopback ) {
	$host = host_of( ratingd_base_url() );
	if ( host_of( $url ) !== $host ) {
		$arguments['headers']['Host'] = $host;
	}
	// WordPress has no argument for it, and Requests would wait for ten seconds.
	$limit = function ( &...$given ) use ( $arguments ) {
		$given[4]['connect_timeout'] = min( 5, $arguments['timeout'] );
		if ( isset( $arguments['filename'] ) ) {
			// Without cURL, Requests writes chunks into files as they come. HTTP/1.0 has none.
			$given[4]['protocol_version'] = 1.0;
		}
	};
	// The name in the address stays: for the header Host, for TLS (SNI), and in the certificate.
	$connect = function ( ...$given ) use ( $is_loopback, $url ) {
		// Another plugin may send a request of its own meanwhile.
		if ( $is_loopback && $given[2] === $url ) {
			// phpcs:ignore WordPress.WP.AlternativeFunctions.curl_curl_setopt -- WordPress has no argument for it.
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
	return away( sprintf( __( 'Another program answered, with status %d.', 'ratingd' ), wp_remote_retrieve_response_code( $response ) ) );
}

/**
 * Whether ratingd answered, or nginx for it. WordPress does for a site whose nginx does not know ratingd.
 *
 * @param array $response Of wp_remote_request().
 * @return bool
 */
function is_of_ratingd( array $response ) {
	$links = implode( ' ', (array) wp_remote_retrieve_header( $response, 'link' ) );
	return '' !== wp_remote_retrieve_header( $response, 'x-request-id' ) && false === strpos( $links, 'https://api.w.org/' );
}

/**
 * The host of an address, with its port.
 *
 * @param string $url The address.
 * @return string
 */
function host_of( $url ) {
	$port = wp_parse_url( $url, PHP_URL_PORT );
	return wp_parse_url( $url, PHP_URL_HOST ) . ( $port ? ":$port" : '' );
}

/**
 * The error for an answer with a status from 400.
 *
 * @param array  $response Of wp_remote_request().
 * @param string $text     Its body.
 * @return \WP_Error
 */
function error_of( array $response, $text ) {
	$status = wp_remote_retrieve_response_code( $response );
	$body   = json_decode( $text, true );
	$body   = is_array( $body ) ? $body : array();
	$data   = ( isset( $body['data'] ) && is_array( $body['data'] ) ? $body['data'] : array() ) + array( 'status' => $status );
	/* translators: %d: a status of HTTP, such as 503. */
	$message = sprintf( __( 'ratingd answered with status %d.', 'ratingd' ), $status );
	$said    = isset( $body['message'] ) ? said( $body['message'], $data ) : $message;
	return new \WP_Error( $body['code'] ?? 'ratingd_error', $said, $data );
}

/**
 * The error if nobody answered.
 *
 * @param string $reason A sentence.
 * @return \WP_Error
 */
function away( $reason ) {
	/* translators: %s: a sentence that says why. */
	return new \WP_Error( 'ratingd_away', sprintf( __( 'ratingd cannot be reached. %s', 'ratingd' ), $reason ) );
}
