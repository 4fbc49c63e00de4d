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

// DESIGN. The reasons for low votes. A vote has one if there is a row with its key and its time.
// Each transaction that writes or deletes votes also does so with their rows, after it has locked
// the votes. So these rows need no lock of their own, and a row that a worker of 0.2 has left
// behind belongs to no vote. Errors of all functions: as db::Connection.

// A reason and the time of the vote that it belongs to.
struct ReasonRow {
  base::Time rated_at;
  std::string reason;
};

// Joins the reasons, as "r", to the votes "v": "r.reason" is null without one.
inline constexpr std::string_view kJoinReasons =
    " LEFT JOIN {prefix}ratingd_reasons r ON r.object_id = v.object_id"
    " AND r.object_type = v.object_type AND r.category = v.category AND r.voter = v.voter"
    " AND r.rated_at = v.rated_at";

// The reasons of those of "ratings" that have one. Runs no statement if none is low.
[[nodiscard]] std::map<model::RatingKey, std::string> reasons_of(
    db::Connection& connection, std::span<const model::Rating> ratings);

void save_reasons(db::Connection& connection, const std::map<model::RatingKey, ReasonRow>& rows);

[[nodiscard]] bool has_reasons(db::Connection& connection);
inline constexpr db::BulkStatement kDeleteReasons({"DELETE FROM {prefix}ratingd_reasons WHERE ",
                                                   kOfRatingKey, " OR ", ""});

// Deletes the rows of "keys", a range of keys or a map of them. On sites without reasons this is
// one cheap statement.
template <typename Keys>
void remove_reasons(db::Connection& connection, const Keys& keys) {
  if (std::ranges::empty(keys) || !has_reasons(connection)) return;
  kDeleteReasons.execute(connection, keys, bind_key);
}

// Deletes the rows that belong to no vote, and returns their number.
std::size_t remove_unused_reasons(db::Connection& connection);

}  // namespace store
