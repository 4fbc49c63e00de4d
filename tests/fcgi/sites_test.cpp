#include "fcgi/sites.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "base/crypto.h"
#include "base/text.h"
#include "config/config.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "rollups/rollup_state.h"
#include "store/settings_store.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/memory_folder.h"
#include "support/serve.h"
#include "support/wordpress_site.h"

namespace {

constexpr std::string_view kPassword = "secret";
constexpr std::string_view kBase = "/wp-json/ratingd/v1";

// Creates a network with the sites example.org (1), example.org/two (2) and three.example.org (3).
class Sites : public ::testing::Test {
 protected:
  Sites() {
    identity::make_secret(folder_.path() / "secret");
    config_.secret_file = folder_.path() / "secret";
    config_.runtime_dir = folder_.path();
    config_.cache_memory = 1;
    config_.network.exists = config_.network.serves_all = true;
    wordpress_.set_option("home", "http://example.org");
    wordpress_.make_network();
    run("CREATE TABLE wp_blogs (blog_id INT PRIMARY KEY, site_id INT NOT NULL, domain VARCHAR(200),"
        " path VARCHAR(100), archived INT DEFAULT 0, spam INT DEFAULT 0, deleted INT DEFAULT 0)");
    add_site(1, "example.org", "/");
    add_site(2, "example.org", "/two/");
    add_site(3, "three.example.org:8080", "/");
  }

  void run(const std::string& statement) { wordpress_.connection().execute(statement); }

  void add_site(unsigned blog_id, const std::string& domain, const std::string& path) {
    const std::string id = std::to_string(blog_id);
    run("INSERT INTO wp_blogs (blog_id, site_id, domain, path) VALUES (" + id + ", 1, '" + domain +
        "', '" + path + "')");
    if (blog_id == 1) return;
    for (const char* const table : {"options", "posts", "comments"}) {
      run("CREATE TABLE wp_" + id + "_" + table + " LIKE wp_" + table);
    }
    run("INSERT INTO wp_" + id + "_options (option_name, option_value) VALUES ('home', 'http://" +
        domain + path.substr(0, path.size() - 1) + "')");
  }
  // Adds a user with the password kPassword. "capabilities" is the value of the user's
  // wp_capabilities metadata.
  void add_user(unsigned id, const std::string& login, const std::string& capabilities) {
    wordpress_.add_user(id, login, base::to_hex(base::md5(kPassword)));
    wordpress_.set_meta(id, "wp_capabilities", capabilities);
  }
  void make_tables(unsigned blog_id) {
    db::Connection connection(
        db::for_tables(database_.owner(), "wp_" + std::to_string(blog_id) + "_"));
    db::migrate(connection, [](const db::Migration&) {});
    rollups::set_initial_zone(connection, base::Zone());
  }

  static http::Response answer(fcgi::Sites& sites, std::string_view host, const std::string& path,
                               http::Method method = http::Method::get, std::string_view body = "",
                               const std::string& user = "") {
    const std::string login = "Basic " + base::to_base64(user + ":" + std::string(kPassword));
    http::Request request;
    if (!user.empty()) request.authorization = login;
    request.method = method;
    request.host = host;
    request.path = request.sent_path = path;
    request.body = body;
    request.content_type = body.empty() ? "" : "application/json";
    request.device_token = "the-device-of-one-visitor";
    request.has_device_token = true;
    request.remote_address = "192.0.2.1";
    request.id = "request";
    request.received_at = base::SystemClock().now();
    const auto site = sites.find(host, path);
    if (!site->is_open()) {
      return dispatch::refuse(sites.first().app(), request,
                              {api::ErrorCode::site_closed, site->closed()});
    }
    auto service = site->for_request();
    if (service == nullptr) service = sites.load(*site);
    return support::serve(service->app(), request);
  }
  static std::string path_of(const std::string& site, const std::string& rest) {
    return site + std::string(kBase) + rest;
  }
  static http::Response rate(fcgi::Sites& sites, std::string_view host, const std::string& site) {
    return answer(sites, host, path_of(site, "/rate"), http::Method::post,
                  R"({"object_id":7,"category":"binary","value":1})");
  }
  static bool has_vote(fcgi::Sites& sites, std::string_view host, const std::string& site) {
    const auto stats = answer(sites, host, path_of(site, "/stats/7"));
    EXPECT_EQ(stats.status, 200) << stats.body;
    return stats.body.find(R"("positive":1)") != std::string::npos;
  }

  void load_two_and_three(fcgi::Sites& sites) {
    make_tables(2);
    make_tables(3);
    sites.refresh();
    EXPECT_EQ(answer(sites, "example.org", path_of("/two", "/stats/7")).status, 200);
    EXPECT_EQ(answer(sites, "three.example.org", path_of("", "/stats/7")).status, 200);
  }

