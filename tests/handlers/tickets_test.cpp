// Tests requests with tickets in lib/dispatch/admission.h.

#include "support/tickets.h"

#include <gtest/gtest.h>

#include <string>

#include "support/clock.h"
#include "support/service.h"
#include "support/voter_cookie.h"

namespace {

using http::Method;
using support::kNoon;

constexpr const char* kVoteOf42 = R"({"object_id":42,"category":"binary","value":1})";

std::string hash(const std::string& body) { return base::to_base64url(base::sha256(body)); }

// Owns the strings of a request, because the members of http::Request only refer to strings.
struct Sent {
  std::string ticket = {}, authorization = {}, cookie = {}, origin = {}, body = {};
  std::string address = "192.0.2.1";
  Method method = Method::get;
  std::string query = {}, override = {}, id = {};
  base::Time at = kNoon;
};

class Tickets : public ::testing::Test {
 protected:
  static std::string ticket(const std::string& subject, const std::string& issuer = "shop",
                            const std::string& more = "") {
    return support::ticket(support::Service::ticket_secret(issuer), issuer, subject, kNoon, more);
  }
  http::Response serve(const Sent& sent, const std::string& path) {
    http::Request request;
    request.method = sent.method;
    request.ticket = sent.ticket;
    request.has_ticket = !sent.ticket.empty();
    request.authorization = sent.authorization;
    request.cookie = sent.cookie;
    request.origin = sent.origin;
    request.has_origin = !sent.origin.empty();
    request.body = sent.body;
    request.content_type = "application/json";
    request.remote_address = sent.address;
    request.received_at = sent.at;
    request.id = sent.id.empty() ? std::to_string(++requests_) : sent.id;
    request.query = sent.query;
    request.method_override = sent.override;
    return service_.serve(request, path);
  }
  http::Response get(const std::string& ticket, const std::string& path) {
    return serve({.ticket = ticket}, path);
  }
  http::Response vote(const std::string& ticket) {
    return serve({.ticket = ticket, .body = kVoteOf42, .method = Method::post}, "/rate");
  }
  // Returns a ticket from the CMS for the user "subject". The ticket is valid for only one request.
  // "line" is the request's method and path, and "body" is its body.
  std::string ticket_of_cms(const std::string& subject, const std::string& line,
                            const std::string& body = "", const std::string& claims = "") {
    const std::string hashes = body.empty() ? "" : "\"" + hash(body) + "\"";
    return ticket(subject, "wordpress",
                  claims + R"(,"request":")" + line + R"(","body":[)" + hashes +
                      R"(],"jti":"a nonce of at least )" + std::to_string(++nonces_) + "\"");
  }
  std::int64_t count(const std::string& what) {
    return service_.connection().query("SELECT COUNT(*) FROM " + what).number();
  }
  static bool has(const http::Response& response, std::string_view part) {
    return response.body.find(part) != std::string::npos;
  }
  static bool has_header(const http::Response& response, std::string_view name,
                         std::string_view value = "") {
    return std::ranges::any_of(response.headers, [&](const http::Header& header) {
      return header.name == name && header.value.find(value) != std::string::npos;
    });
  }

  support::Service service_;
  int requests_ = 0;
  int nonces_ = 0;
};

constexpr std::string_view kOwn = R"("user_ratings":{"binary")";

TEST_F(Tickets, AVisitorVotesOnceAndSeesTheVote) {
  const http::Response first = vote(ticket("anna"));
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_FALSE(has_header(first, "Set-Cookie"));
  EXPECT_EQ(vote(ticket("anna")).status, 200);
  EXPECT_EQ(vote(ticket("bert")).status, 200);
  EXPECT_EQ(count("wp_ratingd_votes"), 2);
  EXPECT_EQ(count("wp_ratingd_visitors WHERE issuer = 'shop'"), 2);
  EXPECT_TRUE(has(get(ticket("anna"), "/stats/42"), kOwn));
  EXPECT_FALSE(has(get(ticket("carl"), "/stats/42"), kOwn));
  EXPECT_FALSE(has(get("", "/stats/42"), kOwn));
}

TEST_F(Tickets, TheSameNameOfAnotherIssuerIsAnotherVisitor) {
  vote(ticket("anna"));
  EXPECT_FALSE(has(get(ticket("anna", "desk"), "/stats/42"), kOwn));
}

