#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "db/connection.h"
#include "model/facets.h"
#include "model/rating.h"

namespace transfer {

// Two objects of the same type, such as a post and its translation. A merge moves the ratings from
// the object "from" to the object "into".
struct ObjectPair {
  model::Object from, into;
  bool operator==(const ObjectPair&) const = default;
};

// Parses lines with two ids in the format "from,into". Skips a byte order mark, empty lines and
// the header line "from,into". Returns an error message with the line number if a line is
// malformed. Also returns an error if two lines contain the same "from", or if the "from" in one
// line is the "into" in another line.
[[nodiscard]] tl::expected<std::vector<ObjectPair>, std::string> parse_pairs(
    std::string_view text, const std::string& object_type);

// Returns each pair, followed by the pairs of the objects' facets (model/facets.h).
[[nodiscard]] std::vector<ObjectPair> with_facets(std::span<const ObjectPair> pairs,
                                                  const model::FacetNames& facets);

struct MergedObjects {
  std::uint64_t moved = 0;  // the number of ratings by voters who had not rated the object "into"
  std::uint64_t newer = 0;  // the number of moved ratings that replaced the voter's older rating
  std::uint64_t older = 0;  // the number of deleted ratings by voters whose rating of "into" is
                            // newer
  std::uint64_t aggregates = 0;  // the number of aggregates that were added to the object "into"
  std::uint64_t kept = 0;        // the number of ratings that were not moved because aggregated
                                 // votes are newer

  bool operator==(const MergedObjects&) const = default;
};

// Returns the result that merge_objects() would return, but moves no ratings. Uses about 60 bytes
// of memory per rating. Throws the same exceptions as db::Connection.
[[nodiscard]] MergedObjects preview_merge(db::Connection& connection,
                                          std::span<const ObjectPair> pairs);

// Moves all ratings and aggregates for each pair of objects. Works in slices, with a few
// transactions per slice, so that votes never wait long. If a voter has rated both objects, only
// the later rating remains. Moved ratings lose their stored addresses. A moved rating is held only
// if it was held before, even if it replaces a rating. While a slice is being moved, its ratings
// briefly count for both objects. After an interruption, a repeated call moves the remaining
// ratings. Calls "progress" with the number of processed ratings. Throws the same exceptions as
// db::Connection and require_full_activity(). Throws db::Busy if an import or a clean-up is
// running.
MergedObjects merge_objects(db::Connection& connection, std::span<const ObjectPair> pairs,
                            const std::function<void(std::uint64_t ratings)>& progress);

}  // namespace transfer
