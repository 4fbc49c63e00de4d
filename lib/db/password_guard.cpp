#include "db/password_guard.h"

#include <mysql.h>
#include <mysql/plugin_auth.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace db {
namespace {

// As st_mysql_client_plugin_AUTHENTICATION of mysql/client_plugin.h, which Debian 12 ships without
// a header that it includes.
constexpr int kAuthenticationPlugin = 2;
using Authenticate = int (*)(MYSQL_PLUGIN_VIO* packets, MYSQL* session);
struct Plugin {
  st_mysql_client_plugin header;
  Authenticate authenticate_user;
};

struct Method {
  const char* name;
  bool sends_password = false;  // in clear text
};

// All methods that the library has, or may have in later versions. "dialog" answers the server's
// prompts (PAM), the first one with the password.
constexpr auto kMethods = std::to_array<Method>({
    {"mysql_native_password"},
    {"mysql_old_password"},
    {"caching_sha2_password"},
    {"sha256_password"},
    {"client_ed25519"},
    {"parsec"},
    {"auth_gssapi_client"},
    {"mysql_clear_password", true},
    {"dialog", true},
});

// The library's original functions. Global, because a method has no context; written once, before
// the first connection.
std::array<Authenticate, kMethods.size()> originals{};

bool is_on(MYSQL* session, mysql_option option) {
  my_bool value = 0;
  mysql_get_option(session, option, &value);
  return value != 0;
}

int refuse(MYSQL* session, int code, const char* why) {
  session->methods->set_error(session, static_cast<unsigned>(code), "HY000", "%s", why);
  return CR_ERROR;
}

template <std::size_t kMethod>
int guarded(MYSQL_PLUGIN_VIO* packets, MYSQL* session) {
  const bool asks_for_tls = is_on(session, MYSQL_OPT_SSL_ENFORCE);
  if (asks_for_tls && (session->server_capabilities & CLIENT_SSL) == 0) {
    return refuse(session, kTlsNotOffered, "the database server offers no TLS");
  }
  const bool is_verified = asks_for_tls && is_on(session, MYSQL_OPT_SSL_VERIFY_SERVER_CERT);
  if (kMethods[kMethod].sends_password && !is_verified) {
    return refuse(session, kPasswordInClear,
                  "the database server asks for the password in clear text, which is sent over "
                  "verified TLS (--db-tls=verify) only");
  }
  return originals[kMethod](packets, session);
}

// A method that is not installed cannot be requested either.
template <std::size_t kMethod>
void guard(MYSQL* session) {
  auto* const plugin = reinterpret_cast<Plugin*>(
      mysql_client_find_plugin(session, kMethods[kMethod].name, kAuthenticationPlugin));
  if (plugin == nullptr) return;
  originals[kMethod] = plugin->authenticate_user;
  plugin->authenticate_user = guarded<kMethod>;
}

}  // namespace

void install_password_guard() {
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> session(mysql_init(nullptr), &mysql_close);
  if (session == nullptr) throw std::bad_alloc();
  [&]<std::size_t... kMethod>(std::index_sequence<kMethod...>) {
    (guard<kMethod>(session.get()), ...);
  }
  (std::make_index_sequence<kMethods.size()>());
}

}  // namespace db
