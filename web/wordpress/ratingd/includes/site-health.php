<?php
/**
 * Adds a test and an information section to "Tools → Site Health". The page requests the test through the REST API, so
 * that the page itself loads without waiting.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

// The plugin's REST namespace must not begin with ratingd's own path, because nginx would forward requests for it
// to ratingd.
const SITE_HEALTH_NAMESPACE = 'ratingd-plugin/v1';
// The checks run by ratingd may take a few seconds.
const SITE_HEALTH_SECONDS = 10;

add_filter(
	'site_status_tests',
	function ( $tests ) {
		if ( is_served() ) {
			$tests['async']['ratingd'] = array(
				'label'             => __( 'Ratings', 'ratingd' ),
				'test'              => rest_url( SITE_HEALTH_NAMESPACE . '/site-health' ),
				'has_rest'          => true,
				'async_direct_test' => __NAMESPACE__ . '\site_health_result',
			);
		}
		return $tests;
	}
);

add_action(
	'rest_api_init',
	function () {
		register_rest_route(
			SITE_HEALTH_NAMESPACE,
			'/site-health',
			array(
				'methods'             => 'GET',
				'callback'            => __NAMESPACE__ . '\site_health_result',
				'permission_callback' => function () {
					return current_user_can( 'view_site_health_checks' );
				},
			)
		);
	}
);

add_filter(
	'debug_information',
	function ( $sections ) {
		if ( is_served() ) {
			$sections['ratingd'] = array(
				'label'  => __( 'Ratings', 'ratingd' ),
				'fields' => site_health_fields(),
			);
		}
		return $sections;
	}
);

/**
 * Returns the response to GET /health.
 *
 * @param int $seconds The "timeout" of send(). Pages wait for at most one second.
 * @return array The members of the response. A service that is not ready also responds. If there is no response,
 *               "version" is missing. If there is no response or the service is not ready, "error" is a sentence.
 *               "http_status" is the status, or 0 if there was no response.
 */
function health( $seconds ) {
	$ask = function ( array $rights ) use ( $seconds ) {
		return request(
			'GET',
			'/health',
			array(),
			array(
				'timeout' => $seconds,
				'rights'  => $rights,
			)
		);
	};
	// ratingd returns all details to requests from its own host, but requests from other hosts need the
	// "administer" permission.
	$answer = $ask( array() );
	$data   = is_wp_error( $answer ) ? (array) $answer->get_error_data() : $answer;
	if ( in_array( $data['status'] ?? null, array( 'ok', 503 ), true ) && null === ( $data['version'] ?? $data['health'] ?? null ) ) {
		$answer = $ask( array( 'administer' ) );
	}
	if ( ! is_wp_error( $answer ) ) {
		return $answer;
	}
	$data  = $answer->get_error_data();
	$error = array(
		'error'       => $answer->get_error_message(),
		'http_status' => $data['status'] ?? 0,
	);
	return $error + ( $data['health'] ?? array() );
}

/**
 * Returns the result of the test in WordPress's format.
 *
 * @return array
 */
function site_health_result() {
	$health   = health( SITE_HEALTH_SECONDS );
	$problems = array_merge( problems_of_service( $health ), problems_of_findings( $health['findings'] ?? array() ), problems_of_files(), problems_of_deletions(), problems_of_settings() );
	$worst    = max( array_merge( array( 0 ), array_column( $problems, 'severity' ) ) );
	$labels   = array(
		__( 'Ratings are counted and nothing needs your attention', 'ratingd' ),
		__( 'Ratings are counted, but something should be improved', 'ratingd' ),
		__( 'Ratings need your attention', 'ratingd' ),
	);
	$status   = array( 'good', 'recommended', 'critical' );
	$colors   = array( 'green', 'orange', 'red' );
	// Visitors may be able to reach the service even if PHP cannot reach it, or if ratingd rejects PHP's request.
	$is_down = ! isset( $health['version'] ) && $health['http_status'] >= 500;
	return array(
		'label'       => $is_down ? __( 'Visitors cannot rate at the moment', 'ratingd' ) : $labels[ $worst ],
		'status'      => $status[ $worst ],
		'badge'       => array(
			'label' => __( 'Ratings', 'ratingd' ),
			'color' => $colors[ $worst ],
		),
		'description' => site_health_description( $problems ),
		'actions'     => '',
		'test'        => 'ratingd',
	);
}

/**
 * Returns the description of a result.
 *
 * @param array[] $problems Problems with a heading and advice. The text may be empty.
 * @return string HTML.
 */
