#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/connection.h"

namespace support {

// A WordPress of the test's own beside ratingd's tables: the columns of users, usermeta, options
// and sitemeta that count.
class WordPressSite {
 public:
  explicit WordPressSite(const db::Endpoint& endpoint) : connection_(endpoint) {
    for (const char* statement : {
             "CREATE TABLE wp_users (ID BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,"
             " user_login VARCHAR(60) NOT NULL, user_pass VARCHAR(255) NOT NULL,"
             " user_email VARCHAR(100) NOT NULL DEFAULT '',"
             " display_name VARCHAR(250) NOT NULL DEFAULT '', KEY user_login_key (user_login),"
             " KEY user_email (user_email)) COLLATE utf8mb4_unicode_520_ci",
             "CREATE TABLE wp_posts (ID BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,"
             " post_date DATETIME NOT NULL DEFAULT '2026-01-02 03:04:05', post_title VARCHAR(1000) "
             "NOT NULL DEFAULT '',"
             " post_status VARCHAR(20) NOT NULL DEFAULT 'publish', post_name VARCHAR(200) NOT NULL"
             " DEFAULT '', post_type VARCHAR(20) NOT NULL DEFAULT 'post',"
             " post_parent BIGINT UNSIGNED NOT NULL DEFAULT 0) COLLATE utf8mb4_unicode_520_ci",
             "CREATE TABLE wp_comments (comment_ID BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,"
             " comment_post_ID BIGINT UNSIGNED NOT NULL DEFAULT 0,"
             " comment_approved VARCHAR(20) NOT NULL DEFAULT '1') COLLATE utf8mb4_unicode_520_ci",
             "CREATE TABLE wp_usermeta (umeta_id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,"
             " user_id BIGINT UNSIGNED NOT NULL, meta_key VARCHAR(255), meta_value LONGTEXT,"
             " KEY user_id (user_id)) COLLATE utf8mb4_unicode_520_ci",
             "CREATE TABLE wp_options (option_name VARCHAR(191) PRIMARY KEY,"
             " option_value LONGTEXT NOT NULL) COLLATE utf8mb4_unicode_520_ci",
             "CREATE TABLE wp_sitemeta (meta_id BIGINT AUTO_INCREMENT PRIMARY KEY,"
             " site_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value LONGTEXT)"
             " COLLATE utf8mb4_unicode_520_ci",
         }) {
      connection_.execute(statement);
    }
  }

  void set_option(std::string_view name, std::string_view value) {
    connection_.prepare("REPLACE INTO wp_options VALUES (?, ?)").bind(name).bind(value).execute();
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
