#include "rollups/verification.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/crypto.h"
#include "base/timestamp.h"
#include "db/key_range.h"
#include "db/transaction.h"
#include "rollups/exact_checks.h"
#include "rollups/rollup_state.h"
#include "rollups/totals_reader.h"
#include "rollups/vote_scan.h"
#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::Category;
using model::VoterId;

constexpr std::int64_t kPage = 20'000;  // rows

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  for (const char byte : base::random_bytes(sizeof seed)) {
    seed = seed << 8U | static_cast<unsigned char>(byte);
  }
  return seed;
}

class Verification {
 public:
  Verification(db::Connection& connection, const std::string& table_prefix,
               const VerifyProgress& progress)
      : connection_(connection),
        prefix_(table_prefix + "ratingd_"),
        progress_(progress),
        zone_(RollupStateStore(table_prefix).zone(connection)),
        scan_(connection, table_prefix, zone_),
        checks_(connection, table_prefix, zone_) {
    sums_.seed = random_seed();
    for (const char* table : {"votes", "daily", "user_daily", "users", "voters"}) {
      all_ += estimated_rows(connection, table_prefix, table);
    }
  }

  std::vector<RollupMismatch> run() {
    scan_votes();
    scan_daily();
    scan_user_daily();
    scan_users();
    scan_site_daily();
    check_days();
    check_users();
    check_voters();
    add(checks_.activity_pairs());
    return std::move(mismatches_);
  }

 private:
  void add(const std::vector<RollupMismatch>& more) {
    for (const RollupMismatch& mismatch : more) {
      if (++listed_[mismatch.rollup] <= kMaxMismatches) mismatches_.push_back(mismatch);
    }
  }

  void add(const char* rollup, const std::vector<VoteScan::Group>& groups) {
    for (const auto& [object, category] : groups) {
      add({{rollup, object.type + " " + std::to_string(object.id) + " " +
                        std::string(model::name_of(category)) + " "}});
    }
  }

  void advance(std::int64_t rows) {
    done_ += rows;
    progress_(std::min(done_, all_), std::max<std::int64_t>(all_, 1));
  }

  void scan_votes() {
    VoteScan::Differences found;
    while (const auto votes = scan_.next(sums_, found)) {
      add("totals", std::exchange(found.of_sums, {}));
      add("totals.last_rated_at", std::exchange(found.of_times, {}));
      advance(*votes);
    }
  }

  // Reads a table in pages. "bind" binds the position, "read" handles a row and notes the position.
  template <typename Bind, typename Read>
  void scan(const std::string& columns, const char* table, const std::vector<std::string>& key,
            const Bind& bind, const Read& read) {
    std::string order;
    for (const std::string& column : key) order += (order.empty() ? "" : ", ") + column;
    const std::string text = "SELECT " + columns + " FROM " + prefix_ + table +
                             " FORCE INDEX (PRIMARY) WHERE " + db::after(key) + " ORDER BY " +
                             order + " LIMIT ?";
    for (std::int64_t rows = kPage; rows == kPage;) {
      rows = 0;
      db::Statement& statement = connection_.prepare(text);
      for (std::size_t columns_of_key = 1; columns_of_key <= key.size(); ++columns_of_key) {
        for (std::size_t i = 0; i < columns_of_key; ++i) bind(statement, i);
      }
      for (db::Rows row = statement.bind(kPage).query(); row.next(); ++rows) read(row);
      advance(rows);
    }
  }

  void scan_daily() {
    Category category = Category::binary;
    base::Day day = kFirstDay;
    model::Object object;
    scan(
        "category, day, object_type, object_id, total, sum, positive, negative", "daily",
        {"category", "day", "object_type", "object_id"},
        [&](db::Statement& statement, std::size_t column) {
          if (column == 0) statement.bind(store::number_of(category));
          if (column == 1) statement.bind(day);
          if (column == 2) statement.bind(object.type);
          if (column == 3) statement.bind(object.id);
        },
        [&](const db::Rows& row) {
          category = static_cast<Category>(row.integer(1));
          day = row.day(2);
          object = {row.unsigned_integer(4), row.text(3)};
          sums_.of_day(day).daily.count(
              sums_.key(object, category),
              {-row.integer(5), -row.integer(6), -row.integer(7), -row.integer(8)});
        });
  }

