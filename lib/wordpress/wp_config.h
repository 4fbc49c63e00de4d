#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wordpress {

struct WpValue {
  std::optional<std::string> text;  // a literal as PHP turns it into a string (true is "1"), or
                                    // the strings of a list, each with a line feed behind it;
                                    // nothing: only PHP knows it
  unsigned line = 0;                // counts from 1

  bool operator==(const WpValue&) const = default;
};

// The definitions of a wp-config.php, as far as they are known without running it.
struct WpConfig {
  std::map<std::string, WpValue, std::less<>> values;  // by name: "DB_NAME", "$table_prefix"
  unsigned include_line = 0;  // where it first includes a file other than wp-settings.php, which
                              // may define more; 0: nowhere
};

// Reads the text of a wp-config.php. Understood are literal strings, integers, true, false, null
// and the flags of MySQL clients, alone or joined (MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_COMPRESS), in
// these forms, where the first definition of a constant wins, as in PHP:
//
//   define('X', 'v');                         const X = 'v';          $table_prefix = 'wp_';
//   defined('X') || define('X', 'v');         if (!defined('X')) { define('X', 'v'); }
//   if (!isset($table_prefix)) $table_prefix = 'wp_';      Config::define('X', 'v');
//   $super_admins = array('a', 'b');                       $super_admins = ['a', 'b'];
//
// A definition in any other place (under another condition, in a function, after an include that
// may define it first) or with any other value counts as computed.
//
// Errors: Error - a string or a comment has no end; it names "file" and the line.
[[nodiscard]] WpConfig parse_wp_config(std::string_view text, const std::string& file);

}  // namespace wordpress
