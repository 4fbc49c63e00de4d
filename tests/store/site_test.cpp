#include "store/site.h"

#include <gtest/gtest.h>

#include <cctype>

#include "base/timestamp.h"
#include "store/named_values.h"
#include "store/settings_store.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/wordpress_cms.h"
#include "support/wordpress_site.h"

namespace {

using namespace std::chrono_literals;
using support::kNoon;

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
  // Refreshes the site, and returns what was logged.
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

// A proxy may add HTTPS to a site whose settings still contain the http URL.
TEST_F(Site, WithAnHttpUrlIsAlsoAllowedOverHttps) {
  const auto origins_of = [&](const std::string& home) {
    db::Connection(database_.owner())
        .execute("UPDATE wp_options SET option_value = ? WHERE option_name = 'home'", home);
    return refreshed()->origins;
  };
  using Origins = std::vector<std::string>;
  EXPECT_EQ(origins_of("http://example.org/blog"),
            (Origins{"http://example.org", "https://example.org"}));
  EXPECT_EQ(origins_of("http://[::1]"), (Origins{"http://[::1]", "https://[::1]"}));
  EXPECT_EQ(origins_of("http://example.org:8080"), Origins{"http://example.org:8080"});
  EXPECT_EQ(origins_of("https://example.org"), Origins{"https://example.org"});
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

const std::string kSalt(64, 'a');

std::string row_of(base::Time begun) { return base::to_datetime(begun) + "/" + kSalt; }

TEST(SaltIn, IsUsedForItsLife) {
  EXPECT_EQ(store::salt_in(row_of(kNoon), kNoon, 1h), kSalt);
  EXPECT_EQ(store::salt_in(row_of(kNoon), kNoon + 1h - 1us, 1h), kSalt);
  EXPECT_EQ(store::salt_in(row_of(kNoon), kNoon + 1h, 1h), "");
}

TEST(SaltIn, OfAClockThatIsAheadIsUsedUpToAnHour) {
  EXPECT_EQ(store::salt_in(row_of(kNoon + 1h), kNoon, 24h), kSalt);
  EXPECT_EQ(store::salt_in(row_of(kNoon + 1h + 1us), kNoon, 24h), "");
}

TEST(SaltIn, OfADamagedRowIsNone) {
  const std::string time = base::to_datetime(kNoon);
  for (const std::string& row :
       {std::string(), time, time + "/", time + "/" + kSalt.substr(2), time + "/" + kSalt + "aa",
        time + "/" + std::string(64, 'x'), "/" + kSalt, "yesterday/" + kSalt, kSalt}) {
    EXPECT_EQ(store::salt_in(row, kNoon, 24h), "") << row;
  }
}

TEST(LifeOfSalt, IsTheWindowOfAddressesButNoLongerThanAddressesAreKept) {
  model::Settings settings;
  settings.address_window = 48h;
  EXPECT_EQ(store::life_of_salt(settings), 48h);
  settings.address_retention = std::chrono::days(1);
  EXPECT_EQ(store::life_of_salt(settings), 24h);
  settings.address_retention = std::chrono::days(0);  // stored as long as the vote
  EXPECT_EQ(store::life_of_salt(settings), 48h);
}

TEST(LifeOfSalt, IsAtMostADayWithoutStoredAddresses) {
  model::Settings settings;
  settings.address_window = 48h;
  settings.store_address = model::StoreAddress::none;
  EXPECT_EQ(store::life_of_salt(settings), 24h);
  settings.address_window = 2h;
  EXPECT_EQ(store::life_of_salt(settings), 2h);
}

class CurrentSalt : public ::testing::Test {
 protected:
  void store_row(const std::string& value) {
    store::save_value(connection_, store::kNetworkSalt, value);
  }
  base::Time now() {
    db::Rows row = connection_.query("SELECT UTC_TIMESTAMP(6)");
    EXPECT_TRUE(row.next());
    return row.time(1);
  }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
  db::Connection other_host_{database_.endpoint()};
};

TEST_F(CurrentSalt, IsRandomAndTheSameOnAllHosts) {
  const std::string salt = store::current_salt(connection_, 24h);
  EXPECT_EQ(salt.size(), 64U);
  EXPECT_EQ(store::current_salt(other_host_, 24h), salt);
  EXPECT_EQ(store::current_salt(connection_, 24h), salt);
  store::remove_value(connection_, store::kNetworkSalt);
  EXPECT_NE(store::current_salt(connection_, 24h), salt);
}

TEST_F(CurrentSalt, IsReplacedOnceOnAllHostsWhenItIsTooOld) {
  store_row(row_of(now() - 25h));
  const std::string fresh = store::current_salt(connection_, 24h);
  EXPECT_NE(fresh, kSalt);
  EXPECT_EQ(store::current_salt(other_host_, 24h), fresh);
  const auto stored = store::read_value(connection_, store::kNetworkSalt);
  EXPECT_EQ(stored.value_or("").find(kSalt), std::string::npos);
}

TEST_F(CurrentSalt, WithAShorterLifeIsReplacedAtOnce) {
  store_row(row_of(now() - 2h));
  EXPECT_EQ(store::current_salt(connection_, 24h), kSalt);
  EXPECT_NE(store::current_salt(connection_, 1h), kSalt);
}

TEST_F(CurrentSalt, OfASiteWithoutRequestsIsDeletedByMaintenance) {
  store_row(row_of(now() - 2h));
  store::delete_old_salt(connection_, 24h);
  EXPECT_TRUE(store::read_value(connection_, store::kNetworkSalt));
  store::delete_old_salt(connection_, 1h);
  EXPECT_FALSE(store::read_value(connection_, store::kNetworkSalt));
}

TEST_F(CurrentSalt, ReplacesADamagedRow) {
  store_row("damaged");
  EXPECT_EQ(store::current_salt(connection_, 24h).size(), 64U);
}

}  // namespace