  void scan_user_daily() {
    base::Day day = kFirstDay;
    std::uint64_t user_id = 0;
    Category category = Category::binary;
    std::string type;
    scan(
        "day, user_id, category, object_type, total, sum", "user_daily",
        {"day", "user_id", "category", "object_type"},
        [&](db::Statement& statement, std::size_t column) {
          if (column == 0) statement.bind(day);
          if (column == 1) statement.bind(user_id);
          if (column == 2) statement.bind(store::number_of(category));
          if (column == 3) statement.bind(type);
        },
        [&](const db::Rows& row) {
          day = row.day(1);
          user_id = row.unsigned_integer(2);
          category = static_cast<Category>(row.integer(3));
          type = row.text(4);
          sums_.of_day(day).user_daily.count(sums_.key(user_id, category).add(type),
                                             {-row.integer(5), -row.integer(6)});
        });
  }

  void scan_users() {
    std::uint64_t user_id = 0;
    Category category = Category::binary;
    scan(
        "user_id, category, total, sum", "users", {"user_id", "category"},
        [&](db::Statement& statement, std::size_t column) {
          if (column == 0) statement.bind(user_id);
          if (column == 1) statement.bind(store::number_of(category));
        },
        [&](const db::Rows& row) {
          user_id = row.unsigned_integer(1);
          category = static_cast<Category>(row.integer(2));
          sums_.of_user(user_id).count(sums_.key(user_id, category),
                                       {-row.integer(3), -row.integer(4)});
        });
  }

