// Tests how exports, imports and deletions handle visitors of other front ends:
// lib/transfer/export.h, lib/transfer/import.h and lib/transfer/clean.h.

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "db/transaction.h"
#include "store/front_end_visitors.h"
#include "support/voting.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"
#include "transfer/retention.h"

namespace {

using support::at;
using support::kNoon;
using support::on;
using support::vote;
using transfer::CleanReport;
using transfer::CleanScope;
using transfer::Format;
using transfer::ImportReport;
using transfer::Selection;
using namespace std::chrono_literals;

const model::FrontEndVisitor kAnna{"shop", "anna"};
const model::FrontEndVisitor kBert{"shop", "=1+1\n'"};
const model::FrontEndVisitor kCarl{"shop", "carl"};
constexpr model::VoterId kFirst = model::kAnonymousBit | 1;
constexpr model::VoterId kSecond = model::kAnonymousBit | 2;
constexpr model::VoterId kOther = model::kAnonymousBit | 3;

votes::VoteRequest of(const model::FrontEndVisitor& visitor, votes::VoteRequest request) {
  request.visitor = visitor;
  return request;
}

// Returns a line of an export file.
std::string line_of(const std::string& visitor, const model::FrontEndVisitor& named,
                    const std::string& time = "2026-11-21T11:00:00Z", int object = 42) {
  return R"({"kind":"rating","object_id":)" + std::to_string(object) +
         R"(,"category":"binary","visitor":")" + visitor + R"(","issuer":")" + named.issuer +
         R"(","subject":")" + named.subject + R"(","value":1,"rated_at":")" + time + "\"}\n";
}

class VisitorTransfer : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& request) { ASSERT_TRUE(writer_.write(request)); }
  std::string file_of(Selection selection, Format format = Format::ndjson) {
    transfer::Export rows(connection_, {format, {.ratings = true}, std::move(selection)});
    std::string file;
    while (rows.next(file)) {
    }
    return file;
  }
  ImportReport import(std::string_view file, Format format = Format::ndjson) {
    transfer::Import import(connection_, format, kNoon + 1h);
    import.read(file);
    return import.finish();
  }
  CleanReport clean(const Selection& selection, CleanScope scope = CleanScope::ratings) {
    return transfer::clean(connection_, scope, selection, [](std::uint64_t) {});
  }
  std::optional<model::VoterId> voter_of(const model::FrontEndVisitor& visitor) {
    return store::find_voter(connection_, visitor);
  }
  std::int64_t rows_in(const std::string& table) {
    return number("SELECT COUNT(*) FROM wp_ratingd_" + table);
  }
  void vote_of_three() {
    cast(of(kAnna, vote(kFirst, 1000)));
    cast(of(kAnna, on(1, vote(kFirst, 0))));
    cast(of(kBert, vote(kSecond, 1000)));
    cast(vote(kOther, 1000));
  }

  db::Connection connection_{database_.endpoint()};
};

TEST_F(VisitorTransfer, FileRestoresTheVisitors) {
  vote_of_three();
  for (const Format format : {Format::ndjson, Format::csv}) {
    const std::string file = file_of({}, format);
    EXPECT_EQ(clean({}).ratings, 4U);
    EXPECT_EQ(rows_in("visitors"), 0);
    EXPECT_EQ(import(file, format).added, 4U);
    EXPECT_EQ(voter_of(kAnna), kFirst);
    EXPECT_EQ(voter_of(kBert), kSecond);
    EXPECT_EQ(rows_in("visitors"), 2);
    EXPECT_EQ(file_of({}, format), file);
    EXPECT_EQ(import(file, format).kept, 4U);
  }
  expect_verified();
}

TEST_F(VisitorTransfer, ImportedRatingsGoToTheStoredVoter) {
  cast(of(kAnna, vote(kOther, 0)));
  const std::string older = line_of("v8000000000000001", kAnna);
  const std::string newer = line_of("v8000000000000001", kAnna, "2026-11-21T12:30:00Z");
  const std::string elsewhere = line_of("v8000000000000001", kAnna, "2026-11-21T10:00:00Z", 1);
  EXPECT_EQ(import(older).kept, 1U);
  const ImportReport report = import(newer + elsewhere);
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.changed, 1U);
  EXPECT_EQ(rows_in("votes WHERE voter = 9223372036854775811"), 2);
  EXPECT_EQ(rows_in("votes"), 2);
  EXPECT_EQ(voter_of(kAnna), kOther);
  EXPECT_EQ(stored_stats()[0].total(), 1);
  expect_verified();
}

TEST_F(VisitorTransfer, VisitorWithTwoNumbersInAFileIsOneVoter) {
  const auto report = import(line_of("v8000000000000001", kAnna) +
                             line_of("v8000000000000002", kAnna, "2026-11-21T11:30:00Z") +
                             line_of("v8000000000000002", kCarl));
  EXPECT_EQ(report.added + report.changed, 3U);
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(voter_of(kCarl), kSecond);
  EXPECT_EQ(rows_in("votes"), 2);
  expect_verified();
}

