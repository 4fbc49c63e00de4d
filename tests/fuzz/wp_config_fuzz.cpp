// Fuzzes the contents of a wp-config.php file and the value of DB_HOST.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/database.h"
#include "wordpress/wp_config.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_wp_config(std::string_view text) {
  // In PHP, a single carriage return also ends a line.
  const auto ends_line = [](char c) { return c == '\n' || c == '\r'; };
  const auto lines = static_cast<unsigned>(std::ranges::count_if(text, ends_line)) + 1;
  try {
    const wordpress::WpConfig wp = wordpress::parse_wp_config(text, "wp-config.php");
    require(wp.include_line <= lines);
    for (const auto& [name, value] : wp.values) {
      require(value.line >= 1 && value.line <= lines);
      require(!value.text || value.text->size() <= text.size());
    }
  } catch (const config::Error&) {  // a string or a comment without an end
  }
}

void read_db_host(std::string_view text) {
  const auto parsed = config::parse_db_host(text);
  if (!parsed) return;
  require(parsed->host.size() + parsed->socket.size() <= text.size());
  require(parsed->socket.empty() || parsed->socket.front() == '/');
  const config::DatabaseServer server = config::server_of_php(*parsed);
  require(server.host.empty() != server.socket.empty());
  require(server.port != 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_wp_config(text);
  read_db_host(text);
  return 0;
}
