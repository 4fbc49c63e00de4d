#include "transfer/orphans.h"

#include <utility>

namespace transfer {

std::vector<Orphan> find_orphans(db::Connection& connection, const cms::Cms& cms,
                                 const model::FacetNames& facets) {
  std::vector<Orphan> orphans;
  for (model::Object& object : cms.rated_and_deleted(connection, facets)) {
    orphans.push_back({std::move(object), 0});
  }
  for (auto& [object, ratings] : orphans) {
    ratings = connection
                  .query(
                      "SELECT COUNT(*) FROM {prefix}ratingd_votes WHERE object_id = ?"
                      " AND object_type = ?",
                      object.id, object.type)
                  .number();
  }
  return orphans;
}

}  // namespace transfer
