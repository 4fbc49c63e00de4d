#include "fcgi/service.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/config.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/memory_folder.h"
#include "support/serve.h"
#include "support/wordpress_site.h"

namespace {

class Service : public ::testing::Test {
 protected:
  Service() {
    identity::make_secret(folder_.path() / "secret");
    config_.secret_file = folder_.path() / "secret";
    config_.runtime_dir = folder_.path();
    config_.cache_memory = 1;
    wordpress_.set_option("home", "https://example.org");
  }

  static http::Response get(const fcgi::Service& service, const std::string& path,
                            std::string_view query = "") {
    const std::string whole = "/wp-json/ratingd/v1" + path;
    http::Request request;
    request.method = http::Method::get;
    request.path = whole;
    request.query = query;
    request.remote_address = "192.0.2.1";
    request.received_at = base::SystemClock().now();
    return support::serve(service.app(), request);
  }

  support::Database database_;
  support::WordPressSite wordpress_{database_};
  const support::MemoryFolder folder_;
  config::Config config_ = support::config_for(database_.endpoint());
  const base::SystemClock clock_{};
  const runtime::Log log_{runtime::LogLevel::error};
};

TEST_F(Service, AnswersOnceTheSiteIsKnown) {
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Service service(shared, config_);
  EXPECT_EQ(get(service, "/stats/42").status, 503) << "nothing is known of the site yet";
  service.refresher().refresh();
  EXPECT_EQ(get(service, "/stats/42").status, 200);
}

// While all database sessions are busy, the service resends its last response. After an error,
// nginx would send an older response from its cache.
TEST_F(Service, PublicCountsAreThoseAnsweredLastWhileItsSessionsAreBusy) {
  config_.cache_seconds = 0;
  config_.db_sessions = 3;  // one session is reserved for short reads
  fcgi::SharedResources shared(config_, clock_, log_);
  fcgi::Service service(shared, config_);
  service.refresher().refresh();
  ASSERT_EQ(get(service, "/public/stats", "object_ids=42").status, 200);
  service.app().core.sessions.with_session([&](db::Connection&) {
    EXPECT_EQ(get(service, "/public/stats", "object_ids=42").status, 200);
    EXPECT_EQ(get(service, "/public/stats", "object_ids=43").status, 503);
    EXPECT_EQ(get(service, "/stats", "object_ids=42").status, 503);
  });
}

TEST_F(Service, TwoProcessesShareTheMemoryOfTheHost) {
  fcgi::SharedResources first(config_, clock_, log_);
  const fcgi::SharedResources second(config_, clock_, log_);
  ASSERT_TRUE(first.workers.join());
  EXPECT_EQ(second.workers.all().size(), 1U);
}

TEST_F(Service, SecretThatCannotBeReadIsAnError) {
  config_.secret_file = folder_.path() / "missing";
  EXPECT_THROW(fcgi::SharedResources(config_, clock_, log_), std::runtime_error);
}

}  // namespace
