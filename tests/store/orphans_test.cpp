#include "store/orphans.h"

#include <gtest/gtest.h>

#include <vector>

#include "store/bulk_ratings.h"
#include "support/twins.h"

namespace {

using store::Orphan;
using support::kNoon;
using support::kPost;
using support::kPrefix;
using support::vote;

class Orphans : public support::Twins {
 protected:
  const store::Orphans orphans_{kPrefix};
};

TEST_F(Orphans, AreRemovedWithTheirVotesAndBalances) {
  constexpr model::VoterId kVoters = 300;
  for (model::VoterId voter = 1; voter <= kVoters; ++voter) cast(vote(voter, 1000));
  store::Ballot other = vote(7, 1000);
  other.key.object = {42, "picture"};  // of which the CMS knows nothing
  cast(other);
  cast_in_twin(other);
  store::Balance balance{{kPost, model::Category::scale, {}, "likes"}, {}};
  balance.key.day = std::chrono::floor<std::chrono::days>(kNoon);
  balance.sums.bins.back() = 3;
  balance.sums.sum = 3000;
  balance.sums.last_rated_at = kNoon;
  store::BulkRatings(kPrefix).set_balances(connection_, {&balance, 1});

  EXPECT_EQ(orphans_.find(connection_), (std::vector<Orphan>{{kPost, kVoters}}));
  std::int64_t removed = 0;
  orphans_.remove(connection_, kPost, [&](std::int64_t more) { removed += more; });
  EXPECT_EQ(removed, std::int64_t{kVoters});
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_balances"), 0);
  EXPECT_TRUE(orphans_.find(connection_).empty());
  expect_like_twin();
}

}  // namespace
