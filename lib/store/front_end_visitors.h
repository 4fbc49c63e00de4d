#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"

namespace store {

// A row in the ratingd_visitors table.
struct FrontEndVisitorRow {
  model::VoterId voter = 0;
  model::FrontEndVisitor visitor;
  base::Time created_at;
};

// DESIGN. For each visitor of a front end, the ratingd_visitors table stores the voter id under
// which the visitor votes. The voter id of a front-end visitor is computed from the visitor's name
// and a key. Because the key may be replaced, a stored id takes precedence over a newly computed
// id. Each transaction that stores a visitor's rating first adds the visitor's row if the row is
// missing, and then reads the voter id from the row. If the stored voter id differs from the
// computed voter id, the transaction is rolled back and repeated with the stored id. Each visitor
// therefore has only one voter id, even if two hosts have computed different ids. Code that only
// reads never adds a row to the ratingd_visitors table.
//
// Visitors' rows are locked after the rows of voters and votes. A transaction that has locked the
// voter's row and found no ratings deletes the visitor's row with remove_visitors(). A transaction
// that has not locked the voter's row uses remove_unused_visitors(), which first locks the
// visitor's row and then searches for ratings. If a rating is stored during the search, either the
// search finds the rating, or the transaction that stores the rating waits and then adds the
// visitor's row again.
//
// The rows are not cached, because find_voter() reads one row by a unique key. All functions throw
// the same exceptions as db::Connection.

using VotersByVisitor = std::map<model::FrontEndVisitor, model::VoterId>;
using VisitorsByVoter = std::map<model::VoterId, model::FrontEndVisitor>;

// Returns the voter for "visitor", or nothing if the ratingd_visitors table has no row for the
// visitor.
[[nodiscard]] std::optional<model::VoterId> find_voter(db::Connection& connection,
                                                       const model::FrontEndVisitor& visitor);
// Returns the stored voter ids of several visitors. Omits visitors who have no row in the
// ratingd_visitors table.
[[nodiscard]] VotersByVisitor voters_of(db::Connection& connection,
                                        std::span<const model::FrontEndVisitor> visitors);
// Read the visitors' voter ids as part of a multi-statement (db/multi_statement.h). The function
// add_read_voters() adds the SELECT statement, and voters_in() reads the rows that the statement
// returns. "visitors" must not be empty.
void add_read_voters(db::Connection& connection, std::span<const model::FrontEndVisitor> visitors);
[[nodiscard]] VotersByVisitor voters_in(db::Rows& rows);

// Returns the front-end visitors whose voter ids are in "voters". Omits voters who are not visitors
// of a front end.
[[nodiscard]] VisitorsByVoter visitors_of(db::Connection& connection,
                                          std::span<const model::VoterId> voters);

// Adds each row in "rows", unless a row for the same visitor or the same voter already exists.
// Locks both the added rows and the rows that already existed. "rows" must be sorted by voter, and
// the caller must have begun a transaction.
void add_visitors(db::Connection& connection, std::span<const FrontEndVisitorRow> rows);

// Deletes the rows of the given voters from the ratingd_visitors table. The caller's transaction
// must have locked the voters' rows, and the voters must not have any ratings.
void remove_visitors(db::Connection& connection, std::span<const model::VoterId> voters);

// Checks which of the given voters have no ratings, and deletes the rows of these voters from the
// ratingd_visitors table, in a separate transaction. Returns the number of deleted rows. A call can
// safely be repeated.
std::size_t remove_unused_visitors(db::Connection& connection,
                                   std::span<const model::VoterId> voters);
// Deletes the rows of all visitors who have no ratings, in slices of a few hundred rows.
std::size_t remove_all_unused_visitors(db::Connection& connection);

}  // namespace store
