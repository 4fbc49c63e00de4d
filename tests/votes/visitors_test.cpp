// Tests the database rows that lib/votes/vote_writer.h writes for visitors from other front ends.

#include <gtest/gtest.h>

#include <thread>

#include "db/transaction.h"
#include "store/front_end_visitors.h"
#include "support/voting.h"

namespace {

using model::Category;
using support::kNoon;
using support::vote;
using support::withdrawal;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

const model::FrontEndVisitor kAnna{"shop", "anna@example.org"};
const model::FrontEndVisitor kBert{"shop", std::string("b\0 \xC3\xA9'\\", 7)};
constexpr model::VoterId kFirst = model::kAnonymousBit | 1;
constexpr model::VoterId kOther = model::kAnonymousBit | 2;

// Returns a vote by a visitor who has a ticket but no row yet.
votes::VoteRequest of(const model::FrontEndVisitor& visitor, votes::VoteRequest request) {
  request.visitor = visitor;
  request.may_be_new = true;
  return request;
}

// Tests votes by visitors from other front ends.
class VisitorVotes : public support::Voting {
 protected:
  std::optional<model::VoterId> voter_of(const model::FrontEndVisitor& visitor) {
    return store::find_voter(connection_, visitor);
  }
  void add(model::VoterId voter, const model::FrontEndVisitor& visitor) {
    const store::FrontEndVisitorRow row{voter, visitor, kNoon};
    db::in_transaction(connection_, 1, [&] { store::add_visitors(connection_, {&row, 1}); });
  }
  std::int64_t rows() { return number("SELECT COUNT(*) FROM wp_ratingd_visitors"); }

  db::Connection connection_{database_.endpoint()};
};

TEST_F(VisitorVotes, FirstStoredVoteWritesTheRow) {
  EXPECT_EQ(voter_of(kAnna), std::nullopt);
  ASSERT_TRUE(writer_.write(of(kAnna, vote(kFirst, 1000))));
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_visitors WHERE issuer = 'shop' AND"
                   " created_at = '2026-11-21 12:00:00'"),
            1);
  expect_verified();
}

TEST_F(VisitorVotes, LaterVotesKeepTheRow) {
  ASSERT_TRUE(writer_.write(of(kAnna, vote(kFirst, 1000))));
  const auto result = writer_.write(of(kAnna, support::at(kNoon + 1h, vote(kFirst, 0))));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->previous, 1000);
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_visitors WHERE created_at ="
                   " '2026-11-21 12:00:00'"),
            1);
}

TEST_F(VisitorVotes, SubjectsAreKeptByteForByte) {
  const model::FrontEndVisitor spaced{"shop", kBert.subject + " "};
  const model::FrontEndVisitor capital{"shop", "Anna@example.org"};
  const model::FrontEndVisitor elsewhere{"Shop", kAnna.subject};
  std::vector<votes::VoteRequest> requests;
  model::VoterId voter = kFirst;
  for (const auto& visitor : {kAnna, kBert, spaced, capital, elsewhere}) {
    requests.push_back(of(visitor, vote(voter++, 1000)));
  }
  for (const auto& result : writer_.write_all(requests)) ASSERT_TRUE(result);
  for (const votes::VoteRequest& request : requests) {
    EXPECT_EQ(voter_of(*request.visitor), request.key.voter) << request.visitor->subject;
  }
  const std::vector<model::VoterId> asked = {kOther, kFirst, 7, voter};
  EXPECT_EQ(store::visitors_of(connection_, asked),
            (store::VisitorsByVoter{{kFirst, kAnna}, {kOther, kBert}}));
}

