// Tests the functions in lib/api/access.h that check whether a request is for the site.

#include <gtest/gtest.h>

#include "api/access.h"

namespace {

constexpr std::string_view kBasePath = "/blog/wp-json/ratingd/v1";

store::SiteState site() {
  store::SiteState state;
  state.origins = {"https://www.example.org:8443", "http://example.net"};
  state.home_path = "/blog";
  return state;
}

bool takes_path(std::string_view path, const store::SiteState& state = site()) {
  http::Request request;
  request.sent_path = path;
  return api::is_for_site(request, state, kBasePath);
}

bool takes_host(std::string_view host, const store::SiteState& state) {
  http::Request request;
  request.host = host;
  return api::is_for_site(request, state, kBasePath);
}

TEST(SiteMatch, TakesTheBasePathAndTheHomePage) {
  for (const char* path : {"", "/blog/wp-json/ratingd/v1", "/blog/wp-json/ratingd/v1/rate",
                           "//blog/wp-json/ratingd%2Fv1/rate", "/blog", "/blog/", "/blog//",
                           "/blog/index.php", "/blog/index%2ephp"}) {
    EXPECT_TRUE(takes_path(path)) << path;
  }
}

TEST(SiteMatch, RefusesPathsOfOtherSites) {
  for (const char* path :
       {"/", "/two/", "/blog/two/", "/blogs", "/blog2/index.php", "/index.php",
        "/wp-json/ratingd/v1/rate", "/blog/wp-json/ratingd/v12", "/blog/index.php/x"}) {
    EXPECT_FALSE(takes_path(path)) << path;
  }
}

// WordPress stores the site's URL as an administrator wrote it, but browsers may encode the URL
// differently.
TEST(SiteMatch, ComparesPathsDecoded) {
  for (const char* home : {"/caf%C3%A9", "/caf%c3%a9", "/caf\xC3\xA9"}) {
    store::SiteState state = site();
    state.home_path = home;
    for (const char* path :
         {"/caf%C3%A9/", "/caf%c3%a9/index.php", "/caf\xC3\xA9", "/%63af%C3%A9/"}) {
      EXPECT_TRUE(takes_path(path, state)) << home << ' ' << path;
    }
    for (const char* path : {"/cafe/", "/caf%C3/", "/caf%25C3%25A9/", "/caf%C3%A9/two/"}) {
      EXPECT_FALSE(takes_path(path, state)) << home << ' ' << path;
    }
  }
}

TEST(SiteMatch, TakesAnyPathWhereTheAddressIsNotKnown) {
  store::SiteState state = site();
  state.home_path = std::nullopt;
  EXPECT_TRUE(takes_path("/two/", state));
}

TEST(SiteMatch, TakesASingleSiteByAnyHost) {
  EXPECT_TRUE(takes_host("127.0.0.1", site()));
  EXPECT_TRUE(takes_host("other.example.org", site()));
}

TEST(SiteMatch, TakesASiteOfANetworkByItsOwnHosts) {
  store::SiteState state = site();
  state.is_of_network = true;
  for (const char* host :
       {"", "example.org", "www.example.org", "EXAMPLE.org", "example.net", "www.example.net"}) {
    EXPECT_TRUE(takes_host(host, state)) << host;
  }
  for (const char* host : {"two.example.org", "example.com", "127.0.0.1", "example.org.evil"}) {
    EXPECT_FALSE(takes_host(host, state)) << host;
  }
  state.origins.clear();
  EXPECT_TRUE(takes_host("two.example.org", state));
}

}  // namespace
