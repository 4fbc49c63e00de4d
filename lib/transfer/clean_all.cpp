#include "transfer/clean_all.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "base/parse.h"
#include "base/timestamp.h"
#include "db/key_range.h"
#include "db/transaction.h"
#include "rollups/rebuild.h"
#include "rollups/shortened_activity.h"
#include "store/rating_key_sql.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::VoterId;
using rollups::RollupChanges;

constexpr std::string_view kMarkerName = rollups::kShortenedActivity;
constexpr std::size_t kRatingsOfVoter = 4;  // estimate
constexpr std::int64_t kNewRowsAtOnce = 5000;

const std::vector<std::string> kRatingKey = {"object_id", "object_type", "category", "voter"};

// Binds a position of after() or up_to().
void bind_position(db::Statement& statement, const RatingKey& key) {
  const auto& [object, category, voter] = key;
  statement.bind(object.id);
  statement.bind(object.id).bind(object.type);
  statement.bind(object.id).bind(object.type).bind(store::number_of(category));
  store::bind_key(statement, key, false);
}

std::size_t voters_of(std::size_t ratings) {
  return std::max<std::size_t>(ratings / kRatingsOfVoter, 1);
}

}  // namespace

CleanAll::CleanAll(db::Connection& connection, const std::string& table_prefix)
    : connection_(connection),
      prefix_(table_prefix + "ratingd_"),
      rebuild_lease_(rollups::lock_rebuilds(
          connection, table_prefix, kLockTimeout,
          "The sums are being rebuilt. Please delete all ratings when that is done.")),
      votes_(table_prefix),
      statements_(table_prefix),
      lock_voters_("SELECT voter, last_day FROM " + prefix_ +
                   "voters FORCE INDEX (PRIMARY) WHERE voter > ? ORDER BY voter LIMIT ?"
                   " FOR UPDATE"),
      read_moments_("SELECT voter, created_at, rated_at FROM " + prefix_ +
                    "votes FORCE INDEX (by_voter) WHERE voter > ? AND voter <= ? AND held = 0"),
      lock_ratings_(
          "SELECT object_id, object_type, category, voter, value, rated_at, held FROM " + prefix_ +
          "votes FORCE INDEX (PRIMARY) WHERE " + db::after(kRatingKey) +
          " AND rated_at < ? ORDER BY object_id, object_type, category, voter LIMIT ? FOR UPDATE"),
      delete_range_("DELETE votes FROM " + prefix_ + "votes AS votes FORCE INDEX (PRIMARY) WHERE " +
                    db::after(kRatingKey) + " AND " + db::up_to(kRatingKey) + " AND rated_at < ?"),
      find_newest_("SELECT MAX(rated_at) FROM " + prefix_ + "votes"),
      forget_first_times_("UPDATE " + prefix_ +
                          "votes FORCE INDEX (by_voter) SET created_at = rated_at WHERE voter > ?"
                          " AND voter <= ? AND rated_at >= ? AND created_at < ?"),
      read_marker_("SELECT value FROM " + prefix_ + "state WHERE name = ?"),
      save_marker_("INSERT INTO " + prefix_ +
                   "state (name, value) VALUES (?, ?)"
                   " ON DUPLICATE KEY UPDATE value = VALUES(value)") {}

std::uint64_t CleanAll::run(const Progress& progress) {
  end_rebuild();
  std::uint64_t removed = 0;
  if (resume()) removed = remove_all(progress);
  start();
  return removed + remove_all(progress);
}

// The next rebuild starts from the beginning. Votes do not change the new tables then; what is left
// in them of voters is deleted.
void CleanAll::end_rebuild() {
  if (votes_.state.read(connection_).rebuild) {
    db::in_transaction(connection_, db::kUsualAttempts, [&] {
      static_cast<void>(votes_.state.lock_exclusive(connection_));
      votes_.state.save(connection_, {});
    });
  }
  for (const char* table : {"voters_new", "users_new", "user_daily_new"}) {
    const std::string remove = "DELETE FROM " + prefix_ + table + " LIMIT ?";
    while (db::in_transaction_if(connection_, db::kUsualAttempts, [&] {
      return connection_.prepare(remove).bind(kNewRowsAtOnce).execute() > 0;
    })) {
    }
  }
}