  static std::size_t count_of_loaded(const fcgi::Sites& sites) {
    std::size_t count = 0;
    sites.for_each_loaded([&](const auto& /*service*/) { ++count; });
    return count;
  }

  static constexpr fcgi::Sites::Limits kDroppedAtOnce{.idle = std::chrono::milliseconds(0)};

  support::Database database_;
  support::WordPressSite wordpress_{database_};
  const support::MemoryFolder folder_;
  config::Config config_ = support::config_for(database_.owner());
  const base::SystemClock clock_{};
  const runtime::Log log_{runtime::LogLevel::error};
};

TEST_F(Sites, AreFoundByHostAndPath) {
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  const auto blog_of = [&](std::string_view name, const std::string& site) {
    return sites.find(name, path_of(site, "/stats/7"))->blog_id();
  };
  EXPECT_EQ(blog_of("example.org", ""), 1U);
  EXPECT_EQ(blog_of("example.org", "/two"), 2U);
  EXPECT_EQ(blog_of("three.example.org", ""), 3U);
  EXPECT_EQ(blog_of("www.three.example.org", ""), 3U);
  run("UPDATE wp_blogs SET domain = 'www.three.example.org' WHERE blog_id = 3");
  fcgi::Sites again(shared);
  again.refresh();
  EXPECT_EQ(again.find("three.example.org", path_of("", "/stats/7"))->blog_id(), 3U);
  EXPECT_EQ(answer(again, "three.example.org", path_of("", "/stats/7")).status, 503);
  EXPECT_EQ(answer(again, "www.three.example.org", path_of("", "/stats/7")).status, 503);
  EXPECT_EQ(count_of_loaded(again), 2U);  // both addresses have one service
  // The first site receives all requests for unknown addresses, and rejects them with status 404.
  EXPECT_EQ(blog_of("example.org", "/four"), 1U);
  EXPECT_EQ(blog_of("four.example.org", ""), 1U);
  EXPECT_EQ(answer(sites, "example.org", path_of("/four", "/stats/7")).status, 404);
  EXPECT_EQ(answer(sites, "four.example.org", path_of("", "/stats/7")).status, 404);
}

TEST_F(Sites, VotesOfOneAreNotThoseOfAnother) {
  make_tables(2);
  make_tables(3);
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  const auto vote = rate(sites, "example.org", "/two");
  ASSERT_EQ(vote.status, 200) << vote.body;
  EXPECT_FALSE(has_vote(sites, "example.org", ""));
  EXPECT_TRUE(has_vote(sites, "example.org", "/two"));
  EXPECT_FALSE(has_vote(sites, "three.example.org", ""));
  // A visitor who votes on two sites is a different voter on each site.
  ASSERT_EQ(rate(sites, "three.example.org", "").status, 200);
  db::Connection connection(database_.owner());
  EXPECT_EQ(connection
                .query("SELECT COUNT(*) FROM wp_2_ratingd_voters JOIN wp_3_ratingd_voters"
                       " USING (voter)")
                .number(),
            0);
}

TEST_F(Sites, FirstOneFixesSettingsForWhoAdministersTheNetwork) {
  make_tables(2);
  add_user(7, "super", "");
  add_user(8, "owner", R"(a:1:{s:14:"manage_options";b:1;})");
  config_.logins.account_passwords = config_.logins.basic_over_http = true;
  wordpress_.set_network_option("site_admins", R"(a:1:{i:0;s:5:"super";})");
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  const auto status = [&](const std::string& user, const std::string& site,
                          const std::string& route) {
    return answer(sites, "example.org", path_of(site, route), http::Method::patch,
                  R"({"data":{"enabled":false}})", user)
        .status;
  };
  EXPECT_EQ(status("owner", "", "/settings"), 200);
  EXPECT_EQ(status("owner", "", "/settings/network"), 403);
  EXPECT_EQ(status("nobody", "", "/settings/network"), 401);
  EXPECT_EQ(status("super", "/two", "/settings"), 200);
  EXPECT_EQ(status("super", "/two", "/settings/network"), 403);
  db::Connection connection(database_.owner());
  const std::string fixed = "SELECT COUNT(*) FROM wp_ratingd_settings WHERE name LIKE 'network.%'";
  EXPECT_EQ(connection.query(fixed).number(), 0);
  EXPECT_EQ(status("super", "", "/settings/network"), 200);
  EXPECT_EQ(connection.query(fixed).number(), 1);
}

TEST_F(Sites, SessionsAreShared) {
  for (unsigned blog_id = 4; blog_id < 12; ++blog_id) {
    add_site(blog_id, "example.org", "/" + std::to_string(blog_id) + "/");
    make_tables(blog_id);
  }
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  for (unsigned blog_id = 4; blog_id < 12; ++blog_id) {
    const std::string site = "/" + std::to_string(blog_id);
    EXPECT_EQ(rate(sites, "example.org", site).status, 200);
    EXPECT_TRUE(has_vote(sites, "example.org", site));
    // The response to a vote may be sent before the writer has returned its session.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (shared.writers.sessions().idle == 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }
  EXPECT_EQ(count_of_loaded(sites), 9U);
  EXPECT_EQ(shared.writers.sessions().idle, 1U);
  EXPECT_LE(shared.readers.sessions().idle, config_.db_sessions);
}

TEST_F(Sites, NewOneIsServedOnceItHasItsTables) {
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  const auto refused = answer(sites, "example.org", path_of("/two", "/stats/7"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("ratingctl migrate --all-sites"), std::string::npos) << refused.body;
  make_tables(2);
  sites.refresh();
  EXPECT_FALSE(has_vote(sites, "example.org", "/two"));
}

TEST_F(Sites, RequestsAndVotesAreCountedForEach) {
  config_.metrics_networks.push_back(base::Network::parse("192.0.2.0/24").value());
  make_tables(2);
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  EXPECT_EQ(rate(sites, "example.org", "/two").status, 200);
  EXPECT_TRUE(has_vote(sites, "example.org", "/two"));
  EXPECT_FALSE(has_vote(sites, "example.org", ""));
  const auto metrics = answer(sites, "example.org", path_of("", "/metrics"));
  for (const char* const sample : {"\nratingd_site_requests_total{site=\"1\"} 1\n",
                                   "\nratingd_site_votes_total{site=\"2\"} 1\n",
                                   "\nratingd_site_requests_total{site=\"2\"} 2\n"}) {
    EXPECT_NE(metrics.body.find(sample), std::string::npos) << metrics.body;
  }
  EXPECT_EQ(metrics.body.find("votes_total{site=\"1\"}"), std::string::npos);
}

TEST_F(Sites, SettingsThatTheNetworkFixesAreThoseOfEach) {
  make_tables(2);
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  EXPECT_EQ(rate(sites, "example.org", "/two").status, 200);
  db::Connection first(database_.owner());
  ASSERT_TRUE(store::fix_settings(first, {{"enabled", false}}));
  sites.refresh();
  EXPECT_EQ(rate(sites, "example.org", "/two").status, 403);
  EXPECT_EQ(rate(sites, "example.org", "").status, 403);
}

TEST_F(Sites, BeforeTheListWasReadNoneIsUnknown) {
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  const auto status_of = [&](std::string_view name, const std::string& path) {
    return answer(sites, name, path_of(path, "/stats/7")).status;
  };
  run("RENAME TABLE wp_blogs TO wp_blogs_of_another");
  sites.refresh();
  EXPECT_EQ(status_of("example.org", "/two"), 503);
  EXPECT_EQ(status_of("other.example.org", ""), 503);
  EXPECT_EQ(status_of("example.org", ""), 200);
  run("RENAME TABLE wp_blogs_of_another TO wp_blogs");
  sites.refresh();
  EXPECT_EQ(status_of("example.org", "/four"), 404);
  EXPECT_EQ(status_of("other.example.org", ""), 404);
}

TEST_F(Sites, FewThreadsWaitForOneThatIsLoaded) {
  config_.threads = 1;
  make_tables(2);
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  const auto site = sites.find("example.org", path_of("/two", "/stats/7"));
  std::shared_ptr<fcgi::Service> second;
  const auto first = site->load([&] {  // called while the site is loaded
    second = std::async(std::launch::async, [&] { return sites.load(*site); }).get();
    return true;
  });
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(sites.load(*site), first);
}

TEST_F(Sites, UnusedSessionsAreClosed) {
  make_tables(2);
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared, kDroppedAtOnce);
  sites.refresh();
  EXPECT_FALSE(has_vote(sites, "example.org", "/two"));
  EXPECT_EQ(shared.readers.sessions().idle, 1U);
  sites.refresh();
  EXPECT_EQ(shared.readers.sessions().idle, 0U);
}

TEST_F(Sites, IdleOneIsDroppedWhileAnotherOneIsSlow) {
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared, kDroppedAtOnce);
  load_two_and_three(sites);
  const auto used = sites.find("example.org", path_of("/two", "/stats/7"))->for_request();
  EXPECT_EQ(count_of_loaded(sites), 3U);
  db::Connection locking(database_.owner());
  locking.execute("LOCK TABLES wp_2_ratingd_schema WRITE");  // makes the refresh wait
  sites.refresh();
  EXPECT_EQ(count_of_loaded(sites), 2U);
  EXPECT_EQ(shared.loaded_sites, 1U);
}

TEST_F(Sites, IdleOneIsDroppedWhileTheListsOfAnotherAreMade) {
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared, kDroppedAtOnce);
  load_two_and_three(sites);
  db::Connection locking(database_.owner());
  locking.execute("LOCK TABLES wp_2_ratingd_kept_periods WRITE");
  const fcgi::ListRefreshThread lists(shared, sites);
  const base::Stopwatch stopwatch;
  const auto is_waiting = [&] {
    db::Connection connection(database_.owner());
    return connection
               .query(
                   "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
                   " AND info LIKE '%wp_2_ratingd_kept_periods%' AND state LIKE 'Waiting%'")
               .number() > 0;
  };
  while (!is_waiting()) ASSERT_LT(stopwatch.elapsed(), std::chrono::seconds(20));
  sites.refresh();
  EXPECT_EQ(shared.loaded_sites, 1U);
  locking.execute("UNLOCK TABLES");
}

