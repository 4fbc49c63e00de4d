#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "model/front_end_visitor.h"
#include "model/rating.h"

namespace store {

// A row of visitors.
struct FrontEndVisitorRow {
  model::VoterId voter = 0;
  model::FrontEndVisitor visitor;
  base::Time created_at;
};

// DESIGN. Which anonymous voter each visitor of another front end is. The number of a new visitor
// is computed from the name with a key that may be replaced, so the stored row decides: a visitor
// with a row is that voter. Reading adds no row. Each transaction that stores a rating of a visitor
// adds the row if it is missing, and reads which voter the visitor is. If that is another one, the
// transaction is rolled back and repeated for that voter. So a visitor has one voter, whichever
// number the caller has computed, and also if the row was deleted meanwhile.
//
// Rows of visitors are locked after the rows of voters and votes. A transaction that has locked a
// voter without ratings deletes the visitor's row with remove_visitors(). All others use
// remove_unused_visitors(), which locks the visitor's row first and then looks for ratings: a
// rating that is stored at the same moment is found, or waits and adds the row again.
//
// There is no cache: find_voter() reads one row by a unique key. Errors of all functions: as
// db::Connection.

using VotersByVisitor = std::map<model::FrontEndVisitor, model::VoterId>;
using VisitorsByVoter = std::map<model::VoterId, model::FrontEndVisitor>;

// The voter of "visitor"; nothing: there is no row.
[[nodiscard]] std::optional<model::VoterId> find_voter(db::Connection& connection,
                                                       const model::FrontEndVisitor& visitor);
// The same for many; visitors without a row are omitted.
[[nodiscard]] VotersByVisitor voters_of(db::Connection& connection,
                                        std::span<const model::FrontEndVisitor> visitors);
// The same in two steps, while statements are collected (db/multi_statement.h): adds a statement
// for "visitors", which must not be empty, and reads its rows.
void add_read_voters(db::Connection& connection, std::span<const model::FrontEndVisitor> visitors);
[[nodiscard]] VotersByVisitor voters_in(db::Rows& rows);

// The visitors that are "voters"; other voters are omitted.
[[nodiscard]] VisitorsByVoter visitors_of(db::Connection& connection,
                                          std::span<const model::VoterId> voters);

// Adds those of "rows" whose visitor and voter have no row yet, and locks the rows of the others.
// REQUIRES: the order of voters; the caller's transaction.
void add_visitors(db::Connection& connection, std::span<const FrontEndVisitorRow> rows);

// Deletes the rows of "voters". REQUIRES: the caller's transaction has locked the rows of these
// voters, and they have no ratings.
void remove_visitors(db::Connection& connection, std::span<const model::VoterId> voters);

// Deletes the rows of those of "voters" who have no ratings, in a transaction of its own. Returns
// their number. Repeating it is safe.
std::size_t remove_unused_visitors(db::Connection& connection,
                                   std::span<const model::VoterId> voters);
// As above, for all visitors, in slices of a few hundred.
std::size_t remove_all_unused_visitors(db::Connection& connection);

}  // namespace store
