#include "store/site.h"

#include <gtest/gtest.h>

#include "store/settings_store.h"
#include "support/wordpress_cms.h"
#include "support/wordpress_site.h"

namespace {

class Site : public ::testing::Test {
 protected:
  Site() {
    db::Connection(database_.owner())
        .execute(
            "INSERT INTO wp_options (option_name, option_value) VALUES ('home', "
            "'https://example.org/blog')");
  }
  std::shared_ptr<const store::SiteState> refreshed() {
    site_.refresh(connection_);
    return site_.state();
  }
  // Returns the log of a refresh.
  std::string heard_while_refreshing() {
    ::testing::internal::CaptureStderr();
    site_.refresh(connection_);
    return ::testing::internal::GetCapturedStderr();
  }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
  const runtime::Log log_{runtime::LogLevel::warning};
  store::Site site_{support::wordpress_cms(), log_};
};

TEST_F(Site, IsUnknownBeforeTheFirstRefresh) { EXPECT_EQ(site_.state(), nullptr); }

TEST_F(Site, CanBeReadWhileTheSaltCannot) {
  const std::string salt = refreshed()->network_salt;
  EXPECT_FALSE(salt.empty());
  db::Connection(database_.owner()).execute("DROP TABLE wp_ratingd_state");
  EXPECT_THROW(site_.refresh(connection_), std::runtime_error);
  EXPECT_EQ(site_.state()->network_salt, salt);
  store::Site of_a_new_worker{support::wordpress_cms(), log_};
  EXPECT_THROW(of_a_new_worker.refresh(connection_), std::runtime_error);
  ASSERT_NE(of_a_new_worker.state(), nullptr);
  EXPECT_EQ(of_a_new_worker.state()->network_salt, "");
}

TEST_F(Site, HasTheOriginsOfItsOptions) {
  EXPECT_EQ(refreshed()->origins, std::vector<std::string>{"https://example.org"});
}

TEST_F(Site, ChangedSettingsApplyFromTheNextRefresh) {
  const auto before = refreshed();
  store::change_settings(connection_, {{"enabled", false}});
  EXPECT_TRUE(before->settings.enabled);
  EXPECT_FALSE(refreshed()->settings.enabled);
  store::reset_setting(connection_, "enabled");
  EXPECT_TRUE(refreshed()->settings.enabled);
}

TEST_F(Site, UnchangedSettingsStay) {
  store::change_settings(connection_, {{"blocked_agents", std::vector<std::string>{"bot"}}});
  const auto before = refreshed();
  EXPECT_EQ(*refreshed(), *before);
  EXPECT_EQ(before->settings.blocked_agents, std::vector<std::string>{"bot"});
}

TEST_F(Site, DamagedSettingIsLoggedOnceForEachChange) {
  connection_.execute("INSERT INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  const std::string heard = heard_while_refreshing();
  EXPECT_NE(heard.find("event=setting_ignored"), std::string::npos) << heard;
  EXPECT_NE(heard.find("cooldown_seconds"), std::string::npos) << heard;
  EXPECT_EQ(heard_while_refreshing(), "");
  EXPECT_EQ(site_.state()->settings, model::Settings());

  store::change_settings(connection_, {{"enabled", false}});
  EXPECT_NE(heard_while_refreshing(), "");
  EXPECT_FALSE(site_.state()->settings.enabled);
}

}  // namespace
