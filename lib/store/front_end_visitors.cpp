#include "store/front_end_visitors.h"

#include <set>

#include "db/transaction.h"

namespace store {
namespace {

using model::FrontEndVisitor;
using model::VoterId;

constexpr std::int64_t kSlice = 500;

void bind_visitor(db::Statement& statement, const FrontEndVisitor& visitor) {
  statement.bind(visitor.issuer, visitor.subject);
}

VoterId voter_in(const db::Rows& row) { return row.unsigned_integer(1); }

FrontEndVisitor visitor_in(const db::Rows& row) { return {row.text(2), row.text(3)}; }

}  // namespace

FrontEndVisitorStore::FrontEndVisitorStore(const std::string& table_prefix)
    : find_voters_({"SELECT voter, issuer, subject FROM " + table_prefix +
                        "ratingd_visitors FORCE INDEX (by_name) WHERE ",
                    "(issuer = ? AND subject = ?)", " OR ", ""}),
      find_visitors_(db::where_in("SELECT voter, issuer, subject FROM " + table_prefix +
                                  "ratingd_visitors FORCE INDEX (PRIMARY) WHERE voter")),
      add_(db::insert_or_update(table_prefix + "ratingd_visitors",
                                "voter, issuer, subject, created_at", 4, "voter = voter")),
      lock_(db::where_in("SELECT voter FROM " + table_prefix +
                             "ratingd_visitors FORCE INDEX (PRIMARY) WHERE voter",
                         " FOR UPDATE")),
      remove_(db::where_in("DELETE FROM " + table_prefix + "ratingd_visitors WHERE voter")),
      find_rated_(db::where_in("SELECT DISTINCT voter FROM " + table_prefix +
                               "ratingd_votes FORCE INDEX (by_voter) WHERE voter")),
      read_slice_("SELECT voter FROM " + table_prefix +
                  "ratingd_visitors FORCE INDEX (PRIMARY) WHERE voter > ? ORDER BY voter LIMIT " +
                  std::to_string(kSlice)) {}

std::optional<VoterId> FrontEndVisitorStore::find(db::Connection& connection,
                                                  const FrontEndVisitor& visitor) const {
  const Voters voters = voters_of(connection, {&visitor, 1});
  if (voters.empty()) return std::nullopt;
  return voters.begin()->second;
}

FrontEndVisitorStore::Voters FrontEndVisitorStore::voters_of(
    db::Connection& connection, std::span<const FrontEndVisitor> visitors) const {
  Voters voters;
  find_voters_.query(connection, visitors, bind_visitor, [&](const db::Rows& row) {
    voters[visitor_in(row)] = row.unsigned_integer(1);
  });
  return voters;
}

void FrontEndVisitorStore::add_read(db::Connection& connection,
                                    std::span<const FrontEndVisitor> visitors) const {
  find_voters_.execute(connection, visitors, bind_visitor);
}

FrontEndVisitorStore::Voters FrontEndVisitorStore::voters_in(db::Rows& rows) {
  Voters voters;
  while (rows.next()) voters[visitor_in(rows)] = rows.unsigned_integer(1);
  return voters;
}

FrontEndVisitorStore::Visitors FrontEndVisitorStore::of_voters(
    db::Connection& connection, std::span<const VoterId> voters) const {
  Visitors visitors;
  find_visitors_.query(connection, voters, [&](const db::Rows& row) {
    visitors[row.unsigned_integer(1)] = visitor_in(row);
  });
  return visitors;
}

void FrontEndVisitorStore::add(db::Connection& connection,
                               std::span<const FrontEndVisitorRow> rows) const {
  add_.execute(connection, rows, [](db::Statement& statement, const FrontEndVisitorRow& row) {
    statement.bind(row.voter, row.visitor.issuer, row.visitor.subject, row.created_at);
  });
}

std::size_t FrontEndVisitorStore::remove_unused(db::Connection& connection,
                                                std::span<const VoterId> voters) const {
  const std::vector<VoterId> candidates = without_ratings(connection, voters);
  if (candidates.empty()) return 0;
  return db::in_transaction(connection, [&] {
    std::vector<VoterId> locked;
    lock_.query(connection, candidates,
                [&](const db::Rows& row) { locked.push_back(row.unsigned_integer(1)); });
    const std::vector<VoterId> unused = without_ratings(connection, locked);
    remove(connection, unused);
    return unused.size();
  });
}

std::size_t FrontEndVisitorStore::remove_all_unused(db::Connection& connection) const {
  std::size_t removed = 0;
  VoterId last = 0;
  for (;;) {
    const std::vector<VoterId> voters = connection.query(read_slice_, last).all(voter_in);
    if (voters.empty()) return removed;
    removed += remove_unused(connection, voters);
    last = voters.back();
  }
}

// Those of "voters" who have no rating, not even a held one.
std::vector<VoterId> FrontEndVisitorStore::without_ratings(db::Connection& connection,
                                                           std::span<const VoterId> voters) const {
  std::set<VoterId> unused(voters.begin(), voters.end());
  find_rated_.query(connection, voters,
                    [&](const db::Rows& row) { unused.erase(row.unsigned_integer(1)); });
  return {unused.begin(), unused.end()};
}

}  // namespace store
