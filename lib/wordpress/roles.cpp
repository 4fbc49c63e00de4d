#include "wordpress/roles.h"

#include "wordpress/php_serialized.h"

namespace wordpress {
namespace {

constexpr std::string_view kDefaultSuperAdmin = "admin";

using Items = wordpress::PhpValue::Array;

Items parse_items(std::string_view text) {
  const auto value = wordpress::parse_php_serialized(text);
  const Items* const items = value ? value->as_array() : nullptr;
  return items == nullptr ? Items() : *items;
}

void merge(const Items& from, Capabilities& into) {
  for (const auto& [name, granted] : from) into.insert_or_assign(name, granted.is_true());
}

}  // namespace

Roles parse_roles(std::string_view user_roles) {
  Roles roles;
  for (const auto& [name, role] : parse_items(user_roles)) {
    Capabilities& capabilities = roles[name];
    const wordpress::PhpValue* const field = role.find("capabilities");
    if (field != nullptr && field->as_array() != nullptr) merge(*field->as_array(), capabilities);
  }
  return roles;
}

Capabilities capabilities_of(std::string_view capabilities_meta, const Roles& roles) {
  const Items own = parse_items(capabilities_meta);
  Capabilities all;
  for (const auto& [name, value] : own) {
    const auto role = roles.find(name);
    if (role == roles.end()) continue;
    for (const auto& [capability, granted] : role->second) {
      all.insert_or_assign(capability, granted);
    }
  }
  merge(own, all);
  return all;
}

bool can(const Capabilities& capabilities, std::string_view capability) {
  const auto found = capabilities.find(capability);
  return found != capabilities.end() && found->second;
}

std::vector<std::string> parse_super_admins(std::optional<std::string_view> site_admins) {
  if (!site_admins) return {std::string(kDefaultSuperAdmin)};
  std::vector<std::string> logins;
  for (const auto& [index, value] : parse_items(*site_admins)) {
    if (const std::string* const login = value.as_string()) logins.push_back(*login);
  }
  return logins;
}

}  // namespace wordpress
