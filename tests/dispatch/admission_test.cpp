#include "dispatch/admission.h"

#include <gtest/gtest.h>

#include <string>

#include "base/crypto.h"
#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"
#include "wordpress/password.h"

namespace {

using support::header;
using support::kNow;

class Admission : public ::testing::Test {
 protected:
  Admission() {
    service_.wordpress().set_option("using_application_passwords", "1");
    service_.change({{"require_login", true}});
  }
  http::Response vote(std::string_view sec_fetch_site, std::string_view password = "nobody") {
    const std::string authorization = "Basic " + base::to_base64("joe:" + std::string(password));
    http::Request request;
    request.method = http::Method::post;
    request.remote_address = "198.51.100.7";
    request.https = true;
    request.received_at = kNow;
    request.content_type = "application/json";
    request.body = R"({"object_id":1,"category":"binary","value":1})";
    request.sec_fetch_site = sec_fetch_site;
    request.authorization = authorization;
    return service_.serve(request, "/rate");
  }

  support::Service service_;
};

// If the web server asks for a password, browsers send this password with every request.
TEST_F(Admission, VisitorWithAForeignPasswordIsAskedToLogInHoweverOftenItFailed) {
  for (int i = 0; i < 12; ++i) {
    const http::Response refused = vote("same-origin");
    EXPECT_EQ(refused.status, 401);
    EXPECT_NE(refused.body.find(R"("code":"rest_not_logged_in")"), std::string::npos);
    EXPECT_EQ(header(refused, "X-Ratingd-Login"), i < 10 ? "none" : "limited");
  }
}

TEST_F(Admission, ProgramWhosePasswordFailedTooOftenIsToldToWait) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(vote("").status, 401);
  const http::Response limited = vote("");
  EXPECT_EQ(limited.status, 429);
  EXPECT_NE(header(limited, "Retry-After"), "none");
}

TEST_F(Admission, AnswerToABrowserDoesNotRevealACorrectPasswordAfterTooManyFailures) {
  const std::string password = "aB3dE5gH7jK9mN1pQ3sT5vX7";
  const std::string hash = wordpress::fast_hash(password);
  service_.wordpress().add_user(7, "joe", "");
  service_.wordpress().set_meta(
      7, "_application_passwords",
      "a:1:{i:0;a:1:{s:8:\"password\";s:" + std::to_string(hash.size()) + ":\"" + hash + "\";}}");
  EXPECT_EQ(vote("same-origin", password).status, 200);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(vote("same-origin", "wrong").status, 401);
  const http::Response wrong = vote("same-origin", "wrong");
  const http::Response correct = vote("same-origin", password);
  EXPECT_EQ(correct.status, 401);
  EXPECT_EQ(correct.body, wrong.body);
}

}  // namespace
