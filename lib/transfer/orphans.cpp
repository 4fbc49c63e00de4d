#include "transfer/orphans.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/bytes.h"
#include "rollups/aggregate.h"
#include "store/rating_key_sql.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

using model::Object;

// The built-in post types of WordPress with ratings (create_initial_post_types(), post.php), and
// comments.
const std::set<std::string>& types_of_wordpress() {
  static const std::set<std::string> types = {"attachment", "comment", "page", "post"};
  return types;
}

std::string find_text(const std::string& prefix, std::size_t types) {
  const std::string objects = "SELECT DISTINCT object_id, object_type FROM " + prefix;
  std::string marks = "?";
  for (std::size_t i = 1; i < types; ++i) marks += ",?";
  return "SELECT object_id, object_type FROM (" + objects + "ratingd_votes UNION " + objects +
         "ratingd_balances) AS rated WHERE object_type IN (" + marks +
         ") AND CASE object_type WHEN 'comment'"
         " THEN NOT EXISTS (SELECT 1 FROM " +
         prefix + "comments WHERE comment_ID = object_id) ELSE NOT EXISTS (SELECT 1 FROM " +
         prefix + "posts WHERE ID = object_id) END ORDER BY object_id, object_type";
}

}  // namespace

Orphans::Orphans(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      read_types_("SELECT DISTINCT post_type FROM " + table_prefix + "posts"),
      count_("SELECT COUNT(*) FROM " + table_prefix +
             "ratingd_votes WHERE object_id = ? AND object_type = ?"),
      read_votes_("SELECT object_id, object_type, category, voter FROM " + table_prefix +
                  "ratingd_votes FORCE INDEX (PRIMARY) WHERE object_id = ? AND object_type = ?"
                  " ORDER BY category, voter LIMIT " +
                  std::to_string(Slices::kFirst)),
      bulk_(table_prefix) {}

std::vector<Orphan> Orphans::find(db::Connection& connection) const {
  std::set<std::string> types = types_of_wordpress();
  for (db::Rows row = connection.query(read_types_); row.next();) {
    types.insert(base::to_lower(row.text(1)));
  }
  db::Statement& statement = connection.prepare(find_text(table_prefix_, types.size()));
  for (const std::string& type : types) statement.bind(type);
  std::vector<Orphan> orphans;
  for (db::Rows row = statement.query(); row.next();) {
    orphans.push_back({{row.unsigned_integer(1), row.text(2)}, 0});
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
}

}  // namespace transfer
