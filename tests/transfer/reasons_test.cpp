// Tests how the bulk operations in lib/transfer change the reasons for low votes.

#include "store/reasons.h"

#include "support/voting.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"
#include "transfer/merge_objects.h"
#include "transfer/retention.h"
#include "votes/held_store.h"

namespace {

using support::at;
using support::kNoon;
using support::kUser;
using support::kVisitor;
using support::on;
using support::vote;
using transfer::Format;
using namespace std::chrono_literals;

class ReasonTransfer : public support::Voting {
 protected:
  // Casts a low vote by "voter" on "object".
  void cast(model::VoterId voter, const std::string& reason, std::uint64_t object = 42,
            base::Time time = kNoon) {
    votes::VoteRequest request = at(time, on(object, vote(voter, 0)));
    request.reason = reason;
    request.agent = 5;  // only votes with a user agent can be held
    ASSERT_TRUE(writer_.write(request));
  }
  void clean(const transfer::Selection& selection = {}) {
    transfer::clean(connection_, transfer::CleanScope::ratings, selection, [](std::uint64_t) {});
  }
  std::string file_of(Format format) {
    transfer::Export rows(connection_, {format, {.ratings = true}, {}});
    std::string file;
    while (rows.next(file)) {
    }
    return file;
  }
  void import(const std::string& file, Format format = Format::ndjson) {
    transfer::Import import(connection_, format, kNoon + 1h);
    import.read(file);
    EXPECT_EQ(import.finish().refused, 0U);
  }
  // Returns all reasons as text. Adds "(of no vote)" to each reason whose vote does not exist.
  std::string reasons() {
    std::string text;
    db::Rows row = connection_.query(
        "SELECT r.object_id, r.reason, v.voter IS NULL FROM wp_ratingd_reasons r"
        " LEFT JOIN wp_ratingd_votes v USING (object_id, object_type, category, voter, rated_at)"
        " ORDER BY r.object_id, r.reason");
    while (row.next()) {
      text += row.text(1) + ": " + row.text(2) + (row.integer(3) != 0 ? " (of no vote)\n" : "\n");
    }
    return text;
  }

  db::Connection connection_{database_.ratingctl()};
};

TEST_F(ReasonTransfer, ReasonsAreDeletedWithTheVotes) {
  cast(kUser, "Too short");
  cast(kUser, "Too loud", 43);
  cast(kVisitor, "Too old", 43);
  clean({.object_id = 42});
  EXPECT_EQ(reasons(), "43: Too loud\n43: Too old\n");
  clean({.voter = kVisitor});
  EXPECT_EQ(reasons(), "43: Too loud\n");
  clean();
  EXPECT_EQ(reasons(), "");
}

TEST_F(ReasonTransfer, ReasonsAreNotKeptInSums) {
  cast(kUser, "Too short", 42, kNoon - 48h);
  cast(kVisitor, "Too old");
  EXPECT_EQ(transfer::Aggregation(connection_).aggregate(kNoon), 1U);
  EXPECT_EQ(reasons(), "42: Too old\n");
}

TEST_F(ReasonTransfer, ReasonsAreDroppedWithHeldVotes) {
  cast(kUser, "Too short");
  const votes::HeldStore held(caches_);
  const model::RatingKey key = vote(kUser, 0).key;
  held.hold(connection_, {{key, votes::kOneAgent}}, kNoon);
  EXPECT_EQ(reasons(), "42: Too short\n");
  held.drop(connection_, {&key, 1});
  EXPECT_EQ(reasons(), "");
}

TEST_F(ReasonTransfer, FilesBringThemBack) {
  cast(kUser, "=1+1;\"=2\"\n\t'-3,");
  cast(kVisitor, "");
  for (const Format format : {Format::ndjson, Format::csv}) {
    const std::string file = file_of(format);
    const std::string before = reasons();
    clean();
    import(file, format);
    EXPECT_EQ(reasons(), before);
    EXPECT_EQ(file_of(format), file);
  }
  EXPECT_NE(file_of(Format::csv).find("\"'=1+1;\"\"=2\"\"\n\t''-3,\""), std::string::npos);
}

TEST_F(ReasonTransfer, NewerVoteOfAFileReplacesTheReason) {
  cast(kUser, "Too short", 42, kNoon - 2h);
  cast(kUser, "Too loud", 43, kNoon - 2h);
  const std::string rating = R"({"kind":"rating","category":"binary","user_id":7,"value":0,)"
                             R"("rated_at":"2026-11-21T11:00:00Z","object_id":)";
  import(rating + "42}\n" + rating + R"(43,"reason":"Too old"})" + "\n");
  EXPECT_EQ(reasons(), "43: Too old\n");
}

TEST_F(ReasonTransfer, MergedObjectsKeepTheReasonOfTheVoteThatCounts) {
  cast(kUser, "Too short", 12);
  cast(kVisitor, "Too loud", 12);
  cast(kVisitor, "Too old", 10, kNoon + 1h);
  const transfer::ObjectPair pair{{12, "post"}, {10, "post"}};
  transfer::merge_objects(connection_, {&pair, 1}, [](std::uint64_t) {});
  EXPECT_EQ(reasons(), "10: Too old\n10: Too short\n");
}

}  // namespace
