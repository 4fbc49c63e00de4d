#include "store/front_end_visitors.h"

#include <set>

#include "db/bulk_statement.h"
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

constexpr db::BulkStatement kFindVoters(
    {"SELECT voter, issuer, subject FROM {prefix}ratingd_visitors FORCE INDEX (by_name) WHERE ",
     "(issuer = ? AND subject = ?)", " OR ", ""});
constexpr db::BulkStatement kFindVisitors(
    {"SELECT voter, issuer, subject FROM {prefix}ratingd_visitors FORCE INDEX (PRIMARY)"
     " WHERE voter IN (",
     "?", ",", ")"});
constexpr db::BulkStatement kAddVisitors(
    {"INSERT INTO {prefix}ratingd_visitors (voter, issuer, subject, created_at) VALUES ",
     "(?,?,?,?)", ",", " ON DUPLICATE KEY UPDATE voter = voter"});
constexpr db::BulkStatement kLockVisitors(
    {"SELECT voter FROM {prefix}ratingd_visitors FORCE INDEX (PRIMARY) WHERE voter IN (", "?", ",",
     ") FOR UPDATE"});
constexpr db::BulkStatement kRemoveVisitors(
    {"DELETE gone FROM {prefix}ratingd_visitors AS gone FORCE INDEX (PRIMARY) WHERE voter IN (",
     "?", ",", ")"});
constexpr db::BulkStatement kFindRated(
    {"SELECT DISTINCT voter FROM {prefix}ratingd_votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});

// Returns the voters in "voters" who have neither counted nor held ratings.
std::vector<VoterId> without_ratings(db::Connection& connection, std::span<const VoterId> voters) {
  std::set<VoterId> unused(voters.begin(), voters.end());
  kFindRated.query(connection, voters,
                   [&](const db::Rows& row) { unused.erase(row.unsigned_integer(1)); });
  return {unused.begin(), unused.end()};
}

}  // namespace

std::optional<VoterId> find_voter(db::Connection& connection, const FrontEndVisitor& visitor) {
  const VotersByVisitor voters = voters_of(connection, {&visitor, 1});
  if (voters.empty()) return std::nullopt;
  return voters.begin()->second;
}

VotersByVisitor voters_of(db::Connection& connection, std::span<const FrontEndVisitor> visitors) {
  VotersByVisitor voters;
  kFindVoters.query(connection, visitors, bind_visitor, [&](const db::Rows& row) {
    voters[visitor_in(row)] = row.unsigned_integer(1);
  });
  return voters;
}

void add_read_voters(db::Connection& connection, std::span<const FrontEndVisitor> visitors) {
  kFindVoters.execute(connection, visitors, bind_visitor);
}

VotersByVisitor voters_in(db::Rows& rows) {
  VotersByVisitor voters;
  while (rows.next()) voters[visitor_in(rows)] = rows.unsigned_integer(1);
  return voters;
}

VisitorsByVoter visitors_of(db::Connection& connection, std::span<const VoterId> voters) {
  VisitorsByVoter visitors;
  kFindVisitors.query(connection, voters, [&](const db::Rows& row) {
    visitors[row.unsigned_integer(1)] = visitor_in(row);
  });
  return visitors;
}

void add_visitors(db::Connection& connection, std::span<const FrontEndVisitorRow> rows) {
  kAddVisitors.execute(
      connection, rows, [](db::Statement& statement, const FrontEndVisitorRow& row) {
        statement.bind(row.voter, row.visitor.issuer, row.visitor.subject, row.created_at);
      });
}

void remove_visitors(db::Connection& connection, std::span<const VoterId> voters) {
  kRemoveVisitors.execute(connection, voters);
}

std::size_t remove_unused_visitors(db::Connection& connection, std::span<const VoterId> voters) {
  const std::vector<VoterId> candidates = without_ratings(connection, voters);
  if (candidates.empty()) return 0;
  return db::in_transaction(connection, [&] {
    std::vector<VoterId> locked;
    kLockVisitors.query(connection, candidates,
                        [&](const db::Rows& row) { locked.push_back(row.unsigned_integer(1)); });
    const std::vector<VoterId> unused = without_ratings(connection, locked);
    remove_visitors(connection, unused);
    return unused.size();
  });
}

std::size_t remove_all_unused_visitors(db::Connection& connection) {
  std::size_t removed = 0;
  VoterId last = 0;
  for (;;) {
    const std::vector<VoterId> voters =
        connection
            .query(
                "SELECT voter FROM {prefix}ratingd_visitors FORCE INDEX (PRIMARY) WHERE voter > ?"
                " ORDER BY voter LIMIT ?",
                last, kSlice)
            .all(voter_in);
    if (voters.empty()) return removed;
    removed += remove_unused_visitors(connection, voters);
    last = voters.back();
  }
}

}  // namespace store
