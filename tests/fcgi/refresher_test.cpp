#include "fcgi/refresher.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/text.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "store/settings_store.h"
#include "support/cache_memory.h"
#include "support/clock.h"
#include "support/memory_folder.h"
#include "support/wordpress_site.h"
#include "votes/counters.h"

namespace {

namespace fs = std::filesystem;

const base::Time kNow = base::Day(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(12);

// A symbolic link to the database socket, which tests can remove and restore.
class Route {
 public:
  explicit Route(std::string socket) : socket_(std::move(socket)) { open(); }
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;
  ~Route() { fs::remove(path_); }

  void open() { fs::create_symlink(socket_, path_); }
  void close() { fs::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string socket_;
  const std::string path_ =
      ::testing::TempDir() + "route_" + base::to_hex(base::random_bytes(6)) + ".sock";
};

int count(std::string_view text, std::string_view word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
    ++found;
    at += word.size();
  }
  return found;
}

class Refresher : public ::testing::Test {
 protected:
  Refresher() { wordpress_.set_option("home", "https://example.org"); }

  static std::string logged_while(const std::function<void()>& action) {
    ::testing::internal::CaptureStderr();
    action();
    return ::testing::internal::GetCapturedStderr();
  }
  // Calls refresh() "times" times, and returns the logged lines.
  std::string logged(int times = 1) {
    return logged_while([&] {
      for (int i = 0; i < times; ++i) refresher_.refresh();
    });
  }
  // Calls refresh(), and returns the message of the config::Error thrown, or an empty string.
  static std::string error_of(fcgi::Refresher& refresher) {
    try {
      refresher.refresh();
      return {};
    } catch (const config::Error& error) {
      return error.what();
    }
  }
  std::string error() { return error_of(refresher_); }

  [[nodiscard]] db::Endpoint endpoint() const {
    db::Endpoint endpoint = database_.endpoint();
    endpoint.server.socket = route_.path();
    return endpoint;
  }
  // Makes the database unavailable and ends all open sessions.
  void cut_off() {
    route_.close();
    std::vector<std::string> sessions;
    db::Connection killer(database_.cms());
    db::Rows row = killer.query("SELECT id FROM information_schema.processlist WHERE user = '" +
                                database_.endpoint().user + "'");
    while (row.next()) sessions.push_back(row.text(1));
    for (const std::string& session : sessions) killer.execute("KILL " + session);
  }
  void set_schema_version(int version) {
    db::Connection connection(database_.cms());
    connection.execute("DELETE FROM wp_ratingd_schema");
    connection.execute("INSERT INTO wp_ratingd_schema VALUES (" + std::to_string(version) +
                       ", '2026-01-01')");
  }
  void set_enabled(bool enabled) {
    db::Connection connection(database_.endpoint());
    store::change_settings(connection, {{"enabled", enabled}});
  }

  support::Database database_;
  support::WordPressSite wordpress_{database_};
  Route route_{database_.endpoint().server.socket};
  const support::MemoryFolder memory_;
  config::Config config_ = [this] {
    config::Config config;
    config.runtime_dir = memory_.path();
    return config;
  }();
  support::FixedClock clock_{kNow};
  const runtime::Log log_{runtime::LogLevel::info};
  wordpress::WordPress cms_{config_};
  store::Site site_{cms_, log_};
  support::CacheMemory cache_;
  runtime::CacheWriters cache_writers_{cache_.header().writers};
  rollups::ForeignChanges foreign_changes_{runtime::CacheEpoch(cache_.header().epoch),
                                           cache_writers_, [](const rollups::Changed&) {}, clock_};
  const fcgi::Refresher::Targets targets_{
      .site = site_, .cms = cms_, .foreign_changes = foreign_changes_};
  fcgi::DatabaseContact contact_{config_.runtime_dir}, other_contact_{config_.runtime_dir};
  fcgi::Refresher refresher_{config_, db::Pool(endpoint(), 1), targets_, &contact_, clock_, log_};
};

TEST_F(Refresher, FirstRefreshReadsSettingsAndLogins) {
  EXPECT_EQ(logged(), "");
  ASSERT_NE(site_.state(), nullptr);
  EXPECT_EQ(site_.state()->origins, std::vector<std::string>{"https://example.org"});
  EXPECT_TRUE(cms_.is_ready());
}

TEST_F(Refresher, EachRefreshReadsWhatChanged) {
  refresher_.refresh();
  EXPECT_TRUE(site_.state()->settings.enabled);
  set_enabled(false);
  refresher_.refresh();
  EXPECT_FALSE(site_.state()->settings.enabled);
}

TEST_F(Refresher, DatabaseOutageAndRecoveryAreLoggedOnce) {
  refresher_.refresh();
  set_enabled(false);
  cut_off();
  const std::string away = logged(3);
  EXPECT_EQ(count(away, "event=database_disconnected"), 1) << away;
  EXPECT_EQ(count(away, "\n"), 1) << away;
  EXPECT_TRUE(site_.state()->settings.enabled) << "what was known stays";

  route_.open();
  const std::string back = logged(2);
  EXPECT_EQ(count(back, "event=database_reconnected"), 1) << back;
  EXPECT_FALSE(site_.state()->settings.enabled);

  cut_off();
  EXPECT_EQ(count(logged(2), "event=database_disconnected"), 1) << "it is a new disconnection";
}

TEST_F(Refresher, RefusedAccountIsLoggedOnceWithAdvice) {
  db::Endpoint refused = endpoint();
  refused.user = "nobody";
  fcgi::Refresher refresher(config_, db::Pool(refused, 1), targets_, &contact_, clock_, log_);
  const std::string lines = logged_while([&] {
    for (int i = 0; i < 3; ++i) refresher.refresh();
  });
  EXPECT_EQ(count(lines, "event=database_disconnected"), 1) << lines;
  EXPECT_EQ(count(lines, "advice=\"the database server refuses the account"), 1) << lines;
  cut_off();
  EXPECT_EQ(count(logged(), "advice="), 0) << "the account may be fine";
}

TEST_F(Refresher, DatabaseMayBeUnavailableAtTheStart) {
  cut_off();
  EXPECT_EQ(count(logged(2), "event=database_disconnected"), 1);
  EXPECT_EQ(site_.state(), nullptr);
  route_.open();
  EXPECT_EQ(count(logged(), "event=database_reconnected"), 1);
  EXPECT_NE(site_.state(), nullptr);
}

TEST_F(Refresher, DatabaseIsRequiredWhileAnotherWorkerCanUseIt) {
  db::Endpoint elsewhere = endpoint();
  elsewhere.server.socket = "/nonexistent.sock";
  fcgi::Refresher other(config_, db::Pool(elsewhere, 1), targets_, &other_contact_, clock_, log_);
  logged_while([&] { other.refresh(); });
  EXPECT_NO_THROW(other.require_contact()) << "no worker can";
  refresher_.refresh();
  EXPECT_NO_THROW(refresher_.require_contact());
  EXPECT_THROW(other.require_contact(), config::Error);

  cut_off();
  logged();
  EXPECT_NO_THROW(other.require_contact()) << "the other worker cannot any more";
  route_.open();
  logged();
  EXPECT_THROW(other.require_contact(), config::Error);
}

TEST_F(Refresher, EverythingIsRequiredWhileAnotherWorkerCanReadIt) {
  refresher_.refresh();
  db::Connection(database_.owner()).execute("RENAME TABLE wp_ratingd_settings TO hidden");
  store::Site site(cms_, log_);
  fcgi::Refresher other(config_, db::Pool(endpoint(), 1), {site, cms_, foreign_changes_},
                        &other_contact_, clock_, log_);
  logged_while([&] { other.refresh(); });
  EXPECT_THROW(other.require_contact(), config::Error);
}

TEST_F(Refresher, TablesOfAnotherVersionAreRefusedAtTheStart) {
  set_schema_version(db::newest_version() + 2);
  EXPECT_EQ(error(), db::advice_for(db::newest_version() + 2).text());
  EXPECT_EQ(site_.state(), nullptr);
}

TEST_F(Refresher, TablesOfAnotherVersionAreRefusedAfterADatabaseThatWasAway) {
  cut_off();
  refresher_.refresh();
  set_schema_version(db::newest_version() - 1);
  route_.open();
  EXPECT_EQ(error(), db::advice_for(db::newest_version() - 1).text());
}

TEST_F(Refresher, TablesOfTheNextVersionAreUsed) {
  set_schema_version(db::newest_version() + 1);
  EXPECT_EQ(error(), "");
  EXPECT_NE(site_.state(), nullptr);
}

TEST_F(Refresher, TablesThatBecomeForeignAreRefusedTheSecondTimeInARow) {
  refresher_.refresh();
  set_schema_version(db::newest_version() + 2);
  EXPECT_EQ(error(), "");
  set_schema_version(db::newest_version());
  EXPECT_EQ(error(), "");
  set_schema_version(db::newest_version() + 2);
  EXPECT_EQ(error(), "") << "the time before was not in a row with this one";
  EXPECT_EQ(error(), db::advice_for(db::newest_version() + 2).text());
}

TEST_F(Refresher, NothingIsReadFromForeignTables) {
  refresher_.refresh();
  set_enabled(false);
  set_schema_version(db::newest_version() + 2);
  refresher_.refresh();
  EXPECT_TRUE(site_.state()->settings.enabled);
}

TEST_F(Refresher, TablesWithoutATimeZoneAreRefusedAtTheStart) {
  db::Connection(database_.cms()).execute("DELETE FROM wp_ratingd_rollup_state");
  EXPECT_NE(error().find("ratingctl migrate"), std::string::npos);
}

TEST_F(Refresher, ATimeZoneThatIsMissingLaterEndsNoWorker) {
  db::Connection cms(database_.cms());
  refresher_.refresh();
  cms.execute("UPDATE wp_ratingd_rollup_state SET zone = 'Nowhere/Else'");
  set_enabled(false);
  clock_.advance(rollups::ForeignChanges::kTakeover);
  const std::string lines = logged(3);
  EXPECT_EQ(count(lines, "event=refresh_failed part=writers"), 1) << lines;
  EXPECT_FALSE(site_.state()->settings.enabled);
  cms.execute("UPDATE wp_ratingd_rollup_state SET zone = 'UTC'");
  EXPECT_EQ(logged(), "");
}

TEST_F(Refresher, MissingTableIsLoggedOnceAndOldValuesStay) {
  db::Connection owner(database_.owner());
  refresher_.refresh();
  owner.execute("RENAME TABLE wp_ratingd_settings TO hidden");
  wordpress_.set_option("siteurl", "https://www.example.org");
  const std::string missing = logged(3);
  EXPECT_EQ(count(missing, "event=refresh_failed part=settings"), 1) << missing;
  EXPECT_EQ(count(missing, "\n"), 1) << missing;
  EXPECT_EQ(site_.state()->origins, std::vector<std::string>{"https://example.org"});

  owner.execute("RENAME TABLE hidden TO wp_ratingd_settings");
  EXPECT_EQ(logged(), "");
  EXPECT_EQ(site_.state()->origins.size(), 2U);
  owner.execute("RENAME TABLE wp_ratingd_settings TO hidden");
  EXPECT_EQ(count(logged(2), "event=refresh_failed part=settings"), 1);
}

TEST_F(Refresher, AFailedReadDoesNotBlockTheOthers) {
  db::Connection owner(database_.owner());
  owner.execute("RENAME TABLE wp_ratingd_settings TO hidden");
  EXPECT_EQ(count(logged(), "event=refresh_failed part=settings"), 1);
  EXPECT_EQ(site_.state(), nullptr);
  EXPECT_TRUE(cms_.is_ready());
}

TEST_F(Refresher, UnknownOriginIsLoggedOnce) {
  wordpress_.set_option("home", "nowhere");
  EXPECT_EQ(count(logged(3), "event=site_origin_unknown"), 1);
}

TEST_F(Refresher, CountersAreDroppedAnHourAfterTheirWindow) {
  db::Connection connection(database_.cms());
  const auto add = [&](base::Time ends_at) {
    connection.execute("INSERT INTO wp_ratingd_counters VALUES (?, 1)",
                       votes::first_counter_until(ends_at) + "counter no 1");
  };
  add(kNow - std::chrono::hours(3));
  add(kNow - std::chrono::hours(2));
  add(kNow - std::chrono::hours(1));
  add(kNow + std::chrono::hours(1));
  refresher_.refresh();
  db::Rows row = connection.query("SELECT COUNT(*) FROM wp_ratingd_counters");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(1), 2);
}

TEST_F(Refresher, ServerOfSeveralIsLoggedWhenItChanges) {
  const std::string direct = database_.endpoint().server.socket;
  config_.database.server.socket = route_.path();
  config_.database.others = {{"", 0, direct}};
  db::Endpoint several = endpoint();
  several.primary = std::make_shared<db::Primary>(config::servers_of(config_.database));
  fcgi::Refresher refresher(config_, db::Pool(several, 1), targets_, &contact_, clock_, log_);
  const auto refresh_twice = [&] {
    refresher.refresh();
    refresher.refresh();
  };
  const std::string first = logged_while(refresh_twice);
  EXPECT_EQ(count(first, "event=database_server_selected server=" + route_.path() + "\n"), 1)
      << first;
  cut_off();
  const std::string second = logged_while(refresh_twice);
  EXPECT_EQ(count(second, "event=database_server_selected server=" + direct + "\n"), 1) << second;
  EXPECT_EQ(count(second, "event="), 1) << second;
}

TEST_F(Refresher, AuthoritiesThatCannotBeReadAreRefusedAtTheStart) {
  db::Endpoint verifying = endpoint();
  verifying.tls = config::DatabaseTls::verify;
  verifying.tls_ca = "/nonexistent/ca.pem";
  fcgi::Refresher refresher(config_, db::Pool(verifying, 1), targets_, &contact_, clock_, log_);
  const std::string message = error_of(refresher);
  EXPECT_NE(message.find("--db-tls-ca"), std::string::npos) << message;
}

}  // namespace
