#include "store/orphans.h"

#include <set>

#include "base/bytes.h"
#include "db/server_lock.h"
#include "db/transaction.h"

namespace store {
namespace {

using model::Category;
using model::Object;
using model::RatingKey;

constexpr int kAttempts = 10;
constexpr std::uint8_t kSlot = 0;
constexpr std::chrono::seconds kPatience{5};

// The types of post that WordPress always has (create_initial_post_types(), post.php), and
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

void bind_key(db::Statement& statement, const RatingKey& key, bool) {
  statement.bind(key.object.id).bind(key.object.type);
  statement.bind(static_cast<std::int64_t>(key.category)).bind(key.voter);
}

}  // namespace

Orphans::Orphans(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      statements_(table_prefix),
      read_types_("SELECT DISTINCT post_type FROM " + table_prefix + "posts"),
      count_("SELECT COUNT(*) FROM " + table_prefix +
             "ratingd_votes WHERE object_id = ? AND object_type = ?"),
      lock_votes_("SELECT category, voter, value, rated_at, held FROM " + table_prefix +
                  "ratingd_votes FORCE INDEX (PRIMARY) WHERE object_id = ? AND object_type = ?"
                  " ORDER BY category, voter LIMIT 256 FOR UPDATE"),
      delete_balances_("DELETE FROM " + table_prefix +
                       "ratingd_balances WHERE object_id = ? AND object_type = ?"),
      delete_votes_({"DELETE FROM " + table_prefix + "ratingd_votes WHERE ",
                     "(object_id = ? AND object_type = ? AND category = ? AND voter = ?)", " OR ",
                     ""}) {}

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
  // Balances are not locked one by one.
  const db::ServerLock lock(connection, table_prefix_ + "ratingd_orphans", kPatience);
  for (std::int64_t removed = 1; removed > 0;) {
    db::in_transaction(connection, kAttempts, [&] { removed = remove_votes(connection, object); });
    progress(removed);
  }
  db::in_transaction(connection, kAttempts, [&] { remove_balances(connection, object); });
}

std::int64_t Orphans::remove_votes(db::Connection& connection, const Object& object) const {
  auto sets = RollupChanges::of(statements_.state.lock_shared(connection), kSlot);
  std::vector<RatingKey> keys;
  db::Rows row = connection.prepare(lock_votes_).bind(object.id).bind(object.type).query();
  while (row.next()) {
    keys.push_back({object, static_cast<Category>(row.integer(1)), row.unsigned_integer(2)});
    if (row.integer(5) != 0) continue;
    const OwnRating rating{static_cast<model::Thousandths>(row.integer(3)), row.time(4)};
    for (RollupChanges& changes : sets) changes.withdraw(keys.back(), rating);
  }
  delete_votes_.execute(connection, db::span_of(keys), bind_key);
  for (const RollupChanges& changes : sets) changes.write(connection, statements_.changes);
  statements_.delete_held.execute(connection, db::span_of(keys), bind_key);
  return static_cast<std::int64_t>(keys.size());
}

void Orphans::remove_balances(db::Connection& connection, const Object& object) const {
  auto sets = RollupChanges::of(statements_.state.lock_shared(connection), kSlot);
  for (const Category category : model::kCategories) {
    for (const Balance& balance : balances_of(connection, table_prefix_, object, category)) {
      for (RollupChanges& changes : sets) changes.withdraw(balance);
    }
  }
  connection.prepare(delete_balances_).bind(object.id).bind(object.type).execute();
  for (const RollupChanges& changes : sets) changes.write(connection, statements_.changes);
}

}  // namespace store
