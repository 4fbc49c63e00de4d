#include "wordpress/users.h"

#include "db/bulk_statement.h"

namespace wordpress {
namespace {

constexpr std::string_view kSessionTokens = "session_tokens";
constexpr std::string_view kAppPasswords = "_application_passwords";

std::string find_user(const config::WordPressSite& config, const std::string& column) {
  return "SELECT ID, user_login, user_pass FROM " + config.logins.users_table + " WHERE " + column +
         " = ? LIMIT 1";
}

std::optional<User> read_user(db::Connection& connection, const std::string& statement,
                              std::string_view value) {
  return connection.query(statement, value).first([](const db::Rows& row) {
    return User{row.unsigned_integer(1), row.text(2), row.text(3)};
  });
}

}  // namespace

Users::Users(const config::WordPressSite& config)
    : capabilities_key_(config.table_prefix + "capabilities"),
      by_login_(find_user(config, "user_login")),
      by_email_(find_user(config, "user_email")),
      // Of several rows with one key, WordPress uses the first: it is the last one here.
      meta_("SELECT meta_key, LEFT(meta_value, 1048576) FROM " + config.logins.usermeta_table +
            " WHERE user_id = ? AND meta_key IN (?, ?, ?) ORDER BY umeta_id DESC"),
      network_option_("SELECT LEFT(meta_value, 1048576) FROM " + config.base_prefix +
                      "sitemeta WHERE meta_key = ? AND site_id = ? ORDER BY meta_id LIMIT 1"),
      read_names_("SELECT ID, display_name FROM " + config.logins.users_table + " WHERE ID IN ("),
      network_id_(config.network.id) {}

std::optional<User> Users::by_login(db::Connection& connection, std::string_view login) const {
  return read_user(connection, by_login_, login);
}

std::optional<User> Users::by_email(db::Connection& connection, std::string_view email) const {
  return read_user(connection, by_email_, email);
}

Users::Meta Users::meta(db::Connection& connection, std::uint64_t user) const {
  Meta meta;
  db::Rows rows = connection.query(meta_, user, kSessionTokens, kAppPasswords, capabilities_key_);
  while (rows.next()) {
    const std::string key = rows.text(1);
    // Compared exactly, unlike the collation: keys are case-sensitive in WordPress.
    if (key == kSessionTokens) meta.session_tokens = rows.text(2);
    if (key == kAppPasswords) meta.app_passwords = rows.text(2);
    if (key == capabilities_key_) meta.capabilities = rows.text(2);
  }
  return meta;
}

std::map<std::uint64_t, std::string> Users::display_names(
    db::Connection& connection, std::span<const std::uint64_t> users) const {
  std::map<std::uint64_t, std::string> names;
  db::BulkStatement({read_names_, "?", ",", ")"})
      .query(connection, users,
             [&](const db::Rows& row) { names[row.unsigned_integer(1)] = row.text(2); });
  return names;
}

}  // namespace wordpress