// The service uses the voter id that is stored for a visitor, even after the secret from which the
// id was derived has been replaced.
TEST_F(Tickets, TheStoredVoterCountsWhateverTheKeyOfTheHash) {
  const std::string voter = std::to_string(model::kAnonymousBit | 77);
  service_.connection().execute("INSERT INTO wp_ratingd_visitors VALUES (" + voter +
                                ", 'shop', 'anna', '2026-11-20')");
  EXPECT_EQ(vote(ticket("anna")).status, 200);
  EXPECT_EQ(count("wp_ratingd_votes WHERE voter = " + voter), 1);
  EXPECT_TRUE(has(get(ticket("anna"), "/stats/42"), kOwn));
}

TEST_F(Tickets, ReadingStoresNothing) {
  EXPECT_EQ(get(ticket("anna"), "/stats/42").status, 200);
  EXPECT_EQ(get(ticket("anna"), "/me").status, 200);
  EXPECT_EQ(count("wp_ratingd_visitors"), 0);
}

TEST_F(Tickets, AVisitorListsAndErasesTheirRatings) {
  vote(ticket("anna"));
  vote(ticket("bert"));
  EXPECT_TRUE(has(get(ticket("anna"), "/me"), R"("object_id":42)"));
  const http::Response erased = serve({.ticket = ticket("anna"), .method = Method::delete_}, "/me");
  EXPECT_TRUE(has(erased, R"("deleted":1)")) << erased.body;
  EXPECT_EQ(count("wp_ratingd_visitors"), 1);
  EXPECT_TRUE(has(get(ticket("bert"), "/stats/42"), kOwn));
}

TEST_F(Tickets, ATicketOfACmsUserIsThatUser) {
  EXPECT_EQ(vote(ticket_of_cms("7", "POST /rate", kVoteOf42)).status, 200);
  EXPECT_EQ(count("wp_ratingd_votes WHERE voter = 7"), 1);
  EXPECT_EQ(count("wp_ratingd_visitors"), 0);
}

TEST_F(Tickets, ATicketOfTheCmsItselfDoesNotVote) {
  const http::Response refused = vote(ticket_of_cms("0", "POST /rate", kVoteOf42));
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(has(refused, "does not identify a voter")) << refused.body;
  EXPECT_EQ(get(ticket_of_cms("0", "GET /me"), "/me").status, 401);
}

TEST_F(Tickets, ABearerOfOursIsATicketAndAnotherIsNone) {
  const std::string ours = "Bearer " + ticket("anna");
  EXPECT_EQ(
      serve({.authorization = ours, .body = kVoteOf42, .method = Method::post}, "/rate").status,
      200);
  EXPECT_EQ(count("wp_ratingd_visitors"), 1);
  const std::string other = "Bearer " + ticket("anna", "other");
  const http::Response anonymous = serve({.authorization = other}, "/stats/42");
  EXPECT_EQ(anonymous.status, 200);
  EXPECT_FALSE(has(anonymous, kOwn));
}

TEST_F(Tickets, BadOnesAreRefusedOnEveryRouteWithAReason) {
  const std::string forged =
      support::ticket("another secret of thirty-two bytes", "shop", "a", kNoon);
  for (const char* path : {"/stats/42", "/templates", "/settings", "/me", "/health"}) {
    const http::Response refused = get(forged, path);
    EXPECT_EQ(refused.status, 401) << path;
    EXPECT_TRUE(has(refused, R"("code":"ratingd_bad_ticket")")) << refused.body;
    EXPECT_TRUE(has(refused, R"("reason":"bad_signature")")) << refused.body;
    EXPECT_TRUE(has_header(refused, "WWW-Authenticate", "Bearer")) << path;
    EXPECT_FALSE(has_header(refused, "WWW-Authenticate", "Basic")) << path;
  }
  EXPECT_TRUE(has(get(ticket("anna", "other"), "/stats/42"), R"("reason":"unknown_issuer")"));
  EXPECT_TRUE(has(get(ticket("a") + ", " + ticket("b"), "/stats/42"), R"("reason":"two_tickets")"));
  EXPECT_TRUE(
      has(serve({.ticket = ticket("a"), .authorization = "Bearer " + ticket("a")}, "/stats/42"),
          R"("reason":"two_tickets")"));
  EXPECT_EQ(vote(forged).status, 401);
  EXPECT_EQ(count("wp_ratingd_votes"), 0);
}

