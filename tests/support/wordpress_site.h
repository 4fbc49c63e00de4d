#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "support/database.h"

namespace support {

// What WordPress writes into its own tables, beside ratingd's in a test's database.
class WordPressSite {
 public:
  explicit WordPressSite(const Database& database) : connection_(database.cms()) {
    connection_.execute("SET SESSION sql_mode = ''");  // as WordPress does
  }

  // As if a network had been made of the site.
  void make_network() {
    connection_.execute(
        "CREATE TABLE wp_sitemeta (meta_id BIGINT AUTO_INCREMENT PRIMARY KEY,"
        " site_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value LONGTEXT)"
        " COLLATE utf8mb4_unicode_520_ci");
  }
  void set_option(std::string_view name, std::string_view value) {
    connection_.prepare("REPLACE INTO wp_options (option_name, option_value) VALUES (?, ?)")
        .bind(name)
        .bind(value)
        .execute();
  }
  void set_network_option(std::string_view name, std::string_view value) {
    connection_.prepare("INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, ?, ?)")
        .bind(name)
        .bind(value)
        .execute();
  }
  void add_user(std::uint64_t id, std::string_view login, std::string_view password_hash,
                std::string_view email = "") {
    connection_
        .prepare("INSERT INTO wp_users (ID, user_login, user_pass, user_email) VALUES (?, ?, ?, ?)")
        .bind(id)
        .bind(login)
        .bind(password_hash)
        .bind(email)
        .execute();
  }
  void set_password_hash(std::uint64_t user, std::string_view hash) {
    connection_.prepare("UPDATE wp_users SET user_pass = ? WHERE ID = ?")
        .bind(hash)
        .bind(user)
        .execute();
  }
  void delete_user(std::uint64_t user) {
    connection_.prepare("DELETE FROM wp_users WHERE ID = ?").bind(user).execute();
  }
  // Replaces what there is under the key.
  void set_meta(std::uint64_t user, std::string_view key, std::string_view value) {
    delete_meta(user, key);
    add_meta(user, key, value);
  }
  void add_meta(std::uint64_t user, std::string_view key, std::string_view value) {
    connection_.prepare("INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (?, ?, ?)")
        .bind(user)
        .bind(key)
        .bind(value)
        .execute();
  }
  void delete_meta(std::uint64_t user, std::string_view key) {
    connection_.prepare("DELETE FROM wp_usermeta WHERE user_id = ? AND meta_key = ?")
        .bind(user)
        .bind(key)
        .execute();
  }

  db::Connection& connection() { return connection_; }

 private:
  db::Connection connection_;
};

}  // namespace support
