<?php
/**
 * The table on the "Ratings" page in the network admin. Only this page loads the file.
 *
 * @package ratingd
 */

namespace Ratingd;

defined( 'ABSPATH' ) || exit;

/**
 * Lists the network's sites that ratingd can serve, ordered by id.
 */
class Sites_Table extends \WP_List_Table {
	const PER_PAGE = 20;

	/**
	 * The figures of the shown sites, from figures_of_site().
	 *
	 * @var array By ids.
	 */
	private $figures = array();

	/**
	 * Sets the names for the table rows.
	 */
	public function __construct() {
		parent::__construct( array( 'plural' => 'ratingd-sites' ) );
	}

	/**
	 * Returns the column titles, by name.
	 *
	 * @return string[]
	 */
	public function get_columns() {
		return array(
			'site'  => __( 'Site', 'ratingd' ),
			'total' => __( 'Ratings', 'ratingd' ),
			'last'  => __( 'Last rating', 'ratingd' ),
		);
	}

	/**
	 * Reads the sites on the requested page, with their figures.
	 */
	public function prepare_items() {
		$this->_column_headers = array( $this->get_columns(), array(), array(), 'site' );
		// phpcs:ignore WordPress.Security.NonceVerification.Recommended -- The page only reads the search words.
		$search = isset( $_REQUEST['s'] ) ? sanitize_text_field( wp_unslash( $_REQUEST['s'] ) ) : '';
		// ratingd serves only sites that are visible to visitors in WordPress.
		$query = array(
			'network_id' => get_current_network_id(),
			'archived'   => 0,
			'spam'       => 0,
			'deleted'    => 0,
			'search'     => $search,
			'orderby'    => 'id',
		);
		$this->set_pagination_args(
			array(
				'total_items' => get_sites( array( 'count' => true ) + $query ),
				'per_page'    => self::PER_PAGE,
			)
		);
		$page        = array(
			'number' => self::PER_PAGE,
			'offset' => self::PER_PAGE * ( $this->get_pagenum() - 1 ),
		);
		$this->items = get_sites( $page + $query );
		foreach ( $this->items as $site ) {
			$this->figures[ $site->id ] = figures_of_site( $site->id );
		}
	}

	/**
	 * Returns whether one of the shown sites has no tables.
	 *
	 * @return bool
	 */
	public function has_sites_without_tables() {
		return in_array( null, $this->figures, true );
	}

	/**
	 * Prints the message that a search found nothing.
	 */
	public function no_items() {
		esc_html_e( 'No sites found.', 'ratingd' );
	}

	/**
	 * Returns a site's name with a link to its page "Ratings", and the site's URL.
	 *
	 * @param \WP_Site $site The site.
	 * @return string HTML.
	 */
	protected function column_site( $site ) {
		$address = untrailingslashit( $site->domain . $site->path );
		$name    = (string) get_blog_option( $site->id, 'blogname' );
		$name    = esc_html( '' === $name ? $address : wp_specialchars_decode( $name, ENT_QUOTES ) );
		if ( $this->figures[ $site->id ] ) {
			$name = sprintf( '<a class="row-title" href="%s">%s</a>', esc_url( get_admin_url( $site->id, 'admin.php?page=ratingd' ) ), $name );
		} else {
			$name .= sprintf( ' — <span class="post-state">%s</span>', esc_html__( 'No tables yet', 'ratingd' ) );
		}
		return sprintf( '<strong>%s</strong><br>%s', $name, esc_html( $address ) );
	}

	/**
	 * Returns the number of a site's ratings.
	 *
	 * @param \WP_Site $site The site.
	 * @return string HTML.
	 */
	protected function column_total( $site ) {
		$figures = $this->figures[ $site->id ];
		return $figures ? esc_html( number_format_i18n( $figures->total ) ) : $this->nothing();
	}

	/**
	 * Returns when a site received its last rating.
	 *
	 * @param \WP_Site $site The site.
	 * @return string HTML.
	 */
	protected function column_last( $site ) {
		$last   = $this->figures[ $site->id ]->last ?? null;
		$format = get_option( 'date_format' ) . ' ' . get_option( 'time_format' );
		return $last ? esc_html( wp_date( $format, strtotime( "$last UTC" ) ) ) : $this->nothing();
	}

	/**
	 * Returns the content for a cell without ratings.
	 *
	 * @return string HTML.
	 */
	private function nothing() {
		return sprintf( '<span aria-hidden="true">—</span><span class="screen-reader-text">%s</span>', esc_html__( 'No ratings', 'ratingd' ) );
	}
}
