#include "store/reasons.h"

#include <utility>
#include <vector>

#include "db/transaction.h"
#include "model/rating.h"

namespace store {
namespace {

using model::Rating;
using model::RatingKey;

constexpr std::int64_t kUnusedAtOnce = 500;

constexpr db::BulkStatement kReadReasons(
    {"SELECT object_id, object_type, category, voter, rated_at, reason"
     " FROM {prefix}ratingd_reasons FORCE INDEX (PRIMARY) WHERE ",
     kOfRatingKey, " OR ", ""});
constexpr db::BulkStatement kSaveReasons(
    {"INSERT INTO {prefix}ratingd_reasons (object_id, object_type, category, voter, rated_at,"
     " reason) VALUES ",
     "(?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE rated_at = VALUES(rated_at), reason = VALUES(reason)"});
constexpr db::BulkStatement kDeleteReasonsAt(
    {"DELETE FROM {prefix}ratingd_reasons WHERE ",
     "(object_id = ? AND object_type = ? AND category = ? AND voter = ? AND rated_at = ?)", " OR ",
     ""});

using ReasonPosition = std::pair<RatingKey, base::Time>;

}  // namespace

std::map<RatingKey, std::string> reasons_of(db::Connection& connection,
                                            std::span<const Rating> ratings) {
  std::map<RatingKey, base::Time> times;
  for (const Rating& rating : ratings) {
    if (model::is_low(rating.key.category, rating.value)) times[rating.key] = rating.rated_at;
  }
  std::map<RatingKey, std::string> reasons;
  kReadReasons.query(connection, times, bind_key, [&](const db::Rows& row) {
    RatingKey key = key_in(row);
    if (times.at(key) == row.time(5)) reasons[std::move(key)] = row.text(6);
  });
  return reasons;
}

void save_reasons(db::Connection& connection, const std::map<RatingKey, ReasonRow>& rows) {
  kSaveReasons.execute(connection, rows, [](db::Statement& statement, const auto& row) {
    bind_key(statement, row.first);
    statement.bind(row.second.rated_at, row.second.reason);
  });
}

bool has_reasons(db::Connection& connection) {
  return connection.query("SELECT 1 FROM {prefix}ratingd_reasons LIMIT 1").next();
}

// Deletes unused reasons in slices. A reason is kept if its time has changed since the slice was
// read, because the voter may have given a new reason.
std::size_t remove_unused_reasons(db::Connection& connection) {
  std::size_t removed = 0;
  for (;;) {
    const std::vector<ReasonPosition> unused =
        connection
            .query(
                "SELECT r.object_id, r.object_type, r.category, r.voter, r.rated_at"
                " FROM {prefix}ratingd_reasons r LEFT JOIN {prefix}ratingd_votes v"
                " ON v.object_id = r.object_id AND v.object_type = r.object_type"
                " AND v.category = r.category AND v.voter = r.voter AND v.rated_at = r.rated_at"
                " WHERE v.voter IS NULL LIMIT ?",
                kUnusedAtOnce)
            .all([](const db::Rows& row) { return ReasonPosition(key_in(row), row.time(5)); });
    if (unused.empty()) return removed;
    removed += db::in_transaction(connection, [&] {
      return kDeleteReasonsAt.execute(connection, unused,
                                      [](db::Statement& statement, const ReasonPosition& position) {
                                        bind_key(statement, position.first);
                                        statement.bind(position.second);
                                      });
    });
  }
}

}  // namespace store
