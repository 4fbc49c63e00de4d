// Tests the response to `GET /health` in lib/handlers/service.cpp.

#include <gtest/gtest.h>

#include <string>

#include "support/service.h"

namespace {

constexpr const char* kChallenge = "00112233445566778899aabbccddeeff";

class Health : public ::testing::Test {
 protected:
  http::Response ask(const std::string& query, const std::string& address = "192.0.2.1") {
    http::Request request;
    request.method = http::Method::get;
    request.query = query;
    request.remote_address = address;
    return service_.serve(request, "/health");
  }

  static std::string proof(const http::Response& response) {
    for (const http::Header& header : response.headers) {
      if (header.name == "X-Ratingd-Proof") return header.value;
    }
    return "";
  }

  support::Service service_;
};

TEST_F(Health, ProvesThatItIsOfTheSite) {
  const identity::Keys& keys = service_.app().core.keys.front();
  const http::Response response = ask(std::string("challenge=") + kChallenge);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(proof(response), identity::challenge_response(keys, kChallenge));
  identity::Keys others = keys;
  others.health = "another";
  EXPECT_NE(proof(response), identity::challenge_response(others, kChallenge));
  EXPECT_EQ(proof(ask("")), "");
}

TEST_F(Health, ProvesItAlsoWhenItCannotServe) {
  service_.connection().execute("DELETE FROM wp_ratingd_schema");
  const http::Response response = ask(std::string("challenge=") + kChallenge);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(proof(response),
            identity::challenge_response(service_.app().core.keys.front(), kChallenge));
  EXPECT_NE(response.body.find("ratingd_unavailable"), std::string::npos) << response.body;
}

TEST_F(Health, FailsIfATableCannotBeRead) {
  EXPECT_EQ(ask("").status, 200);
  EXPECT_NE(ask("", "127.0.0.1").body.find(R"("unreadable_tables":[])"), std::string::npos);
  service_.wordpress().connection().execute("DROP TABLE wp_ratingd_totals");
  EXPECT_EQ(ask("").status, 503);
  const http::Response details = ask("", "127.0.0.1");
  EXPECT_EQ(details.status, 503);
  EXPECT_NE(details.body.find(R"("unreadable_tables":["wp_ratingd_totals"])"), std::string::npos)
      << details.body;
}

TEST_F(Health, TakesChallengesOfOneFormOnly) {
  for (const std::string challenge : {"", "0011", "voter", "00112233445566778899aabbccddeefg",
                                      "00112233445566778899aabbccddeeff00"}) {
    const http::Response response = ask("challenge=" + challenge);
    EXPECT_EQ(response.status, 400) << challenge;
    EXPECT_EQ(proof(response), "");
  }
}

// On the service's own host, ratingctl sends `GET /health` requests that contain a challenge. The
// service responds to such requests without waiting for the database checks.
TEST_F(Health, HasNoDetailsWithAChallenge) {
  EXPECT_NE(ask("", "127.0.0.1").body.find("workers"), std::string::npos);
  EXPECT_EQ(ask(std::string("challenge=") + kChallenge, "127.0.0.1").body,
            R"({"success":true,"status":"ok"})");
}

}  // namespace
