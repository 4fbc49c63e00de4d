#include "templates/builtin_templates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/settings.h"
#include "templates/render.h"
#include "templates/template_check.h"

namespace {

using model::Category;

TEST(BuiltinTemplates, AreInTheOrderOfTheirSlugs) {
  std::vector<std::pair<std::string, Category>> found;
  for (const model::Template& one : templates::builtin_templates()) {
    found.emplace_back(one.slug, one.category);
  }
  EXPECT_EQ(found, (std::vector<std::pair<std::string, Category>>{
                       {"simple/distribution", Category::scale},
                       {"simple/dots", Category::scale},
                       {"simple/half-stars", Category::scale},
                       {"simple/heart", Category::binary},
                       {"simple/like-dislike", Category::bipolar},
                       {"simple/slider", Category::scale},
                       {"simple/stars", Category::scale},
                       {"simple/thumbs", Category::bipolar}}));
}

TEST(BuiltinTemplates, HoldThemselvesToTheRulesOfStoredOnes) {
  for (const model::Template& one : templates::builtin_templates()) {
    EXPECT_EQ(templates::refuse_html(one.html, one.category), std::nullopt) << one.slug;
    EXPECT_TRUE(templates::can_render(one.html)) << one.slug;
    EXPECT_EQ(templates::scope_css(one.css, one.slug), one.css) << one.slug;
    EXPECT_TRUE(model::is_slug(one.slug) && model::is_builtin(one.slug)) << one.slug;
  }
}

TEST(BuiltinTemplates, AreThoseOfTheSettingsDefaults) {
  const model::Settings defaults;
  const std::vector<std::pair<std::string, Category>> wanted = {
      {defaults.default_template_binary, Category::binary},
      {defaults.default_template_bipolar, Category::bipolar},
      {defaults.default_template_scale, Category::scale}};
  for (const auto& [slug, category] : wanted) {
    const auto templates = templates::builtin_templates();
    const auto found = std::ranges::find(templates, slug, &model::Template::slug);
    ASSERT_NE(found, templates.end()) << slug;
    EXPECT_EQ(found->category, category) << slug;
  }
}

}  // namespace
