#include "db/client.h"

#include <cppconn/driver.h>
#include <mysql.h>
#include <mysql/plugin_auth.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <memory>
#include <new>
#include <utility>

#include "base/text.h"

namespace db {
namespace {

// The server error codes that indicate a lost session.
constexpr std::array kLost = {
    1040,                                // too many connections
    1047,                                // the cluster node is not ready (Galera)
    1053,                                // the server is shutting down
    1129,                                // host blocked
    1152,                                // connection aborted
    1203,                                // too many connections for this user
    1226,                                // the user's resources are used up
    1156, 1157, 1158, 1159, 1160, 1161,  // packets out of order or not readable
    1243,                                // unknown prepared statement: the session was replaced
    1290,                                // the server is read-only
    1317,                                // query interrupted
    1792,                                // transactions are read-only
    1836,                                // the server is read-only (MySQL)
    1927,                                // connection killed (MariaDB)
    1969,                                // statement took too long (MariaDB)
    3024,                                // statement took too long (MySQL)
    3032,                                // the server is in offline mode (MySQL)
    3169,                                // session killed (MySQL)
    4031,                                // closed for inactivity (MySQL)
    9001, 9002, 9004,                    // no server behind the proxy answers (ProxySQL)
    9005,                                // the server behind the proxy lags behind (ProxySQL)
};
constexpr std::array kNoRoom = {
    3,    1026,  // a file cannot be written
    1021,        // the disk is full
    1037, 1041,  // out of memory
    1114,        // the table is full
};
constexpr int kPacketTooLarge = 1153;  // larger than max_allowed_packet
constexpr std::array kConflicts = {
    1020,  // the row changed since it was read (MariaDB)
    1205,  // lock wait timeout
    1213,  // deadlock
    1412,  // a table was replaced since the snapshot began
};

template <std::size_t kCount>
bool contains(const std::array<int, kCount>& codes, int code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// After an error in the client library, the session's state is unknown.
bool is_of_client(int code) {
  return (code >= 2000 && code < 3000) || (code >= 5000 && code < 6000);
}

// Returns whether the error code means that the server must not be used.
bool is_of_insecure_server(int code) {
  return code == kTlsHandshakeFailed || code == kTlsNotOffered || code == kPasswordInClear;
}

sql::Driver& driver() {
  static sql::Driver& the_driver = [&]() -> sql::Driver& {
    // get_driver_instance() is not thread-safe, but the initialization of a static variable is.
    sql::Driver& made = *get_driver_instance();
    install_password_guard();
    return made;
  }();
  return the_driver;
}

// Opens a session. If the server responds but refuses the login, throws ConnectionLost, because no
// session was opened.
std::unique_ptr<sql::Connection> open_session(sql::ConnectOptionsMap& options) {
  try {
    return translated([&] { return std::unique_ptr<sql::Connection>(driver().connect(options)); });
  } catch (const ConnectionLost&) {
    throw;
  } catch (const Failure& refused) {
    throw ConnectionLost(refused.code(), refused.what());
  }
}

std::unique_ptr<sql::Connection> connect_with(const Endpoint& endpoint,
                                              const config::DatabaseServer& server,
                                              config::DatabaseTls tls) {
  sql::ConnectOptionsMap options;
  options["userName"] = sql::SQLString(endpoint.user);
  options["password"] = sql::SQLString(endpoint.password);
  options["schema"] = sql::SQLString(endpoint.schema);
  options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
  options["OPT_CONNECT_TIMEOUT"] = static_cast<int>(endpoint.connect_timeout.count());
  options["OPT_READ_TIMEOUT"] = static_cast<int>(endpoint.statement_timeout.count());
  if (endpoint.takes_multi_statements) options["CLIENT_MULTI_STATEMENTS"] = true;
  options["OPT_WRITE_TIMEOUT"] = static_cast<int>(endpoint.statement_timeout.count());
  options["OPT_LOCAL_INFILE"] = 0;  // a server must not read files on this host
  // Always set the TLS options, because later versions of the client library verify certificates by
  // default.
  options["sslEnforce"] = tls != config::DatabaseTls::off;
  options["sslVerify"] = tls == config::DatabaseTls::verify;
  if (tls == config::DatabaseTls::verify) {
    // Check the file here, because the client library's error message would not name the option
    // --db-tls-ca.
    if (!std::ifstream(endpoint.tls_ca)) {
      throw InsecureServer(0, endpoint.tls_ca + ", the file of --db-tls-ca, cannot be read");
    }
    options["sslCA"] = sql::SQLString(endpoint.tls_ca);
  }
  if (!server.socket.empty()) {
    options["hostName"] = sql::SQLString("unix://" + server.socket);
  } else {
    const bool ipv6 = server.host.find(':') != std::string::npos;
    options["hostName"] = sql::SQLString("tcp://" + (ipv6 ? "[" + server.host + "]" : server.host));
    options["port"] = static_cast<int>(server.port);
  }
  return open_session(options);
}

const char* option_of(config::DatabaseTls tls) {
  switch (tls) {
    case config::DatabaseTls::off:
      return "--db-tls=off";
    case config::DatabaseTls::preferred:
      return "--db-tls=preferred";
    case config::DatabaseTls::required:
      return "--db-tls=required";
    case config::DatabaseTls::verify:
      break;
  }
  return "--db-tls=verify";
}

// Returns advice on how to fix a TLS problem with a database server, or an empty string.
std::string encryption_advice(const InsecureServer& refused, const Endpoint& endpoint,
                              config::DatabaseTls tls) {
  const std::string option = option_of(tls);
  if (refused.code() == kTlsNotOffered) {
    return ", which " + option + " requires: set up TLS on the server, or change --db-tls";
  }
  if (refused.code() != kTlsHandshakeFailed) return {};
  if (tls != config::DatabaseTls::verify) {
    return ". The server offers TLS, which " + option +
           " uses, but the handshake fails: update TLS on the server, or set --db-tls=off if "
           "nobody else can read the network traffic";
  }
  return ". With " + option +
         " the server needs a certificate that is valid today, is for its name in --db-host and is "
         "signed by an authority in the file of --db-tls-ca, " +
         endpoint.tls_ca;
}

// The declarations below replace st_mysql_client_plugin_AUTHENTICATION from mysql/client_plugin.h.
// The header mysql/client_plugin.h cannot be used on Debian 12, because it includes a header that
// Debian does not ship.
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

// The authentication methods in current and future versions of the client library. The "dialog"
// method (PAM) sends the password as the answer to the server's first prompt.
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

// The client library's original authentication functions, stored before the first connection. This
// variable is global because the library passes no user data to authentication functions.
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

// Replaces an authentication function in the client library with guarded(). If the library lacks
// the authentication method, servers cannot request the method, so no check is needed.
template <std::size_t kMethod>
void guard(MYSQL* session) {
  auto* const plugin = reinterpret_cast<Plugin*>(
      mysql_client_find_plugin(session, kMethods[kMethod].name, kAuthenticationPlugin));
  if (plugin == nullptr) return;
  originals[kMethod] = plugin->authenticate_user;
  plugin->authenticate_user = guarded<kMethod>;
}

}  // namespace

bool refuses_account(int code) {
  constexpr std::array kRefusals = {
      1044,        // no access to the database
      1045, 1698,  // unknown account or wrong password
      1049,        // the database does not exist
      1130,        // no account may connect from this host
      1862,        // the password has expired
      3118,        // the account is locked (MySQL)
      4151,        // the account is locked (MariaDB)
  };
  return contains(kRefusals, code);
}

bool may_be_gone(int code) {
  constexpr std::array kGoing = {
      1047,              // the cluster node is not ready (Galera)
      1053,              // the server is shutting down
      3032,              // the server is in offline mode (MySQL)
      9001, 9002, 9004,  // no server behind the proxy answers (ProxySQL)
  };
  return (is_of_client(code) && !is_of_insecure_server(code)) || contains(kGoing, code);
}

void rethrow(const sql::SQLException& exception) {
  const int code = exception.getErrorCode();
  const std::string what = base::printable(exception.what());  // the server may be hostile
  const std::string& state = exception.getSQLState();  // 22: data, 23: constraints, 40: rolled back
  if (is_of_insecure_server(code)) throw InsecureServer(code, what);
  if (is_of_client(code) || contains(kLost, code)) throw ConnectionLost(code, what);
  if (contains(kNoRoom, code)) throw NoRoom(code, what);
  if (contains(kConflicts, code) || state.starts_with("40")) throw Conflict(code, what);
  if (code == kPacketTooLarge || state.starts_with("22") || state.starts_with("23"))
    throw BadData(code, what);
  throw Failure(code, what);
}

std::unique_ptr<sql::Connection> connect(const Endpoint& endpoint,
                                         const config::DatabaseServer& server) {
  using config::DatabaseTls;
  const DatabaseTls tls = config::tls_of(server, endpoint.tls);
  const bool is_preferred = tls == DatabaseTls::preferred;
  try {
    return connect_with(endpoint, server, is_preferred ? DatabaseTls::required : tls);
  } catch (const InsecureServer& refused) {
    if (!is_preferred || refused.code() != kTlsNotOffered) {
      throw InsecureServer(refused.code(),
                           refused.what() + encryption_advice(refused, endpoint, tls));
    }
  }
  return connect_with(endpoint, server, DatabaseTls::off);
}

void install_password_guard() {
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> session(mysql_init(nullptr), &mysql_close);
  if (session == nullptr) throw std::bad_alloc();
  [&]<std::size_t... kMethod>(std::index_sequence<kMethod...>) {
    (guard<kMethod>(session.get()), ...);
  }
  (std::make_index_sequence<kMethods.size()>());
}

}  // namespace db
