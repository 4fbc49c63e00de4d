#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "model/rating.h"

namespace imports {

// DESIGN. The anonymous voters of other plugins. Each becomes the same anonymous voter whenever its
// votes are imported: a keyed hash of what the plugin tells it by, which is often an address, and
// could be found by trying all of them if there were no key. So that a replaced secret does not
// make other voters of them, who would be counted again, the first import notes a check value of
// its key, and later ones take the key that it fits.
class PluginVoters {
 public:
  // "key" of 1 to 64 bytes.
  explicit PluginVoters(std::string key) : key_(std::move(key)) {}

  // The voter of "plugin" that "what" ("visitor", "row" ...) "text" stands for.
  [[nodiscard]] model::VoterId voter(std::string_view plugin, std::string_view what,
                                     std::string_view text) const;

 private:
  const std::string key_;
};

// The one of "keys", the newest first, that is to be used: that of earlier imports, else the
// newest, which is noted unless "is_dry".
//
// Throws std::runtime_error that says what to do when earlier imports used none of them. Errors: as
// db::Connection.
[[nodiscard]] std::string key_of_imports(db::Connection& connection,
                                         const std::string& table_prefix,
                                         std::span<const std::string> keys, bool is_dry);

}  // namespace imports
