#include "rollups/rollup_build.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/rating.h"
#include "rollups/day_expression.h"
#include "rollups/totals_reader.h"

namespace rollups {
namespace {

constexpr std::string_view kNever = "'1000-01-01'";
constexpr std::int64_t kVotesOfRange = 1'000'000;

// The numbers of votes in each bin.
std::string bins_of_votes() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    text +=
        ", SUM((CASE category WHEN 1 THEN (value + 1000) DIV 200 ELSE (value + 50) DIV 100 "
        "END) = " +
        std::to_string(i) + ")";
  }
  return text;
}

std::string sums_of_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    text += ", SUM(bin" + std::to_string(i) + ")";
  }
  return text;
}

std::string all_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    text += (i > 0 ? " + bin" : "bin") + std::to_string(i);
  }
  return text;
}

// Adds to the columns of rows that exist already.
std::string adding(const std::vector<std::string>& columns) {
  std::string text = " ON DUPLICATE KEY UPDATE ";
  for (const std::string& column : columns) {
    if (&column != &columns.front()) text += ", ";
    text.append(column).append(" = ").append(column).append(" + VALUES(").append(column) += ')';
  }
  return text;
}

std::vector<std::string> sum_and_bins() {
  std::vector<std::string> columns = {"sum"};
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    columns.push_back("bin" + std::to_string(i));
  }
  return columns;
}

// Groups of one range of objects or voters: a temporary table of all groups would not fit in
// memory.
enum class Ranges : std::uint8_t { none, of_objects, of_voters };

struct Step {
  std::string_view rollup;
  std::string statement;  // with {after} and {up_to} if there are ranges
  Ranges ranges = Ranges::none;
};

// Parts of the statements: where the rows come from and go to.
struct Tables {
  Tables(const std::string& prefix, std::string day_of_vote)
      : into("INSERT INTO " + prefix + "ratingd_"),
        all_votes(" FROM " + prefix + "ratingd_votes"),
        votes(all_votes + " WHERE held = 0"),
        votes_of_objects(all_votes + " FORCE INDEX (PRIMARY) WHERE" + range_of("object_id") +
                         " AND held = 0"),
        all_votes_of_voters(all_votes + " FORCE INDEX (by_voter) WHERE" + range_of("voter")),
        aggregates(" FROM " + prefix + "ratingd_balances"),
        day(std::move(day_of_vote)) {}

  static std::string range_of(const std::string& column) {
    return " " + column + " > {after} AND " + column + " <= {up_to}";
  }

  const std::string into, all_votes, votes, votes_of_objects, all_votes_of_voters, aggregates;
  const std::string day;  // of a vote
};

void add_totals(const Tables& tables, std::vector<Step>& steps) {
  const std::string totals = tables.into + "totals (object_id, object_type, category, sum, " +
                             bin_columns() + ", last_rated_at, version) SELECT object_id," +
                             " object_type, category, SUM(";
  const std::string by_object = " GROUP BY object_id, object_type, category";
  steps.push_back({"totals", totals + "value)" + bins_of_votes() + ", MAX(rated_at), 1" +
                                 tables.votes + by_object});
  steps.push_back({"totals", totals + "sum)" + sums_of_bins() + ", MAX(last_rated_at), 1" +
                                 tables.aggregates + by_object + adding(sum_and_bins()) +
                                 ", last_rated_at = GREATEST(last_rated_at,"
                                 " VALUES(last_rated_at))"});
}

void add_daily(const Tables& tables, std::vector<Step>& steps) {
  const std::string daily =
      tables.into +
      "daily (category, day, object_type, object_id, total, sum, positive, negative) SELECT ";
  steps.push_back(
      {"daily",
       daily + "category, " + tables.day +
           " AS counted_on, object_type, object_id, COUNT(*), SUM(value), SUM(value > 0),"
           " SUM(value < 0 OR category = 0 AND value = 0)" +
           tables.votes_of_objects + " GROUP BY category, counted_on, object_type, object_id",
       Ranges::of_objects});
  // Aggregates hold bins instead of values: scale values below 0.05 are in the bin of 0.
  steps.push_back(
      {"daily", daily + "category, day, object_type, object_id, SUM(" + all_bins() +
                    "), SUM(sum), SUM(CASE category WHEN 2 THEN " + all_bins() +
                    " - bin0 ELSE bin10 END), SUM(CASE category WHEN 2 THEN 0 ELSE bin0 END)" +
                    tables.aggregates + " GROUP BY category, day, object_type, object_id" +
                    adding({"total", "sum", "positive", "negative"})});
}