TEST_F(VisitorVotes, ReadingAndRefusedVotesLeaveNoRow) {
  EXPECT_EQ(voter_of(kAnna), std::nullopt);
  EXPECT_EQ(writer_.write(of(kAnna, withdrawal(kFirst)))->outcome, Outcome::nothing_stored);
  EXPECT_EQ(rows(), 0);
  // A rejected vote does not add a row for its visitor, even if the same batch stores another
  // visitor's vote.
  votes::VoteRequest first = of(kAnna, vote(kFirst, 1000));
  votes::VoteRequest refused = of(kBert, vote(kOther, 1000));
  refused.rules.new_voters.limit = 1;
  refused.rules.new_voters.counter = std::string(12, 'n');
  refused.rules.new_voters.ends_at = votes::window_end(kNoon, 1h);
  votes::VoteRequest last_use = vote(model::kAnonymousBit | 3, 1000);
  last_use.rules.new_voters = refused.rules.new_voters;
  const auto results = writer_.write_all({last_use, first, refused});
  ASSERT_TRUE(results[2]);
  EXPECT_EQ(results[2]->outcome, Outcome::too_many_new_voters);
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(voter_of(kBert), std::nullopt);
  expect_verified();
}

TEST_F(VisitorVotes, StoredRowDecidesWhoseVoteItIs) {
  add(kOther, kAnna);
  ASSERT_TRUE(writer_.write(of(kAnna, vote(kOther, 0))));
  const auto result = writer_.write(of(kAnna, support::at(kNoon + 1h, vote(kFirst, 1000))));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->voter, kOther);
  EXPECT_EQ(result->previous, 0);
  EXPECT_EQ(totals(*result, Category::binary).total(), 1);
  EXPECT_EQ(result->stats, stored_stats());
  EXPECT_EQ(voter_of(kAnna), kOther);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 1);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters"), 1);
  expect_verified();
}

TEST_F(VisitorVotes, OtherVotesOfTheBatchAreCountedOnce) {
  add(kOther, kAnna);
  const auto results = writer_.write_all(
      {of(kAnna, vote(kFirst, 1000)), vote(7, 1000), support::newcomer(9, 0), withdrawal(8)});
  for (const auto& result : results) ASSERT_TRUE(result);
  EXPECT_EQ(results[0]->voter, kOther);
  EXPECT_EQ(totals(*results[0], Category::binary).total(), 3);
  expect_verified();
}

TEST_F(VisitorVotes, DifferentNumbersOfOneVisitorInABatchAreOneVoter) {
  const auto results =
      writer_.write_all({of(kAnna, vote(kOther, 0)), of(kAnna, vote(kFirst, 1000))});
  for (const auto& result : results) ASSERT_TRUE(result);
  EXPECT_EQ(results[0]->voter, results[1]->voter);
  EXPECT_EQ(totals(*results[0], Category::binary).total(), 1);
  EXPECT_EQ(rows(), 1);
  expect_verified();
}

TEST_F(VisitorVotes, BatchesWithWithdrawalsCheckTheRowsToo) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  add(kOther, kAnna);
  const auto results = writer_.write_all(
      {withdrawal(7), of(kAnna, vote(kFirst, 1000)), of(kBert, vote(kFirst + 9, 1000))});
  for (const auto& result : results) ASSERT_TRUE(result);
  EXPECT_EQ(results[0]->outcome, Outcome::withdrawn);
  EXPECT_EQ(results[1]->voter, kOther);
  EXPECT_EQ(voter_of(kBert), kFirst + 9);
  EXPECT_EQ(totals(*results[1], Category::binary).total(), 2);
  expect_verified();
}

// Two workers, each with its own database session, store the first votes of the same visitors.
class TwoWriters : public VisitorVotes {
 protected:
  // The second worker assigns voter numbers that are "offset" higher than the first worker's
  // numbers.
  void vote_at_once(model::VoterId offset) {
    votes::VoteWriter second(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
    const auto write = [&](votes::VoteWriter& writer, model::VoterId more) {
      for (model::VoterId i = 0; i < kVisitors; ++i) {
        const model::FrontEndVisitor visitor{"shop", std::to_string(i)};
        const auto result = writer.write(of(visitor, vote(kFirst + i + more, 1000)));
        EXPECT_TRUE(result);
      }
    };
    std::thread other([&] { write(second, offset); });
    write(writer_, 0);
    other.join();
  }
  static constexpr model::VoterId kVisitors = 60;
};

TEST_F(TwoWriters, StoreOneVoterForOneVisitor) {
  vote_at_once(0);
  EXPECT_EQ(rows(), kVisitors);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), kVisitors);
  expect_verified();
}

