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

db::BulkStatement of_keys(const std::string& head, const std::string& tail = "") {
  return db::BulkStatement({head, store::kOfRatingKey, " OR ", tail});
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
      read_held_(of_keys("SELECT object_id, object_type, category, voter, value, rated_at FROM " +
                             table_prefix +
                             "ratingd_votes FORCE INDEX (PRIMARY) WHERE held = 1 AND (",
                         ") FOR UPDATE")),
      read_counted_(of_keys(
          "SELECT object_id, object_type, category, voter, value, rated_at FROM " + table_prefix +
              "ratingd_votes FORCE INDEX (PRIMARY) WHERE held = 0 AND created_at = rated_at AND (",
          ") FOR UPDATE")),
      mark_released_(
          of_keys("UPDATE " + table_prefix + "ratingd_votes SET held = 0, agent = 0 WHERE ")),
      mark_held_(of_keys("UPDATE " + table_prefix + "ratingd_votes SET held = 1 WHERE ")),
      delete_votes_(of_keys("DELETE FROM " + table_prefix + "ratingd_votes WHERE ")),
      list_(list_text(table_prefix, "")),
      list_of_object_(list_text(table_prefix, "WHERE h.object_id = ? AND h.object_type = ?")),
      count_("SELECT COUNT(*) FROM " + table_prefix + "ratingd_held"),
      count_of_object_(count_ + " WHERE object_id = ? AND object_type = ?") {}

std::vector<HeldRating> HeldStore::list(db::Connection& connection,
                                        const std::optional<Object>& object, std::int64_t offset,
                                        std::int64_t limit) const {
  db::Statement& statement = connection.prepare(object ? list_of_object_ : list_);
  if (object) statement.bind(object->id).bind(object->type);
  std::vector<HeldRating> ratings;
  db::Rows row = statement.bind(limit).bind(offset).query();
  while (row.next()) {
    ratings.push_back(
        {{store::key_in(row), static_cast<model::Thousandths>(row.integer(5)), row.time(6)},
         static_cast<Reasons>(row.integer(7)),
         row.time(8)});
  }
  return ratings;
}

std::int64_t HeldStore::count(db::Connection& connection,
                              const std::optional<Object>& object) const {
  db::Statement& statement = connection.prepare(object ? count_of_object_ : count_);
  if (object) statement.bind(object->id).bind(object->type);
  db::Rows row = statement.query();
  return row.next() ? row.integer(1) : 0;
}

std::size_t HeldStore::release(db::Connection& connection, std::span<const RatingKey> keys) const {
  std::size_t released = 0;
  db::in_transaction(connection, kAttemptsOfHeld, [&] { release_in(connection, keys, released); });
  caches_.stats.invalidate(objects_of(keys));
  return released;
}

std::size_t HeldStore::drop(db::Connection& connection, std::span<const RatingKey> keys) const {
  std::size_t dropped = 0;
  db::in_transaction(connection, kAttemptsOfHeld, [&] { drop_in(connection, keys, dropped); });
  for (const RatingKey& key : keys) caches_.own_ratings.invalidate(key.voter);
  return dropped;
}

std::size_t HeldStore::hold(db::Connection& connection, const std::map<RatingKey, Reasons>& reasons,
                            base::Time now) const {
  std::size_t held = 0;
  db::in_transaction(connection, kAttemptsOfHeld, [&] { hold_in(connection, reasons, now, held); });
  caches_.stats.invalidate(objects_of(keys_of(reasons)));
  return held;
}

void HeldStore::release_in(db::Connection& connection, std::span<const RatingKey> keys,
                           std::size_t& released) const {
  Locked locked = lock(connection, keys, Which::held);
  released = locked.ratings.size();
  const Moments before = read_moments(connection, locked.ratings);
  const auto found = keys_of(locked.ratings);
  mark_released_.execute(connection, db::span_of(found), store::bind_key);
  for (rollups::RollupChanges& changes : locked.changes) {
    for (const auto& [key, rating] : locked.ratings) changes.add(key, rating);
  }
  replace_activity(before, read_moments(connection, locked.ratings), {}, {}, locked.changes);
  for (const rollups::RollupChanges& changes : locked.changes) {
    changes.write(connection, statements_.table_prefix);
  }
  statements_.delete_held.execute(connection, db::span_of(found), store::bind_key);
}

void HeldStore::drop_in(db::Connection& connection, std::span<const RatingKey> keys,
                        std::size_t& dropped) const {
  const auto found = keys_of(lock(connection, keys, Which::held).ratings);
  dropped = found.size();
  delete_votes_.execute(connection, db::span_of(found), store::bind_key);
  statements_.delete_held.execute(connection, db::span_of(found), store::bind_key);
}

void HeldStore::hold_in(db::Connection& connection, const std::map<RatingKey, Reasons>& reasons,
                        base::Time now, std::size_t& held) const {
  Locked locked = lock(connection, keys_of(reasons), Which::counted);
  held = locked.ratings.size();
  const Moments before = read_moments(connection, locked.ratings);
  const auto found = keys_of(locked.ratings);
  mark_held_.execute(connection, db::span_of(found), store::bind_key);
  Moments withdrawn;
  for (const auto& [key, rating] : locked.ratings) {
    for (rollups::RollupChanges& changes : locked.changes) changes.withdraw(key, rating);
    withdrawn[key.voter].push_back(rating.rated_at);
  }
  replace_activity(before, read_moments(connection, locked.ratings), withdrawn, {}, locked.changes);
  for (const rollups::RollupChanges& changes : locked.changes) {
    changes.write(connection, statements_.table_prefix);
  }
  statements_.save_held.execute(
      connection, db::span_of(found),
      [&](db::Statement& statement, const RatingKey& key, bool repetition) {
        store::bind_key(statement, key, repetition);
        statement.bind(std::int64_t{reasons.at(key)}).bind(now);
      });
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
  const auto key_rows = db::rows_of(sorted);
  (which == Which::held ? read_held_ : read_counted_)
      .query(connection, db::span_of(key_rows), store::bind_key, [&](const db::Rows& row) {
        const RatingKey key = store::key_in(row);
        locked.ratings[key] = {static_cast<model::Thousandths>(row.integer(5)), row.time(6)};
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
