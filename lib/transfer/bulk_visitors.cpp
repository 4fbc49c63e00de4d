// The part of BulkRatings that knows visitors of other front ends.

#include <algorithm>
#include <iterator>
#include <map>

#include "transfer/bulk_ratings.h"

namespace transfer {

using model::FrontEndVisitor;
using model::VoterId;

// "given", with the ratings of each visitor under the one voter that the visitor is: the stored
// one, else the first of "given". "changed" holds the result if it differs.
std::span<const StoredRating> BulkRatings::of_stored_voters(
    db::Connection& connection, std::span<const StoredRating> given,
    std::vector<StoredRating>& changed) const {
  std::set<FrontEndVisitor> names;
  for (const StoredRating& rating : given) {
    if (rating.visitor) names.insert(*rating.visitor);
  }
  if (names.empty()) return given;
  const auto rows = db::rows_of(names);
  store::FrontEndVisitorStore::Voters voters = votes_.visitors.voters_of(connection, rows);
  changed.assign(given.begin(), given.end());
  for (StoredRating& rating : changed) {
    if (rating.visitor) {
      rating.key.voter = voters.emplace(*rating.visitor, rating.key.voter).first->second;
    }
  }
  return changed;
}

// Adds the rows of the visitors whose ratings are among "winners" or "stored". Errors: Conflict -
// another session has added one with another voter.
void BulkRatings::save_visitors(db::Connection& connection, std::span<const StoredRating> ratings,
                                const Winners& winners, const Votes& stored) const {
  std::map<VoterId, store::FrontEndVisitorRow> visitors;
  for (const StoredRating& rating : ratings) {
    if (!rating.visitor || !(winners.contains(rating.key) || stored.contains(rating.key))) continue;
    visitors.emplace(rating.key.voter, store::FrontEndVisitorRow{rating.key.voter, *rating.visitor,
                                                                 rating.created_at});
  }
  if (visitors.empty()) return;
  std::vector<store::FrontEndVisitorRow> rows;
  std::vector<FrontEndVisitor> names;
  for (const auto& [voter, row] : visitors) {
    rows.push_back(row);
    names.push_back(row.visitor);
  }
  votes_.visitors.add(connection, rows);
  const store::FrontEndVisitorStore::Voters voters = votes_.visitors.voters_of(connection, names);
  for (const store::FrontEndVisitorRow& row : rows) {
    const auto found = voters.find(row.visitor);
    // A voter who is another visitor already stays that one.
    if (found != voters.end() && found->second != row.voter) {
      throw db::Conflict(0, "a visitor is another voter");
    }
  }
}

// Deletes the rows of voters without votes, which are locked.
void BulkRatings::delete_visitors(db::Connection& connection, const Voters& voters) const {
  std::vector<VoterId> anonymous;
  std::ranges::copy_if(voters, std::back_inserter(anonymous), model::is_anonymous);
  votes_.visitors.remove(connection, anonymous);
}

}  // namespace transfer
