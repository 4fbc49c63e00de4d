#include "templates/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "templates/builtin_templates.h"

namespace {

std::string rendered(const std::string& html, const templates::Widget& widget = {}) {
  return templates::render({.slug = "a/b", .html = html}, widget);
}

// Returns totals whose average is sum / (1000 * total).
model::Totals totals(std::int64_t sum, std::int64_t negative, std::int64_t positive) {
  model::Totals totals;
  totals.sum = sum;
  totals.bins[0] = negative;
  totals.bins[10] = positive;
  return totals;
}

TEST(Render, ValuesAreEscapedInTextsAndAttributes) {
  const templates::Widget widget{.object_id = "\"><script>alert('1')</script>&",
                                 .object_type = "a'b"};
  EXPECT_EQ(
      rendered("<div data-object-id=\"{{OBJECT_ID}}\"></div>", widget),
      "<div data-object-id=\"&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;\">"
      "</div>");
  EXPECT_EQ(rendered("<p>{{OBJECT_ID}}</p>", widget),
            "<p>&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</p>");
  EXPECT_EQ(rendered("<div data-object-type='{{OBJECT_TYPE}}'></div>", widget),
            "<div data-object-type='a&#39;b'></div>");
}

TEST(Render, CountsAreShownOrLeftOut) {
  EXPECT_EQ(rendered("<b>{{#COUNTS}}{{TOTAL}}{{/COUNTS}}</b>", {.totals = totals(2000, 1, 2)}),
            "<b>3</b>");
  EXPECT_EQ(rendered("<b>{{#COUNTS}}{{TOTAL}}{{/COUNTS}}</b>", {.shows_counts = false}), "<b></b>");
}

TEST(Render, AveragesHaveThePlacesOfTheirScale) {
  const std::string all = "{{AVERAGE}} {{AVERAGE_5}} {{AVERAGE_10}} {{AVERAGE_100}} {{TENTHS}}";
  EXPECT_EQ(rendered(all, {.totals = totals(5810, 3, 4)}), "0.83 4.2 8.3 83 8");  // 0.83 exactly
  EXPECT_EQ(rendered(all, {.totals = totals(4000, 0, 4)}), "1.00 5.0 10.0 100 10");
  EXPECT_EQ(rendered(all, {.totals = totals(-1000, 3, 2)}), "-0.20 -1.0 -2.0 -20 -2");
  EXPECT_EQ(rendered(all, {}), "– – – – ");
}

// The rounding of half stars is specified in docs/widgets.md.
TEST(Render, RatingsCountAtTheNearestOfFiveSteps) {
  const std::string steps = "{{STEP_1}} {{STEP_2}} {{STEP_3}} {{STEP_4}} {{STEP_5}}";
  const std::vector<std::size_t> step_of_tenths = {1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  for (std::size_t tenths = 0; tenths < model::Totals::kBins; ++tenths) {
    model::Totals totals;
    totals.bins[tenths] = 7;
    std::string expected = "0 0 0 0 0";
    expected[2 * (step_of_tenths[tenths] - 1)] = '7';
    EXPECT_EQ(rendered(steps, {.totals = totals}), expected) << tenths;
  }
}

TEST(Render, SharesAreOfAllRatings) {
  const std::string shares = "{{SHARE_1}} {{SHARE_2}} {{SHARE_3}} {{SHARE_4}} {{SHARE_5}}";
  EXPECT_EQ(rendered(shares, {}), "0.000 0.000 0.000 0.000 0.000");
  model::Totals totals;
  totals.bins = {1, 0, 2, 0, 5, 0, 14, 0, 48, 0, 58};
  EXPECT_EQ(rendered(shares, {.totals = totals}), "0.023 0.039 0.109 0.375 0.453");
  totals.bins = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1'000'000'000'000};
  EXPECT_EQ(rendered(shares, {.totals = totals}), "0.000 0.000 0.000 0.000 1.000");
}

TEST(Render, DistributionHasABarForEachStep) {
  const auto templates = templates::builtin_templates();
  const auto found = std::ranges::find(templates, "simple/distribution", &model::Template::slug);
  ASSERT_NE(found, templates.end());
  model::Totals totals;
  totals.bins[9] = 3;
  totals.bins[10] = 1'234;
  const std::string html = templates::render(*found, {.totals = totals});
  for (const char* part :
       {"value=\"1.000\" data-stat=\"share_5\" aria-label=\"5 of 5\"></meter>",
        "data-stat=\"step_5\">1237</span>", "value=\"0.000\" data-stat=\"share_1\"",
        "data-stat=\"step_1\">0</span>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  }
  const std::string without = templates::render(*found, {.shows_counts = false, .totals = totals});
  EXPECT_EQ(without.find("step_"), std::string::npos);
  EXPECT_NE(without.find("data-stat=\"share_5\""), std::string::npos);
}

TEST(Render, HalfStarsHaveAButtonForEachHalf) {
  const auto templates = templates::builtin_templates();
  const auto found = std::ranges::find(templates, "simple/half-stars", &model::Template::slug);
  ASSERT_NE(found, templates.end());
  const std::string html = templates::render(*found, {});
  for (const char* button :
       {"data-value=\"0.1\" aria-label=\"0.5 of 5\"", "data-value=\"0.7\" aria-label=\"3.5 of 5\"",
        "data-value=\"1.0\" aria-label=\"5 of 5\""}) {
    EXPECT_NE(html.find(button), std::string::npos) << button << "\n" << html;
  }
}

TEST(Render, DamagedTemplateIsAnException) {
  EXPECT_FALSE(templates::can_render("<b>{{#COUNTS}}</b>"));
  EXPECT_THROW(rendered("<b>{{#COUNTS}}</b>"), std::runtime_error);
}

}  // namespace