// Whether a call was interrupted. A rebuild since has computed the activity from the ratings.
bool CleanAll::resume() {
  db::Rows row = connection_.prepare(read_marker_).bind(kMarkerName).query();
  if (!row.next()) return false;
  const std::string text = row.text(1);
  const auto end_of_time = text.find('/');
  const auto end_of_rebuilds = text.find('/', end_of_time + 1);
  if (end_of_rebuilds == std::string::npos) return false;
  const auto before = base::from_datetime(text.substr(0, end_of_time));
  const auto rebuilds = base::parse_number<std::int64_t>(
      text.substr(end_of_time + 1, end_of_rebuilds - end_of_time - 1));
  const auto shortened = base::parse_number<std::uint64_t>(text.substr(end_of_rebuilds + 1));
  if (!before || !rebuilds || !shortened) return false;
  marker_ = {*before, *rebuilds, *shortened};
  return votes_.state.read(connection_).rebuilds == marker_.rebuilds;
}

void CleanAll::start() {
  db::Rows newest = connection_.query(find_newest_);
  const bool are_any = newest.next() && !newest.is_null(1);
  marker_.before = are_any ? newest.time(1) + std::chrono::microseconds(1) : base::Time();
  marker_.rebuilds = votes_.state.read(connection_).rebuilds;
  marker_.shortened = 0;
  db::in_transaction(connection_, db::kUsualAttempts, [&] { save_marker(); });
}

void CleanAll::save_marker() {
  connection_.prepare(save_marker_)
      .bind(kMarkerName)
      .bind(base::to_datetime(marker_.before) + "/" + std::to_string(marker_.rebuilds) + "/" +
            std::to_string(marker_.shortened))
      .execute();
}

std::uint64_t CleanAll::remove_all(const Progress& progress) {
  shorten_activity(progress);
  rating_ = {};
  const std::uint64_t removed = remove_ratings(progress);
  remove_voters();
  db::in_transaction(connection_, db::kUsualAttempts, [&] {
    connection_.prepare(statements_.clear_roll_up).bind(kMarkerName).execute();
  });
  return removed;
}

void CleanAll::shorten_activity(const Progress& progress) {
  voter_ = marker_.shortened;
  for (bool is_more = true; is_more;) {
    is_more = slices_.run([&](std::size_t rows) { return shorten_slice(voters_of(rows)); }) > 0;
    progress(done_ / 4);
  }
}

std::uint64_t CleanAll::remove_ratings(const Progress& progress) {
  std::uint64_t removed = 0;
  for (;;) {
    const std::size_t more = slices_.run([&](std::size_t rows) { return remove_slice(rows); });
    if (more == 0) return removed;
    removed += more;
    done_ += 3 * more;
    progress(done_ / 4);
  }
}

void CleanAll::remove_voters() {
  voter_ = 0;
  for (bool is_more = true; is_more;) {
    is_more = slices_.run([&](std::size_t rows) { return remove_voters_slice(rows); }) > 0;
  }
}

// Locks the state of the rollups. These are the only ones: no rebuild runs.
RollupChanges CleanAll::begin() {
  return RollupChanges::for_all_sets(votes_.state.lock_for_change(connection_), kBulkSlot).front();
}

// --- Voters --------------------------------------------------------------------------------------

// Locks the next voters, and reads their last days.
std::vector<VoterId> CleanAll::lock_voters(RollupChanges& changes, std::size_t count) {
  std::vector<VoterId> voters;
  db::Rows row =
      connection_.prepare(lock_voters_).bind(voter_).bind(static_cast<std::int64_t>(count)).query();
  while (row.next()) {
    voters.push_back(row.unsigned_integer(1));
    changes.set_last_day(voters.back(), row.day(2));
  }
  return voters;
}

