// Tests exports, imports and deletions in a complete database: lib/transfer/export.h,
// lib/transfer/import.h and lib/transfer/clean.h.

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "analytics/materialized_lists.h"
#include "base/timestamp.h"
#include "rollups/repair.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "support/clock.h"
#include "support/voting.h"
#include "support/wordpress_cms.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"
#include "transfer/retention.h"
#include "votes/demo_votes.h"
#include "votes/voter_days.h"

namespace {

using support::at;
using support::Interruption;
using support::kNoon;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::on;
using support::vote;
using transfer::CleanReport;
using transfer::CleanScope;
using transfer::ExportRequest;
using transfer::Format;
using transfer::ImportReport;
using namespace std::chrono_literals;

constexpr const char* kHtml =
    R"(<div data-object-id="{{OBJECT_ID}}" data-object-type="{{OBJECT_TYPE}}" )"
    R"(data-category="{{CATEGORY}}" data-template="{{TEMPLATE}}" )"
    R"(data-user-rating="{{USER_RATING}}">)"
    R"(<button type="button" data-value="1" aria-pressed="false">+</button></div>)";

ExportRequest everything(Format format = Format::ndjson) {
  return {format, {.ratings = true, .settings = true, .templates = true}, {}};
}

ExportRequest ratings_of(transfer::Selection selection) {
  return {Format::ndjson, {.ratings = true}, std::move(selection)};
}

class Transfer : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& vote_request) { ASSERT_TRUE(writer_.write(vote_request)); }

  void fill(std::int64_t votes) {
    votes::DemoSite site;
    site.votes = votes;
    site.objects = votes / 100;
    site.until = kNoon;
    votes::store_demo_votes(connection_, site, [](std::int64_t) {});
    votes::sum_up_demo_voters(connection_, [](std::int64_t) {});
  }
  std::string file_of(const ExportRequest& what) {
    transfer::Export rows(connection_, what);
    std::string file;
    while (rows.next(file)) {
    }
    return file;
  }
  ImportReport import(std::string_view file, Format format = Format::ndjson) {
    transfer::Import import(connection_, format, kNoon + 1h);
    for (; !file.empty(); file.remove_prefix(std::min<std::size_t>(file.size(), 16'384))) {
      import.read(file.substr(0, 16'384));
    }
    return import.finish();
  }
  CleanReport clean(CleanScope scope, const transfer::Selection& selection = {}) {
    return transfer::clean(connection_, scope, selection, [](std::uint64_t) {});
  }
  // Deletes all ratings in slices, and calls "between" after each slice.
  template <typename Between>
  void clean_all(const Between& between) {
    transfer::clean(connection_, CleanScope::ratings, {}, [&](std::uint64_t) { between(); });
  }
  void repair() {
    db::Connection connection(database_.ratingctl());
    EXPECT_TRUE(
        rollups::Repair(connection, kNoon).run([](std::int64_t, std::int64_t) {}).is_complete);
  }
  std::string lines(const std::string& what) {
    std::string text;
    db::Rows row = connection_.query("SELECT CONCAT_WS(' ', " + what + " ORDER BY 1");
    while (row.next()) text += row.text(1) + "\n";
    return text;
  }
  std::string activity() {
    return lines("voter, last_day) FROM wp_ratingd_voters WHERE last_day > '1000-01-01'") +
           lines(
               "day, previous_day, SUM(voters)) FROM wp_ratingd_reach GROUP BY day, previous_day"
               " HAVING SUM(voters) <> 0");
  }
  // Expects the activity tables to match the stored votes exactly.
  void expect_activity_of_the_votes() {
    std::set<model::VoterId> voters;
    db::Rows row = connection_.query("SELECT DISTINCT voter FROM wp_ratingd_votes");
    while (row.next()) voters.insert(row.unsigned_integer(1));
    std::set<std::string> last_days;
    std::map<std::string, int> pairs;
    for (const auto& [voter, moments] : votes::read_moments(connection_, voters)) {
      std::string last = "1000-01-01";
      for (const base::Day day : votes::days_of(zone_, moments)) {
        ++pairs[base::to_date(day) + " " + last];
        last = base::to_date(day);
      }
      last_days.insert(std::to_string(voter) + " " + last + "\n");
    }
    std::set<std::string> counted;
    for (const auto& [days, count] : pairs)
      counted.insert(days + " " + std::to_string(count) + "\n");
    std::string expected;
    for (const std::string& line : last_days) expected += line;
    for (const std::string& line : counted) expected += line;
    EXPECT_EQ(activity(), expected);
  }
  std::int64_t activity_pairs() {
    return number(
        "SELECT COUNT(*) FROM (SELECT day FROM wp_ratingd_reach GROUP BY day, previous_day"
        " HAVING SUM(voters) <> 0) AS pairs");
  }
  std::int64_t rows_in(const std::string& table) {
    return number("SELECT COUNT(*) FROM wp_ratingd_" + table);
  }

  const base::Zone zone_ = base::Zone::named("Europe/Berlin").value();
  db::Connection connection_{database_.endpoint()};
};

TEST(Scopes, AreAllKnownAndAtLeastOne) {
  const auto scopes = transfer::parse_scopes({"settings", "ratings"});
  ASSERT_TRUE(scopes);
  EXPECT_TRUE(scopes->ratings && scopes->settings && !scopes->templates);
  EXPECT_FALSE(transfer::parse_scopes({}));
  EXPECT_FALSE(transfer::parse_scopes({"ratings", "votes"}));
}

TEST(Scopes, OfASelectionAreItsRatings) {
  const transfer::Scopes all = transfer::default_scopes({});
  EXPECT_TRUE(all.ratings && all.settings && all.templates);
  const transfer::Scopes some = transfer::default_scopes({.object_id = 1});
  EXPECT_TRUE(some.ratings && !some.settings && !some.templates);
}

TEST(ParseBefore, IsADayOfTheZoneOrAMoment) {
  const base::Zone zone = base::Zone::named("+01:00").value();
  EXPECT_EQ(transfer::parse_before("2026-11-21", zone), base::from_rfc3339("2026-11-20T23:00:00Z"));
  EXPECT_EQ(transfer::parse_before("2026-11-21T05:00:00Z", zone),
            base::from_rfc3339("2026-11-21T05:00:00Z"));
  EXPECT_EQ(transfer::parse_before("yesterday", zone), std::nullopt);
}

TEST_F(Transfer, RoundTripOfManyVotesLeavesTheSameBytes) {
  constexpr std::uint64_t kVotes = 25'000;  // more votes than any page or slice has
  fill(kVotes);
  const std::string reach =
      "SELECT COALESCE(SUM(voters * (TO_DAYS(day) - TO_DAYS(previous_day))), 0)"
      " FROM wp_ratingd_reach";
  const std::int64_t before = number(reach);
  const std::string file = file_of(ratings_of({}));
  EXPECT_EQ(clean(CleanScope::ratings).ratings, kVotes);
  for (const char* table : {"votes", "voters", "users", "user_daily", "balances", "held"}) {
    EXPECT_EQ(rows_in(table), 0) << table;
  }
  EXPECT_EQ(number(reach), 0);

  {  // interrupted, with up to 8,192 of its ratings not written yet
    transfer::Import part(connection_, Format::ndjson, kNoon + 1h);
    part.read(std::string_view(file).substr(0, file.size() / 10 * 9));
  }
  const ImportReport report = import(file);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.refused, 0U);
  EXPECT_EQ(report.added + report.kept, kVotes);
  EXPECT_GT(report.kept, kVotes * 4 / 10);
  expect_verified();
  EXPECT_EQ(number(reach), before);
  EXPECT_EQ(file_of(ratings_of({})), file);

  const ImportReport again = import(file);
  EXPECT_EQ(again.kept, kVotes);
  EXPECT_EQ(again.added + again.changed, 0U);
  expect_verified();
}

TEST_F(Transfer, CsvHoldsTheSame) {
  fill(2000);
  const std::string file = file_of(everything());
  const std::string csv = file_of(everything(Format::csv));
  clean(CleanScope::ratings);
  const ImportReport report = import(csv, Format::csv);
  EXPECT_EQ(report.added, 2000U);
  EXPECT_EQ(report.refused, 0U);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(file_of(everything()), file);
}

TEST_F(Transfer, HeldRatingsAndAggregatesAreExported) {
  cast(vote(kUser, 1000));
  const std::string held =
      R"({"kind":"rating","object_id":42,"object_type":"post","category":"binary",)"
      R"("visitor":"v8000000000000001","value":1,"created_at":"2026-11-21T12:00:00.000000Z",)"
      R"("rated_at":"2026-11-21T12:00:00.000000Z","held":["one_agent"],)"
      R"("held_at":"2026-11-21T12:00:00.000000Z"})"
      "\n";
  const std::string aggregate =
      R"({"kind":"balance","object_id":42,"object_type":"post","category":"binary",)"
      R"("day":"2025-01-01","source":"likes","sum":2,"bins":[1,0,0,0,0,0,0,0,0,0,2],)"
      R"("last_rated_at":"2025-01-01T12:00:00.000000Z"})"
      "\n";
  EXPECT_EQ(import(held + aggregate).added, 2U);
  EXPECT_EQ(stored_stats()[0].total(), 4);
  const std::string file = file_of(ratings_of({}));
  EXPECT_NE(file.find(held), std::string::npos);
  EXPECT_NE(file.find(aggregate), std::string::npos);
  EXPECT_TRUE(file.ends_with("{\"kind\":\"end\",\"rows\":3}\n"));

  EXPECT_EQ(clean(CleanScope::ratings), (CleanReport{.ratings = 2, .aggregates = 1}));
  EXPECT_EQ(import(file).added, 3U);
  EXPECT_EQ(file_of(ratings_of({})), file);
  expect_verified();
}

// Version 0.3 and earlier could leave rows without votes.
TEST_F(Transfer, EmptyAggregatesAreNotExported) {
  connection_.execute(
      "INSERT INTO wp_ratingd_balances VALUES (42, 'post', 0, '2025-01-01', 'likes', 0, 0, 0, 0, 0,"
      " 0, 0, 0, 0, 0, 0, 0, '1000-01-01')");
  const std::string file = file_of(ratings_of({}));
  EXPECT_TRUE(file.ends_with("{\"kind\":\"end\",\"rows\":0}\n")) << file;
  EXPECT_EQ(import(file).refused, 0U);
}

TEST_F(Transfer, ExportIsOfOneMoment) {
  fill(2000);
  const std::string before = file_of(ratings_of({}));
  db::Connection other(database_.endpoint());
  transfer::Export rows(other, ratings_of({}));
  std::string file;
  std::uint64_t object = 1'000'000;
  while (rows.next(file)) cast(on(++object, vote(kUser, 1000)));
  EXPECT_EQ(file, before);
  EXPECT_GT(object, 1'000'004U);
}

TEST_F(Transfer, ExportsRunOneAfterTheOther) {
  db::Connection other(database_.endpoint());
  {
    const transfer::Export running(other, everything());
    EXPECT_THROW(file_of(everything()), db::Busy);
  }
  EXPECT_NE(file_of(everything()), "");
}

TEST_F(Transfer, ExportOfAUserHasAllThatIsStoredOfThem) {
  cast(vote(kUser, 1000));
  cast(vote(kVisitor, 1000));
  cast(on(1, vote(kUser, 0)));
  const std::string file = file_of(ratings_of({.voter = kUser}));
  EXPECT_EQ(import(file).kept, 2U);
  EXPECT_EQ(file.find("visitor"), std::string::npos);
  EXPECT_LT(file.find("\"object_id\":1,"), file.find("\"object_id\":42,"));
  EXPECT_EQ(import(file_of(ratings_of({.object_id = 42}))).kept, 2U);
  EXPECT_EQ(import(file_of(ratings_of({.object_type = "page"}))).read, 0U);
}

TEST_F(Transfer, ErasedUserLeavesNothing) {
  cast(vote(kUser, 1000));
  cast(vote(kVisitor, 1000));
  cast(on(1, vote(kUser, 0)));
  EXPECT_EQ(clean(CleanScope::ratings, {.voter = kUser}), (CleanReport{.ratings = 2}));
  for (const std::string where : {"votes WHERE voter", "voters WHERE voter", "users WHERE user_id",
                                  "user_daily WHERE user_id"}) {
    EXPECT_EQ(rows_in(where + " = 7"), 0) << where;
  }
  EXPECT_EQ(stored_stats()[0].total(), 1);
  expect_verified();
}

TEST_F(Transfer, UserWhoTookAllBackIsErasedToo) {
  cast(vote(kUser, 1000));
  cast(support::withdrawal(kUser));
  EXPECT_EQ(rows_in("voters"), 1);
  clean(CleanScope::ratings, {.voter = kUser});
  EXPECT_EQ(rows_in("voters"), 0);
  EXPECT_EQ(rows_in("users"), 0);
  EXPECT_EQ(number("SELECT COALESCE(SUM(voters), 0) FROM wp_ratingd_reach"), 0);
}

TEST_F(Transfer, FiltersLeaveTheOthers) {
  votes::VoteRequest late = on(1, vote(kUser, 1000));
  late.received_at += 1min;
  cast(vote(kUser, 1000));
  cast(late);
  EXPECT_EQ(clean(CleanScope::ratings, {.before = kNoon}).ratings, 0U);
  EXPECT_EQ(clean(CleanScope::ratings, {.object_type = "page"}).ratings, 0U);
  EXPECT_EQ(clean(CleanScope::ratings, {.before = kNoon + 1s}).ratings, 1U);
  EXPECT_EQ(clean(CleanScope::ratings, {.object_id = 1}).ratings, 1U);
  EXPECT_EQ(rows_in("votes"), 0);
  expect_verified();
}

TEST_F(Transfer, NothingIsLeftOfAllRatings) {
  fill(3000);
  cast(vote(kUser, 1000));
  EXPECT_EQ(clean(CleanScope::ratings).ratings, 3001U);
  for (const char* table : {"votes", "voters", "users", "user_daily"}) {
    EXPECT_EQ(rows_in(table), 0) << table;
  }
  EXPECT_EQ(activity_pairs(), 0);
  EXPECT_EQ(rows_in("daily WHERE total <> 0"), 0);
  expect_verified();
}

TEST_F(Transfer, NoDaysAreLeftOfUsersWhoseRatingsWereChangedBeforeTheyWereDeleted) {
  cast(vote(kUser, 1000));
  cast(at(kNoon + 24h, vote(kUser, 0)));
  ASSERT_EQ(rows_in("user_daily"), 2);
  EXPECT_EQ(clean(CleanScope::ratings, {.object_id = kPost.id}).ratings, 1U);
  EXPECT_EQ(rows_in("user_daily"), 0);
  expect_verified();
}

TEST_F(Transfer, CleanUpMayBeInterruptedAfterEachSlice) {
  fill(3000);
  int interruptions = 0;
  for (bool is_complete = false; !is_complete;) {
    int slices = interruptions++;
    try {
      transfer::clean(connection_, CleanScope::ratings, {}, [&](std::uint64_t) {
        if (slices-- == 0) throw Interruption();
      });
      is_complete = true;
    } catch (const Interruption&) {
    }
    expect_verified();
  }
  EXPECT_GT(interruptions, 3);
  EXPECT_EQ(rows_in("voters"), 0);
  EXPECT_EQ(activity_pairs(), 0);
}

TEST_F(Transfer, VotesThatArriveDuringACleanUpOfAllStay) {
  constexpr model::VoterId kReturning = 2, kChanging = 3, kMoving = 4, kNew = 5;
  const base::Time earlier = kNoon - 24h;
  fill(1000);
  const std::string file = file_of(ratings_of({}));
  clean(CleanScope::ratings);
  for (const model::VoterId voter : {kReturning, kChanging, kMoving}) {
    cast(at(earlier - 48h, on(1, vote(voter, 1000))));
    cast(at(earlier, on(2, vote(voter, 1000))));
  }
  cast(at(earlier - 24h, on(3, vote(kVisitor, 1000))));
  import(file);
  bool is_first = true;
  clean_all([&] {
    expect_verified();
    if (!std::exchange(is_first, false)) return;
    for (const model::VoterId voter : {kReturning, kNew}) {
      cast(at(kNoon + 1h, on(9, vote(voter, 1000))));
    }
    cast(at(kNoon + 1h, on(1, vote(kChanging, 0))));
    votes::VoteRequest moved = at(kNoon + 1h, on(3, vote(kMoving, 1000)));
    moved.moved_from = kVisitor;
    cast(moved);
  });
  EXPECT_FALSE(is_first);
  for (const char* const rating : {"9 2\n", "9 5\n"}) {
    EXPECT_NE(lines("object_id, voter) FROM wp_ratingd_votes").find(rating), std::string::npos);
  }
  expect_activity_of_the_votes();
  clean(CleanScope::ratings);
  EXPECT_EQ(rows_in("votes"), 0);
  EXPECT_EQ(rows_in("voters"), 0);
  EXPECT_EQ(activity_pairs(), 0);
}

TEST_F(Transfer, CleanUpOfAllAndARepairExcludeEachOther) {
  fill(500);
  db::Connection other(database_.ratingctl());
  {
    const rollups::Repair repair(other, kNoon);
    EXPECT_THROW(clean(CleanScope::ratings), db::Busy);
    clean(CleanScope::ratings, {.object_id = 1});
  }
  clean_all([&] { EXPECT_THROW(rollups::Repair(other, kNoon, 0s), db::Busy); });
  EXPECT_EQ(rows_in("votes"), 0);
  expect_verified();
}

// If ratingd 0.2 was interrupted while deleting ratings, voter activity cannot be derived from the
// remaining ratings.
TEST_F(Transfer, CleanUpOfAllThatVersion02HasBegunNeedsARepair) {
  fill(500);
  const std::string file = file_of(ratings_of({}));
  connection_.execute(
      "INSERT INTO wp_ratingd_state (name, value) SELECT 'cleaning_all',"
      " CONCAT('2026-11-20 12:00:00/', rebuilds, '/7') FROM wp_ratingd_rollup_state");
  EXPECT_THROW(clean(CleanScope::ratings), db::Busy);
  EXPECT_THROW(clean(CleanScope::ratings, {.voter = 1}), db::Busy);
  EXPECT_THROW(import(file), db::Busy);
  clean(CleanScope::addresses, {.voter = 1});
  repair();
  clean(CleanScope::ratings, {.voter = 1});
  clean(CleanScope::ratings);
  EXPECT_EQ(import(file).added, 500U);
  expect_verified();
}

TEST_F(Transfer, ImportMayBeInterruptedAfterEachSlice) {
  fill(3000);
  const std::string file = file_of(ratings_of({}));
  const std::string expected = support::counted(connection_);
  clean(CleanScope::ratings);
  for (std::size_t size = 0; size < file.size(); size += file.size() / 7) {
    transfer::Import import(connection_, Format::ndjson, kNoon + 1h);
    import.read(std::string_view(file).substr(0, size));
    expect_verified();
  }
  const ImportReport report = import(file);
  EXPECT_EQ(report.added + report.kept, 3000U);
  EXPECT_GT(report.added, 0U);
  EXPECT_GT(report.kept, 1000U);
  EXPECT_EQ(support::counted(connection_), expected);
  expect_verified();
}

TEST_F(Transfer, VotesThatArriveDuringAnImportAndACleanUpAreCounted) {
  fill(3000);
  const std::string file = file_of(ratings_of({}));
  std::atomic<bool> is_over = false;
  std::atomic<model::VoterId> votes = 0;
  std::thread voting([&] {
    // The votes have the same voters, objects and timestamps as the votes in the imported file.
    for (model::VoterId i = 0; !is_over; ++i, ++votes) {
      votes::VoteRequest vote_request = on(i % 30 + 1, vote(i % 40 + 1, i % 3 == 1 ? 1000 : 0));
      vote_request.received_at += i * 1s;
      EXPECT_TRUE(writer_.write(vote_request));
    }
  });
  for (int round = 0; round < 3; ++round) {
    clean(CleanScope::ratings);
    import(file);
  }
  is_over = true;
  voting.join();
  EXPECT_GT(votes, 0U);
  expect_verified();
  clean(CleanScope::ratings);
  EXPECT_EQ(rows_in("votes"), 0);
  expect_verified();
}

TEST_F(Transfer, AddressesAreErasedAndVotesStay) {
  votes::VoteRequest vote_request = vote(kVisitor, 1000);
  vote_request.address = "h0123456789abcdef";
  vote_request.agent = 5;
  cast(vote_request);
  EXPECT_EQ(clean(CleanScope::addresses, {.object_id = 43}).addresses, 0U);
  EXPECT_EQ(clean(CleanScope::addresses).addresses, 1U);
  EXPECT_EQ(clean(CleanScope::addresses).addresses, 0U);
  EXPECT_EQ(rows_in("votes WHERE address = '' AND agent = 0"), 1);
}

TEST_F(Transfer, SettingsAndTemplatesComeBack) {
  model::Template look;
  look.slug = "mine/heart";
  look.name = "Heart";
  look.html = kHtml;
  store::put_template(connection_, look);
  ASSERT_TRUE(store::change_settings(connection_, {{"retention_months", model::decimal_of(7)},
                                                   {"default_template_binary", "mine/heart"}}));
  const std::string file = file_of(everything());
  EXPECT_EQ(clean(CleanScope::settings), (CleanReport{.settings = 2}));
  EXPECT_EQ(clean(CleanScope::templates), (CleanReport{.templates = 1}));
  const ImportReport report = import(file);
  EXPECT_TRUE(report.reasons.empty());
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.changed, 2U);
  EXPECT_EQ(store::load_settings(connection_).settings.retention_months, 7);
  EXPECT_EQ(store::load_settings(connection_).settings.default_template_binary, "mine/heart");
  EXPECT_EQ(file_of(everything()), file);
  EXPECT_EQ(import(file).kept, report.read);
}

TEST_F(Transfer, TemplateThatIsNotThereIsRefused) {
  const ImportReport report =
      import(R"({"kind":"setting","name":"default_template_scale","value":"simple/heart"})"
             "\n"
             R"({"kind":"setting","name":"enabled","value":false})"
             "\n");
  EXPECT_EQ(report.changed, 1U);
  ASSERT_EQ(report.refused, 1U);
  EXPECT_EQ(report.reasons.front().line, 1);
  EXPECT_EQ(
      report.reasons.front().message.text(),
      "default_template_scale must be one of simple/distribution, simple/dots, simple/half-stars, "
      "simple/slider, simple/stars.");
}

TEST_F(Transfer, RetiredSettingIsKeptOutWithANote) {
  const ImportReport report =
      import(R"({"kind":"setting","name":"max_program_voters_per_address_per_object","value":3})"
             "\n");
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(report.refused, 0U);
  EXPECT_TRUE(report.reasons.empty());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes.front().line, 1);
  EXPECT_EQ(report.notes.front().message.text(),
            "The max_program_voters_per_address_per_object setting was removed in version 0.4, so "
            "its stored value was ignored.");
}

