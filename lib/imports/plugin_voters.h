#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/message.h"
#include "db/connection.h"
#include "model/rating.h"

namespace imports {

// DESIGN. Creates ids for anonymous voters from other plugins. A voter gets the same id in every
// import. The id is a keyed hash of the string with which the plugin identifies the voter. The
// plugin's string is often an address. Without a key, anybody could find the address by trying all
// addresses. If the key changed with the secret, the next import would count the same voters again
// with new ids. So the first import stores a check value of its key, and later imports use the key
// that matches the check value.
class PluginVoters {
 public:
  // "key" must have 1 to 64 bytes.
  explicit PluginVoters(std::string key) : key_(std::move(key)) {}

  // Returns the voter in "plugin" whom "text" identifies. "what" distinguishes the kinds of
  // strings, such as "visitor" and "row".
  [[nodiscard]] model::VoterId voter(std::string_view plugin, std::string_view what,
                                     std::string_view text) const;

 private:
  const std::string key_;
};

// Returns the key for imports. The first key in "keys" is the newest key. Selects the key that
// earlier imports used. If there were no earlier imports, selects the newest key and, unless
// "is_dry" is true, stores its check value.
//
// Returns advice if earlier imports used another key. Can throw the same exceptions as the
// db::Connection class.
[[nodiscard]] tl::expected<std::string, base::Message> key_of_imports(
    db::Connection& connection, std::span<const std::string> keys, bool is_dry);

}  // namespace imports
