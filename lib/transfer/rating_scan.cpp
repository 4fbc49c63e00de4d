#include "transfer/rating_scan.h"

#include <cassert>
#include <utility>

#include "analytics/rating_filter.h"
#include "base/text.h"
#include "db/key_range.h"
#include "rollups/rollup.h"
#include "store/front_end_visitors.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"

namespace transfer {
namespace {

std::string conditions(const Selection& selection, const std::string& table,
                       const std::string& time) {
  std::string text;
  if (selection.object_id) text += " AND " + table + ".object_id = ?";
  if (selection.object_type) {
    text += analytics::type_condition("?", selection.posts, table + ".");
  }
  if (selection.voter) text += " AND " + table + ".voter = ?";
  if (selection.since) text += " AND " + table + "." + time + " >= ?";
  if (selection.before) text += " AND " + table + "." + time + " < ?";
  if (!selection.ratings.empty()) {
    const std::string of = table + ".";
    text += " AND (" +
            base::joined(selection.ratings, " OR ",
                         [&](const model::RatingKey&) {
                           return "(" + of + "object_id = ? AND " + of + "object_type = ? AND " +
                                  of + "category = ? AND " + of + "voter = ?)";
                         }) +
            ")";
  }
  return text;
}

std::string votes_text(const Selection& selection) {
  return "SELECT v.object_id, v.object_type, v.category, v.voter, v.value, v.created_at,"
         " v.rated_at, v.held, h.reasons, h.held_at, i.issuer, i.subject, r.reason"
         " FROM {prefix}ratingd_votes v FORCE INDEX (" +
         std::string(selection.voter ? "by_voter" : "PRIMARY") +
         ") LEFT JOIN {prefix}ratingd_held h ON v.held = 1 AND h.object_id = v.object_id"
         " AND h.object_type = v.object_type AND h.category = v.category AND h.voter = v.voter"
         " LEFT JOIN {prefix}ratingd_visitors i ON i.voter = v.voter" +
         std::string(store::kJoinReasons) + " WHERE " +
         db::after({"v.object_id", "v.object_type", "v.category", "v.voter"}) +
         conditions(selection, "v", "rated_at") +
         " ORDER BY v.object_id, v.object_type, v.category, v.voter LIMIT ?";
}

// Returns the SQL statement for KeyScan. The statement returns rows in the order of an index, so
// each call can continue after the last row of the previous call.
std::string keys_text(const Selection& selection) {
  const std::vector<std::string> order =
      selection.object_id
          ? std::vector<std::string>{"v.object_id", "v.object_type", "v.category", "v.voter"}
          : std::vector<std::string>{"v.voter", "v.rated_at", "v.object_id", "v.object_type",
                                     "v.category"};
  return "SELECT v.object_id, v.object_type, v.category, v.voter, v.rated_at"
         " FROM {prefix}ratingd_votes v FORCE INDEX (" +
         std::string(selection.object_id ? "PRIMARY" : "by_voter") + ") WHERE " + db::after(order) +
         conditions(selection, "v", "rated_at") + " ORDER BY " + base::joined(order) + " LIMIT ?";
}

std::string aggregates_text(const Selection& selection) {
  const rollups::Rollup& table = rollups::aggregates_table();
  const std::vector<std::string> key = rollups::names_of(table.key());
  return "SELECT " + table.columns() + " FROM {prefix}ratingd_balances b WHERE " + db::after(key) +
         conditions(selection, "b", "last_rated_at") + " ORDER BY " + base::joined(key) +
         " LIMIT ?";
}

StoredRating stored_rating_in(const db::Rows& row) {
  StoredRating rating{store::key_in(row),
                      static_cast<model::Thousandths>(row.integer(5)),
                      row.time(6),
                      row.time(7),
                      {},
                      {}};
  if (!row.is_null(11)) rating.visitor = model::FrontEndVisitor{row.text(11), row.text(12)};
  rating.reason = row.text(13);
  if (row.integer(8) == 0) return rating;
  const bool is_known = !row.is_null(9);
  rating.hold =
      StoredRating::Hold{is_known ? static_cast<votes::Reasons>(row.integer(9)) : votes::Reasons{0},
                         is_known ? row.time(10) : rating.rated_at};
  return rating;
}

}  // namespace

void Selection::bind_to(db::Statement& statement) const {
  if (object_id) statement.bind(*object_id);
  if (object_type) statement.bind(*object_type);
  if (voter) statement.bind(*voter);
  if (since) statement.bind(*since);
  if (before) statement.bind(*before);
  for (const model::RatingKey& rating : ratings) store::bind_key(statement, rating);
}

Selection resolved(db::Connection& connection, Selection selection) {
  if (!selection.visitor) return selection;
  assert(!selection.voter);
  selection.voter = store::find_voter(connection, *selection.visitor).value_or(kNobody);
  return selection;
}

RatingScan::RatingScan(db::Connection& connection, Selection selection)
    : connection_(connection), selection_(std::move(selection)), read_(votes_text(selection_)) {}

std::vector<StoredRating> RatingScan::next(std::size_t limit) {
  const auto& [object, category, voter] = last_;
  const auto position = db::position(object.id, object.type, category, voter);
  auto ratings = connection_.query(read_, position, selection_, limit).all(stored_rating_in);
  if (!ratings.empty()) last_ = ratings.back().key;
  return ratings;
}

KeyScan::KeyScan(db::Connection& connection, Selection selection)
    : connection_(connection), selection_(std::move(selection)), read_(keys_text(selection_)) {}

std::vector<model::RatingKey> KeyScan::next(std::size_t limit) {
  const auto& [object, category, voter] = last_;
  db::Rows row =
      selection_.object_id
          ? connection_.query(read_, db::position(object.id, object.type, category, voter),
                              selection_, limit)
          : connection_.query(read_,
                              db::position(voter, last_rated_at_, object.id, object.type, category),
                              selection_, limit);
  auto keys = row.all([&](const db::Rows& found) {
    last_rated_at_ = found.time(5);
    return store::key_in(found);
  });
  if (!keys.empty()) last_ = keys.back();
  return keys;
}

AggregateScan::AggregateScan(db::Connection& connection, Selection selection)
    : connection_(connection),
      selection_(std::move(selection)),
      read_(aggregates_text(selection_)) {}

std::vector<rollups::Aggregate> AggregateScan::next(std::size_t limit) {
  if (selection_.voter || !selection_.ratings.empty()) return {};
  const auto& [object, category, day, source] = last_;
  const auto position = db::position(object.id, object.type, category, day, source);
  auto aggregates =
      connection_.query(read_, position, selection_, limit).all(rollups::aggregate_in);
  if (!aggregates.empty()) last_ = aggregates.back().key;
  return aggregates;
}

}  // namespace transfer
