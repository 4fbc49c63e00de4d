#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/wordpress_site.h"
#include "db/connection.h"

namespace wordpress {

struct User {
  std::uint64_t id = 0;
  std::string login;          // user_login
  std::string password_hash;  // user_pass

  bool operator==(const User&) const = default;
};

// Reads the CMS's users and the data of a network; never writes. Values are read up to one
// mebibyte; parsers reject truncated ones. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class Users {
 public:
  explicit Users(const config::WordPressSite& config);

  // Compared by the column's collation, which usually ignores case, accents and trailing spaces.
  // (class-wp-user.php, get_data_by)
  [[nodiscard]] std::optional<User> by_login(db::Connection& connection,
                                             std::string_view login) const;
  [[nodiscard]] std::optional<User> by_email(db::Connection& connection,
                                             std::string_view email) const;

  // The data that decides a login and its rights; empty where there is no row.
  struct Meta {
    std::string session_tokens;
    std::string app_passwords;
    std::string capabilities;  // on the site that is served
  };
  [[nodiscard]] Meta meta(db::Connection& connection, std::uint64_t user) const;

  // The display names of users; unknown users are omitted.
  [[nodiscard]] std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const;

  // A value of sitemeta. REQUIRES: the site is part of a network.
  [[nodiscard]] std::optional<std::string> network_option(db::Connection& connection,
                                                          const std::string& name) const {
    return connection.query(network_option_, name, network_id_).first(db::text_in);
  }

 private:
  const std::string capabilities_key_;
  const std::string by_login_, by_email_, meta_, network_option_, read_names_;
  const unsigned network_id_;
};

}  // namespace wordpress
