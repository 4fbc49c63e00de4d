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

// DESIGN. Ids for the anonymous voters of other plugins. The same voter gets the same id in every
// import: a keyed hash of what the plugin identifies the voter by. This is often an address, which
// could be found by trying all addresses if the hash had no key. After the secret is replaced, new
// ids would count the same voters again. So the first import stores a check value of its key, and
// later imports use the key that matches it.
class PluginVoters {
 public:
  // "key" of 1 to 64 bytes.
  explicit PluginVoters(std::string key) : key_(std::move(key)) {}

  // The voter of "plugin" that is identified by "text", of the kind "what" ("visitor", "row" ...).
  [[nodiscard]] model::VoterId voter(std::string_view plugin, std::string_view what,
                                     std::string_view text) const;

 private:
  const std::string key_;
};

// Selects from "keys", the newest first: the key of earlier imports, else the newest one, whose
// check value is stored unless "is_dry".
//
// Advice instead if earlier imports used another key. Errors: as db::Connection.
[[nodiscard]] tl::expected<std::string, base::Message> key_of_imports(
    db::Connection& connection, std::span<const std::string> keys, bool is_dry);

}  // namespace imports