TEST_F(Transfer, ImportReplacesADamagedSetting) {
  connection_.execute("INSERT INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  const std::string file = R"({"kind":"setting","name":"cooldown_seconds","value":0})"
                           "\n";
  EXPECT_EQ(import(file).changed, 1U);
  EXPECT_TRUE(store::load_settings(connection_).problems.empty());
  EXPECT_EQ(import(file).kept, 1U);
}

TEST_F(Transfer, MaterializedListsAreInvalidated) {
  const auto count = [&] { return rows_in("kept_periods"); };
  const support::FixedClock clock(kNoon);
  analytics::ListRefresher refresher(support::wordpress_cms(), clock, 0ms);
  cast(vote(kUser, 1000));
  const std::string file = file_of(ratings_of({}));
  refresher.refresh(connection_);
  ASSERT_GT(count(), 0);
  import(file);
  EXPECT_GT(count(), 0);  // nothing was new
  clean(CleanScope::ratings, {.voter = kUser});
  EXPECT_EQ(count(), 0);
  refresher.refresh(connection_);
  import(file);
  EXPECT_EQ(count(), 0);
  refresher.refresh(connection_);
  transfer::aggregate_old_ratings(connection_, kNoon + 1h);
  EXPECT_EQ(count(), 0);
}

TEST_F(Transfer, BadRowsAreCountedAndOthersStored) {
  std::string file;
  for (int i = 0; i < 30; ++i) file += "no json\n";
  file += file_of(ratings_of({}));
  const ImportReport report = import(file);
  EXPECT_EQ(report.read, 30U);
  EXPECT_EQ(report.refused, 30U);
  ASSERT_EQ(report.reasons.size(), ImportReport::kMaxReasons);
  EXPECT_EQ(report.reasons[1].line, 2);
  EXPECT_FALSE(report.is_complete);
}

TEST_F(Transfer, FileWithoutItsEndIsNotComplete) {
  cast(vote(kUser, 1000));
  std::string file = file_of(ratings_of({}));
  EXPECT_TRUE(import(file).is_complete);
  EXPECT_FALSE(import(file + file).is_complete);
  file.resize(file.find("{\"kind\":\"end\""));
  EXPECT_FALSE(import(file).is_complete);
}

TEST_F(Transfer, RolledUpVotesAreNotCountedTwice) {
  fill(2000);
  const std::string file = file_of(ratings_of({}));
  const base::Time before = kNoon - 100 * 24h;
  const std::uint64_t aggregated = transfer::aggregate_old_ratings(connection_, before);
  EXPECT_GT(aggregated, 500U);
  EXPECT_EQ(transfer::aggregate_old_ratings(connection_, before), 0U);
  expect_verified();
  const ImportReport report = import(file);
  EXPECT_EQ(report.too_old, aggregated);
  EXPECT_EQ(report.kept, 2000 - aggregated);
  expect_verified();

  const std::string rolled_up_file = file_of(ratings_of({}));
  clean(CleanScope::ratings);
  EXPECT_EQ(import(rolled_up_file).too_old, 0U);
  EXPECT_EQ(file_of(ratings_of({})), rolled_up_file);
  expect_verified();
}

TEST_F(Transfer, NoEmptyDaysAreLeftOfUsersWhoseRatingsAreRolledUp) {
  cast(vote(kUser, 1000));
  cast(at(kNoon + 24h, vote(kUser, 0)));
  ASSERT_EQ(rows_in("user_daily"), 2);
  EXPECT_EQ(transfer::aggregate_old_ratings(connection_, kNoon + 25h), 1U);
  EXPECT_EQ(rows_in("user_daily"), 0);
  expect_verified();
}

// Exports all ratings before and after the aggregation of old ratings, and imports both files in
// both orders.
TEST_F(Transfer, FilesOfBeforeAndAfterRollingUpCountOnce) {
  fill(1000);
  const std::string before = file_of(ratings_of({}));
  EXPECT_GT(transfer::aggregate_old_ratings(connection_, kNoon - 100 * 24h), 100U);
  const std::string after = file_of(ratings_of({}));
  const std::string sums =
      "SELECT SUM(sum) * 1000000 + SUM(bin0 + bin5 + bin10) FROM wp_ratingd_totals";
  const std::int64_t expected = number(sums);
  for (const auto& [first, second] : {std::pair(before, after), std::pair(after, before)}) {
    clean(CleanScope::ratings);
    EXPECT_EQ(import(first).refused, 0U);
    EXPECT_EQ(number(sums), expected);
    EXPECT_EQ(import(second).refused, 0U);
    EXPECT_EQ(number(sums), expected);
    expect_verified();
  }
}

}  // namespace
