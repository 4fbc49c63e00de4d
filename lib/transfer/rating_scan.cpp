#include "transfer/rating_scan.h"

#include <array>
#include <cassert>
#include <span>
#include <string_view>
#include <utility>

#include "analytics/rating_filter.h"
#include "base/joined.h"
#include "db/key_range.h"
#include "store/front_end_visitors.h"
#include "store/rating_key_sql.h"

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
  return text;
}

void bind(db::Statement& statement, const Selection& selection) {
  if (selection.object_id) statement.bind(*selection.object_id);
  if (selection.object_type) statement.bind(*selection.object_type);
  if (selection.voter) statement.bind(*selection.voter);
  if (selection.since) statement.bind(*selection.since);
  if (selection.before) statement.bind(*selection.before);
}

std::string votes_text(const std::string& prefix, const Selection& selection) {
  return "SELECT v.object_id, v.object_type, v.category, v.voter, v.value, v.created_at,"
         " v.rated_at, v.held, h.reasons, h.held_at, i.issuer, i.subject FROM " +
         prefix + "ratingd_votes v FORCE INDEX (" + (selection.voter ? "by_voter" : "PRIMARY") +
         ") LEFT JOIN " + prefix +
         "ratingd_held h ON v.held = 1 AND h.object_id = v.object_id"
         " AND h.object_type = v.object_type AND h.category = v.category AND h.voter = v.voter"
         " LEFT JOIN " +
         prefix +
         "ratingd_visitors i ON i.voter = v.voter"
         " WHERE " +
         db::after({"v.object_id", "v.object_type", "v.category", "v.voter"}) +
         conditions(selection, "v", "rated_at") +
         " ORDER BY v.object_id, v.object_type, v.category, v.voter LIMIT ?";
}

// The order of KeyScan: voter by voter, or the key of one object's ratings. So both read an index
// from where they were.
std::span<const char* const> order_of_keys(const Selection& selection) {
  static constexpr std::array kColumns = {"v.voter",       "v.rated_at", "v.object_id",
                                          "v.object_type", "v.category", "v.voter"};
  const std::span<const char* const> columns(kColumns);
  return selection.object_id ? columns.subspan(2) : columns.first(5);
}

std::string keys_text(const std::string& prefix, const Selection& selection) {
  const auto columns = order_of_keys(selection);
  const std::vector<std::string> order(columns.begin(), columns.end());
  return "SELECT v.object_id, v.object_type, v.category, v.voter, v.rated_at FROM " + prefix +
         "ratingd_votes v FORCE INDEX (" + (selection.object_id ? "PRIMARY" : "by_voter") +
         ") WHERE " + db::after(order) + conditions(selection, "v", "rated_at") + " ORDER BY " +
         base::joined(order) + " LIMIT ?";
}

std::string aggregates_text(const std::string& prefix, const Selection& selection) {
  return "SELECT " + rollups::aggregate_columns() + " FROM " + prefix +
         "ratingd_balances b WHERE " +
         db::after({"object_id", "object_type", "category", "day", "source"}) +
         conditions(selection, "b", "last_rated_at") +
         " ORDER BY object_id, object_type, category, day, source LIMIT ?";
}

StoredRating rating_in(const db::Rows& row) {
  StoredRating rating{store::key_in(row),
                      static_cast<model::Thousandths>(row.integer(5)),
                      row.time(6),
                      row.time(7),
                      {},
                      {}};
  if (!row.is_null(11)) rating.visitor = model::FrontEndVisitor{row.text(11), row.text(12)};
  if (row.integer(8) == 0) return rating;
  const bool is_known = !row.is_null(9);
  rating.hold =
      StoredRating::Hold{is_known ? static_cast<votes::Reasons>(row.integer(9)) : votes::Reasons{0},
                         is_known ? row.time(10) : rating.rated_at};
  return rating;
}

}  // namespace

Selection resolved(db::Connection& connection, const std::string& table_prefix,
                   Selection selection) {
  if (!selection.visitor) return selection;
  assert(!selection.voter);
  selection.voter = store::FrontEndVisitorStore(table_prefix)
                        .find(connection, *selection.visitor)
                        .value_or(kNobody);
  return selection;
}

RatingScan::RatingScan(const std::string& table_prefix, Selection selection)
    : selection_(std::move(selection)), read_(votes_text(table_prefix, selection_)) {}

std::vector<StoredRating> RatingScan::next(db::Connection& connection, std::int64_t limit) {
  db::Statement& statement = connection.prepare(read_);
  const auto& [object, category, voter] = last_;
  statement.bind(object.id);
  statement.bind(object.id).bind(object.type);
  statement.bind(object.id).bind(object.type).bind(store::number_of(category));
  statement.bind(object.id).bind(object.type).bind(store::number_of(category)).bind(voter);
  bind(statement, selection_);
  std::vector<StoredRating> ratings;
  for (db::Rows row = statement.bind(limit).query(); row.next();) {
    ratings.push_back(rating_in(row));
  }
  if (!ratings.empty()) last_ = ratings.back().key;
  return ratings;
}

KeyScan::KeyScan(const std::string& table_prefix, Selection selection)
    : selection_(std::move(selection)), read_(keys_text(table_prefix, selection_)) {}

std::vector<model::RatingKey> KeyScan::next(db::Connection& connection, std::int64_t limit) {
  db::Statement& statement = connection.prepare(read_);
  const auto order = order_of_keys(selection_);
  for (std::size_t columns = 1; columns <= order.size(); ++columns) {
    for (const std::string_view column : order.first(columns)) {
      if (column == "v.voter") statement.bind(last_.voter);
      if (column == "v.rated_at") statement.bind(last_rated_at_);
      if (column == "v.object_id") statement.bind(last_.object.id);
      if (column == "v.object_type") statement.bind(last_.object.type);
      if (column == "v.category") statement.bind(store::number_of(last_.category));
    }
  }
  bind(statement, selection_);
  std::vector<model::RatingKey> keys;
  for (db::Rows row = statement.bind(limit).query(); row.next();) {
    keys.push_back(store::key_in(row));
    last_rated_at_ = row.time(5);
  }
  if (!keys.empty()) last_ = keys.back();
  return keys;
}

AggregateScan::AggregateScan(const std::string& table_prefix, Selection selection)
    : selection_(std::move(selection)), read_(aggregates_text(table_prefix, selection_)) {}

std::vector<rollups::Aggregate> AggregateScan::next(db::Connection& connection,
                                                    std::int64_t limit) {
  if (selection_.voter) return {};
  db::Statement& statement = connection.prepare(read_);
  for (int columns = 1; columns <= 5; ++columns) {
    statement.bind(last_.object.id);
    if (columns > 1) statement.bind(last_.object.type);
    if (columns > 2) statement.bind(store::number_of(last_.category));
    if (columns > 3) statement.bind(last_.day);
    if (columns > 4) statement.bind(last_.source);
  }
  bind(statement, selection_);
  std::vector<rollups::Aggregate> aggregates;
  for (db::Rows row = statement.bind(limit).query(); row.next();) {
    aggregates.push_back(rollups::aggregate_in(row));
  }
  if (!aggregates.empty()) last_ = aggregates.back().key;
  return aggregates;
}

}  // namespace transfer
