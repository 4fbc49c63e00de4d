#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wordpress {

// By name: granted (true) or denied.
using Capabilities = std::map<std::string, bool, std::less<>>;

// The capabilities of each role, by its name. Names are case-sensitive.
using Roles = std::map<std::string, Capabilities, std::less<>>;

// Parses the option {prefix}user_roles. A damaged option has no roles.
[[nodiscard]] Roles parse_roles(std::string_view user_roles);

// What a user may do on the site with these "roles", by "capabilities_meta", the text of usermeta
// {prefix}capabilities (empty if there is none: the user is not a member of the site). It names
// roles and single capabilities as keys: a role counts whatever its value, a later role overrides
// an earlier one, and the user's own capabilities override all roles. A damaged text grants
// nothing. (class-wp-user.php, get_role_caps)
[[nodiscard]] Capabilities capabilities_of(std::string_view capabilities_meta, const Roles& roles);

[[nodiscard]] bool can(const Capabilities& capabilities, std::string_view capability);

// The logins (users.user_login, compared exactly) of those who may do everything on every site of a
// network. "site_admins" is sitemeta of that name; nothing if there is none, then it is "admin"
// alone. wp-config.php may say otherwise: config::Network::super_admins.
// REQUIRES: the site is part of a network; elsewhere there are no such users.
// (capabilities.php, get_super_admins and is_super_admin)
[[nodiscard]] std::vector<std::string> parse_super_admins(
    std::optional<std::string_view> site_admins);

}  // namespace wordpress
