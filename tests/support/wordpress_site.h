#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "support/database.h"

namespace support {

// Writes WordPress's own tables in a test's database.
class WordPressSite {
 public:
  explicit WordPressSite(const Database& database) : connection_(database.cms()) {
    connection_.execute("SET SESSION sql_mode = ''");  // as WordPress does
  }

  void make_network() {
    connection_.execute(
        "CREATE TABLE wp_sitemeta (meta_id BIGINT AUTO_INCREMENT PRIMARY KEY,"
        " site_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value LONGTEXT)"
        " COLLATE utf8mb4_unicode_520_ci");
  }
  void set_option(std::string_view name, std::string_view value) {
    connection_.execute("REPLACE INTO wp_options (option_name, option_value) VALUES (?, ?)", name,
                        value);
  }
  void set_network_option(std::string_view name, std::string_view value) {
    connection_.execute("INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, ?, ?)",
                        name, value);
  }
  void add_user(std::uint64_t id, std::string_view login, std::string_view password_hash,
                std::string_view email = "") {
    connection_.execute(
        "INSERT INTO wp_users (ID, user_login, user_pass, user_email) VALUES (?, ?, ?, ?)", id,
        login, password_hash, email);
  }
  void set_password_hash(std::uint64_t user, std::string_view hash) {
    connection_.execute("UPDATE wp_users SET user_pass = ? WHERE ID = ?", hash, user);
  }
  void delete_user(std::uint64_t user) {
    connection_.execute("DELETE FROM wp_users WHERE ID = ?", user);
  }
  // Replaces all values of a user's meta key.
  void set_meta(std::uint64_t user, std::string_view key, std::string_view value) {
    delete_meta(user, key);
    add_meta(user, key, value);
  }
  void add_meta(std::uint64_t user, std::string_view key, std::string_view value) {
    connection_.execute("INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (?, ?, ?)",
                        user, key, value);
  }
  void delete_meta(std::uint64_t user, std::string_view key) {
    connection_.execute("DELETE FROM wp_usermeta WHERE user_id = ? AND meta_key = ?", user, key);
  }

  db::Connection& connection() { return connection_; }

 private:
  db::Connection connection_;
};

}  // namespace support
