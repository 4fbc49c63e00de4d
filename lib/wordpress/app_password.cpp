#include "wordpress/app_password.h"

#include <string>

#include "base/crypto.h"
#include "wordpress/password.h"
#include "wordpress/php_serialized.h"

namespace wordpress {

bool is_app_password(std::string_view password, std::string_view list) {
  if (password.size() > kMaxPasswordBytes) return false;
  const std::string normalized = normalized_app_password(password);
  const std::string fast = fast_hash(normalized);

  const auto entries = wordpress::parse_php_serialized(list);
  if (!entries || entries->as_array() == nullptr) return false;
  for (const auto& [key, entry] : *entries->as_array()) {
    const wordpress::PhpValue* const field = entry.find("password");
    const std::string* const hash = field == nullptr ? nullptr : field->as_string();
    if (hash == nullptr) continue;
    if (base::equals_in_constant_time(fast, *hash)) return true;
    if (is_account_password(normalized, *hash)) return true;
  }
  return false;
}

void equalize_timing_of_app_passwords(std::string_view password, std::string_view list) {
  if (password.size() > kMaxPasswordBytes || list.find("\"$P$") != std::string_view::npos) return;
  static_cast<void>(is_account_password(normalized_app_password(password), kDummyPortableHash));
}

}  // namespace wordpress
