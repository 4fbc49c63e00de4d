#pragma once

#include <string_view>

#include "cms/cms.h"
#include "config/cms.h"
#include "wordpress/archives.h"
#include "wordpress/authenticator.h"
#include "wordpress/site_reader.h"
#include "wordpress/users.h"

namespace wordpress {

// The adapter for WordPress reads WordPress's own tables and keys. An adapter serves a single site,
// or one site in a network.
//
// The permissions correspond to WordPress's capabilities: "administer" to manage_options,
// "see_persons" to list_users, "see_unpublished" to edit_others_posts, and "administer_network" to
// manage_network_options.
class WordPress final : public cms::Cms {
 public:
  // "config" must outlive this object.
  explicit WordPress(const config::WordPressSite& config);

  [[nodiscard]] cms::Addresses addresses(db::Connection& connection) const override;
  [[nodiscard]] base::Zone time_zone(db::Connection& connection) const override {
    return time_zone_of_site(connection);
  }
  [[nodiscard]] std::chrono::weekday week_start(db::Connection& connection) const override;
  void refresh(db::Connection& connection) override { login_settings_.refresh(connection); }
  [[nodiscard]] bool is_ready() const override { return login_settings_.state() != nullptr; }
  [[nodiscard]] cms::Identification identify(const http::Request& request, cms::Route route,
                                             const cms::LoginServices& services) override {
    return authenticator_.identify(request, route, services);
  }
  [[nodiscard]] bool takes_passwords() const override { return true; }
  // In PHP, the secret is hash_hmac('sha256', 'ratingd ticket', wp_salt('auth')). Returns nothing
  // if wp-config.php does not define AUTH_KEY and AUTH_SALT. Salts in the database are not
  // accepted, because anyone who can read the database could forge tickets.
  [[nodiscard]] std::optional<std::string> ticket_secret() const override;
  [[nodiscard]] std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const override {
    return users_.display_names(connection, users);
  }
  [[nodiscard]] std::vector<std::uint64_t> users_named(db::Connection& connection,
                                                       std::string_view words,
                                                       std::size_t limit) const override {
    return users_.named(connection, words, limit);
  }
  [[nodiscard]] cms::ObjectState state_of(db::Connection& connection,
                                          const model::Object& object) const override;
  [[nodiscard]] std::optional<std::string> ids_of_type(db::Connection& connection,
                                                       const std::string& type) const override;
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects) const override;
  [[nodiscard]] std::optional<cms::OmittedObjects> rated_and_omitted(
      db::Connection& connection, const model::FacetNames& facets,
      const std::vector<std::string>& listed_types,
      std::chrono::milliseconds time_limit) const override;
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> newest_posts(
      db::Connection& connection, const std::vector<std::string>& further_types,
      std::size_t limit) const override;
  [[nodiscard]] cms::TitleMatches rated_with_title(db::Connection& connection,
                                                   const cms::TitleSearch& search) const override;
  [[nodiscard]] std::vector<model::Object> rated_and_deleted(
      db::Connection& connection, const model::FacetNames& facets) const override;
  // Returns the content of sql/grants-wordpress.sql with the site's table names instead of the
  // placeholders.
  [[nodiscard]] std::string grants() const override;
  [[nodiscard]] std::string same_table_here(const std::string& table,
                                            bool in_any_case) const override;
  [[nodiscard]] std::vector<cms::PlacedRating> placed_ratings(
      db::Connection& connection) const override;
  [[nodiscard]] bool may_register(db::Connection& connection) const override;
  void check(db::Connection& connection, std::vector<cms::Finding>& report) const override;

 private:
  void check_address(db::Connection& connection, cms::Findings& findings, const std::string& given,
                     const char* option) const;
  void check_base_path(db::Connection& connection, cms::Findings& findings) const;
  void check_app_passwords(db::Connection& connection, cms::Findings& findings) const;
  void check_login_keys(db::Connection& connection, cms::Findings& findings) const;
  void check_zone(db::Connection& connection, cms::Findings& findings) const;
  void check_titles(db::Connection& connection, cms::Findings& findings) const;
  void check_tickets(cms::Findings& findings) const;

  const config::WordPressSite& config_;
  const Archives archives_;
  const Users users_;
  LoginSettings login_settings_;
  Authenticator authenticator_;
};

// Returns the content of sql/grants-wordpress.sql with unreplaced placeholders.
[[nodiscard]] std::string_view cms_grants_text();

}  // namespace wordpress
