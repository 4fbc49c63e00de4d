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

// DESIGN. Stores the anonymous voter for each visitor from another front end. The voter id of a new
// visitor is computed from the visitor's name with a key that may be replaced. So the stored row
// decides. A visitor who has a row is the voter in that row. Reading never adds a row. Each
// transaction that stores a visitor's rating adds the row if it is missing and then reads the voter
// from the row. If the row contains a different voter, the transaction is rolled back and repeated
// for that voter. So a visitor has one voter, even if the caller has computed a different id, and
// even if the row was deleted in the meantime.
//
// Visitors' rows are locked after the rows of voters and votes. A transaction that has locked a
// voter without ratings deletes the visitor's row with remove_visitors(). All other callers use
// remove_unused_visitors(), which locks the visitor's row first and then looks for ratings. If a
// rating is stored at the same moment, either this search finds the rating, or the rating's
// transaction waits and then adds the row again.
//
// There is no cache, because find_voter() reads one row by a unique key. Errors (all functions):
// same as db::Connection.

using VotersByVisitor = std::map<model::FrontEndVisitor, model::VoterId>;
using VisitorsByVoter = std::map<model::VoterId, model::FrontEndVisitor>;

// Returns the voter for "visitor", or nothing if there is no row.
[[nodiscard]] std::optional<model::VoterId> find_voter(db::Connection& connection,
                                                       const model::FrontEndVisitor& visitor);
// Returns the voters for several visitors. Visitors without a row are omitted.
[[nodiscard]] VotersByVisitor voters_of(db::Connection& connection,
                                        std::span<const model::FrontEndVisitor> visitors);
// These two functions do the same as voters_of() while statements are collected
// (db/multi_statement.h). The first function adds a statement for "visitors", which must not be
// empty. The second function reads this statement's rows.
void add_read_voters(db::Connection& connection, std::span<const model::FrontEndVisitor> visitors);
[[nodiscard]] VotersByVisitor voters_in(db::Rows& rows);

// Returns the visitors whose voters are in "voters". Omits voters who are not visitors.
[[nodiscard]] VisitorsByVoter visitors_of(db::Connection& connection,
                                          std::span<const model::VoterId> voters);

// Adds each row whose visitor and voter have no row yet, and locks the rows that already exist.
// REQUIRES: "rows" is ordered by voter, and the caller has begun a transaction.
void add_visitors(db::Connection& connection, std::span<const FrontEndVisitorRow> rows);

// Deletes the rows for "voters". REQUIRES: the caller's transaction has locked the rows of these
// voters, and they have no ratings.
void remove_visitors(db::Connection& connection, std::span<const model::VoterId> voters);

// Deletes the rows for voters in "voters" who have no ratings, in a separate transaction. Returns
// the number of deleted rows. Safe to repeat.
std::size_t remove_unused_visitors(db::Connection& connection,
                                   std::span<const model::VoterId> voters);
// Does the same as remove_unused_visitors() for all visitors, in slices of a few hundred.
std::size_t remove_all_unused_visitors(db::Connection& connection);

}  // namespace store
