#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wordpress {

struct WpValue {
  // The value of a literal, converted to a string as in PHP (true is "1"). The value of a list
  // consists of the list's strings, each followed by a line feed. If only PHP can compute the
  // value, "text" is empty.
  std::optional<std::string> text;
  unsigned line = 0;  // the first line is 1

  bool operator==(const WpValue&) const = default;
};

// The definitions in a wp-config.php. The value of a definition is missing if only PHP can compute
// it.
struct WpConfig {
  // Maps the name of each constant or variable to its value. A name is, for example, "DB_NAME" or
  // "$table_prefix".
  std::map<std::string, WpValue, std::less<>> values;
  // The first line that includes a file other than wp-settings.php, or 0 if there is no such line.
  // The included file may contain more definitions.
  unsigned include_line = 0;
};

// Parses the text of a wp-config.php. The parser understands literal strings, integers, true, false
// and null. The parser also understands the MySQL client flags, alone or combined
// (MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_COMPRESS). As in PHP, the first definition of a constant takes
// effect. The parser assumes that only PHP can compute a value if its definition has none of the
// forms below, depends on a condition not listed below, is inside a function, or follows an
// included file that may contain an earlier definition.
//
// Throws Error on an unterminated string or comment. The error names "file" and the line.
//
// Definitions may have the following forms:
//
//   define('X', 'v');                         const X = 'v';          $table_prefix = 'wp_';
//   defined('X') || define('X', 'v');         if (!defined('X')) { define('X', 'v'); }
//   if (!isset($table_prefix)) $table_prefix = 'wp_';      Config::define('X', 'v');
//   $super_admins = array('a', 'b');                       $super_admins = ['a', 'b'];
[[nodiscard]] WpConfig parse_wp_config(std::string_view text, const std::string& file);

}  // namespace wordpress
