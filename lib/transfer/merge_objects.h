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

// Two objects of the same type, such as a post and its translation. The ratings of "from" are moved
// to "into".
struct ObjectPair {
  model::Object from, into;
  bool operator==(const ObjectPair&) const = default;
};

// Parses lines with two ids, "from,into". Skips empty lines, and a first line with the words
// "from,into". Errors: a sentence with the line number. Malformed lines are errors. It is also an
// error if an object is "from" in one line and "into" in another line, or if two lines have the
// same "from".
[[nodiscard]] tl::expected<std::vector<ObjectPair>, std::string> parse_pairs(
    std::string_view text, const std::string& object_type);

// Returns the pairs, each followed by the pairs for its facets (model/facets.h).
[[nodiscard]] std::vector<ObjectPair> with_facets(std::span<const ObjectPair> pairs,
                                                  const model::FacetNames& facets);

struct MergedObjects {
  std::uint64_t moved = 0;  // ratings of voters who had not rated the object "into"
  std::uint64_t newer = 0;  // moved ratings that replaced the voter's older rating
  std::uint64_t older = 0;  // ratings that were dropped because the voter's other rating is newer
  std::uint64_t aggregates = 0;  // aggregates that were added to the object "into"
  std::uint64_t kept = 0;        // ratings that stay with "from" because aggregated votes are newer

  bool operator==(const MergedObjects&) const = default;
};

// Returns the result that merge_objects() would have now. Changes nothing. Needs about 60 bytes of
// memory for each rating (MergePreview). Errors: same as db::Connection.
[[nodiscard]] MergedObjects preview_merge(db::Connection& connection,
                                          std::span<const ObjectPair> pairs);

// Moves all ratings and aggregates of each pair. Works in slices, with a few transactions for each
// slice, so that votes never wait long. If a voter has rated both objects, the later rating stays.
// Moved ratings have no addresses. Held ratings remain held. Between a slice's transactions, its
// ratings count for both objects. After an interruption, finished slices stay moved, and a repeated
// call continues. Calls "progress" with the number of finished ratings. Errors: same as
// db::Connection and require_full_activity(). Throws db::Busy if an import or a clean-up is
// running.
MergedObjects merge_objects(db::Connection& connection, std::span<const ObjectPair> pairs,
                            const std::function<void(std::uint64_t ratings)>& progress);

}  // namespace transfer