  void scan_site_daily() {
    std::string columns = "object_type, category, day, SUM(sum)";
    for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
      columns += ", SUM(bin" + std::to_string(i) + ")";
    }
    db::Rows row = connection_.query("SELECT " + columns + " FROM " + prefix_ +
                                     "site_daily GROUP BY object_type, category, day");
    while (row.next()) {
      const auto category = static_cast<Category>(row.integer(2));
      model::Totals& sums =
          sums_.site[row.text(1)][ScannedSums::place_in_site(row.day(3), category)];
      unsigned column = 4;
      sums.sum -= row.integer(column++);
      for (std::int64_t& bin : sums.bins) bin -= row.integer(column++);
    }
  }

  // Days that changed while they were read differ, too; so differing days are checked exactly.
  void check_days() {
    for (const auto& [number, sums] : sums_.days) {
      const base::Day day{std::chrono::days(number)};
      if (!sums.daily.is_zero() && is_wanted("daily")) add(checks_.daily(day));
      if (!sums.user_daily.is_zero() && is_wanted("user_daily")) add(checks_.user_daily(day));
    }
    std::set<base::Day> days;
    for (const auto& [type, site] : sums_.site) {
      for (const auto& [place, sums] : site) {
        if (sums != model::Totals()) days.insert(day_of_place(place));
      }
    }
    for (const base::Day day : days) {
      if (is_wanted("site_daily")) add(checks_.site_daily(day));
    }
  }

  void check_users() {
    for (const auto& [range, sums] : sums_.users) {
      const std::uint64_t first = range * ScannedSums::kUsersOfRange;
      if (!sums.is_zero() && is_wanted("users")) {
        add(checks_.users(first, first + ScannedSums::kUsersOfRange));
      }
    }
  }

  // Compares the last days of voters with the times of their votes, which an index has.
  void check_voters() {
    constexpr VoterId kLast = std::numeric_limits<VoterId>::max();
    for (VoterId after = 0; after < kLast;) {
      std::map<VoterId, base::Day> last_days;
      std::vector<VoterId> suspects;
      VoterId end = kLast;
      db::in_snapshot(connection_, db::kUsualAttempts, [&] {
        last_days.clear();
        suspects.clear();
        read_last_days(after, last_days);
        end = std::ssize(last_days) == kPage ? last_days.rbegin()->first : kLast;
        if (!checks_.is_activity_shortened()) find_suspects(after, end, last_days, suspects);
      });
      for (const VoterId voter : suspects) {
        if (is_wanted("voters")) add(checks_.voter(voter));
      }
      advance(std::ssize(last_days));
      after = end;
    }
  }

  void read_last_days(VoterId after, std::map<VoterId, base::Day>& last_days) {
    db::Rows row =
        connection_
            .prepare("SELECT voter, last_day FROM " + prefix_ +
                     "voters FORCE INDEX (PRIMARY) WHERE voter > ? ORDER BY voter LIMIT ?")
            .bind(after)
            .bind(kPage)
            .query();
    while (row.next()) {
      last_days.emplace_hint(last_days.end(), row.unsigned_integer(1), row.day(2));
    }
  }

  void find_suspects(VoterId after, VoterId end, const std::map<VoterId, base::Day>& last_days,
                     std::vector<VoterId>& suspects) {
    db::Rows row = connection_
                       .prepare("SELECT voter, MAX(rated_at) FROM " + prefix_ +
                                "votes FORCE INDEX (by_voter) WHERE voter > ? AND voter <= ?"
                                " GROUP BY voter")
                       .bind(after)
                       .bind(end)
                       .query();
    while (row.next()) {
      const auto found = last_days.find(row.unsigned_integer(1));
      const bool is_right = found != last_days.end() && zone_.day_of(row.time(2)) <= found->second;
      if (!is_right) suspects.push_back(row.unsigned_integer(1));
    }
  }

  // Once enough rows of a rollup are listed, no more are searched.
  bool is_wanted(const std::string& rollup) { return listed_[rollup] < kMaxMismatches; }

  static base::Day day_of_place(std::int64_t place) {
    return base::Day(std::chrono::days(place >= 0 ? place / 4 : (place - 3) / 4));
  }

  static constexpr base::Day kFirstDay = std::chrono::year(1000) / std::chrono::January / 1;

  db::Connection& connection_;
  const std::string prefix_;
  const VerifyProgress& progress_;
  const base::Zone zone_;
  VoteScan scan_;
  ExactChecks checks_;
  ScannedSums sums_;
  std::map<std::string, int> listed_;
  std::vector<RollupMismatch> mismatches_;
  std::int64_t done_ = 0, all_ = 0;  // rows
};

}  // namespace

std::vector<RollupMismatch> find_mismatches(db::Connection& connection,
                                            const std::string& table_prefix,
                                            const VerifyProgress& progress) {
  const RollupStateStore state(table_prefix);
  const std::string zone = state.zone(connection).name();
  auto mismatches = Verification(connection, table_prefix, progress).run();
  if (state.zone(connection).name() != zone) {
    throw db::Conflict(0, "the zone of the rollups has changed meanwhile; try again");
  }
  return mismatches;
}

std::int64_t estimated_rows(db::Connection& connection, const std::string& table_prefix,
                            const std::string& table) {
  db::Rows row = connection
                     .prepare(
                         "SELECT COALESCE(table_rows, 0) FROM information_schema.tables"
                         " WHERE table_schema = DATABASE() AND table_name = ?")
                     .bind(table_prefix + "ratingd_" + table)
                     .query();
  return row.next() ? row.integer(1) : 0;
}

RowEstimates estimate_rows(db::Connection& connection, const std::string& table_prefix) {
  const auto rows_in = [&](const char* table) {
    return estimated_rows(connection, table_prefix, table);
  };
  db::Rows held = connection.query("SELECT COUNT(*) FROM " + table_prefix + "ratingd_held");
  return {rows_in("votes"), rows_in("voters"), rows_in("totals"),
          held.next() ? held.integer(1) : 0};
}

}  // namespace rollups
