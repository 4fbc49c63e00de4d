#include "transfer/active_days.h"

#include <gtest/gtest.h>

#include <map>

namespace {

using Days = transfer::ActiveDays::Days;
using Mark = transfer::ActiveDays::Mark;
using namespace std::chrono_literals;

const base::Day kMonday = std::chrono::year(2026) / 11 / 16;
const base::Day kTuesday = kMonday + std::chrono::days(1);
const Mark kMark{"Europe/Berlin", 2, 7};
constexpr model::VoterId kVoter = 7;

Mark after(Mark mark, std::uint64_t changes) {
  mark.changes += changes;
  return mark;
}

// Records the active days of a voter in one transaction.
void note(transfer::ActiveDays& active_days, const Mark& mark, model::VoterId voter,
          const Days& days) {
  active_days.begin(mark);
  active_days.note(voter, days);
  active_days.commit();
}

TEST(ActiveDays, AreKnownAsLongAsTheLastDayStays) {
  transfer::ActiveDays active_days;
  note(active_days, kMark, kVoter, {kMonday, kTuesday});
  active_days.begin(after(kMark, 1));
  const Days* found = active_days.find(kVoter, kTuesday);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, (Days{kMonday, kTuesday}));
  EXPECT_EQ(active_days.find(kVoter, kMonday), nullptr);
  EXPECT_EQ(active_days.find(kVoter + 1, kTuesday), nullptr);
}

TEST(ActiveDays, AreForgottenAfterAnybodyElsesChange) {
  const Mark marks[] = {after(kMark, 0), after(kMark, 2), {"Asia/Tokyo", 2, 8}, {kMark.zone, 3, 8}};
  for (const Mark& mark : marks) {
    transfer::ActiveDays active_days;
    note(active_days, kMark, kVoter, {kMonday});
    active_days.begin(mark);
    EXPECT_EQ(active_days.find(kVoter, kMonday), nullptr) << mark.changes;
  }
}

TEST(ActiveDays, OfATransactionThatFailedAreNotKept) {
  transfer::ActiveDays active_days;
  note(active_days, kMark, kVoter, {kMonday});
  active_days.begin(after(kMark, 1));
  active_days.note(kVoter, {kTuesday});
  active_days.begin(after(kMark, 1));
  EXPECT_NE(active_days.find(kVoter, kMonday), nullptr);
  EXPECT_EQ(active_days.find(kVoter, kTuesday), nullptr);
}

// ActiveDays may forget a voter, but never returns outdated days.
TEST(ActiveDays, AreThoseThatWereNotedLast) {
  transfer::ActiveDays active_days(1000);
  std::map<model::VoterId, Days> noted;
  Mark mark = kMark;
  for (int i = 0; i < 500; ++i) {
    const auto voter = static_cast<model::VoterId>(i * i % 17);
    active_days.begin(mark);
    const Days* found = active_days.find(voter, kTuesday);
    EXPECT_TRUE(found == nullptr || *found == noted[voter]) << i;
    noted[voter] = {kMonday - std::chrono::days(i), kTuesday};
    active_days.note(voter, noted[voter]);
    active_days.commit();
    mark = after(mark, 1);
  }
}

TEST(ActiveDays, OfVotersWhoAreNotUsedAreForgottenFirst) {
  constexpr model::VoterId kVoters = 1000;
  transfer::ActiveDays active_days(10'000);
  Mark mark = kMark;
  for (model::VoterId voter = 1; voter <= kVoters; ++voter) {
    note(active_days, mark, voter, {kMonday});
    mark = after(mark, 1);
    active_days.begin(mark);
    EXPECT_NE(active_days.find(1, kMonday), nullptr) << voter;
  }
  EXPECT_NE(active_days.find(kVoters, kMonday), nullptr);
  EXPECT_EQ(active_days.find(kVoters / 2, kMonday), nullptr);
}

}  // namespace