TEST_F(TwoWriters, WithDifferentKeysStoreOneVoterForOneVisitor) {
  vote_at_once(1000);
  EXPECT_EQ(rows(), kVisitors);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), kVisitors);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes JOIN wp_ratingd_visitors USING (voter)"),
            kVisitors);
  expect_verified();
}

TEST_F(VisitorVotes, WaitsForTheRowThatAnotherSessionAdds) {
  db::Connection other(database_.endpoint());
  db::Transaction transaction(other);
  const store::FrontEndVisitorRow row{kOther, kAnna, kNoon};
  store::add_visitors(other, {&row, 1});
  std::thread waits([&] {
    const auto result = writer_.write(of(kAnna, vote(kFirst, 1000)));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->voter, kOther);
  });
  transaction.commit();
  waits.join();
  EXPECT_EQ(voter_of(kAnna), kOther);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE voter = 9223372036854775810"), 1);
}

TEST_F(VisitorVotes, UnusedRowsAreRemovedAndComeBackWithTheNextVote) {
  ASSERT_TRUE(writer_.write(of(kAnna, vote(kOther, 1000))));
  ASSERT_TRUE(writer_.write(of(kBert, vote(kFirst, 1000))));
  ASSERT_TRUE(writer_.write(of(kAnna, withdrawal(kOther))));
  EXPECT_EQ(store::remove_all_unused_visitors(connection_), 1U);
  EXPECT_EQ(voter_of(kAnna), std::nullopt);
  EXPECT_EQ(voter_of(kBert), kFirst);
  EXPECT_EQ(store::remove_all_unused_visitors(connection_), 0U);
  ASSERT_TRUE(writer_.write(of(kAnna, vote(kOther, 1000))));
  EXPECT_EQ(voter_of(kAnna), kOther);
  expect_verified();
}

TEST_F(VisitorVotes, RowsOfHeldRatingsAreUsed) {
  votes::VoteRequest request = of(kAnna, vote(kFirst, 1000));
  request.agent = 5;
  ASSERT_TRUE(writer_.write(request));
  votes::HeldStore held(caches_);
  EXPECT_EQ(held.hold(connection_, {{vote(kFirst, 0).key, votes::Reasons{1}}}, kNoon), 1U);
  EXPECT_EQ(store::remove_all_unused_visitors(connection_), 0U);
}

// A vote that arrives while its visitor's row is being deleted waits for the deletion, and then
// adds the row again.
TEST_F(VisitorVotes, VoteDuringARemovalHasARowAfterwards) {
  add(kFirst, kAnna);
  db::Connection other(database_.endpoint());
  db::Transaction removal(other);
  other.execute("DELETE FROM wp_ratingd_visitors WHERE voter = " + std::to_string(kFirst));
  std::thread waits([&] { EXPECT_TRUE(writer_.write(of(kAnna, vote(kFirst, 1000)))); });
  removal.commit();
  waits.join();
  EXPECT_EQ(voter_of(kAnna), kFirst);
}

TEST_F(VisitorVotes, ManyRowsAreRemovedInSlices) {
  std::vector<store::FrontEndVisitorRow> rows;
  for (std::uint64_t i = 0; i < 1200; ++i) {
    rows.push_back({kFirst + i, {"shop", std::to_string(i)}, kNoon});
  }
  db::in_transaction(connection_, 1, [&] { store::add_visitors(connection_, rows); });
  ASSERT_TRUE(writer_.write(vote(kFirst + 600, 1000)));
  EXPECT_EQ(store::remove_all_unused_visitors(connection_), 1199U);
  EXPECT_EQ(store::find_voter(connection_, rows[600].visitor), kFirst + 600);
}

}  // namespace