TEST_F(Tickets, PublicCountsDoNotLookAtThem) {
  EXPECT_EQ(get("nonsense", "/public/stats/42").status, 200);
}

TEST_F(Tickets, PagesOfOtherOriginsAreRefusedWithAnyTicket) {
  Sent sent{.ticket = ticket("anna"),
            .origin = "https://evil.example",
            .body = kVoteOf42,
            .method = Method::post};
  EXPECT_EQ(serve(sent, "/rate").status, 403);
  sent.origin = "https://example.org";
  EXPECT_EQ(serve(sent, "/rate").status, 200);
}

TEST_F(Tickets, RightsAreThoseOfTicketAndKeyTogether) {
  const std::string all = R"(,"rights":["administer","see_persons"])";
  EXPECT_EQ(get(ticket("boss", "desk", all), "/settings").status, 200);
  EXPECT_EQ(get(ticket("boss", "desk"), "/settings").status, 403);
  EXPECT_EQ(get(ticket("boss", "shop", all), "/settings").status, 403);
}

TEST_F(Tickets, WhatShowsPersonsNeedsTheRightToSeeThem) {
  const std::string administers = ticket("boss", "desk", R"(,"rights":["administer"])");
  const std::string sees = ticket("boss", "desk", R"(,"rights":["see_persons"])");
  const std::string both = ticket("boss", "desk", R"(,"rights":["administer","see_persons"])");
  EXPECT_EQ(get(administers, "/data/export").status, 403);
  for (const Method method : {Method::get, Method::post}) {
    const std::string body = R"({"action":"drop","object_id":1})";
    EXPECT_EQ(serve({.ticket = administers, .body = body, .method = method}, "/data/held").status,
              403);
    EXPECT_EQ(serve({.ticket = sees, .body = body, .method = method}, "/data/held").status, 403);
    EXPECT_EQ(serve({.ticket = both, .body = body, .method = method}, "/data/held").status, 200);
  }
}

TEST_F(Tickets, OtherProofBesideThemIsIgnored) {
  const auto voter = model::kAnonymousBit | 5;
  const auto second = std::chrono::floor<std::chrono::seconds>(kNoon);
  const std::string cookie = support::voter_cookie(
      identity::write_voter_cookie({voter, second}, service_.app().core.keys));
  serve({.ticket = ticket("anna"), .cookie = cookie, .body = kVoteOf42, .method = Method::post},
        "/rate");
  EXPECT_FALSE(has(serve({.cookie = cookie}, "/stats/42"), kOwn));
  EXPECT_TRUE(has(get(ticket("anna"), "/stats/42"), kOwn));
}

TEST_F(Tickets, VisitorsOfOneServerDoNotShareItsLimits) {
  service_.change({{"rate_limit_write", model::decimal_of(10)},
                   {"max_new_voters_per_address_per_object", model::decimal_of(3)}});
  for (int i = 0; i < 30; ++i) EXPECT_EQ(vote(ticket("visitor" + std::to_string(i))).status, 200);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(vote(ticket("visitor0")).status, 200) << i;
  EXPECT_EQ(vote(ticket("visitor0")).status, 429);
  EXPECT_EQ(vote(ticket("visitor1")).status, 200);
}

TEST_F(Tickets, AForwardedAddressCounts) {
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(3)}});
  const std::string from = R"(,"address":"198.51.100.7")";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(vote(ticket("visitor" + std::to_string(i), "desk", from)).status, 200);
  }
  EXPECT_EQ(vote(ticket("visitor3", "desk", from)).status, 429);
  EXPECT_EQ(vote(ticket("visitor4", "desk", R"(,"address":"198.51.100.8")")).status, 200);
  // The "shop" key lacks permission to forward addresses.
  EXPECT_EQ(vote(ticket("visitor5", "shop", from)).status, 200);
  EXPECT_EQ(count("wp_ratingd_votes WHERE address = ''"), 1);
}

