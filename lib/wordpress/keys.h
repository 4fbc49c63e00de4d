#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/wordpress_site.h"

namespace wordpress {

// The purpose of a signature.
enum class KeyScheme { auth, logged_in, nonce };

// An option that WordPress generated in its database, e.g. "logged_in_salt"; nothing if there is
// none. Values are not trimmed.
using FindOption = std::function<std::optional<std::string>(std::string_view name)>;

// The secret that WordPress signs with (pluggable.php, wp_salt): for each half, key and salt, the
// constant of wp-config.php, unless it is empty, the phrase of the sample file, or equal to any
// other of the ten constants; else what "find_option" gives, from the options table or, in a
// network, from sitemeta.
//
// Nothing if a half is in neither place: WordPress generates it on first use, so nothing can have
// been signed before.
[[nodiscard]] std::optional<std::string> wp_salt(KeyScheme scheme,
                                                 const config::WordPressKeys& constants,
                                                 const FindOption& find_option);

}  // namespace wordpress