function site_health_description( array $problems ) {
	if ( ! $problems ) {
		return '<p>' . esc_html__( 'ratingd stores the ratings of your visitors. The service is running, its database responds, and its checks found no problems.', 'ratingd' ) . '</p>';
	}
	$html = '';
	foreach ( $problems as $problem ) {
		$html .= sprintf( '<h4>%s</h4>', esc_html( $problem['heading'] ) );
		if ( '' !== $problem['advice'] ) {
			$html .= sprintf( '<p>%s</p>', esc_html( $problem['advice'] ) );
		}
		if ( '' !== $problem['text'] ) {
			/* translators: %s: a message of the program ratingd. */
			$html .= sprintf( '<p>%s</p>', sprintf( esc_html__( 'ratingd reports: %s', 'ratingd' ), '<code>' . esc_html( $problem['text'] ) . '</code>' ) );
		}
	}
	return $html;
}

/**
 * Returns a problem.
 *
 * @param int    $severity 1 recommended, 2 critical.
 * @param string $heading  The subject of the problem.
 * @param string $advice   The remedy, if it is known.
 * @param string $text     The message of the program.
 * @return array
 */
function problem( $severity, $heading, $advice, $text = '' ) {
	return array(
		'severity' => $severity,
		'heading'  => $heading,
		'advice'   => $advice,
		'text'     => $text,
	);
}

/**
 * Returns the problems of a service that does not run or is not ready.
 *
 * @param array $health The result of health().
 * @return array[] Problems.
 */
function problems_of_service( array $health ) {
	if ( ! isset( $health['error'] ) ) {
		return array();
	}
	if ( ! isset( $health['version'] ) && 0 === $health['http_status'] && 'wp-json' !== rest_get_url_prefix() ) {
		/* translators: %s: a URL. */
		$advice = sprintf( __( 'WordPress looks for ratingd at %s. If the prefix of the WordPress REST API was changed, set “base-path” to the new path in ratingd.conf, in ratingctl.conf and in the configuration of the web server. Alternatively, let the “ratingd_base_url” filter return the path with the previous prefix.', 'ratingd' ), ratingd_base_url() );
		return array( problem( 2, __( 'ratingd service address', 'ratingd' ), $advice, $health['error'] ) );
	}
	if ( ! isset( $health['version'] ) && 0 === $health['http_status'] ) {
		$advice = __( 'Until ratingd responds, WordPress shows no statistics and deletes no ratings. If visitors cannot rate either, ask your server’s administrator to run “sudo ratingctl doctor” on the server. If PHP and the web server run on different hosts, use the “ratingd_client_url” filter. If ratingd is no longer installed, deactivate this plugin.', 'ratingd' );
		return array( problem( 2, __( 'WordPress cannot reach the service', 'ratingd' ), $advice, $health['error'] ) );
	}
	if ( ! isset( $health['version'] ) && $health['http_status'] < 500 ) {
		$advice = __( 'WordPress cannot prove its identity to ratingd. Set AUTH_KEY and AUTH_SALT in wp-config.php. On the server, check that the clocks are correct and that ratingd.conf does not contain “wp-tickets = no”.', 'ratingd' );
		return array( problem( 2, __( 'WordPress’s connection to ratingd', 'ratingd' ), $advice, $health['error'] ) );
	}
	if ( ! isset( $health['version'] ) ) {
		$advice = __( 'Your pages are shown as usual, but ratings are neither accepted nor updated. Ask your server’s administrator to run “sudo ratingctl doctor” on the server. If ratingd is no longer installed, deactivate this plugin.', 'ratingd' );
		return array( problem( 2, __( 'The service is not responding', 'ratingd' ), $advice, $health['error'] ) );
	}
	if ( isset( $health['schema'] ) && $health['schema'] !== $health['schema_wanted'] ) {
		$advice = __( 'ratingd was updated, but its tables were not. Run “sudo ratingctl setup” on the server.', 'ratingd' );
		return array( problem( 2, __( 'The rating tables do not have the required version', 'ratingd' ), $advice, $health['error'] ) );
	}
	$advice = __( 'ratingd is running, but its database is not responding. Ratings are not accepted until the database responds. Run “sudo ratingctl doctor” on the server.', 'ratingd' );
	return array( problem( 2, __( 'The service is not ready', 'ratingd' ), $advice, $health['error'] ) );
}

/**
 * Returns the subject of a finding.
 *
 * @param array $finding A finding from GET /health.
 * @return string
 */