TEST_F(VisitorTransfer, NumberOfAnotherVisitorStaysThatVisitors) {
  EXPECT_EQ(import(line_of("v8000000000000001", kAnna)).added, 1U);
  EXPECT_EQ(import(line_of("v8000000000000001", kCarl)).kept, 1U);
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(voter_of(kCarl), std::nullopt);
  EXPECT_EQ(rows_in("votes"), 1);
}

TEST_F(VisitorTransfer, RowOfAKeptRatingIsRestored) {
  cast(vote(kFirst, 1000));
  EXPECT_EQ(import(line_of("v8000000000000001", kAnna)).kept, 1U);
  EXPECT_EQ(voter_of(kAnna), kFirst);
}

// During an import, visitors cast votes with voter numbers that differ from the numbers in the
// file.
TEST_F(VisitorTransfer, VotesDuringAnImportAreOfTheSameVoter) {
  constexpr int kVisitors = 300;
  std::string file;
  for (int i = 0; i < kVisitors; ++i) {
    file += line_of("v80000000" + std::to_string(10'000'000 + i),
                    {"shop", "visitor" + std::to_string(i)});
  }
  std::thread votes([&] {
    for (int i = kVisitors; i-- > 0;) {
      cast(of({"shop", "visitor" + std::to_string(i)},
              vote(kFirst + static_cast<model::VoterId>(i), 0)));
    }
  });
  EXPECT_EQ(import(file).refused, 0U);
  votes.join();
  EXPECT_EQ(rows_in("visitors"), kVisitors);
  EXPECT_EQ(rows_in("votes"), kVisitors);
  EXPECT_EQ(rows_in("votes JOIN wp_ratingd_visitors USING (voter)"), kVisitors);
  expect_verified();
}

TEST_F(VisitorTransfer, ExportOfAVisitorHasAllThatIsStoredOfThem) {
  vote_of_three();
  const std::string file = file_of({.visitor = kAnna});
  EXPECT_EQ(import(file).kept, 2U);
  EXPECT_EQ(file.find("=1+1"), std::string::npos);
  EXPECT_EQ(import(file_of({.object_id = 1, .visitor = kAnna})).kept, 1U);
  EXPECT_EQ(file_of({.visitor = model::FrontEndVisitor{"shop", "Anna"}}),
            "{\"kind\":\"end\",\"rows\":0}\n");
}

TEST_F(VisitorTransfer, ErasedVisitorLeavesNothing) {
  vote_of_three();
  EXPECT_EQ(clean({.visitor = model::FrontEndVisitor{"shop", "Anna"}}), CleanReport());
  EXPECT_EQ(clean({.visitor = kAnna}), (CleanReport{.ratings = 2}));
  EXPECT_EQ(voter_of(kAnna), std::nullopt);
  EXPECT_EQ(voter_of(kBert), kSecond);
  EXPECT_EQ(rows_in("voters WHERE voter = 9223372036854775809"), 0);
  EXPECT_EQ(stored_stats()[0].total(), 2);
  EXPECT_EQ(rows_in("voters WHERE voter = 0"), 0);
  expect_verified();
}

TEST_F(VisitorTransfer, VisitorWhoTookAllBackIsErasedToo) {
  cast(of(kAnna, vote(kFirst, 1000)));
  cast(support::withdrawal(kFirst));
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(clean({.visitor = kAnna}), CleanReport());
  EXPECT_EQ(voter_of(kAnna), std::nullopt);
  EXPECT_EQ(rows_in("voters"), 0);
}

TEST_F(VisitorTransfer, RowsGoWithTheLastRating) {
  vote_of_three();
  EXPECT_EQ(clean({.object_id = 42}).ratings, 3U);
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(voter_of(kBert), std::nullopt);
  clean({.object_id = 1, .object_type = "post"});
  EXPECT_EQ(rows_in("visitors"), 0);
}

TEST_F(VisitorTransfer, AddressesOfAVisitorAreErased) {
  votes::VoteRequest anna = of(kAnna, vote(kFirst, 1000));
  anna.address = "4abcd";
  votes::VoteRequest bert = of(kBert, vote(kSecond, 1000));
  bert.address = "4abcd";
  cast(anna);
  cast(bert);
  EXPECT_EQ(clean({.visitor = kAnna}, CleanScope::addresses), (CleanReport{.addresses = 1}));
  EXPECT_EQ(rows_in("votes WHERE address = ''"), 1);
}

TEST_F(VisitorTransfer, NamesAreNotKeptLongerThanVotes) {
  cast(of(kAnna, vote(kFirst, 1000)));
  cast(of(kBert, at(kNoon + 1h, vote(kSecond, 1000))));
  EXPECT_EQ(transfer::aggregate_old_ratings(connection_, kNoon + 1min), 1U);
  EXPECT_EQ(voter_of(kAnna), kFirst);
  EXPECT_EQ(store::remove_all_unused_visitors(connection_), 1U);
  EXPECT_EQ(voter_of(kAnna), std::nullopt);
  EXPECT_EQ(voter_of(kBert), kSecond);
  expect_verified();
}

}  // namespace
