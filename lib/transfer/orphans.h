#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cms/cms.h"
#include "db/connection.h"
#include "model/rating.h"

namespace transfer {

// An object that has ratings but no longer exists.
struct Orphan {
  model::Object object;
  std::int64_t ratings = 0;  // stored votes, including held votes

  bool operator==(const Orphan&) const = default;
};

// Returns the orphans, sorted by id. Objects with types that the CMS does not know are never
// orphans. Reads an index of all votes. Errors: as db::Connection.
[[nodiscard]] std::vector<Orphan> find_orphans(db::Connection& connection, const cms::Cms& cms,
                                               const model::FacetNames& facets);

}  // namespace transfer
