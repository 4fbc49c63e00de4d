#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "api/app.h"
#include "base/crypto.h"
#include "config/config.h"
#include "fcgi/sites.h"
#include "identity/secrets.h"
#include "store/settings_store.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/memory_folder.h"
#include "support/serve.h"
#include "support/wordpress_site.h"

namespace support {

// Runs the service with a new database for the site https://example.org. The clock does not advance
// by itself, so cached data does not expire.
class Service {
 public:
  // If "serves_all" is true, the service serves all sites of a network, and https://example.org is
  // the network's first site.
  explicit Service(bool serves_all = false)
      : config_(config_of_site(database_.endpoint(), folder_.path(), serves_all)) {
    sites_.refresh();
  }

  [[nodiscard]] const api::App& app() const { return sites_.first().app(); }
  [[nodiscard]] fcgi::Sites& sites() { return sites_; }

  // Returns a database session that the service itself does not use.
  [[nodiscard]] db::Connection& connection() { return connection_; }

  // Returns an endpoint for the database account that has all privileges.
  [[nodiscard]] db::Endpoint owner() const { return database_.owner(); }

  [[nodiscard]] WordPressSite& wordpress() { return wordpress_; }

  [[nodiscard]] runtime::Workers& workers() { return shared_.workers; }

  [[nodiscard]] std::uint64_t total(runtime::Count what) const {
    return runtime::total(app().core.metrics.table(), what);
  }

  // Makes the service log events from the level "least".
  void log_from(runtime::LogLevel least) { log_.set_least(least); }

  // Allows clients in "network" to read the state of the service.
  void allow_monitor(const std::string& network) {
    config_.metrics_networks.push_back(base::Network::parse(network).value());
  }

  // Changes settings and makes the service reload the settings and the CMS's options.
  void change(const store::SettingChanges& changes) {
    store::change_settings(connection_, changes);
    sites_.refresh();
  }

  // Stores a setting without validation and makes the service reload the settings.
  void store_row(const std::string& name, const std::string& text) {
    connection_.execute("REPLACE INTO wp_ratingd_settings (name, value) VALUES (?, ?)", name,
                        '"' + text + '"');
    change({});
  }

  // Returns the response to "request" for a path below the base path.
  http::Response serve(http::Request request, const std::string& path) {
    const std::string whole_path = config_.base_path + path;
    request.path = whole_path;
    return support::serve(app(), request);
  }

  // Returns the secret that an issuer uses to sign tickets. The issuers are "shop", "desk" (which
  // has all permissions and may forward addresses), "app" (whose tickets browsers send) and
  // "wordpress" (the CMS, whose subjects are users). The issuer "mobile" has an ES256 key that no
  // test uses to sign tickets. The issuer "old" has been removed.
  static std::string ticket_secret(std::string_view issuer) {
    if (issuer != "wordpress") return kTicketSecret;
    // This secret of the issuer "wordpress" is the result of hash_hmac('sha256', 'ratingd ticket',
    // 'auth keyauth salt') in PHP.
    return "f65afa1340e94eab013c77f0ebcc2c1018e8897f14eaebd02e24506feacbb16f";
  }

 private:
  static constexpr const char* kTicketSecret = "a-secret-of-at-least-thirty-two-bytes";

  static std::string public_key() {
    return base::p256_public_key(
               "-----BEGIN PUBLIC KEY-----\n"
               "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEuGKIAxuQ5Qgnb9/e/3mBYopVPyA6\n"
               "3SJyU44CM4OqJqYwrnJabFegk5sXBESSFZxlr2BpNhuybPbP7Gp0QZH9bw==\n"
               "-----END PUBLIC KEY-----\n")
        .value();
  }
  static void create_secret_file(const std::filesystem::path& file) {
    identity::create_secret_file(
        file, {.secrets = {std::string(identity::kSecretBytes, 's')},
               .device_key = std::string(identity::kSecretBytes, 'd'),
               .ticket_keys = {{.name = "shop", .key = kTicketSecret},
                               {.name = "desk",
                                .key = kTicketSecret,
                                .rights = model::Rights::all(),
                                .may_forward = true},
                               {.name = "app", .key = kTicketSecret, .is_sent_by_browsers = true},
                               {.name = "mobile",
                                .algorithm = identity::TicketAlgorithm::es256,
                                .key = public_key()}},
               .removed_ticket_keys = {"old"}});
  }
  static config::Config config_of_site(const db::Endpoint& endpoint,
                                       const std::filesystem::path& folder, bool serves_all) {
    config::Config config = config_for(endpoint);
    config.network.exists = config.network.serves_all = serves_all;
    config.table_prefix = kPrefix;
    config.keys.auth_key = "auth key";
    config.keys.auth_salt = "auth salt";
    config.home = config.siteurl = "https://example.org";
    config.secret_file = folder / "secret";
    config.runtime_dir = folder;
    config.cache_memory = 1;
    create_secret_file(config.secret_file);
    return config;
  }

  Database database_;
  WordPressSite wordpress_{database_};
  db::Connection connection_{database_.endpoint()};
  const MemoryFolder folder_;
  config::Config config_;
  const FixedClock clock_{kNow};
  runtime::Log log_{runtime::LogLevel::error};
  fcgi::SharedResources shared_{config_, clock_, log_, std::chrono::milliseconds(50)};
  fcgi::Sites sites_{shared_};
};

}  // namespace support
