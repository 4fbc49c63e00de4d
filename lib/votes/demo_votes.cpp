#include "votes/demo_votes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <unordered_set>
#include <vector>

#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"
#include "rollups/stats_store.h"
#include "store/rating_key_sql.h"
#include "votes/voter_days.h"

namespace votes {
namespace {

using model::Category;

constexpr std::size_t kRowsOfTransaction = 6400;
constexpr std::uint8_t kSlotOfDemo = 0;      // the slot for rollup rows that every vote changes
constexpr std::int64_t kVotesOfUser = 100;   // on average
constexpr std::int64_t kVotesOfVisitor = 3;  // on average

struct Row {
  std::uint64_t object = 0;
  Category category = Category::binary;
  model::VoterId voter = 0;
  std::int64_t value = 0;
  base::Time rated_at;
};

// Generates random numbers for all distributions in the demo data. The distributions in the
// standard library are not used, because they differ between implementations.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Returns a random integer from 0 to "end" - 1.
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(end));
  }
  // Returns a random number that is at least 0 and less than 1.
  double share() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

// Returns the number of votes for each object. The number of votes for the n-th most popular object
// is proportional to 1 / n.
std::vector<std::int64_t> votes_of_objects(const DemoSite& site, Random& random) {
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t place = 1; place <= site.objects; ++place) {
    weights.push_back(1 / static_cast<double>(place));
    sum += weights.back();
  }
  for (std::size_t i = weights.size(); i > 1; --i) {
    std::swap(weights[i - 1], weights[static_cast<std::size_t>(random.below(std::int64_t(i)))]);
  }
  std::vector<std::int64_t> votes;
  std::int64_t left = site.votes;
  for (const double weight : weights) {
    const double share = weight / sum * static_cast<double>(site.votes);
    votes.push_back(std::min(left, std::int64_t(std::floor(share))));
    left -= votes.back();
  }
  for (std::size_t i = 0; left > 0; i = (i + 1) % votes.size(), --left) ++votes[i];
  return votes;
}

// Returns a random time. Times at night and on weekends are less likely.
base::Time moment(const DemoSite& site, Random& random) {
  constexpr double kWeekend = 0.6;
  base::Day day = std::chrono::floor<std::chrono::days>(site.until);
  for (bool accepted = false; !accepted;) {
    day = std::chrono::floor<std::chrono::days>(site.until) -
          std::chrono::days(random.below(site.days));
    const unsigned weekday = std::chrono::weekday(day).iso_encoding();
    accepted = weekday <= 5 || random.share() < kWeekend;
  }
  // The mean of three random numbers has a bell-shaped distribution around 0.5 (noon). Adding 0.25
  // moves the peak from noon to 18:00.
  const double hours =
      24 * std::fmod((random.share() + random.share() + random.share()) / 3 + 0.25, 1.0);
  const auto time = base::Time(day) + std::chrono::microseconds(std::int64_t(hours * 3.6e9));
  return std::min(time, site.until);
}

std::int64_t value_of(Category category, double quality, Random& random) {
  if (category == Category::binary) return random.share() < quality ? 1000 : 0;
  if (category == Category::bipolar) {
    return random.share() < 0.15 ? 0 : random.share() < quality ? 1000 : -1000;
  }
  const double value = quality + (random.share() - random.share()) * 0.5;
  return std::int64_t(std::round(std::clamp(value, 0.0, 1.0) * 5)) * 200;
}

// "visitors" is the number of people without a login.
model::VoterId voter_of(const DemoSite& site, std::int64_t visitors, Random& random) {
  if (random.share() < 0.2) {
    return static_cast<model::VoterId>(1 + random.below(site.votes / kVotesOfUser + 3));
  }
  const auto visitor = static_cast<model::VoterId>(random.below(visitors));
  // The multiplication spreads the ids over the whole range, as if they were random.
  return model::kAnonymousBit | (visitor * 0x9E3779B97F4A7C15U >> 1U);
}

// Returns the rows in primary key order, which makes inserts fastest.
std::vector<Row> rows_of(const DemoSite& site, std::uint64_t object, std::int64_t count,
                         Random& random) {
  const double quality = 0.35 + 0.6 * random.share();
  // A site with few objects needs more visitors for the same number of votes, because each visitor
  // rates an object only once.
  const std::int64_t visitors = std::max(site.votes / kVotesOfVisitor + 100, 2 * count);
  std::unordered_set<model::VoterId> voters;
  std::vector<Row> rows;
  while (std::int64_t(rows.size()) < count) {
    const double kind = random.share();
    Row row{object,
            kind < 0.4   ? Category::binary
            : kind < 0.6 ? Category::bipolar
                         : Category::scale,
            voter_of(site, visitors, random),
            0,
            {}};
    if (!voters.insert(row.voter).second) continue;
    row.value = value_of(row.category, quality, random);
    row.rated_at = moment(site, random);
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.category, a.voter) < std::pair(b.category, b.voter);
  });
  return rows;
}

