#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wordpress {

struct WpValue {
  // A literal's value as the string to which PHP converts it (true is "1"). A list's value consists
  // of its strings, each followed by a line feed. Empty if only PHP knows the value.
  std::optional<std::string> text;
  unsigned line = 0;  // the first line is 1

  bool operator==(const WpValue&) const = default;
};

// The definitions in a wp-config.php, as far as they are known without running the file.
struct WpConfig {
  // Values by name, for example "DB_NAME" or "$table_prefix".
  std::map<std::string, WpValue, std::less<>> values;
  // The first line that includes a file other than wp-settings.php, or 0 if there is no such line.
  // The included file may contain more definitions.
  unsigned include_line = 0;
};

// Parses the text of a wp-config.php. The parser understands literal strings, integers, true, false
// and null. It also understands MySQL client flags, alone or combined (MYSQLI_CLIENT_SSL |
// MYSQLI_CLIENT_COMPRESS). Definitions may have these forms. As in PHP, the first definition of a
// constant counts.
//
//   define('X', 'v');                         const X = 'v';          $table_prefix = 'wp_';
//   defined('X') || define('X', 'v');         if (!defined('X')) { define('X', 'v'); }
//   if (!isset($table_prefix)) $table_prefix = 'wp_';      Config::define('X', 'v');
//   $super_admins = array('a', 'b');                       $super_admins = ['a', 'b'];
//
// A definition with any other value counts as computed. So does a definition in any other place:
// under another condition, in a function, or after an include that may contain an earlier
// definition.
//
// Errors: Error - a string or a comment is not closed. The error names "file" and the line.
[[nodiscard]] WpConfig parse_wp_config(std::string_view text, const std::string& file);

}  // namespace wordpress