TEST_F(Tickets, ABrowserThatSendsItsTicketHasItsOwnAddress) {
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(2)},
                   {"blocked_networks", std::vector<std::string>{"198.51.100.0/24"}}});
  Sent sent{.origin = "https://example.org", .body = kVoteOf42, .method = Method::post};
  for (const char* visitor : {"a", "b", "c"}) {
    sent.ticket = ticket(visitor);
    EXPECT_EQ(serve(sent, "/rate").status, *visitor == 'c' ? 429 : 200);
  }
  sent.address = "198.51.100.7";
  EXPECT_EQ(serve(sent, "/rate").status, 403);
  sent.origin.clear();  // the request comes from a server
  EXPECT_EQ(serve(sent, "/rate").status, 200);
}

// Tickets signed with the "app" key are sent by browsers, so the headers of their requests are not
// trusted.
TEST_F(Tickets, OfAKeyForBrowsersTheSenderCountsWhateverTheHeaders) {
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(2)},
                   {"blocked_networks", std::vector<std::string>{"198.51.100.0/24"}}});
  Sent sent{.body = kVoteOf42, .method = Method::post};
  for (const char* visitor : {"a", "b", "c"}) {
    sent.ticket = ticket(visitor, "app");
    EXPECT_EQ(serve(sent, "/rate").status, *visitor == 'c' ? 429 : 200);
  }
  sent.address = "198.51.100.7";
  EXPECT_EQ(serve(sent, "/rate").status, 403);
}

TEST_F(Tickets, BurstsFromFewNetworksAreHeld) {
  service_.change({{"hold_suspicious", true}, {"hold_threshold", model::decimal_of(10)}});
  for (int network = 0; network < 12; ++network) {
    const std::string from = R"(,"address":"198.51.)" + std::to_string(network) + R"(.7")";
    for (int i = 0; i < 4; ++i) {
      const std::string visitor = std::to_string(network) + "-" + std::to_string(i);
      EXPECT_EQ(vote(ticket(visitor, "desk", from)).status, 200);
    }
  }
  EXPECT_GT(count("wp_ratingd_held"), 10);
}

TEST_F(Tickets, RefusedOnesSilenceNoValidOnes) {
  const std::string forged =
      support::ticket("another secret of thirty-two bytes", "shop", "a", kNoon);
  for (const std::string& garbage : {std::string("nonsense"), forged}) {
    for (int i = 0; i < 300; ++i) EXPECT_EQ(get(garbage, "/settings").status, 401);
    const http::Response refused = get(garbage, "/settings");
    EXPECT_EQ(refused.status, 429);
    EXPECT_TRUE(has_header(refused, "Retry-After"));
    EXPECT_TRUE(has_header(refused, "RateLimit"));
  }
  EXPECT_EQ(service_.total(runtime::Count::limited_ticket), 2U);
  EXPECT_EQ(get(ticket("anna"), "/stats/42").status, 200);
  EXPECT_EQ(get(ticket("anna", "desk"), "/stats/42").status, 200);
  EXPECT_EQ(get("", "/stats/42").status, 200);
}

// Verifying an ES256 signature takes ten times as long as verifying an HS256 signature.
TEST_F(Tickets, CostlyOnesAreLimitedByKeyAndNetwork) {
  const std::string header = R"({"alg":"ES256"})";
  Sent forged{.ticket = support::ticket("", "mobile", "a", kNoon, "", header)};
  for (int i = 0; i < 300; ++i) EXPECT_EQ(serve(forged, "/settings").status, 401);
  EXPECT_EQ(serve(forged, "/settings").status, 429);
  EXPECT_EQ(get(ticket("anna"), "/stats/42").status, 200);
  forged.address = "198.51.100.7";
  EXPECT_EQ(serve(forged, "/settings").status, 401);
}

TEST_F(Tickets, BearersOfARemovedKeyAreRefusedAndNoAnonymousVotes) {
  const std::string removed = "Bearer " + ticket("anna", "old");
  const http::Response refused =
      serve({.authorization = removed, .body = kVoteOf42, .method = Method::post}, "/rate");
  EXPECT_EQ(refused.status, 401);
  EXPECT_TRUE(has(refused, R"("reason":"removed_key")")) << refused.body;
  EXPECT_EQ(count("wp_ratingd_votes"), 0);
}

