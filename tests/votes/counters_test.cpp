#include "votes/counters.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "db/migrations.h"
#include "support/voting.h"
#include "votes/rating_loader.h"
#include "votes/vote.h"

namespace {

using support::kNoon;
using support::kUser;
using support::newcomer;
using support::on;
using support::vote;
using support::withdrawal;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

constexpr std::int64_t kLimit = 3;

model::VoterId visitor(std::uint64_t number) { return model::kAnonymousBit | number; }

votes::SharedLimit limit_at(base::Time at, std::string counter = "counter no 1") {
  return {.limit = kLimit, .counter = std::move(counter), .ends_at = votes::window_end(at, 24h)};
}

votes::VoteRequest delayed(std::chrono::microseconds delay, votes::VoteRequest request) {
  request.received_at += delay;
  return request;
}

class VotesUnderRules : public support::Voting {
 protected:
  // Casts "request" with the rules "rules_", and returns the result.
  votes::VoteResult write(votes::VoteRequest request) {
    return writer_.write(ruled(std::move(request))).value();
  }
  Outcome outcome(votes::VoteRequest request) { return write(std::move(request)).outcome; }

  // Returns "request" with "rules_" as its rules. Sets the limits' time windows to match the
  // request's time.
  votes::VoteRequest ruled(votes::VoteRequest request) {
    request.rules = rules_;
    for (votes::SharedLimit* each : {&request.rules.of_address, &request.rules.new_voters}) {
      if (each->limit > 0) each->ends_at = votes::window_end(request.received_at, 24h);
    }
    return request;
  }
  std::int64_t used() { return number("SELECT SUM(used) FROM wp_ratingd_counters"); }
  std::int64_t votes() { return number("SELECT COUNT(*) FROM wp_ratingd_votes"); }

  votes::Rules rules_;
};

class RatingsOfAVoter : public VotesUnderRules {
 protected:
  RatingsOfAVoter() { rules_.max_per_day = kLimit; }
  void use_up() {
    for (std::uint64_t id = 1; id <= kLimit; ++id) {
      ASSERT_EQ(outcome(on(id, vote(kUser, 1000))), Outcome::stored);
    }
  }
};

TEST_F(RatingsOfAVoter, LastOfTheDayIsAllowedAndTheNextRefused) {
  use_up();
  const votes::VoteResult refused = write(on(9, vote(kUser, 1000)));
  EXPECT_EQ(refused.outcome, Outcome::too_many_of_voter);
  EXPECT_EQ(refused.retry_after, 11h);  // until midnight in Berlin
  EXPECT_EQ(outcome(on(9, vote(kUser + 1, 1000))), Outcome::stored);
  EXPECT_EQ(votes(), kLimit + 1);
  expect_verified();
}

class RatingsOfAnAddress : public VotesUnderRules {
 protected:
  RatingsOfAnAddress() { rules_.of_address = limit_at(kNoon); }
  void use_up() {
    for (model::VoterId voter = 1; voter <= kLimit; ++voter) {
      ASSERT_EQ(outcome(vote(voter, 1000)), Outcome::stored);
    }
  }
};

TEST_F(RatingsOfAnAddress, LastIsAllowedAndTheNextOfAnyVoterRefused) {
  use_up();
  for (const model::VoterId voter : {visitor(9), kUser}) {
    const votes::VoteResult refused = write(vote(voter, 1000));
    EXPECT_EQ(refused.outcome, Outcome::too_many_of_address);
    EXPECT_EQ(refused.retry_after, 12h);
  }
  EXPECT_EQ(used(), kLimit);
  EXPECT_EQ(votes(), kLimit);
  expect_verified();
}

TEST_F(RatingsOfAnAddress, NextWindowBeginsAnew) {
  use_up();
  EXPECT_EQ(outcome(delayed(12h - 1us, vote(9, 1000))), Outcome::too_many_of_address);
  EXPECT_EQ(outcome(delayed(12h, vote(9, 1000))), Outcome::stored);
}

// The writer counts a vote against a limit before it checks whether the voter is new.
TEST_F(RatingsOfAnAddress, VotersWhoMayBeNewButAreNotUseUpNothing) {
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(outcome(newcomer(1, i % 2 * 1000)), Outcome::stored);
    EXPECT_EQ(outcome(newcomer(1, i % 2 * 1000)), Outcome::unchanged);
  }
  EXPECT_EQ(used(), 1);
  const auto results = writer_.write_all(
      {ruled(newcomer(1, 1000)), ruled(on(2, newcomer(1, 1000))), ruled(newcomer(2, 1000))});
  for (const auto& result : results) EXPECT_EQ(result.value().outcome, Outcome::stored);
  EXPECT_EQ(used(), 3);
  EXPECT_EQ(outcome(newcomer(3, 1000)), Outcome::too_many_of_address);
  EXPECT_EQ(used(), 3);
  expect_verified();
}

