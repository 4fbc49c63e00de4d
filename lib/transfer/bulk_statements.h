#pragma once

#include <string_view>

#include "db/bulk_statement.h"
#include "store/rating_key_sql.h"

// The SQL statements for operations on many ratings. Servers read lists (a, b) IN ((?,?),(?,?)) in
// half the time of (a = ? AND b = ?) OR (…). But if such a list has only one row, MariaDB scans the
// table for a DELETE or an UPDATE of one table. The form DELETE t FROM … AS t uses the index, as
// SELECT does.
namespace transfer {

inline constexpr db::BulkStatement kLockVotes(
    {"SELECT object_id, object_type, category, voter, value, created_at, rated_at, held"
     " FROM {prefix}ratingd_votes FORCE INDEX (PRIMARY)"
     " WHERE (object_id, object_type, category, voter) IN (",
     "(?,?,?,?)", ",", ") FOR UPDATE"});
inline constexpr std::string_view kInsertVotesHead =
    "INSERT INTO {prefix}ratingd_votes (object_id, object_type, category, voter, value, held,"
    " created_at, rated_at, address) VALUES ";
inline constexpr db::BulkStatement kSaveVotes(
    {kInsertVotesHead, "(?,?,?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE value = VALUES(value),"
     " created_at = LEAST(created_at, VALUES(created_at)), rated_at = VALUES(rated_at),"
     " address = VALUES(address)"});
inline constexpr db::BulkStatement kInsertVotes({kInsertVotesHead, "(?,?,?,?,?,?,?,?,?)", ",",
                                                 " ON DUPLICATE KEY UPDATE voter = VALUES(voter)"});
// Only this form of DELETE can name its index. If the server chose an index itself, the statement
// would take twice as long.
inline constexpr db::BulkStatement kDeleteVotes(
    {"DELETE votes FROM {prefix}ratingd_votes AS votes FORCE INDEX (PRIMARY)"
     " WHERE (object_id, object_type, category, voter) IN (",
     "(?,?,?,?)", ",", ")"});
inline constexpr db::BulkStatement kDeleteVotesOfVoters(
    {"DELETE votes FROM {prefix}ratingd_votes AS votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});
inline constexpr db::BulkStatement kReadVotesOfVoters(
    {"SELECT object_id, object_type, category, voter, value, created_at, rated_at, held"
     " FROM {prefix}ratingd_votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});
inline constexpr db::BulkStatement kFindVoters(
    {"SELECT DISTINCT voter FROM {prefix}ratingd_votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});
inline constexpr db::BulkStatement kEraseAddresses(
    {"UPDATE {prefix}ratingd_votes FORCE INDEX (PRIMARY) SET address = '', agent = 0 WHERE ",
     "(object_id = ? AND object_type = ? AND category = ? AND voter = ?"
     " AND rated_at < ? AND (address <> '' OR agent <> 0))",
     " OR ", ""});

inline constexpr std::string_view kInsertAggregatesHead =
    "INSERT INTO {prefix}ratingd_balances (object_id, object_type, category, day, source, sum,"
    " bin0, bin1, bin2, bin3, bin4, bin5, bin6, bin7, bin8, bin9, bin10, last_rated_at) VALUES ";
inline constexpr db::BulkStatement kMakeAggregates(
    {kInsertAggregatesHead, "(?,?,?,?,?,0,0,0,0,0,0,0,0,0,0,0,0,'1000-01-01')", ",",
     " ON DUPLICATE KEY UPDATE sum = sum"});
inline constexpr std::string_view kSelectAggregatesHead =
    "SELECT object_id, object_type, category, day, source, sum, bin0, bin1, bin2, bin3, bin4,"
    " bin5, bin6, bin7, bin8, bin9, bin10, last_rated_at FROM {prefix}ratingd_balances"
    " FORCE INDEX (PRIMARY) WHERE (object_id, object_type, category, day, source) IN (";
inline constexpr db::BulkStatement kFindAggregates({kSelectAggregatesHead, "(?,?,?,?,?)", ",",
                                                    ")"});
inline constexpr db::BulkStatement kLockAggregates({kSelectAggregatesHead, "(?,?,?,?,?)", ",",
                                                    ") FOR UPDATE"});
inline constexpr db::BulkStatement kSaveAggregates(
    {kInsertAggregatesHead, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE sum = VALUES(sum), bin0 = VALUES(bin0), bin1 = VALUES(bin1),"
     " bin2 = VALUES(bin2), bin3 = VALUES(bin3), bin4 = VALUES(bin4), bin5 = VALUES(bin5),"
     " bin6 = VALUES(bin6), bin7 = VALUES(bin7), bin8 = VALUES(bin8), bin9 = VALUES(bin9),"
     " bin10 = VALUES(bin10), last_rated_at = VALUES(last_rated_at)"});
inline constexpr db::BulkStatement kDeleteAggregates(
    {"DELETE sums FROM {prefix}ratingd_balances AS sums FORCE INDEX (PRIMARY)"
     " WHERE (object_id, object_type, category, day, source) IN (",
     "(?,?,?,?,?)", ",", ")"});

}  // namespace transfer
