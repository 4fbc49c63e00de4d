#include "store/held_store.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "db/transaction.h"
#include "store/rollup_changes.h"

namespace store {
namespace {

using model::Category;
using model::Object;
using model::RatingKey;
using model::VoterId;

constexpr int kAttempts = 5;
constexpr std::uint8_t kSlot = 0;  // releasing is rare, and need not keep out of anybody's way

constexpr const char* kKey = "(object_id = ? AND object_type = ? AND category = ? AND voter = ?)";

db::BulkStatement of_keys(const std::string& head, const std::string& tail = "") {
  return db::BulkStatement({head, kKey, " OR ", tail});
}

void bind_key(db::Statement& statement, const RatingKey& key, bool) {
  statement.bind(key.object.id).bind(key.object.type);
  statement.bind(static_cast<std::int64_t>(key.category)).bind(key.voter);
}

RatingKey key_in(const db::Rows& row) {
  return {{row.unsigned_integer(1), row.text(2)},
          static_cast<Category>(row.integer(3)),
          row.unsigned_integer(4)};
}

template <typename Value>
std::vector<RatingKey> keys_of(const std::map<RatingKey, Value>& map) {
  std::vector<RatingKey> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

// The days of "moments" and the last day that the rollups of "changes" know, if that is not "but".
RollupChanges::Days days_of(const RollupChanges& changes, VoterId voter,
                            const std::vector<base::Time>& moments,
                            const std::optional<RollupChanges::Days>& but = {}) {
  RollupChanges::Days days;
  for (const base::Time moment : moments) days.insert(changes.zone().day_of(moment));
  const base::Day last_day = changes.last_day(voter).value_or(kNeverActive);
  const bool is_out = last_day == kNeverActive || (but && but->contains(last_day));
  if (!is_out) days.insert(last_day);
  return days;
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

HeldStore::HeldStore(const std::string& table_prefix)
    : statements_(table_prefix),
      read_held_(of_keys("SELECT object_id, object_type, category, voter, value, rated_at FROM " +
                             table_prefix +
                             "ratingd_votes FORCE INDEX (PRIMARY) WHERE held = 1 AND (",
                         ") FOR UPDATE")),
      read_counted_(of_keys(
          "SELECT object_id, object_type, category, voter, value, rated_at FROM " + table_prefix +
              "ratingd_votes FORCE INDEX (PRIMARY) WHERE held = 0 AND created_at = rated_at AND (",
          ") FOR UPDATE")),
      read_moments_({"SELECT voter, created_at, rated_at FROM " + table_prefix +
                         "ratingd_votes WHERE held = 0 AND voter IN (",
                     "?", ",", ") GROUP BY voter, created_at, rated_at"}),
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
    ratings.push_back({{key_in(row), static_cast<model::Thousandths>(row.integer(5)), row.time(6)},
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
  db::in_transaction(connection, kAttempts, [&] { release_in(connection, keys, released); });
  return released;
}

std::size_t HeldStore::drop(db::Connection& connection, std::span<const RatingKey> keys) const {
  std::size_t dropped = 0;
  db::in_transaction(connection, kAttempts, [&] { drop_in(connection, keys, dropped); });
  return dropped;
}

std::size_t HeldStore::hold(db::Connection& connection, const std::map<RatingKey, Reasons>& reasons,
                            base::Time now) const {
  std::size_t held = 0;
  db::in_transaction(connection, kAttempts, [&] { hold_in(connection, reasons, now, held); });
  return held;
}

void HeldStore::release_in(db::Connection& connection, std::span<const RatingKey> keys,
                           std::size_t& released) const {
  Locked locked = lock(connection, keys, Which::held);
  released = locked.ratings.size();
  const Moments counted = read_moments(connection, locked.ratings);
  Moments all = counted;
  for (const auto& [key, rating] : locked.ratings) all[key.voter].push_back(rating.rated_at);

  for (RollupChanges& changes : locked.changes) {
    for (const auto& [key, rating] : locked.ratings) changes.add(key, rating);
    for (const auto& [voter, moments] : counted) {
      changes.replace_activity(voter, days_of(changes, voter, moments),
                               days_of(changes, voter, all.at(voter)));
    }
  }
  const auto found = keys_of(locked.ratings);
  mark_released_.execute(connection, db::span_of(found), bind_key);
  write(connection, locked.changes);
  statements_.delete_held.execute(connection, db::span_of(found), bind_key);
}

void HeldStore::drop_in(db::Connection& connection, std::span<const RatingKey> keys,
                        std::size_t& dropped) const {
  const auto found = keys_of(lock(connection, keys, Which::held).ratings);
  dropped = found.size();
  delete_votes_.execute(connection, db::span_of(found), bind_key);
  statements_.delete_held.execute(connection, db::span_of(found), bind_key);
}

void HeldStore::hold_in(db::Connection& connection, const std::map<RatingKey, Reasons>& reasons,
                        base::Time now, std::size_t& held) const {
  Locked locked = lock(connection, keys_of(reasons), Which::counted);
  held = locked.ratings.size();
  const auto found = keys_of(locked.ratings);
  const Moments counted = read_moments(connection, locked.ratings);
  mark_held_.execute(connection, db::span_of(found), bind_key);
  const Moments others = read_moments(connection, locked.ratings);

  for (RollupChanges& changes : locked.changes) {
    std::map<VoterId, RollupChanges::Days> gone;
    for (const auto& [key, rating] : locked.ratings) {
      changes.withdraw(key, rating);
      gone[key.voter].insert(changes.zone().day_of(rating.rated_at));
    }
    // What is left are the days of the other votes, and a last day that was not one of these
    // votes'.
    for (const auto& [voter, moments] : counted) {
      changes.replace_activity(voter, days_of(changes, voter, moments),
                               days_of(changes, voter, others.at(voter), gone.at(voter)));
    }
  }
  write(connection, locked.changes);
  statements_.save_held.execute(
      connection, db::span_of(found),
      [&](db::Statement& statement, const RatingKey& key, bool repetition) {
        bind_key(statement, key, repetition);
        statement.bind(std::int64_t{reasons.at(key)}).bind(now);
      });
}

void HeldStore::write(db::Connection& connection, const std::vector<RollupChanges>& sets) const {
  for (const RollupChanges& changes : sets) {
    changes.write_last_days(connection, statements_.changes);
  }
  for (const RollupChanges& changes : sets) changes.write(connection, statements_.changes);
}

// Locks the voters of "keys", then those of their ratings that are as "which" says.
HeldStore::Locked HeldStore::lock(db::Connection& connection, std::span<const RatingKey> keys,
                                  Which which) const {
  assert(keys.size() <= kHeldAtOnce);
  const std::set<RatingKey> sorted(keys.begin(), keys.end());
  std::set<VoterId> voters;
  for (const RatingKey& key : sorted) voters.insert(key.voter);

  Locked locked;
  locked.changes = RollupChanges::of(statements_.state.lock_shared(connection), kSlot);
  const auto voter_rows = db::rows_of(voters);
  const auto bind_voter = [](db::Statement& statement, VoterId voter, bool) {
    statement.bind(voter);
  };
  statements_.lock_voters.execute(connection, db::span_of(voter_rows),
                                  [](db::Statement& statement, VoterId voter, bool) {
                                    statement.bind(voter).bind(kNeverActive);
                                  });
  statements_.read_voters.query(connection, db::span_of(voter_rows), bind_voter,
                                [](const db::Rows&) {});  // locks them
  for (RollupChanges& changes : locked.changes) {
    changes.read_last_days(connection, statements_.changes, db::span_of(voter_rows));
  }
  const auto key_rows = db::rows_of(sorted);
  (which == Which::held ? read_held_ : read_counted_)
      .query(connection, db::span_of(key_rows), bind_key, [&](const db::Rows& row) {
        const RatingKey key = key_in(row);
        locked.ratings[key] = {static_cast<model::Thousandths>(row.integer(5)), row.time(6)};
      });
  return locked;
}

// When the voters of "ratings" were active, as far as their counted votes tell: of a vote that was
// changed more than once, or taken back, older times are forgotten.
HeldStore::Moments HeldStore::read_moments(db::Connection& connection,
                                           const Ratings& ratings) const {
  Moments moments;
  for (const auto& [key, rating] : ratings) moments[key.voter];
  std::vector<VoterId> voters;
  voters.reserve(moments.size());
  for (const auto& [voter, of_voter] : moments) voters.push_back(voter);
  read_moments_.query(
      connection, db::span_of(voters),
      [](db::Statement& statement, VoterId voter, bool) { statement.bind(voter); },
      [&](const db::Rows& row) {
        auto& of_voter = moments.at(row.unsigned_integer(1));
        of_voter.push_back(row.time(2));
        of_voter.push_back(row.time(3));
      });
  return moments;
}

}  // namespace store
