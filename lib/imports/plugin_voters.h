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

// DESIGN. Computes ids for the anonymous voters of other plugins. A voter gets the same id in every
// import. A voter's id is a keyed hash of the string that identifies the voter in the plugin, which
// is often an IP address. If the hash had no key, anybody could find the IP address by hashing all
// addresses. All imports must use the same key, because otherwise voters would get new ids and
// their votes would be counted again. The first import therefore stores a check value of its key,
// and later imports choose the key that matches the check value.
class PluginVoters {
 public:
  // "key" must be 1 to 64 bytes long.
  explicit PluginVoters(std::string key) : key_(std::move(key)) {}

  // Returns the id of the voter identified by "text" in the plugin "plugin". "what" is the kind of
  // string in "text", such as "visitor" or "row". Equal strings of different kinds identify
  // different voters.
  [[nodiscard]] model::VoterId voter(std::string_view plugin, std::string_view what,
                                     std::string_view text) const;

 private:
  const std::string key_;
};

// Returns the secret key for the ids of anonymous voters in imports. The first key in "keys" is the
// newest key. If there were earlier imports, returns the key that they used. If there were no
// earlier imports, returns the newest key and, unless "is_dry" is true, stores the key's check
// value.
//
// If no key in "keys" matches the check value, returns an error message with advice. Can throw the
// same exceptions as the db::Connection class.
[[nodiscard]] tl::expected<std::string, base::Message> key_of_imports(
    db::Connection& connection, std::span<const std::string> keys, bool is_dry);

}  // namespace imports
