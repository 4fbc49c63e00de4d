#include "store/template_store.h"

#include <gtest/gtest.h>

#include "support/database.h"

namespace {

using model::Template;

class TemplateStore : public ::testing::Test {
 protected:
  static Template star(const std::string& slug) {
    return {.slug = slug,
            .name = "Ein Stern ★",
            .description = "of \"one\" line",
            .category = model::Category::scale,
            .html = "<b>'</b>",
            .css = "x"};
  }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
};

TEST_F(TemplateStore, StoredIsReadAsItWas) {
  EXPECT_TRUE(store::put_template(connection_, star("mine/star")));
  EXPECT_EQ(store::find_template(connection_, "mine/star"), star("mine/star"));
  EXPECT_EQ(store::find_template(connection_, "mine/other"), std::nullopt);
}

TEST_F(TemplateStore, ReplacedCountsItsVersion) {
  store::put_template(connection_, star("mine/star"));
  Template changed = star("mine/star");
  changed.category = model::Category::binary;
  changed.html = "<i></i>";
  EXPECT_FALSE(store::put_template(connection_, changed));
  changed.version = 2;
  EXPECT_EQ(store::find_template(connection_, "mine/star"), changed);
}

TEST_F(TemplateStore, AllAreInTheOrderOfTheirSlugs) {
  for (const char* slug : {"b/b", "a/z", "b/a"}) store::put_template(connection_, star(slug));
  EXPECT_EQ(store::all_templates(connection_),
            (std::vector{star("a/z"), star("b/a"), star("b/b")}));
}

TEST_F(TemplateStore, RemovedIsGone) {
  store::put_template(connection_, star("mine/star"));
  EXPECT_TRUE(store::remove_template(connection_, "mine/star"));
  EXPECT_FALSE(store::remove_template(connection_, "mine/star"));
  EXPECT_TRUE(store::all_templates(connection_).empty());
}

}  // namespace
