#include "adapters/none.h"

#include <gtest/gtest.h>

#include "support/database.h"

namespace {

class NoCms : public ::testing::Test {
 protected:
  support::Database database_;
  db::Connection connection_{database_.endpoint()};
  adapters::None cms_{{"https://example.org/shop", "Europe/Berlin", 0}};
};

TEST_F(NoCms, SiteIsWhatTheOptionsSay) {
  EXPECT_EQ(cms_.addresses(connection_).home, "https://example.org/shop");
  EXPECT_FALSE(cms_.addresses(connection_).is_of_network);
  EXPECT_EQ(cms_.addresses(connection_).login, std::nullopt);
  EXPECT_EQ(cms_.time_zone(connection_).name(), "Europe/Berlin");
  EXPECT_EQ(cms_.week_start(connection_), std::chrono::Sunday);
  EXPECT_TRUE(cms_.is_ready());
}

TEST_F(NoCms, KnowsNoObjects) {
  const model::Object object{1, "post"};
  EXPECT_EQ(cms_.state_of(connection_, object), cms::ObjectState());
  EXPECT_EQ(cms_.ids_of_type(connection_, "post"), std::nullopt);
  EXPECT_TRUE(cms_.describe(connection_, {&object, 1}).empty());
  EXPECT_TRUE(cms_.rated_and_deleted(connection_, {}).empty());
  EXPECT_EQ(cms_.rated_with_title(connection_, {.words = "a", .limit = 1}).objects,
            model::ObjectSet());
  EXPECT_EQ(cms_.rated_and_omitted(connection_, {}, {}, std::chrono::seconds(1)),
            cms::OmittedObjects());
  EXPECT_EQ(cms_.newest_posts(connection_, {}, 1), std::nullopt);
}

TEST_F(NoCms, NeedsNoRightsAndHasNoTicketsOfItsOwn) {
  EXPECT_EQ(cms_.grants(), "");
  EXPECT_EQ(cms_.ticket_secret(), std::nullopt);
}

TEST_F(NoCms, DoctorLooksAtTheAddress) {
  std::vector<cms::Finding> report;
  cms_.check(connection_, report);
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0].health, cms::Health::ok);
  report.clear();
  adapters::None({"https://"}).check(connection_, report);
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0].health, cms::Health::fail);
}

}  // namespace
