#include "votes/held_store.h"

#include <cassert>

#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "votes/batch_store.h"

namespace votes {
namespace {

using model::Object;
using model::RatingKey;
using model::VoterId;

constexpr int kAttemptsOfHeld = 5;
constexpr std::uint8_t kSlot =
    0;  // held ratings change rarely, so they can share a vote writer's slot

// The following two statements lock and read the ratings with the given keys. The kLockHeld
// statement skips ratings that are not held. The kLockCounted statement skips ratings that are held
// or have no user agent, such as released ratings.
constexpr db::BulkStatement kLockHeld(
    {"SELECT object_id, object_type, category, voter, value, rated_at FROM {prefix}ratingd_votes"
     " FORCE INDEX (PRIMARY) WHERE held = 1 AND (",
     store::kOfRatingKey, " OR ", ") FOR UPDATE"});
constexpr db::BulkStatement kLockCounted(
    {"SELECT object_id, object_type, category, voter, value, rated_at FROM {prefix}ratingd_votes"
     " FORCE INDEX (PRIMARY) WHERE held = 0 AND agent <> 0 AND (",
     store::kOfRatingKey, " OR ", ") FOR UPDATE"});
constexpr db::BulkStatement kMarkReleased(
    {"UPDATE {prefix}ratingd_votes SET held = 0, agent = 0 WHERE ", store::kOfRatingKey, " OR ",
     ""});
constexpr db::BulkStatement kMarkHeld({"UPDATE {prefix}ratingd_votes SET held = 1 WHERE ",
                                       store::kOfRatingKey, " OR ", ""});
constexpr db::BulkStatement kDeleteVotes({"DELETE FROM {prefix}ratingd_votes WHERE ",
                                          store::kOfRatingKey, " OR ", ""});

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

}  // namespace

std::vector<HeldRating> HeldStore::list(db::Connection& connection,
                                        const std::optional<Object>& object, std::int64_t offset,
                                        std::int64_t limit) {
  const std::string text =
      std::string(
          "SELECT h.object_id, h.object_type, h.category, h.voter, v.value, v.rated_at, h.reasons,"
          " h.held_at FROM {prefix}ratingd_held h JOIN {prefix}ratingd_votes v"
          " USING (object_id, object_type, category, voter)") +
      (object ? " WHERE h.object_id = ? AND h.object_type = ?" : "") +
      " ORDER BY h.held_at DESC, h.object_id DESC, h.object_type DESC, h.category DESC,"
      " h.voter DESC LIMIT ? OFFSET ?";
  db::Statement& statement = connection.prepare(text);
  if (object) statement.bind(object->id, object->type);
  return statement.bind(limit, offset).query().all([](const db::Rows& row) {
    return HeldRating{store::rating_in(row), static_cast<Reasons>(row.integer(7)), row.time(8)};
  });
}

std::int64_t HeldStore::count(db::Connection& connection, const std::optional<Object>& object) {
  if (!object) return connection.query("SELECT COUNT(*) FROM {prefix}ratingd_held").number();
  return connection
      .query("SELECT COUNT(*) FROM {prefix}ratingd_held WHERE object_id = ? AND object_type = ?",
             object->id, object->type)
      .number();
}

std::size_t HeldStore::release(db::Connection& connection, std::span<const RatingKey> keys) const {
  const std::size_t released = db::in_transaction(connection, kAttemptsOfHeld, [&] {
    Locked locked = lock(connection, keys, Which::held);
    const Moments before = read_moments(connection, locked.ratings);
    kMarkReleased.execute(connection, locked.ratings, store::bind_key);
    for (const auto& [key, rating] : locked.ratings) locked.changes.add(key, rating);
    write_activity(connection, locked, before, {});
    kDeleteHeld.execute(connection, locked.ratings, store::bind_key);
    return locked.ratings.size();
  });
  caches_.stats.invalidate(objects_of(keys));
  return released;
}

std::size_t HeldStore::drop(db::Connection& connection, std::span<const RatingKey> keys) const {
  const std::size_t dropped = db::in_transaction(connection, kAttemptsOfHeld, [&] {
    const Locked locked = lock(connection, keys, Which::held);
    kDeleteVotes.execute(connection, locked.ratings, store::bind_key);
    store::remove_reasons(connection, locked.ratings);
    kDeleteHeld.execute(connection, locked.ratings, store::bind_key);
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
    kMarkHeld.execute(connection, locked.ratings, store::bind_key);
    Moments withdrawn;
    for (const auto& [key, rating] : locked.ratings) {
      locked.changes.withdraw(key, rating);
      withdrawn[key.voter].push_back(rating.rated_at);
    }
    write_activity(connection, locked, before, withdrawn);
    kSaveHeld.execute(connection, locked.ratings, [&](db::Statement& statement, const auto& row) {
      store::bind_key(statement, row);
      statement.bind(std::int64_t{reasons.at(row.first)}, now);
    });
    return locked.ratings.size();
  });
  caches_.stats.invalidate(objects_of(keys));
  return held;
}

// Recomputes the voters' activity and writes all changes to rollups.
void HeldStore::write_activity(db::Connection& connection, Locked& locked, const Moments& before,
                               const Moments& withdrawn) const {
  replace_activity(before, read_moments(connection, locked.ratings), withdrawn, {}, locked.changes);
  locked.changes.write(connection);
}

// Locks the voters in "keys", and then locks and reads their ratings. Which::held selects only held
// ratings, and Which::counted selects only counted ratings that have a user agent.
HeldStore::Locked HeldStore::lock(db::Connection& connection, std::span<const RatingKey> keys,
                                  Which which) const {
  assert(keys.size() <= kHeldAtOnce);
  const std::set<RatingKey> sorted(keys.begin(), keys.end());
  std::set<VoterId> voters;
  for (const RatingKey& key : sorted) voters.insert(key.voter);

  Locked locked{rollups::RollupChanges(rollups::lock_for_change(connection), kSlot)};
  lock_voters(connection, voters, locked.changes);
  (which == Which::held ? kLockHeld : kLockCounted)
      .query(connection, sorted, store::bind_key, [&](const db::Rows& row) {
        locked.ratings[store::key_in(row)] = store::own_rating_in(row);
      });
  return locked;
}

// Reads the timestamps of all counted votes by the voters in "ratings".
Moments HeldStore::read_moments(db::Connection& connection, const Ratings& ratings) const {
  std::set<VoterId> voters;
  for (const auto& [key, rating] : ratings) voters.insert(key.voter);
  return votes::read_moments(connection, voters);
}

}  // namespace votes