TEST_F(Sites, TheOneThatWasIdleForLongestMakesRoom) {
  add_site(4, "four.example.org", "/");
  for (const unsigned id : {2U, 3U, 4U}) make_tables(id);
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared, {.loaded = 2});
  sites.refresh();
  EXPECT_EQ(rate(sites, "example.org", "/two").status, 200);
  EXPECT_EQ(rate(sites, "three.example.org", "").status, 200);
  EXPECT_TRUE(has_vote(sites, "example.org", "/two"));
  EXPECT_EQ(rate(sites, "four.example.org", "").status, 200);
  EXPECT_EQ(shared.loaded_sites, 2U);
  EXPECT_EQ(sites.find("three.example.org", kBase)->loaded(), nullptr);
  EXPECT_TRUE(has_vote(sites, "three.example.org", ""));

  const auto two = sites.find("example.org", path_of("/two", "/stats/7"));
  EXPECT_EQ(two->loaded(), nullptr);
  const auto three = sites.find("three.example.org", kBase)->for_request();
  const auto four = sites.find("four.example.org", kBase)->for_request();
  EXPECT_EQ(sites.load(*two), nullptr);  // all other places are in use
}

TEST_F(Sites, OneWithOldTablesSaysSo) {
  make_tables(2);
  run("DELETE FROM wp_2_ratingd_schema WHERE version = " + std::to_string(db::newest_version()));
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  const auto refused = answer(sites, "example.org", path_of("/two", "/stats/7"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("This site’s tables and the service have different versions. Ask the "
                              "administrator to run: ratingctl migrate --all-sites"),
            std::string::npos)
      << refused.body;
  make_tables(2);
  sites.refresh();
  EXPECT_FALSE(has_vote(sites, "example.org", "/two"));
}

TEST_F(Sites, ThoseThatWordPressDoesNotShowAreRefusedAsItRefusesThem) {
  fcgi::SharedResources shared(config_, clock_, log_);
  const std::map<std::string, std::string> closed = {
      {"archived = 1", "This site has been archived or suspended."},
      {"spam = 1", "This site has been archived or suspended."},
      {"deleted = 1", "This site is no longer available."},
      {"deleted = 2", "This site has not been activated yet."},
      {"deleted = 1, archived = 1", "This site is no longer available."}};
  for (const auto& [state, message] : closed) {
    run("UPDATE wp_blogs SET archived = 0, spam = 0, deleted = 0");
    run("UPDATE wp_blogs SET " + state + " WHERE blog_id = 2");
    fcgi::Sites sites(shared);
    sites.refresh();
    const auto refused = answer(sites, "example.org", path_of("/two", "/stats/7"));
    EXPECT_EQ(refused.status, 410) << state;
    EXPECT_EQ(refused.body, R"({"code":"ratingd_site_closed","message":")" + message +
                                R"(","data":{"status":410}})");
    EXPECT_EQ(answer(sites, "example.org", path_of("/four", "/stats/7")).status, 404);
    EXPECT_EQ(count_of_loaded(sites), 1U);
  }
}

TEST_F(Sites, OpenOneCountsBeforeAClosedOneAtItsAddress) {
  add_site(4, "example.org", "/two/");
  make_tables(4);
  run("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 2");
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Sites sites(shared);
  sites.refresh();
  EXPECT_EQ(sites.find("example.org", path_of("/two", "/stats/7"))->blog_id(), 4U);
}

}  // namespace