// Returns the number of voters.
std::size_t CleanAll::shorten_slice(std::size_t count) {
  std::vector<VoterId> voters;
  std::uint64_t ratings = 0;
  db::in_transaction(connection_, db::kUsualAttempts, [&] {
    RollupChanges changes = begin();
    voters = lock_voters(changes, count);
    if (voters.empty()) return;
    votes::Moments moments;
    votes::Moments since;
    ratings = 0;
    db::Rows row = connection_.prepare(read_moments_).bind(voter_).bind(voters.back()).query();
    for (; row.next(); ++ratings) {
      auto& of_voter = moments[row.unsigned_integer(1)];
      of_voter.insert(of_voter.end(), {row.time(2), row.time(3)});
      if (row.time(3) >= marker_.before) since[row.unsigned_integer(1)].push_back(row.time(3));
    }
    for (const VoterId voter : voters) {
      if (changes.last_day(voter) == rollups::kNeverActive) continue;
      const RollupChanges::Days days = votes::days_of(changes, voter, moments[voter]);
      const RollupChanges::Days left = votes::days_of(changes.zone(), since[voter]);
      changes.replace_activity(voter, days, left);
    }
    changes.write(connection_, votes_.table_prefix);
    marker_.shortened = voters.back();
    save_marker();
  });
  if (!voters.empty()) voter_ = voters.back();
  done_ += ratings;
  return voters.size();
}

// Returns the number of voters that were read.
std::size_t CleanAll::remove_voters_slice(std::size_t count) {
  std::vector<VoterId> voters;
  db::in_transaction(connection_, db::kUsualAttempts, [&] {
    RollupChanges changes = begin();
    voters = lock_voters(changes, count);
    if (voters.empty()) return;
    connection_.prepare(forget_first_times_)
        .bind(voter_)
        .bind(voters.back())
        .bind(marker_.before)
        .bind(marker_.before)
        .execute();
    std::set<VoterId> unused(voters.begin(), voters.end());
    statements_.find_voters.query(
        connection_, db::span_of(voters),
        [](db::Statement& statement, VoterId voter, bool) { statement.bind(voter); },
        [&](const db::Rows& row) { unused.erase(row.unsigned_integer(1)); });
    for (const VoterId voter : unused) {
      changes.withdraw_activity(voter, votes::days_of(changes, voter, {}));
    }
    changes.write(connection_, votes_.table_prefix);
    changes.delete_voters(connection_, votes_.table_prefix, unused);
  });
  if (!voters.empty()) voter_ = voters.back();
  return voters.size();
}

// --- Ratings -------------------------------------------------------------------------------------

// Returns the number of removed ratings; 0: there are no more.
std::size_t CleanAll::remove_slice(std::size_t rows) {
  std::vector<Row> removed;
  const auto remove_by = [&](DeleteBy how) {
    return db::in_transaction_if(connection_, db::kUsualAttempts,
                                 [&] { return remove_in(rows, how, removed); });
  };
  // A range may get more ratings after it was read; their keys are needed then.
  if (!remove_by(DeleteBy::range)) remove_by(DeleteBy::keys);
  if (!removed.empty()) rating_ = removed.back().key;
  return removed.size();
}

// False: not all of the deleted ratings are known, so that this must be rolled back.
bool CleanAll::remove_in(std::size_t rows, DeleteBy how, std::vector<Row>& removed) {
  RollupChanges changes = begin();
  removed = lock_ratings(rows);
  if (removed.empty()) return true;
  if (delete_ratings(removed, how) != removed.size()) return false;
  std::vector<RatingKey> held;
  for (const auto& [key, rating, is_held] : removed) {
    if (is_held) {
      held.push_back(key);
      continue;
    }
    changes.withdraw(key, rating);
  }
  changes.write(connection_, votes_.table_prefix);
  votes_.delete_held.execute(connection_, db::span_of(held), store::bind_key);
  return true;
}

std::vector<CleanAll::Row> CleanAll::lock_ratings(std::size_t rows) {
  std::vector<Row> ratings;
  db::Statement& statement = connection_.prepare(lock_ratings_);
  bind_position(statement, rating_);
  db::Rows row = statement.bind(marker_.before).bind(static_cast<std::int64_t>(rows)).query();
  while (row.next()) {
    ratings.push_back({store::key_in(row),
                       {static_cast<model::Thousandths>(row.integer(5)), row.time(6)},
                       row.integer(7) != 0});
  }
  return ratings;
}

std::uint64_t CleanAll::delete_ratings(const std::vector<Row>& ratings, DeleteBy how) {
  if (how == DeleteBy::keys) {
    return statements_.delete_votes.execute(
        connection_, db::span_of(ratings), [](db::Statement& statement, const Row& row, bool same) {
          store::bind_key(statement, row.key, same);
        });
  }
  db::Statement& statement = connection_.prepare(delete_range_);
  bind_position(statement, rating_);
  bind_position(statement, ratings.back().key);
  return statement.bind(marker_.before).execute();
}

}  // namespace transfer
