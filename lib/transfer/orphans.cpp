#include "transfer/orphans.h"

#include <algorithm>
#include <span>
#include <utility>

#include "rollups/aggregate.h"
#include "store/rating_key_sql.h"
#include "transfer/locks.h"

namespace transfer {

using model::Object;

Orphans::Orphans(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      count_("SELECT COUNT(*) FROM " + table_prefix +
             "ratingd_votes WHERE object_id = ? AND object_type = ?"),
      read_votes_("SELECT object_id, object_type, category, voter FROM " + table_prefix +
                  "ratingd_votes FORCE INDEX (PRIMARY) WHERE object_id = ? AND object_type = ?"
                  " ORDER BY category, voter LIMIT " +
                  std::to_string(Slices::kFirst)),
      bulk_(table_prefix) {}

std::vector<Orphan> Orphans::find(db::Connection& connection, const cms::Cms& cms) const {
  std::vector<Orphan> orphans;
  for (Object& object : cms.rated_and_deleted(connection)) {
    orphans.push_back({std::move(object), 0});
  }
  for (Orphan& orphan : orphans) {
    db::Rows row =
        connection.prepare(count_).bind(orphan.object.id).bind(orphan.object.type).query();
    if (row.next()) orphan.ratings = row.integer(1);
  }
  return orphans;
}

void Orphans::remove(db::Connection& connection, const Object& object,
                     const std::function<void(std::int64_t)>& progress) const {
  const auto lock = lock_changes(connection, table_prefix_, kLockTimeout);
  require_full_activity(connection, table_prefix_);
  for (;;) {
    std::vector<model::RatingKey> keys;
    db::Rows row = connection.prepare(read_votes_).bind(object.id).bind(object.type).query();
    while (row.next()) keys.push_back(store::key_in(row));
    if (keys.empty()) break;
    progress(static_cast<std::int64_t>(bulk_.remove(connection, keys)));
  }
  for (const model::Category category : model::kCategories) {
    std::vector<rollups::Aggregate::Key> keys;
    for (const rollups::Aggregate& aggregate :
         rollups::aggregates_of(connection, table_prefix_, object, category)) {
      keys.push_back(aggregate.key);
    }
    for (std::span<const rollups::Aggregate::Key> rest = keys; !rest.empty();) {
      const auto some = rest.first(std::min(rest.size(), Slices::kFirst));
      bulk_.remove_aggregates(connection, some);
      rest = rest.subspan(some.size());
    }
  }
  rollups::delete_empty_days(connection, table_prefix_);
}

}  // namespace transfer