TEST_F(Tickets, BearersThatNameAKeyInTheirHeaderAreOurs) {
  const auto named = [&](const std::string& name) {
    const std::string header = R"({"alg":"HS256","kid":")" + name + R"("})";
    return serve({.authorization = "Bearer " + support::ticket("a secret of at least 32 bytes....",
                                                               "other", "anna", kNoon, "", header)},
                 "/stats/42");
  };
  EXPECT_TRUE(has(named("shop"), R"("reason":"unknown_issuer")"));
  EXPECT_EQ(named("old").status, 401);
  EXPECT_EQ(named("other").status, 200);
}

TEST_F(Tickets, AreCountedByKeyAndResult) {
  get(ticket("anna"), "/stats/42");
  get(ticket("anna", "old"), "/stats/42");
  get(ticket("anna", "stranger"), "/stats/42");
  get(ticket("a") + ", " + ticket("b"), "/stats/42");
  service_.allow_monitor("192.0.2.0/24");
  const http::Response metrics = get("", "/metrics");
  for (const char* sample :
       {R"(ratingd_tickets_total{issuer="shop",result="accepted"} 1)",
        R"(ratingd_tickets_total{issuer="old",result="removed_key"} 1)",
        R"(ratingd_tickets_total{issuer="",result="unknown_issuer"} 1)",
        R"(,result="two_tickets"} 1)", R"(ratingd_limit_refusals_total{class="ticket"} 0)"}) {
    EXPECT_TRUE(has(metrics, sample)) << sample << "\n" << metrics.body;
  }
  EXPECT_FALSE(has(metrics, "stranger"));
  EXPECT_FALSE(has(metrics, R"(result="other")"));
}

// --- Tickets for one request --------------------------------------------------------------------

class TicketsForOneRequest : public Tickets {
 protected:
  // Returns a ticket for the CMS itself that is valid only for one request. "line" is the request's
  // method and path, and "body" is its body.
  std::string bound(const std::string& line, const std::string& body = "") {
    return ticket_of_cms("0", line, body, R"(,"rights":["administer"])");
  }
  std::string reason(const Sent& sent, const std::string& path) {
    const http::Response response = serve(sent, path);
    if (response.status == 200) return "accepted";
    const auto body = json::parse(response.body);
    const json::Value* const data = body ? body->find("data") : nullptr;
    const json::Value* const why = data == nullptr ? nullptr : data->find("reason");
    return why == nullptr ? response.body : std::get<std::string>(why->data);
  }
};

const std::string kChange = R"({"revote":"never"})";

TEST_F(TicketsForOneRequest, AreValidOnce) {
  const Sent sent{
      .ticket = bound("POST /settings", kChange), .body = kChange, .method = Method::post};
  EXPECT_EQ(reason(sent, "/settings"), "accepted");
  EXPECT_EQ(reason(sent, "/settings"), "used");
  EXPECT_EQ(reason({.ticket = bound("GET /settings")}, "/settings"), "accepted");
}

TEST_F(TicketsForOneRequest, AreValidAgainIfTheWebServerRepeatsTheRequest) {
  Sent sent{.ticket = bound("GET /settings"), .id = "repeated"};
  EXPECT_EQ(reason(sent, "/settings"), "accepted");
  EXPECT_EQ(reason(sent, "/settings"), "accepted");
  sent.id = "replayed";
  EXPECT_EQ(reason(sent, "/settings"), "used");
}

TEST_F(TicketsForOneRequest, AreForNoOtherRequest) {
  const std::string other = R"({"revote":"always"})";
  const Sent right{.ticket = bound("POST /settings?_fields=success", kChange),
                   .body = kChange,
                   .method = Method::post,
                   .query = "_fields=success"};
  const auto changed = [&](const auto& change) {
    Sent sent = right;
    change(sent);
    return reason(sent, "/settings");
  };
  EXPECT_EQ(reason(right, "/data/clean"), "other_request");
  EXPECT_EQ(reason(right, "/settings/"), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.query = ""; }), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.query = "_fields=data"; }), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.query += "&revote=always"; }), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.method = Method::put; }), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.override = "PUT"; }), "other_request");
  EXPECT_EQ(changed([&](Sent& sent) { sent.body = other; }), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.body.clear(); }), "other_request");
  EXPECT_EQ(changed([](Sent& sent) { sent.at += std::chrono::seconds(31); }), "expired");
  EXPECT_FALSE(has(get(bound("GET /settings"), "/settings"), R"("revote":"never")"));
  // Rejected requests do not use up a ticket.
  EXPECT_EQ(reason(right, "/settings"), "accepted");
}

