#include "analytics/top_rated.h"

#include <gtest/gtest.h>

#include "support/voting.h"
#include "support/wordpress_cms.h"
#include "support/wordpress_site.h"

namespace {

using support::kNoon;
using support::on;
using support::vote;

// A report that a ratingctl command creates. A command has a single database session and may scan
// whole tables.
class CommandReport final : public analytics::Report {
 public:
  CommandReport(const Site& of, db::Connection& connection)
      : Report(of, kNoon), connection_(connection) {}

  [[nodiscard]] db::Connection& connection() const override { return connection_; }
  [[nodiscard]] bool begin_long_scan() override { return true; }
  [[nodiscard]] bool is_long_scan() const override { return true; }

 private:
  db::Connection& connection_;
};

class TopRated : public support::Voting {
 protected:
  TopRated() {
    for (const auto& [id, status] : {std::pair(41, "publish"), std::pair(42, "draft"),  //
                                     std::pair(43, "publish")}) {
      site_.connection().execute(
          "INSERT INTO wp_posts (ID, post_title, post_status, post_name, post_type)"
          " VALUES (?, ?, ?, 'n', 'post')",
          std::int64_t{id}, "Title " + std::to_string(id), std::string(status));
    }
    for (model::VoterId voter = 1; voter <= 3; ++voter) {
      static_cast<void>(writer_.write(on(41, vote(voter, voter == 1 ? 1000 : 0))));
      static_cast<void>(writer_.write(on(42, vote(voter, 1000))));
      static_cast<void>(writer_.write(on(43, vote(voter, 1000))));
    }
  }
  tl::expected<analytics::TopRated, analytics::TopRatedError> top(
      const analytics::TopRatedQuery& query, bool sees_unpublished = false) {
    CommandReport report({.cms = support::wordpress_cms(),
                          .unpublished = unpublished_,
                          .settings = settings_,
                          .sees_unpublished = sees_unpublished},
                         site_.connection());
    EXPECT_TRUE(report.begin({.period = {.name = analytics::NamedPeriod::all}}));
    return analytics::top_rated(report, query).value();
  }
  static std::vector<std::uint64_t> ids_in(const analytics::TopRated& top) {
    std::vector<std::uint64_t> ids;
    for (const analytics::RankedObject& one : top.objects.items) ids.push_back(one.object.id);
    return ids;
  }
  using Ids = std::vector<std::uint64_t>;

  support::WordPressSite site_{database_};
  const analytics::UnpublishedObjects unpublished_{support::wordpress_cms(), {}};
  model::Settings settings_;
};

TEST_F(TopRated, IsMadeWithOneCallAndHasTitles) {
  const auto made = top({});
  ASSERT_TRUE(made);
  EXPECT_EQ(ids_in(*made), (Ids{43, 41}));  // post 42 is a draft
  EXPECT_EQ(made->objects.total, 2);
  EXPECT_EQ(made->ranking.category, model::Category::binary);
  EXPECT_EQ(made->titles.find({43, "post"})->title, "Title 43");
  EXPECT_EQ(made->search_is_limited, std::nullopt);
}

TEST_F(TopRated, HasDraftsForWhoMaySeeThem) {
  const auto made = top({}, true);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->objects.total, 3);
  EXPECT_EQ(made->titles.find({42, "post"})->title, "Title 42");
}

TEST_F(TopRated, HasInternalObjectsForNobody) {
  site_.connection().execute("UPDATE wp_posts SET post_type = 'wp_navigation' WHERE ID = 43");
  for (const bool sees_unpublished : {false, true}) {
    const auto made = top({}, sees_unpublished);
    ASSERT_TRUE(made);
    EXPECT_EQ(ids_in(*made), (sees_unpublished ? Ids{42, 41} : Ids{41}));
  }
}

TEST_F(TopRated, IsSearchedByWordsInTitles) {
  const auto made = top({.ranking = {}, .search = "41"});
  ASSERT_TRUE(made);
  EXPECT_EQ(ids_in(*made), (Ids{41}));
  EXPECT_EQ(made->search_is_limited, false);
}

TEST_F(TopRated, PageBehindTheEndIsAnError) {
  EXPECT_EQ(top({.ranking = {}, .offset = 1})->objects.items.size(), 1U);
  EXPECT_EQ(top({.ranking = {}, .offset = 2}).error(), analytics::TopRatedError::past_end);
}

TEST_F(TopRated, ChosenCategoryHasTheRequestedMetrics) {
  using analytics::Metric;
  for (std::uint64_t id = 41; id <= 43; ++id) {
    for (model::VoterId voter = 1; voter <= 4; ++voter) {
      static_cast<void>(writer_.write(on(id, vote(voter, 500, model::Category::scale))));
    }
  }
  EXPECT_EQ(top({})->ranking.category, model::Category::scale);
  for (const Metric metric : {Metric::positive, Metric::negative, Metric::score}) {
    for (const auto& [displayed, order_by] :
         {std::pair(metric, metric), std::pair(metric, Metric::total),
          std::pair(Metric::total, metric)}) {
      analytics::TopRatedQuery query;
      query.ranking.displayed = displayed;
      query.ranking.order_by = order_by;
      const auto made = top(query);
      ASSERT_TRUE(made);
      EXPECT_EQ(made->ranking.category, model::Category::binary);
      EXPECT_EQ(ids_in(*made).size(), 2U);
    }
  }
}

TEST_F(TopRated, MetricMustBeDefinedForTheCategory) {
  static_cast<void>(writer_.write(on(41, vote(1, 500, model::Category::scale))));
  CommandReport report(
      {.cms = support::wordpress_cms(), .unpublished = unpublished_, .settings = settings_},
      site_.connection());
  ASSERT_TRUE(report.begin(
      {.period = {.name = analytics::NamedPeriod::all}, .category = model::Category::scale}));
  analytics::TopRatedQuery query;
  query.ranking.order_by = analytics::Metric::score;
  EXPECT_EQ(analytics::top_rated(report, query)->error(),
            analytics::TopRatedError::undefined_order);
  query.ranking.displayed = analytics::Metric::score;
  EXPECT_EQ(analytics::top_rated(report, query)->error(),
            analytics::TopRatedError::undefined_metric);
}

}  // namespace
