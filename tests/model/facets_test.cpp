#include "model/facets.h"

#include <gtest/gtest.h>

#include "model/settings.h"

namespace model {
namespace {

const FacetNames kNames = {"taste", "service"};

TEST(Facets, NamesAreShortWordsWithoutAColon) {
  EXPECT_EQ(parse_facet_name("Taste-of_2"), "taste-of_2");
  EXPECT_EQ(parse_facet_name(std::string(32, 'a')), std::string(32, 'a'));
  for (const char* bad :
       {"", "a:b", "a b", "a.b", "<b>", "\"", "\xC3\xA4", "aaaaaaaaaabbbbbbbbbbccccccccccddd"}) {
    EXPECT_FALSE(parse_facet_name(bad)) << bad;
  }
}

TEST(Facets, TypeIsOneIfTheSettingNamesIt) {
  EXPECT_EQ(facet_in("post:taste", kNames), "taste");
  EXPECT_EQ(facet_in("shop:item:service", kNames), "service");
  for (const char* other : {"post", "taste", "post:tast", "post:taste:x", ":taste", "post:", ""}) {
    EXPECT_FALSE(facet_in(other, kNames)) << other;
  }
  EXPECT_FALSE(facet_in("post:taste", {}));
}

TEST(Facets, BelongToTheObjectBeforeTheColon) {
  EXPECT_EQ(parent_of({7, "post:taste"}, kNames), (Object{7, "post"}));
  EXPECT_EQ(parent_of({7, "shop:item:service"}, kNames), (Object{7, "shop:item"}));
  EXPECT_EQ(parent_of({7, "post:chapter"}, kNames), (Object{7, "post:chapter"}));
  EXPECT_EQ(parent_of({7, "post"}, kNames), (Object{7, "post"}));
  EXPECT_EQ(facet_of({7, "post"}, "taste"), (Object{7, "post:taste"}));
}

TEST(Facets, SettingHasAtMostTwentyNames) {
  const Setting& setting = *find_setting("facets");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kMaxFacets; ++i) names.push_back("f" + std::to_string(i));
  EXPECT_TRUE(accept(setting, SettingValue(names)));
  names.emplace_back("one-more");
  ASSERT_FALSE(accept(setting, SettingValue(names)));
  EXPECT_EQ(accept(setting, SettingValue(names)).error().reason, Refusal::Reason::bounds);
  EXPECT_EQ(accept(setting, SettingValue(std::string("Love, love , funny"))).value(),
            SettingValue(std::vector<std::string>{"love", "funny"}));
  for (const char* bad : {"<script>", "a:b", "a b"}) {
    const auto refused = accept(setting, SettingValue(std::vector<std::string>{bad}));
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().reason, Refusal::Reason::form) << bad;
  }
}

}  // namespace
}  // namespace model
