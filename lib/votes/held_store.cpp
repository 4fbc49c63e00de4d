#include "votes/held_store.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "db/transaction.h"
#include "store/rating_key_sql.h"

namespace votes {
namespace {

using model::Object;
using model::RatingKey;
using model::VoterId;

constexpr int kAttemptsOfHeld = 5;
constexpr std::uint8_t kSlot = 0;  // rare enough to share the slot of other writers

db::BulkStatement of_keys(const std::string& statement) {
  return db::BulkStatement(db::where_any(statement, store::kOfRatingKey));
}

// Locks the ratings of keys that fulfil a condition, and reads them.
db::BulkStatement lock_text(const std::string& table_prefix, const std::string& condition) {
  return db::BulkStatement(
      {"SELECT object_id, object_type, category, voter, value, rated_at FROM " + table_prefix +
           "ratingd_votes FORCE INDEX (PRIMARY) WHERE " + condition + " AND (",
       store::kOfRatingKey, " OR ", ") FOR UPDATE"});
}

template <typename Value>
std::vector<RatingKey> keys_of(const std::map<RatingKey, Value>& map) {
  std::vector<RatingKey> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::vector<Object> objects_of(std::span<const RatingKey> keys) {
  std::vector<Object> objects;
  objects.reserve(keys.size());
  for (const RatingKey& key : keys) objects.push_back(key.object);
  return objects;
}

std::string list_text(const std::string& prefix, const std::string& condition) {
  return "SELECT h.object_id, h.object_type, h.category, h.voter, v.value, v.rated_at, h.reasons,"
         " h.held_at FROM " +
         prefix + "ratingd_held h JOIN " + prefix +
         "ratingd_votes v USING (object_id, object_type, category, voter) " + condition +
         " ORDER BY h.held_at DESC, h.object_id DESC, h.object_type DESC, h.category DESC,"
         " h.voter DESC LIMIT ? OFFSET ?";
}

}  // namespace

HeldStore::HeldStore(const std::string& table_prefix, const HostCaches& caches)
    : caches_(caches),
      statements_(table_prefix),
      voter_days_(table_prefix),
      read_held_(lock_text(table_prefix, "held = 1")),
      read_counted_(lock_text(table_prefix, "held = 0 AND created_at = rated_at")),
      mark_released_(of_keys("UPDATE " + table_prefix + "ratingd_votes SET held = 0, agent = 0")),
      mark_held_(of_keys("UPDATE " + table_prefix + "ratingd_votes SET held = 1")),
      delete_votes_(of_keys("DELETE FROM " + table_prefix + "ratingd_votes")),
      list_(list_text(table_prefix, "")),
      list_of_object_(list_text(table_prefix, "WHERE h.object_id = ? AND h.object_type = ?")),
      count_("SELECT COUNT(*) FROM " + table_prefix + "ratingd_held"),
      count_of_object_(count_ + " WHERE object_id = ? AND object_type = ?") {}

std::vector<HeldRating> HeldStore::list(db::Connection& connection,
                                        const std::optional<Object>& object, std::int64_t offset,
                                        std::int64_t limit) const {
  db::Statement& statement = connection.prepare(object ? list_of_object_ : list_);
  if (object) statement.bind(object->id, object->type);
  return statement.bind(limit, offset).query().all([](const db::Rows& row) {
    return HeldRating{store::rating_in(row), static_cast<Reasons>(row.integer(7)), row.time(8)};
  });
}

std::int64_t HeldStore::count(db::Connection& connection,
                              const std::optional<Object>& object) const {
  db::Statement& statement = connection.prepare(object ? count_of_object_ : count_);
  if (object) statement.bind(object->id, object->type);
  return statement.query().number();
}

std::size_t HeldStore::release(db::Connection& connection, std::span<const RatingKey> keys) const {
  const std::size_t released = db::in_transaction(connection, kAttemptsOfHeld, [&] {
    Locked locked = lock(connection, keys, Which::held);
    const Moments before = read_moments(connection, locked.ratings);
    mark_released_.execute(connection, locked.ratings, store::bind_key);
    for (rollups::RollupChanges& changes : locked.changes) {
      for (const auto& [key, rating] : locked.ratings) changes.add(key, rating);
    }
    write_activity(connection, locked, before, {});
    statements_.delete_held.execute(connection, locked.ratings, store::bind_key);
    return locked.ratings.size();
  });
  caches_.stats.invalidate(objects_of(keys));
  return released;
}

std::size_t HeldStore::drop(db::Connection& connection, std::span<const RatingKey> keys) const {
  const std::size_t dropped = db::in_transaction(connection, kAttemptsOfHeld, [&] {
    const Locked locked = lock(connection, keys, Which::held);
    delete_votes_.execute(connection, locked.ratings, store::bind_key);
    statements_.delete_held.execute(connection, locked.ratings, store::bind_key);
    return locked.ratings.size();
  });
  for (const RatingKey& key : keys) caches_.own_ratings.invalidate(key.voter);
  return dropped;
}

std::size_t HeldStore::hold(db::Connection& connection, const std::map<RatingKey, Reasons>& reasons,
                            base::Time now) const {
  const std::vector<RatingKey> keys = keys_of(reasons);
  const std::size_t held = db::in_transaction(connection, kAttemptsOfHeld, [&] {
    Locked locked = lock(connection, keys, Which::counted);
    const Moments before = read_moments(connection, locked.ratings);
    mark_held_.execute(connection, locked.ratings, store::bind_key);
    Moments withdrawn;
    for (const auto& [key, rating] : locked.ratings) {
      for (rollups::RollupChanges& changes : locked.changes) changes.withdraw(key, rating);
      withdrawn[key.voter].push_back(rating.rated_at);
    }
    write_activity(connection, locked, before, withdrawn);
    statements_.save_held.execute(connection, locked.ratings,
                                  [&](db::Statement& statement, const auto& row) {
                                    store::bind_key(statement, row);
                                    statement.bind(std::int64_t{reasons.at(row.first)}, now);
                                  });
    return locked.ratings.size();
  });
  caches_.stats.invalidate(objects_of(keys));
  return held;
}

// Recomputes the activity of the voters, and writes all changes of rollups.
void HeldStore::write_activity(db::Connection& connection, Locked& locked, const Moments& before,
                               const Moments& withdrawn) const {
  replace_activity(before, read_moments(connection, locked.ratings), withdrawn, {}, locked.changes);
  for (const rollups::RollupChanges& changes : locked.changes) {
    changes.write(connection, statements_.table_prefix);
  }
}

// Locks the voters of "keys", then the held or counted ratings among "keys".
HeldStore::Locked HeldStore::lock(db::Connection& connection, std::span<const RatingKey> keys,
                                  Which which) const {
  assert(keys.size() <= kHeldAtOnce);
  const std::set<RatingKey> sorted(keys.begin(), keys.end());
  std::set<VoterId> voters;
  for (const RatingKey& key : sorted) voters.insert(key.voter);

  Locked locked;
  locked.changes =
      rollups::RollupChanges::for_all_sets(statements_.state.lock_for_change(connection), kSlot);
  voter_days_.lock(connection, voters, locked.changes);
  (which == Which::held ? read_held_ : read_counted_)
      .query(connection, sorted, store::bind_key, [&](const db::Rows& row) {
        locked.ratings[store::key_in(row)] = store::own_rating_in(row);
      });
  return locked;
}

// The times of the counted votes of the voters of "ratings".
Moments HeldStore::read_moments(db::Connection& connection, const Ratings& ratings) const {
  std::set<VoterId> voters;
  for (const auto& [key, rating] : ratings) voters.insert(key.voter);
  return voter_days_.read(connection, voters);
}

}  // namespace votes