void add_site_daily(const Tables& tables, std::vector<Step>& steps) {
  const std::string site = tables.into + "site_daily (day, category, object_type, slot, sum, " +
                           bin_columns() + ") SELECT ";
  steps.push_back({"site_daily", site + tables.day +
                                     " AS counted_on, category, object_type, 0, SUM(value)" +
                                     bins_of_votes() + tables.votes +
                                     " GROUP BY counted_on, category, object_type"});
  steps.push_back({"site_daily", site + "day, category, object_type, 0, SUM(sum)" + sums_of_bins() +
                                     tables.aggregates + " GROUP BY day, category, object_type" +
                                     adding(sum_and_bins())});
}

void add_users(const Tables& tables, std::vector<Step>& steps) {
  const std::string votes = tables.all_votes_of_voters + " AND held = 0 AND voter < " +
                            std::to_string(model::kAnonymousBit);
  steps.push_back({"users",
                   tables.into +
                       "users (user_id, category, total, sum, first_rated_at,"
                       " last_rated_at) SELECT voter, category, COUNT(*), SUM(value),"
                       " MIN(rated_at), MAX(rated_at)" +
                       votes + " GROUP BY voter, category",
                   Ranges::of_voters});
  steps.push_back(
      {"user_daily",
       tables.into + "user_daily (day, user_id, category, object_type, total, sum) SELECT " +
           tables.day + " AS counted_on, voter, category, object_type, COUNT(*), SUM(value)" +
           votes + " GROUP BY counted_on, voter, category, object_type",
       Ranges::of_voters});
}

void add_voters(const Tables& tables, std::vector<Step>& steps) {
  steps.push_back({"voters", tables.into + "voters (voter, last_day) SELECT voter, MAX(" +
                                 tables.day + ")" + tables.all_votes + " GROUP BY voter"});
  steps.push_back({"reach",
                   tables.into +
                       "reach (day, previous_day, slot, voters) SELECT active_on,"
                       " before_that, 0, COUNT(*) FROM (SELECT active_on,"
                       " COALESCE(LAG(active_on) OVER (PARTITION BY voter ORDER BY"
                       " active_on), DATE " +
                       std::string(kNever) + ") AS before_that FROM (SELECT DISTINCT voter, " +
                       tables.day + " AS active_on" + tables.all_votes_of_voters +
                       ") AS active_days) AS pairs GROUP BY active_on, before_that" +
                       adding({"voters"}),
                   Ranges::of_voters});
}

std::vector<Step> steps(const std::string& prefix, const std::string& day) {
  const Tables tables(prefix, day);
  std::vector<Step> steps;
  add_totals(tables, steps);
  add_daily(tables, steps);
  add_site_daily(tables, steps);
  add_users(tables, steps);
  add_voters(tables, steps);
  return steps;
}

struct Range {
  std::uint64_t after, up_to;
};

// Ranges that have kVotesOfRange votes and those of one object or voter more; a single one if there
// are none.
std::vector<Range> ranges_of(db::Connection& connection, const std::string& prefix, Ranges ranges) {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  if (ranges == Ranges::none) return {{0, kLast}};
  const bool is_of_objects = ranges == Ranges::of_objects;
  const std::string column = is_of_objects ? "object_id" : "voter";
  const std::string find_end = "SELECT " + column + " FROM " + prefix +
                               "ratingd_votes FORCE INDEX (" +
                               (is_of_objects ? "PRIMARY" : "by_voter") + ") WHERE " + column +
                               " > ? ORDER BY " + column + " LIMIT 1 OFFSET ?";
  std::vector<Range> all;
  for (std::uint64_t after = 0; after < kLast; after = all.back().up_to) {
    db::Rows row = connection.prepare(find_end).bind(after).bind(kVotesOfRange).query();
    all.push_back({after, row.next() ? row.unsigned_integer(1) : kLast});
  }
  return all;
}

}  // namespace

void build_rollups(db::Connection& connection, const std::string& table_prefix,
                   const base::Zone& zone,
                   const std::function<void(std::string_view rollup)>& before) {
  std::string_view last;
  for (const Step& step : steps(table_prefix, day_expression(connection, table_prefix, zone))) {
    if (step.rollup != last) before(step.rollup);
    last = step.rollup;
    for (const auto& [after, up_to] : ranges_of(connection, table_prefix, step.ranges)) {
      const std::string text = base::replace_all(step.statement, "{after}", std::to_string(after));
      connection.execute(base::replace_all(text, "{up_to}", std::to_string(up_to)));
    }
  }
}

}  // namespace rollups