function heading( array $finding ) {
	return said( $finding['title'] ?? $finding['subject'] );
}

/**
 * Returns the problems that ratingd's own checks have found.
 *
 * @param array[] $findings Findings from GET /health.
 * @return array[] Problems. The worst problem comes first.
 */
function problems_of_findings( array $findings ) {
	$problems = array();
	foreach ( array( 'fail', 'warn' ) as $health ) {
		foreach ( wp_list_filter( $findings, array( 'health' => $health ) ) as $finding ) {
			$problems[] = problem( 'fail' === $health ? 2 : 1, heading( $finding ), isset( $finding['advice'] ) ? said( $finding['advice'] ) : '', said( $finding['text'], $finding ) );
		}
	}
	return $problems;
}

/**
 * Returns a problem if code of version 0.1 shows the ratings.
 *
 * @return array[] Problems.
 */
function problems_of_files() {
	if ( HAS_WIDGETS ) {
		return array();
	}
	$file = ( new \ReflectionFunction( 'ratingd_widget' ) )->getFileName();
	/* translators: %s: a file. */
	$advice = __( 'The %s file still shows ratings with code from version 0.1 of the plugin. Remove this old code so that blocks, the Placement page and structured data work.', 'ratingd' );
	return array( problem( 1, __( 'Two versions of the plugin are active', 'ratingd' ), sprintf( $advice, $file ) ) );
}

/**
 * Returns a problem if ratings of deleted users or content wait to be deleted.
 *
 * @return array[] Problems.
 */
function problems_of_deletions() {
	$waiting = stored_deletions();
	if ( ! $waiting ) {
		return array();
	}
	$errors = array_filter( array_column( $waiting, 'error' ) );
	$advice = __( 'Users or content were deleted while ratingd was unavailable. The ratings of the deleted users and content are removed as soon as ratingd responds and WordPress runs its scheduled events.', 'ratingd' );
	return array( problem( 1, __( 'Some ratings have yet to be removed', 'ratingd' ), $advice, (string) end( $errors ) ) );
}

/**
 * Returns the settings that make visitors' votes fail although the service works.
 *
 * @return array[] Problems.
 */
function problems_of_settings() {
	return array_map(
		function ( $one ) {
			return problem( 1, $one['title'], $one['text'] );
		},
		HAS_WIDGETS ? contradictions( true ) : array()
	);
}

/**
 * Returns the fields of the section on the information page.
 *
 * @return array[]
 */
function site_health_fields() {
	$health = health( 1 );
	$fields = array();
	$add    = function ( $name, $label, $value ) use ( &$fields ) {
		$fields[ $name ] = array(
			'label' => $label,
			'value' => $value,
		);
	};
	$add( 'plugin', __( 'Plugin version', 'ratingd' ), VERSION );
	$add( 'url', __( 'ratingd service address', 'ratingd' ), ratingd_base_url() );
	$add( 'state', __( 'State', 'ratingd' ), $health['error'] ?? __( 'Ready', 'ratingd' ) );
	if ( isset( $health['version'] ) ) {
		$add( 'version', __( 'ratingd version', 'ratingd' ), $health['version'] );
		$add( 'database', __( 'Database', 'ratingd' ), 'ok' === $health['database'] ? __( 'OK', 'ratingd' ) : __( 'Failed', 'ratingd' ) );
		$add( 'schema', __( 'Table version', 'ratingd' ), ( $health['schema'] ?? '?' ) . ' / ' . $health['schema_wanted'] );
		$add( 'workers', __( 'Worker processes', 'ratingd' ), $health['workers'] );
		$add( 'queue', __( 'Votes waiting to be stored', 'ratingd' ), "{$health['queue']} / {$health['queue_limit']}" );
	}
	if ( isset( $health['timezone'] ) ) {
		$add( 'timezone', __( 'Statistics time zone', 'ratingd' ), $health['timezone'] );
	}
	$add( 'deletions', __( 'Pending deletions', 'ratingd' ), count( waiting_deletions() ) );
	$words = array(
		'ok'   => __( 'OK', 'ratingd' ),
		'warn' => __( 'Warning', 'ratingd' ),
		'fail' => __( 'Failed', 'ratingd' ),
	);
	foreach ( $health['findings'] ?? array() as $number => $finding ) {
		$add( "finding_$number", heading( $finding ), $words[ $finding['health'] ] . ': ' . said( $finding['text'], $finding ) );
	}
	return $fields;
}