TEST_F(TicketsForOneRequest, OfAReadSignTheQueryAndNoBody) {
  const Sent sent{.ticket = bound("GET /settings?_fields=data"), .query = "_fields=data"};
  EXPECT_EQ(reason(sent, "/settings"), "accepted");
  const Sent with_body{.ticket = bound("GET /settings"), .body = "_fields=data"};
  EXPECT_EQ(reason(with_body, "/settings"), "other_request");
}

TEST_F(TicketsForOneRequest, OfFrontEndsWorkToo) {
  const std::string bind =
      R"(,"request":"POST /rate","jti":"of 16 bytes or more","body":[")" + hash(kVoteOf42) + "\"]";
  const std::string once = ticket("anna", "shop", bind);
  EXPECT_EQ(vote(once).status, 200);
  EXPECT_EQ(vote(once).status, 401);
  // Nonces of different issuers are independent.
  EXPECT_EQ(vote(ticket("anna", "desk", bind)).status, 200);
}

TEST_F(TicketsForOneRequest, OfTheCmsAreTheOnlyOnesThatItMaySend) {
  EXPECT_EQ(get(ticket("anna"), "/me").status, 200);
  EXPECT_EQ(get(bound("GET /settings"), "/settings").status, 200);
  const auto refused = get(ticket("0", "wordpress", R"(,"rights":["administer"])"), "/settings");
  EXPECT_EQ(refused.status, 401);
  EXPECT_TRUE(refused.body.find("docs/headless.md") != std::string::npos) << refused.body;
}

// The service imports the first part of a large request body before the rest has arrived.
TEST_F(TicketsForOneRequest, SignEachPieceOfALargeBodyBeforeItIsUsed) {
  const auto row = [](int id) {
    return R"({"kind":"rating","object_id":)" + std::to_string(id) +
           R"(,"category":"binary","user_id":7,"value":1,"rated_at":"2026-01-02T03:04:05Z"})"
           "\n";
  };
  std::string first;
  for (int id = 1; first.size() + row(id).size() <= identity::kSignedPieceBytes; ++id) {
    first += row(id);
  }
  first += std::string(identity::kSignedPieceBytes - first.size() - 1, ' ') + "\n";
  const auto import = [&](const std::string& body, const std::string& nonce) {
    const std::string signing =
        ticket("0", "wordpress",
               R"(,"rights":["administer"],"request":"POST /data/import","body":[")" + hash(first) +
                   R"(",")" + hash(row(900'000)) + R"("],"jti":")" + nonce + "\"");
    http::Request request;
    request.method = Method::post;
    request.ticket = signing;
    request.has_ticket = true;
    request.received_at = kNoon;
    request.id = nonce;
    request.body_too_large = true;
    std::string_view rest = body;
    request.large_body = [&]() -> std::optional<std::string_view> {
      const std::string_view piece = rest.substr(0, 8000);
      rest.remove_prefix(piece.size());
      return piece;
    };
    return service_.serve(request, "/data/import");
  };
  const http::Response forged = import(row(1) + first, "forged from the first byte on");
  EXPECT_EQ(forged.status, 401) << forged.body;
  EXPECT_TRUE(has(forged, R"("reason":"other_request")")) << forged.body;
  EXPECT_EQ(count("wp_ratingd_votes"), 0);
  EXPECT_EQ(import(first + row(900'001), "forged behind the first piece").status, 401);
  EXPECT_EQ(count("wp_ratingd_votes WHERE object_id >= 900000"), 0);
  EXPECT_EQ(import(first, "without the end").status, 401);
  EXPECT_EQ(import(first + row(900'000) + row(900'001), "with more").status, 401);
  const http::Response whole = import(first + row(900'000), "as it was signed");
  EXPECT_EQ(whole.status, 200) << whole.body;
  EXPECT_EQ(count("wp_ratingd_votes WHERE object_id >= 900000"), 1);
}

TEST_F(Tickets, UsersAndVisitorsMayVoteWhereALoginIsRequired) {
  service_.change({{"require_login", true}});
  EXPECT_EQ(vote("").status, 401);
  EXPECT_EQ(vote(ticket("anna")).status, 200);
  EXPECT_EQ(vote(ticket_of_cms("7", "POST /rate", kVoteOf42)).status, 200);
}

}  // namespace
