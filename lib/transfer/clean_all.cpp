#include "transfer/clean_all.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/timestamp.h"
#include "base/zone.h"
#include "db/key_range.h"
#include "db/lease.h"
#include "db/transaction.h"
#include "model/rating.h"
#include "rollups/rebuild.h"
#include "rollups/rollup_state.h"
#include "store/named_values.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "transfer/bulk_ratings.h"
#include "transfer/bulk_statements.h"
#include "transfer/locks.h"
#include "transfer/slices.h"
#include "votes/vote_batch.h"
#include "votes/vote_statements.h"
#include "votes/voter_days.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::VoterId;
using rollups::RollupChanges;

constexpr std::string_view kMarkerName = rollups::kShortenedActivity;
constexpr std::size_t kRatingsOfVoter = 4;  // estimate
constexpr std::int64_t kNewRowsAtOnce = 5000;

using Progress = std::function<void(std::uint64_t rows)>;

const std::vector<std::string> kRatingKey = {"object_id", "object_type", "category", "voter"};

auto position_of(const RatingKey& key) {
  return db::position(key.object.id, key.object.type, key.category, key.voter);
}

std::size_t voters_of(std::size_t ratings) {
  return std::max<std::size_t>(ratings / kRatingsOfVoter, 1);
}

const std::string kLockRatings =
    "SELECT object_id, object_type, category, voter, value, rated_at, held"
    " FROM {prefix}ratingd_votes FORCE INDEX (PRIMARY) WHERE " +
    db::after(kRatingKey) +
    " AND rated_at < ? ORDER BY object_id, object_type, category, voter LIMIT ? FOR UPDATE";
const std::string kDeleteRange =
    "DELETE votes FROM {prefix}ratingd_votes AS votes FORCE INDEX (PRIMARY) WHERE " +
    db::after(kRatingKey) + " AND " + db::up_to(kRatingKey) + " AND rated_at < ?";

class CleanAll {
 public:
  explicit CleanAll(db::Connection& connection)
      : connection_(connection),
        rebuild_lease_(rollups::lock_rebuilds(
            connection, kLockTimeout,
            "The sums are being rebuilt. Please delete all ratings when that is done.")) {}

  std::uint64_t run(const Progress& progress) {
    end_rebuild();
    std::uint64_t removed = 0;
    if (resume()) removed = remove_all(progress);
    start();
    return removed + remove_all(progress);
  }

 private:
  // What is stored until everything is done.
  struct Marker {
    base::Time before;  // which ratings are deleted: those that were changed last before it
    std::int64_t rebuilds = 0;
    VoterId shortened = 0;  // the last voter
  };
  struct Row {
    RatingKey key;
    model::OwnRating rating;
    bool is_held = false;
  };
  enum class DeleteBy { range, keys };

  // The next rebuild starts from the beginning. Votes do not change the new tables then; what is
  // left in them of voters is deleted.
  void end_rebuild() {
    if (rollups::read_state(connection_).rebuild) {
      db::in_transaction(connection_, [&] {
        static_cast<void>(rollups::lock_exclusive(connection_));
        rollups::save_rebuild(connection_, {});
      });
    }
    for (const char* table : {"voters_new", "users_new", "user_daily_new"}) {
      const std::string remove = std::string("DELETE FROM {prefix}ratingd_") + table + " LIMIT ?";
      while (db::in_transaction_if(connection_, db::kUsualAttempts, [&] {
        return connection_.execute(remove, kNewRowsAtOnce) > 0;
      })) {
      }
    }
  }

  // Whether a call was interrupted. A rebuild since has computed the activity from the ratings.
  bool resume() {
    const std::string text = store::read_value(connection_, kMarkerName).value_or("");
    const auto end_of_time = text.find('/');
    const auto end_of_rebuilds = text.find('/', end_of_time + 1);
    if (end_of_rebuilds == std::string::npos) return false;
    const auto before = base::from_datetime(text.substr(0, end_of_time));
    const auto rebuilds = base::parse_number<std::int64_t>(
        text.substr(end_of_time + 1, end_of_rebuilds - end_of_time - 1));
    const auto shortened = base::parse_number<std::uint64_t>(text.substr(end_of_rebuilds + 1));
    if (!before || !rebuilds || !shortened) return false;
    marker_ = {*before, *rebuilds, *shortened};
    return rollups::read_state(connection_).rebuilds == marker_.rebuilds;
  }

  void start() {
    db::Rows newest = connection_.query("SELECT MAX(rated_at) FROM {prefix}ratingd_votes");
    const bool are_any = newest.next() && !newest.is_null(1);
    marker_.before = are_any ? newest.time(1) + std::chrono::microseconds(1) : base::Time();
    marker_.rebuilds = rollups::read_state(connection_).rebuilds;
    marker_.shortened = 0;
    db::in_transaction(connection_, [&] { save_marker(); });
  }

  void save_marker() {
    store::save_value(connection_, kMarkerName,
                      base::to_datetime(marker_.before) + "/" + std::to_string(marker_.rebuilds) +
                          "/" + std::to_string(marker_.shortened));
  }

  std::uint64_t remove_all(const Progress& progress) {
    shorten_activity(progress);
    rating_ = {};
    const std::uint64_t removed = remove_ratings(progress);
    remove_voters();
    db::in_transaction(connection_, [&] { store::remove_value(connection_, kMarkerName); });
    return removed;
  }

