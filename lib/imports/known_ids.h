#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "imports/plugin.h"

namespace imports {

// The user ids and object ids that appear in a list of votes and exist in the CMS.
struct KnownIds {
  std::set<std::uint64_t> users;
  std::map<std::uint64_t, std::string> posts,
      comments;  // and the times of their publication in UTC
};

// Looks up the user ids and object ids from "votes" in the CMS. Can throw the same exceptions as
// the db::Connection class.
[[nodiscard]] KnownIds known_ids(db::Connection& connection, const std::string& users_table,
                                 std::span<const PluginVote> votes);

// Parses an id. Returns nothing if "text" is not a positive integer.
[[nodiscard]] std::optional<std::uint64_t> id_in(std::string_view text);

}  // namespace imports