constexpr db::BulkStatement kInsertDemo(
    {"INSERT INTO {prefix}ratingd_votes (object_id, object_type, category, voter, value,"
     " created_at, rated_at) VALUES ",
     "(?, 'post', ?, ?, ?, ?, ?)", ",", " ON DUPLICATE KEY UPDATE voter = VALUES(voter)"});

void insert(db::Connection& connection, const std::vector<Row>& rows) {
  db::in_transaction(connection, [&] {
    rollups::RollupChanges changes(rollups::lock_for_change(connection), kSlotOfDemo);
    kInsertDemo.execute(connection, rows, [](db::Statement& to, const Row& row) {
      to.bind(row.object, row.category, row.voter, row.value, row.rated_at, row.rated_at);
    });
    for (const auto& [object, category, voter, value, rated_at] : rows) {
      changes.add_part(rollups::Contribution::to_object, {{object, "post"}, category, voter},
                       {static_cast<model::Thousandths>(value), rated_at});
    }
    changes.write(connection);
  });
}

// Returns the last voter id in the slice that follows the voter id "after".
model::VoterId end_of_voters(db::Connection& connection, model::VoterId after) {
  db::Rows row = connection.query(
      "SELECT voter FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
      " WHERE voter > ? ORDER BY voter LIMIT 1 OFFSET ?",
      after, kRowsOfTransaction);
  return row.next() ? row.unsigned_integer(1) : std::numeric_limits<model::VoterId>::max();
}

// Updates the users' sums and the voters' active days with the votes by voters whose ids are from
// "after" + 1 to "end". Returns the number of processed votes.
std::int64_t sum_up_voters(db::Connection& connection, model::VoterId after, model::VoterId end) {
  return db::in_transaction(connection, [&] {
    rollups::RollupChanges changes(rollups::lock_for_change(connection), kSlotOfDemo);
    std::map<model::VoterId, std::vector<base::Time>> times;
    std::int64_t votes = 0;
    db::Rows row = connection.query(
        "SELECT object_id, object_type, category, voter, value, rated_at FROM {prefix}ratingd_votes"
        " FORCE INDEX (by_voter) WHERE voter > ? AND voter <= ?",
        after, end);
    for (; row.next(); ++votes) {
      const auto [key, value, rated_at] = store::rating_in(row);
      changes.add_part(rollups::Contribution::to_user, key, {value, rated_at});
      times[key.voter].push_back(rated_at);
    }
    for (const auto& [voter, of_voter] : times) {
      changes.replace_activity(voter, {}, days_of(changes.zones(), of_voter));
    }
    changes.write(connection);
    return votes;
  });
}

}  // namespace

bool has_votes(db::Connection& connection) {
  // After all ratings have been deleted, the totals table still contains rows with counts of 0.
  const std::string rated = std::string("totals WHERE ") + rollups::kTotalOfBins + " > 0";
  for (const std::string& rows :
       {std::string("votes"), std::string("balances"), rated, std::string("voters")}) {
    if (connection.query("SELECT 1 FROM {prefix}ratingd_" + rows + " LIMIT 1").next()) return true;
  }
  return false;
}

void store_demo_votes(db::Connection& connection, const DemoSite& site,
                      const std::function<void(std::int64_t)>& progress) {
  Random random(site.seed);
  const std::vector<std::int64_t> votes = votes_of_objects(site, random);
  std::vector<Row> rows;
  std::int64_t stored = 0;
  const auto flush = [&] {
    insert(connection, rows);
    stored += std::int64_t(rows.size());
    rows.clear();
    progress(stored);
  };
  for (std::size_t i = 0; i < votes.size(); ++i) {
    const auto more = rows_of(site, site.ids.empty() ? i + 1 : site.ids[i], votes[i], random);
    rows.insert(rows.end(), more.begin(), more.end());
    if (rows.size() >= kRowsOfTransaction) flush();
  }
  if (!rows.empty()) flush();
}

void sum_up_demo_voters(db::Connection& connection,
                        const std::function<void(std::int64_t)>& progress) {
  constexpr auto kLast = std::numeric_limits<model::VoterId>::max();
  std::int64_t done = 0;
  for (model::VoterId after = 0; after < kLast;) {
    const model::VoterId end = end_of_voters(connection, after);
    done += sum_up_voters(connection, after, end);
    progress(done);
    after = end;
  }
}

}  // namespace votes
