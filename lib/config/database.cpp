#include "config/database.h"

#include <algorithm>

#include "base/address.h"
#include "base/text.h"

namespace config {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kIpv6 = "0123456789abcdefABCDEF:";

// Returns the number at the start of "text". For numbers above 1,000,000, returns 1,000,000, which
// is still too large for a port.
unsigned leading_number(std::string_view text) {
  unsigned number = 0;
  for (const char c : text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()))) {
    number = std::min(number * 10 + static_cast<unsigned>(c - '0'), 1'000'000U);
  }
  return number;
}

// Returns the part of "text" that follows "prefix", or an empty string if "text" does not start
// with "prefix".
std::string_view after(std::string_view prefix, std::string_view text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}

}  // namespace

std::optional<DbHost> parse_db_host(std::string_view text) {
  DbHost result;
  if (const auto colon = text.find(":/"); colon != std::string_view::npos) {
    result.socket = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  std::string_view rest;
  if (std::ranges::count(text, ':') > 1) {
    if (text.starts_with('[')) text.remove_prefix(1);
    rest = text.substr(std::min(text.find_first_not_of(kIpv6), text.size()));
    result.port = leading_number(after("]:", rest));
  } else {
    rest = text.substr(std::min(text.find_first_of(":/"), text.size()));
    result.port = leading_number(after(":", rest));
  }
  result.host = text.substr(0, text.size() - rest.size());
  const bool ipv6 = std::ranges::count(text, ':') > 1;
  if (ipv6 && result.host.empty()) return std::nullopt;
  if (result.host == "0") result.host.clear();  // PHP's empty("0") is true
  return result;
}

DatabaseServer server_of_php(const DbHost& from) {
  DatabaseServer server;
  const bool local = from.host.empty() || base::equals_ignoring_case(from.host, "localhost");
  if (!local) server.host = from.host;
  if (from.port != 0) server.port = from.port;
  if (!local || !from.socket.empty()) server.socket = local ? from.socket : "";
  return server;
}

DatabaseTls tls_of(const DatabaseServer& server, std::optional<DatabaseTls> given) {
  if (given) return *given;
  const bool is_local = !server.socket.empty() || base::Address::parse(server.host).is_loopback();
  return is_local ? DatabaseTls::off : DatabaseTls::preferred;
}

std::string name_of(const DatabaseServer& server) {
  return server.socket.empty() ? server.host + ":" + std::to_string(server.port) : server.socket;
}

std::vector<DatabaseServer> servers_of(const Database& database) {
  std::vector<DatabaseServer> servers = {database.server};
  servers.insert(servers.end(), database.others.begin(), database.others.end());
  return servers;
}

std::string names_of_servers(const Database& database) {
  return base::joined(servers_of(database), ",",
                      [](const DatabaseServer& server) { return name_of(server); });
}

}  // namespace config