TEST_F(RatingsOfAnAddress, OneBatchTakesNoMoreThanIsLeftInItsOrder) {
  std::vector<votes::VoteRequest> requests;
  for (model::VoterId voter = 9; voter >= 1; --voter) requests.push_back(ruled(vote(voter, 1000)));
  const auto results = writer_.write_all(requests);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i]->outcome, i < kLimit ? Outcome::stored : Outcome::too_many_of_address);
  }
  EXPECT_EQ(used(), kLimit);
  expect_verified();
}

TEST_F(RatingsOfAnAddress, RatingThatIsWithdrawnAndCastAgainInOneBatchIsNew) {
  std::vector<votes::VoteRequest> requests = {vote(1, 1000), withdrawal(1), vote(1, 1000),
                                              vote(1, 0)};
  for (votes::VoteRequest& request : requests) request = ruled(request);
  for (const auto& result : writer_.write_all(requests)) ASSERT_TRUE(result);
  EXPECT_EQ(used(), 2);
}

TEST_F(RatingsOfAnAddress, WritersWhoGetTheLastAtOnceTakeItOnce) {
  rules_.of_address.limit = 40;
  votes::VoteWriter other(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
  std::atomic<int> stored = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (model::VoterId i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (model::VoterId round = 0; round < 8; ++round) {
        votes::VoteWriter& writer = i % 2 == 0 ? writer_ : other;
        const auto result = writer.write(ruled(vote(visitor(i * 8 + round), 1000)));
        if (result && result->outcome == Outcome::stored) ++stored;
        if (result && result->outcome == Outcome::too_many_of_address) ++refused;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, 40);
  EXPECT_EQ(refused, 16 * 8 - 40);
  EXPECT_EQ(used(), 40);
  EXPECT_EQ(stored_stats()[0].total(), 40);
  expect_verified();
}

// Two hosts write batches of votes in random order. Many voters cast the votes on many objects and
// from many addresses.
TEST_F(RatingsOfAnAddress, WritersOfManyAddressesDoNotStopEachOther) {
  rules_.of_address.limit = 1'000'000;
  rules_.new_voters = limit_at(kNoon);
  rules_.new_voters.limit = 1'000'000;
  rules_.max_per_day = 1'000'000;
  votes::VoteWriter other(votes::writer_sessions(database_.endpoint()), caches_, log_,
                          {.deadline = 20s});
  votes::VoteWriter one(votes::writer_sessions(database_.endpoint()), caches_, log_,
                        {.deadline = 20s});
  std::atomic<int> failures = 0;
  const auto write_many = [&](std::uint64_t seed) {
    for (std::uint64_t round = 0; round < 10; ++round) {
      std::vector<votes::VoteRequest> requests;
      for (std::uint64_t i = 0; i < 32; ++i) {
        const std::uint64_t n = (seed * 7919 + round * 104729 + i * 31) % 97;
        requests.push_back(
            ruled(on(n % 11 + 1, vote(visitor(n), (round + i) % 2 == 0 ? 0 : 1000))));
        requests.back().rules.of_address.counter = "address   " + std::to_string(10 + n % 13);
        requests.back().rules.new_voters.counter = "object    " + std::to_string(10 + n % 17);
      }
      votes::VoteWriter& writer = seed % 2 == 0 ? one : other;
      for (const auto& result : writer.write_all(requests)) failures += result ? 0 : 1;
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 8; ++seed) threads.emplace_back(write_many, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(used(), 2 * votes());
  EXPECT_EQ(number("SELECT SUM(ratings) FROM wp_ratingd_voters"), votes());
  expect_verified();
}

class NewVotersOfAnAddress : public VotesUnderRules {
 protected:
  NewVotersOfAnAddress() { rules_.new_voters = limit_at(kNoon); }
};

TEST_F(NewVotersOfAnAddress, LastIsAllowedAndTheNextRefused) {
  for (std::uint64_t i = 1; i <= kLimit; ++i) {
    EXPECT_EQ(outcome(vote(visitor(i), 1000)), Outcome::stored);
  }
  EXPECT_EQ(outcome(vote(visitor(9), 1000)), Outcome::too_many_new_voters);
  EXPECT_EQ(outcome(delayed(12h, vote(visitor(9), 1000))), Outcome::stored);
}

TEST_F(NewVotersOfAnAddress, TwoVoteRequestsOfOneNewVoterAreOne) {
  rules_.new_voters.limit = 1;
  const auto results = writer_.write_all(
      {ruled(newcomer(1, 1000)), ruled(newcomer(1, 0)), ruled(newcomer(3, 1000))});
  EXPECT_EQ(results[0]->outcome, Outcome::stored);
  EXPECT_EQ(results[1]->outcome, Outcome::stored);
  EXPECT_EQ(results[1]->previous, 1000);
  EXPECT_EQ(results[2]->outcome, Outcome::too_many_new_voters);
  EXPECT_EQ(used(), 1);
  EXPECT_EQ(votes(), 1);
  expect_verified();
}

// Counts the rows of each table.
class RefusedVotes : public VotesUnderRules {
 protected:
  std::map<std::string, std::int64_t> rows() {
    std::map<std::string, std::int64_t> rows;
    for (const std::string& table : db::table_names(support::kPrefix)) {
      rows[table] = number("SELECT COUNT(*) FROM " + table);
    }
    return rows;
  }
};

TEST_F(RefusedVotes, AddNoRow) {
  rules_.new_voters = limit_at(kNoon);
  rules_.new_voters.limit = 1;
  rules_.of_address = limit_at(kNoon);
  rules_.of_address.counter = "of addresses";
  rules_.of_address.limit = 3;
  rules_.max_per_day = 5;
  rules_.cooldown = 1s;
  ASSERT_EQ(outcome(newcomer(1, 1000)), Outcome::stored);
  const auto before = rows();
  for (std::uint64_t batch = 0; batch < 100; ++batch) {
    std::vector<votes::VoteRequest> requests;
    for (std::uint64_t i = 0; i < 100; ++i) requests.push_back(newcomer(100 * batch + i + 2, 1000));
    for (votes::VoteRequest& request : requests) request = ruled(std::move(request));
    for (const auto& result : writer_.write_all(std::move(requests))) {
      ASSERT_TRUE(result);
      ASSERT_EQ(result->outcome, Outcome::too_many_new_voters);
    }
  }
  EXPECT_EQ(rows(), before);
}

// A batch with both accepted and rejected votes is committed, so it must delete the rows inserted
// for rejected votes.
TEST_F(RefusedVotes, AddNoRowBesideAcceptedOnes) {
  ASSERT_TRUE(writer_.write(newcomer(1, 1000)));
  ASSERT_TRUE(writer_.write(on(43, newcomer(2, 1000))));
  auto before = rows();
  std::vector<votes::VoteRequest> requests = {newcomer(1, 0)};
  for (std::uint64_t i = 3; i < 40; ++i) {
    requests.push_back(newcomer(i, 1000));
    votes::SharedLimit& of_address = requests.back().rules.of_address;
    of_address.limit = 1;
    of_address.wait = 1h;  // the caller's own count rejects this vote
    requests.back().rules.new_voters = limit_at(kNoon);
    requests.back().rules.new_voters.counter = "object    " + std::to_string(10 + i);
  }
  requests.push_back(withdrawal(visitor(99)));
  const auto results = writer_.write_all(requests);
  EXPECT_EQ(results.front()->outcome, Outcome::stored);
  EXPECT_EQ(results[1]->outcome, Outcome::too_many_of_address);
  EXPECT_EQ(results.back()->outcome, Outcome::nothing_stored);
  ++before["wp_ratingd_batches"];  // the batch of the accepted votes
  EXPECT_EQ(rows(), before);
  expect_verified();
}

TEST_F(VotesUnderRules, CountersOfEndedWindowsAreDropped) {
  rules_.of_address = limit_at(kNoon);
  outcome(vote(1, 1000));
  outcome(delayed(24h, vote(2, 1000)));
  db::Connection connection(database_.endpoint());
  votes::delete_old_counters(connection, kNoon + 12h);
  EXPECT_EQ(used(), 2);
  votes::delete_old_counters(connection, kNoon + 13h);
  EXPECT_EQ(used(), 1);
  EXPECT_EQ(outcome(delayed(24h, vote(3, 1000))), Outcome::stored);
  EXPECT_EQ(used(), 2);
}

}  // namespace
