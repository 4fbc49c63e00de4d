#pragma once

#include <cstddef>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "store/rating_key_sql.h"

namespace store {

// DESIGN. Stores the reasons that voters give for low votes. A vote has a reason if a row in the
// ratingd_reasons table contains the vote's key and time. A transaction that writes or deletes
// votes locks the votes and also writes or deletes their reasons. Rows in the ratingd_reasons table
// need no separate lock, because their votes are locked. Version 0.2 workers may have left reasons
// without a vote. All functions throw the same exceptions as db::Connection.

// A reason and the timestamp of its vote.
struct ReasonRow {
  base::Time rated_at;
  std::string reason;
};

// The SQL clause that joins the reasons table, with the alias "r", to the votes table, whose alias
// must be "v". If a vote has no reason, "r.reason" is null.
inline constexpr std::string_view kJoinReasons =
    " LEFT JOIN {prefix}ratingd_reasons r ON r.object_id = v.object_id"
    " AND r.object_type = v.object_type AND r.category = v.category AND r.voter = v.voter"
    " AND r.rated_at = v.rated_at";

// Returns the reasons for "ratings". Omits ratings without a reason. Executes no SQL statement if
// no rating is low.
[[nodiscard]] std::map<model::RatingKey, std::string> reasons_of(
    db::Connection& connection, std::span<const model::Rating> ratings);

void save_reasons(db::Connection& connection, const std::map<model::RatingKey, ReasonRow>& rows);

[[nodiscard]] bool has_reasons(db::Connection& connection);
inline constexpr db::BulkStatement kDeleteReasons({"DELETE FROM {prefix}ratingd_reasons WHERE ",
                                                   kOfRatingKey, " OR ", ""});

// Deletes the reasons for the votes in "keys", which is a range of rating keys or a map with rating
// keys. Executes only one fast SQL statement if no reasons are stored.
template <typename Keys>
void remove_reasons(db::Connection& connection, const Keys& keys) {
  if (std::ranges::empty(keys) || !has_reasons(connection)) return;
  kDeleteReasons.execute(connection, keys, bind_key);
}

// Deletes the reasons without a vote and returns the number of deleted reasons.
std::size_t remove_unused_reasons(db::Connection& connection);

}  // namespace store
