#include "templates/render.h"

#include <gtest/gtest.h>

namespace {

std::string rendered(const std::string& html, const templates::Widget& widget = {}) {
  return templates::render({.slug = "a/b", .html = html}, widget);
}

// Totals whose average is sum / (1000 * total).
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

TEST(Render, DamagedTemplateIsAnException) {
  EXPECT_FALSE(templates::can_render("<b>{{#COUNTS}}</b>"));
  EXPECT_THROW(rendered("<b>{{#COUNTS}}</b>"), std::runtime_error);
}

}  // namespace
