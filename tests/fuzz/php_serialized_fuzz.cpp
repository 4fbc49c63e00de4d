// Fuzzes text in PHP's serialize() format. WordPress stores roles and capabilities, sessions, and
// application passwords in this format.

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "wordpress/credentials.h"
#include "wordpress/password.h"
#include "wordpress/php_serialized.h"
#include "wordpress/users.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Checks that no value is longer than the text and that each key is unique. Returns the number of
// values.
std::size_t check_value(const wordpress::PhpValue& value, std::size_t size, std::size_t depth) {
  require(depth <= wordpress::kMaxPhpDepth);
  (void)value.is_true();
  if (const std::string* const text = value.as_string()) require(text->size() <= size);
  std::size_t values = 1;
  if (value.as_array() == nullptr) return values;
  std::set<std::string_view> keys;
  for (const auto& [key, item] : *value.as_array()) {
    require(key.size() <= size && keys.insert(key).second);
    values += check_value(item, size, depth + 1);
  }
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = wordpress::parse_php_serialized(text);
  if (value) {
    require(check_value(*value, size, 1) <= wordpress::kMaxPhpValues);
    // Parsing a value inside an array must yield the same result as parsing the value alone.
    const std::string wrapped = "a:1:{i:0;" + std::string(text) + "}";
    if (const auto outer = wordpress::parse_php_serialized(wrapped)) {
      require(*outer->find("0") == *value);
    }
  }
  const bool is_array = value && value->as_array() != nullptr;

  const wordpress::Roles roles = wordpress::parse_roles(text);
  require(is_array || roles.empty());
  require(is_array || wordpress::capabilities_of(text, roles).empty());
  require(is_array || wordpress::parse_super_admins(text).empty());
  require(is_array || !wordpress::has_session(text, "token", {}));
  require(is_array || !wordpress::is_app_password("password", text));
  return 0;
}
