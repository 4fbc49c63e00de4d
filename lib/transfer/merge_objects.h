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

// The ratings of "from" go to "into": two objects of one type, such as a post and its translation.
struct ObjectPair {
  model::Object from, into;
  bool operator==(const ObjectPair&) const = default;
};

// Parses lines of two ids, "from,into"; empty lines and a first line that says just that are
// skipped. Errors: a sentence with the line's number; also if an object would get the ratings of
// another one and hand them on, or if one is named twice as "from".
[[nodiscard]] tl::expected<std::vector<ObjectPair>, std::string> parse_pairs(
    std::string_view text, const std::string& object_type);

// The pairs, each followed by those of its facets (model/facets.h).
[[nodiscard]] std::vector<ObjectPair> with_facets(std::span<const ObjectPair> pairs,
                                                  const model::FacetNames& facets);

struct MergedObjects {
  std::uint64_t moved = 0;       // ratings of voters who had not rated the other object
  std::uint64_t newer = 0;       // that replaced an older one of their voter
  std::uint64_t older = 0;       // that were dropped for a newer one of their voter
  std::uint64_t aggregates = 0;  // that were added to those of the other object
  std::uint64_t kept = 0;  // that stay where they are: older than the votes that were aggregated

  bool operator==(const MergedObjects&) const = default;
};

// What merge_objects() would do now. Needs about 60 bytes of memory for each rating
// (MergePreview). Errors: as db::Connection.
[[nodiscard]] MergedObjects preview_merge(db::Connection& connection,
                                          std::span<const ObjectPair> pairs);

// Moves all ratings and aggregates of each pair, in slices of some transactions each, so that votes
// never wait long. Of two ratings of one voter the later one stays; without their addresses. Held
// ratings stay held. Between two transactions of a slice its ratings count for both objects. If it
// is interrupted, finished slices stay; a repeated call continues. Calls "progress" with the number
// of finished ratings. Errors: as db::Connection; db::Busy - an import or a clean-up is running; as
// require_full_activity().
MergedObjects merge_objects(db::Connection& connection, std::span<const ObjectPair> pairs,
                            const std::function<void(std::uint64_t ratings)>& progress);

}  // namespace transfer
