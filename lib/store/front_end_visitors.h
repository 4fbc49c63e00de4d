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

// A row in the table ratingd_visitors.
struct FrontEndVisitorRow {
  model::VoterId voter = 0;
  model::FrontEndVisitor visitor;
  base::Time created_at;
};

// DESIGN. Stores the anonymous voter for each visitor of a front end. The voter id of a new visitor
// is computed from the visitor's name and a key that may be replaced. So if a row with the visitor
// is stored, the row determines the voter id. Each transaction that stores a visitor's rating first
// adds the visitor's row if the row is missing, and then reads the voter id from the row. If the
// row contains a different voter id, the transaction is rolled back and repeated with this voter
// id. So a visitor has only one voter id, even if the caller has computed a different id, and even
// if the row was deleted before the transaction. Read-only code never adds a row.
//
// Visitors' rows are locked after the rows of voters and votes. If a transaction has locked a voter
// without ratings, it deletes the visitor's row with remove_visitors(). All other callers use
// remove_unused_visitors(), which first locks the visitor's row and then searches for ratings. If a
// rating is stored during the search, either the search finds the rating, or the transaction for
// the rating waits and then adds the visitor's row again.
//
// The rows are not cached, because find_voter() reads one row by a unique key. All functions throw
// the same exceptions as db::Connection.

using VotersByVisitor = std::map<model::FrontEndVisitor, model::VoterId>;
using VisitorsByVoter = std::map<model::VoterId, model::FrontEndVisitor>;

// Returns the voter for "visitor", or nothing if no row with the visitor is stored.
[[nodiscard]] std::optional<model::VoterId> find_voter(db::Connection& connection,
                                                       const model::FrontEndVisitor& visitor);
// Returns the voters for several visitors. Omits visitors without a row.
[[nodiscard]] VotersByVisitor voters_of(db::Connection& connection,
                                        std::span<const model::FrontEndVisitor> visitors);
// Two functions that read voters in a multi-statement (db/multi_statement.h). The function
// add_read_voters() adds a statement for "visitors", which must not be empty. The function
// voters_in() reads the rows that the statement returns.
void add_read_voters(db::Connection& connection, std::span<const model::FrontEndVisitor> visitors);
[[nodiscard]] VotersByVisitor voters_in(db::Rows& rows);

// Returns the visitors whose voters are in "voters". Omits voters who are not visitors of a front
// end.
[[nodiscard]] VisitorsByVoter visitors_of(db::Connection& connection,
                                          std::span<const model::VoterId> voters);

// Adds each row whose visitor and voter have no row yet, and locks the existing rows. "rows" must
// be sorted by voter, and the caller must have begun a transaction.
void add_visitors(db::Connection& connection, std::span<const FrontEndVisitorRow> rows);

// Deletes the visitors' rows of "voters". The caller's transaction must have locked the voters'
// rows, and the voters must not have any ratings.
void remove_visitors(db::Connection& connection, std::span<const model::VoterId> voters);

// Deletes the visitors' rows of all voters in "voters" who have no ratings, in a separate
// transaction. Returns the number of deleted rows. The call may be repeated.
std::size_t remove_unused_visitors(db::Connection& connection,
                                   std::span<const model::VoterId> voters);
// Deletes the rows of all visitors who have no ratings, in slices of a few hundred rows.
std::size_t remove_all_unused_visitors(db::Connection& connection);

}  // namespace store