  void shorten_activity(const Progress& progress) {
    voter_ = marker_.shortened;
    for (bool is_more = true; is_more;) {
      is_more = slices_.run([&](std::size_t rows) { return shorten_slice(voters_of(rows)); }) > 0;
      progress(done_ / 4);
    }
  }

  std::uint64_t remove_ratings(const Progress& progress) {
    std::uint64_t removed = 0;
    for (;;) {
      const std::size_t more = slices_.run([&](std::size_t rows) { return remove_slice(rows); });
      if (more == 0) return removed;
      removed += more;
      done_ += 3 * more;
      progress(done_ / 4);
    }
  }

  void remove_voters() {
    voter_ = 0;
    for (bool is_more = true; is_more;) {
      is_more = slices_.run([&](std::size_t rows) { return remove_voters_slice(rows); }) > 0;
    }
  }

  // Locks the state of the rollups. These are the only ones: no rebuild runs.
  RollupChanges begin() {
    return RollupChanges::for_all_sets(rollups::lock_for_change(connection_), kBulkSlot).front();
  }

  // --- Voters

  // Locks the next voters, and reads their last days.
  std::vector<VoterId> lock_voters(RollupChanges& changes, std::size_t count) {
    std::vector<VoterId> voters;
    db::Rows row = connection_.query(
        "SELECT voter, last_day FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY)"
        " WHERE voter > ? ORDER BY voter LIMIT ? FOR UPDATE",
        voter_, count);
    while (row.next()) {
      voters.push_back(row.unsigned_integer(1));
      changes.set_last_day(voters.back(), row.day(2));
    }
    return voters;
  }

  // Returns the number of voters.
  std::size_t shorten_slice(std::size_t count) {
    std::vector<VoterId> voters;
    std::uint64_t ratings = 0;
    db::in_transaction(connection_, [&] {
      RollupChanges changes = begin();
      voters = lock_voters(changes, count);
      if (voters.empty()) return;
      votes::Moments moments;
      votes::Moments since;
      ratings = 0;
      db::Rows row = connection_.query(
          "SELECT voter, created_at, rated_at FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
          " WHERE voter > ? AND voter <= ? AND held = 0",
          voter_, voters.back());
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
      changes.write(connection_);
      marker_.shortened = voters.back();
      save_marker();
    });
    if (!voters.empty()) voter_ = voters.back();
    done_ += ratings;
    return voters.size();
  }

  // Returns the number of voters that were read.
  std::size_t remove_voters_slice(std::size_t count) {
    std::vector<VoterId> voters;
    db::in_transaction(connection_, [&] {
      RollupChanges changes = begin();
      voters = lock_voters(changes, count);
      if (voters.empty()) return;
      connection_.execute(
          "UPDATE {prefix}ratingd_votes FORCE INDEX (by_voter) SET created_at = rated_at"
          " WHERE voter > ? AND voter <= ? AND rated_at >= ? AND created_at < ?",
          voter_, voters.back(), marker_.before, marker_.before);
      std::set<VoterId> unused(voters.begin(), voters.end());
      kFindVoters.query(connection_, voters,
                        [&](const db::Rows& row) { unused.erase(row.unsigned_integer(1)); });
      for (const VoterId voter : unused) {
        changes.withdraw_activity(voter, votes::days_of(changes, voter, {}));
      }
      changes.write(connection_);
      changes.delete_voters(connection_, unused);
    });
    if (!voters.empty()) voter_ = voters.back();
    return voters.size();
  }

  // --- Ratings

  // Returns the number of removed ratings; 0: there are no more.
  std::size_t remove_slice(std::size_t rows) {
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
  bool remove_in(std::size_t rows, DeleteBy how, std::vector<Row>& removed) {
    RollupChanges changes = begin();
    removed = lock_ratings(rows);
    if (removed.empty()) return true;
    if (delete_ratings(removed, how) != removed.size()) return false;
    std::vector<RatingKey> held, all;
    for (const auto& [key, rating, is_held] : removed) {
      all.push_back(key);
      if (is_held) {
        held.push_back(key);
        continue;
      }
      changes.withdraw(key, rating);
    }
    store::remove_reasons(connection_, all);
    changes.write(connection_);
    votes::kDeleteHeld.execute(connection_, held, store::bind_key);
    return true;
  }

  std::vector<Row> lock_ratings(std::size_t rows) {
    db::Rows locked = connection_.query(kLockRatings, position_of(rating_), marker_.before, rows);
    return locked.all([](const db::Rows& row) {
      return Row{store::key_in(row), store::own_rating_in(row), row.integer(7) != 0};
    });
  }

  std::uint64_t delete_ratings(const std::vector<Row>& ratings, DeleteBy how) {
    if (how == DeleteBy::keys) {
      return kDeleteVotes.execute(
          connection_, ratings,
          [](db::Statement& statement, const Row& row) { store::bind_key(statement, row.key); });
    }
    return connection_.execute(kDeleteRange, position_of(rating_), position_of(ratings.back().key),
                               marker_.before);
  }

  db::Connection& connection_;
  const db::Lease rebuild_lease_;
  Marker marker_;
  std::uint64_t done_ = 0;  // of the progress, in quarters of a rating
  Slices slices_;
  VoterId voter_ = 0;
  RatingKey rating_;
};

}  // namespace

std::uint64_t clean_all_ratings(db::Connection& connection,
                                const std::function<void(std::uint64_t rows)>& progress) {
  return CleanAll(connection).run(progress);
}

}  // namespace transfer
