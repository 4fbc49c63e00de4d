#include "dispatch/response_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "api/access.h"
#include "api/errors.h"
#include "api/links.h"
#include "base/crypto.h"
#include "base/text.h"
#include "dispatch/admission.h"
#include "http/parse.h"
#include "identity/requester.h"
#include "model/settings.h"

namespace dispatch {
namespace {

using http::Method;

constexpr std::size_t kUsualHeaders = 16;

bool is_read(Method method) { return method == Method::get || method == Method::head; }

// --- Caching -------------------------------------------------------------------------------------

// Returns an ETag that is the same on all hosts. The hash need not be cryptographic, because nobody
// gains anything from a collision. A cryptographic hash would cost more than the rest of the
// response. If "login" is not empty, it is part of the hash.
std::string strong_etag(std::string_view body, std::string_view login) {
  static constexpr std::array<std::uint64_t, 2> kKey{};
  const base::KeyedHash hash(kKey);
  std::uint64_t value = hash(body);
  if (!login.empty()) value ^= hash(login);
  std::array<char, 18> tag;  // 16 hexadecimal digits in quotes
  tag.front() = '"';
  char* end = std::to_chars(&tag[1], &tag[17], value, 16).ptr;
  *end++ = '"';
  return {tag.data(), end};
}

// Returns the value of the X-Ratingd-Login header, or "" if there is no such header.
std::string_view login_problem(const cms::LoginState& login) {
  if (login.retry_after.count() > 0) return "limited";
  if (login.has_stale_nonce) return "stale";
  return login.lacks_nonce ? "no-nonce" : "";
}

std::string cache_control(const store::SiteState& site, api::Caching caching) {
  switch (caching) {
    case api::Caching::never:
      return "no-store";
    case api::Caching::validate:
      return "private, no-cache";
    case api::Caching::shared:
      return "public, max-age=2, stale-while-revalidate=2, stale-if-error=86400";
    case api::Caching::briefly:
      break;
  }
  return "private, max-age=" + std::to_string(site.settings.analytics_cache.count());
}

// Returns whether nginx should cache a response that is the same for everybody. Caching a response
// is worthwhile only if the same response is requested again within two seconds. Returns true for
// one in eight requests, chosen by the last digit of the random request id, so that the cache
// contains mostly popular responses. A response to a request with If-None-Match is not cached,
// because it may have status 304, which other clients cannot use.
bool is_to_be_kept(const http::Request& request) {
  return request.if_none_match.empty() && (request.id.ends_with('0') || request.id.ends_with('8'));
}

void add_caching_headers(const api::Call& call, api::Caching caching, http::Response& response) {
  if (caching == api::Caching::never) {
    response.headers.push_back({"Cache-Control", cache_control(call.site, caching)});
    return;
  }
  // After a 304 response, a browser keeps stored headers that are missing from this response. So
  // the ETag changes if a header about the login changes or disappears.
  const cms::LoginState& login = call.requester.login;
  const std::string etag =
      caching == api::Caching::shared
          ? strong_etag(response.body, "")
          : strong_etag(response.body, login.fresh_nonce + std::string(login_problem(login)));
  if (caching == api::Caching::shared) {
    // X-Accel-Expires must come before Cache-Control, because nginx versions before 1.23 obey the
    // first of the two headers.
    response.headers.push_back({"X-Accel-Expires", is_to_be_kept(call.request) ? "2" : "0"});
  }
  response.headers.push_back({"Cache-Control", cache_control(call.site, caching)});
  response.headers.push_back({"ETag", etag});
  if (is_read(call.request.method) && http::matches_etag(call.request.if_none_match, etag)) {
    response.status = 304;
    response.body.clear();
  }
}

http::Response response_of(const api::Call& call, const api::Route* route, api::Result result) {
  if (!result) {
    http::Response response = api::error_response(result.error());
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  }
  http::Response response{result->status, std::move(result->headers), std::move(result->body),
                          std::move(result->pieces)};
  response.headers.reserve(response.headers.size() + kUsualHeaders);
  // Only responses to OPTIONS requests have no route.
  add_caching_headers(call, route != nullptr ? route->caching : api::Caching::never, response);
  return response;
}

// --- The voter's cookie --------------------------------------------------------------------------

// Returns the voter cookie's path: the request's path if the request used the rest_route parameter,
// or else the base path. A path that ends with "index.php" is shortened, because it leads to the
// same page as the path without "index.php". is_for_site() has already rejected paths outside the
// site.
std::string_view cookie_path(const api::App& app, const http::Request& request) {
  constexpr std::string_view kIndex = "index.php";
  std::string_view path = request.sent_path;
  if (path.empty() || path == request.path) return app.core.base_path;
  if (path.ends_with(kIndex)) path.remove_suffix(kIndex.size());
  // nginx treats repeated slashes in a path as a single slash.
  return path.find("//") == std::string_view::npos ? path : "/";
}

// Returns whether the voter cookie in the response to a request is a third-party cookie.
bool sets_third_party_cookies(const api::Call& call) {
  return call.request.https && api::is_allowed_third_party(call.request, call.site);
}

// Browsers accept third-party cookies only with SameSite=None and Secure. The Partitioned attribute
// separates third-party cookies from the site's own cookies.
std::string voter_cookie_header(const api::App& app, const api::Call& call, std::string_view value,
                                std::chrono::seconds life) {
  const http::Request& request = call.request;
  std::string header(identity::kVoterCookieName);
  header += '=';
  header += value;
  header.append("; Path=").append(cookie_path(app, request));
  header += "; Max-Age=" + std::to_string(life.count()) + "; HttpOnly; SameSite=";
  header += sets_third_party_cookies(call) ? "None; Partitioned" : "Lax";
  if (request.https) header += "; Secure";
  return header;
}

// Returns the host and its parent domains, except the top-level domain. Returns at most the four
// shortest names.
std::vector<std::string_view> domains_of(std::string_view host) {
  constexpr std::size_t kMaxDomains = 4;
  std::vector<std::string_view> domains;
  if (!base::consists_of_letters_digits_and(host, ".-")) return domains;
  for (; host.find('.') != std::string_view::npos; host.remove_prefix(host.find('.') + 1)) {
    domains.push_back(host);
  }
  if (domains.size() > kMaxDomains) {
    domains.erase(domains.begin(), domains.end() - static_cast<std::ptrdiff_t>(kMaxDomains));
  }
  return domains;
}

// Deletes voter cookies that other hosts in the domain may have set. Deletes the cookies for this
// host and its parent domains, and for all paths where a foreign cookie would take precedence over
// the host's own cookie. The host's own cookie is not deleted, because it is a host-only cookie
// (RFC 6265bis, section 5.7). The number of cookies is limited, because all response headers
// together must fit into a proxy's 4 KiB buffer.
void delete_conflicting_cookies(const api::App& app, const api::Call& call,
                                http::Response& response) {
  constexpr std::size_t kMaxCookies = 24;
  const http::Request& request = call.request;
  const bool is_third_party = sets_third_party_cookies(call);
  const std::string_view path = cookie_path(app, request);
  std::size_t cookies = 0;
  for (const std::string_view domain : domains_of(request.host)) {
    for (std::size_t end = 1; end <= path.size() && cookies < kMaxCookies; ++end) {
      const bool is_path = end == path.size() || path[end] == '/' || path[end - 1] == '/';
      if (!is_path) continue;
      std::string header(identity::kVoterCookieName);
      header.append("=; Domain=").append(domain).append("; Path=").append(path.substr(0, end));
      header += is_third_party ? "; Max-Age=0; Secure; Partitioned" : "; Max-Age=0";
      response.headers.push_back({"Set-Cookie", std::move(header)});
      ++cookies;
    }
  }
}

// Returns the voter's cookie, except for rejected requests. If the outcome of a vote is unknown,
// the error response also sets the cookie, so that the client can repeat the vote as the same
// voter.
std::optional<std::string> voter_cookie_of(const api::App& app, const api::Call& call,
                                           const api::Result& result) {
  if (!result && result.error().code != api::ErrorCode::unavailable) return std::nullopt;
  if (result && result->drops_voter_cookie) {
    return voter_cookie_header(app, call, "", std::chrono::seconds(0));
  }
  if (!call.voter_cookie_to_send) return std::nullopt;
  return voter_cookie_header(
      app, call, identity::write_voter_cookie(*call.voter_cookie_to_send, app.core.keys),
      call.site.settings.voter_cookie_days);
}

// --- Logins --------------------------------------------------------------------------------------

bool has_header(const http::Response& response, std::string_view name) {
  return std::ranges::any_of(response.headers,
                             [&](const http::Header& header) { return header.name == name; });
}

// Adds the headers about the sender's login, such as X-WP-Nonce.
void add_login_headers(const api::App& app, const api::Call& call, http::Response& response) {
  const identity::Requester& requester = call.requester;
  if (!requester.login.fresh_nonce.empty())
    response.headers.push_back({"X-WP-Nonce", requester.login.fresh_nonce});
  const std::string_view problem = login_problem(requester.login);
  if (!problem.empty()) response.headers.push_back({"X-Ratingd-Login", std::string(problem)});
  if (response.status != 401 || requester.login.has_login_page ||
      has_header(response, "WWW-Authenticate")) {
    return;
  }
  const bool takes_passwords = app.core.cms.takes_passwords() && !requester.ticket;
  // Browsers would open a login dialog for the Basic scheme, but not for the Bearer scheme.
  if (takes_passwords && api::opens_login_dialog(call.request)) return;
  response.headers.push_back({"WWW-Authenticate", takes_passwords
                                                      ? "Basic realm=\"ratingd\", charset=\"UTF-8\""
                                                      : "Bearer realm=\"ratingd\""});
}

// --- CORS ----------------------------------------------------------------------------------------

// Foreign pages may not send the Authorization header, because they could use their visitors'
// browsers to guess passwords. Foreign pages may send X-WP-Nonce, because a nonce has no effect
// without the cookie, which they cannot send.
constexpr std::string_view kHeadersOfAnyOrigin =
    "Content-Type, If-None-Match, X-Requested-With, X-WP-Nonce, X-Ratingd-Device";

// Returns whether pages from the origin may send cookies and passwords, and can therefore use all
// routes. Pages with the "null" origin may send credentials only to routes for voters, because any
// site can create such a page.
bool may_send_credentials(const http::Request& request, const store::SiteState& site,
                          bool is_for_voters) {
  return api::is_allowed_origin(request.origin, site) &&
         (request.origin != "null" || is_for_voters);
}

std::string headers_of_allowed_origins(const store::SiteState& site) {
  std::string names(model::kOwnRequestHeaders);
  for (const std::string& name : site.settings.allowed_headers) names.append(", ").append(name);
  return names;
}

// --- All responses -------------------------------------------------------------------------------

void add_content_headers(http::Response& response) {
  if (response.body.empty()) return;
  if (!has_header(response, "Content-Type")) {
    response.headers.push_back({"Content-Type", "application/json; charset=UTF-8"});
  }
  response.headers.push_back({"Content-Length", std::to_string(response.body.size())});
}

// Returns the state of the exceeded rate limit or, if none was exceeded, of the limit that counted
// the request.
std::optional<api::RateLimitState> rate_limit_of(const api::Call& call, const api::Result& result) {
  if (result || result.error().refused_by.policy.empty()) return call.rate_limit;
  return api::RateLimitState{result.error().refused_by,
                             {.allowed = false, .retry_after = result.error().retry_after}};
}

// Adds the headers that WordPress sends with each response from its REST API, such as the link to
// the API. As in WordPress, the link to the API is omitted from responses with pagination links.
// The link is also omitted from responses to requests with a ticket, because version 0.3 of the
// plugin regards a response with this link as a response from WordPress. A shared cache sends the
// same response to requests with and without a ticket, so a shared response has no link to the API.
void add_site_headers(const api::App& app, const api::Call& call, const api::Match& match,
                      const api::Route* route, http::Response& response) {
  std::string methods = allowed_methods(match, call);
  if (!methods.empty()) response.headers.push_back({"Allow", std::move(methods)});
  const auto root = api::rest_root(app.core, call);
  const bool is_for_caches = route != nullptr && api::is_shared(*route);
  if (!root || call.request.has_ticket || is_for_caches || has_header(response, "Link")) return;
  response.headers.push_back({"Link", "<" + *root + ">; rel=\"https://api.w.org/\""});
}

std::int64_t seconds_up(std::chrono::microseconds time) {
  return std::chrono::ceil<std::chrono::seconds>(time).count();
}

// Adds the RateLimit-Policy and RateLimit headers (draft-ietf-httpapi-ratelimit-headers). The
// RateLimit-Policy header contains the quota ("q") and its window in seconds ("w"). The RateLimit
// header contains the remaining requests ("r") and the seconds until the reset ("t").
void add_rate_limit_headers(const api::RateLimitState& rate_limit, http::Response& response) {
  const limit::Decision& decision = rate_limit.decision;
  const auto& [name, quota] = rate_limit.limit;
  const std::string policy = '"' + std::string(name) + '"';
  response.headers.push_back(
      {"RateLimit-Policy", policy + ";q=" + std::to_string(quota.requests) +
                               ";w=" + std::to_string(quota.window.count())});
  const auto until_more = decision.allowed ? decision.reset : decision.retry_after;
  response.headers.push_back({"RateLimit", policy + ";r=" + std::to_string(decision.remaining) +
                                               ";t=" + std::to_string(seconds_up(until_more))});
}

}  // namespace

http::Response respond(const api::App& app, const api::Call& call, const api::Match& match,
                       const api::Route* route, api::Result result) {
  auto cookie = voter_cookie_of(app, call, result);
  const auto rate_limit = rate_limit_of(call, result);
  http::Response response = response_of(call, route, std::move(result));
  if (call.requester.has_conflicting_cookies) delete_conflicting_cookies(app, call, response);
  if (cookie) response.headers.push_back({"Set-Cookie", *std::move(cookie)});
  add_login_headers(app, call, response);
  // A response that is the same for everybody must not contain the rate limit state of one address.
  const bool is_for_all = match.is_shared() && response.status < 400;
  if (rate_limit && !is_for_all) add_rate_limit_headers(*rate_limit, response);
  if (call.is_for_site) add_site_headers(app, call, match, route, response);
  return response;
}

void clear_findings(api::Call& call) {
  call.requester = {};
  call.voter_cookie_to_send.reset();
  call.rate_limit.reset();
  call.is_for_site = false;
}

bool is_preflight(const http::Request& request) {
  return request.method == Method::options && request.has_origin &&
         !request.preflight_method.empty();
}

std::vector<http::Header> cors_headers(const http::Request& request, const store::SiteState& site,
                                       const CorsPath& path) {
  if (!request.has_origin) return {};
  if (may_send_credentials(request, site, path.is_for_voters)) {
    return {{"Access-Control-Allow-Origin", std::string(request.origin)},
            {"Access-Control-Allow-Credentials", "true"}};
  }
  if (!path.is_public) return {};
  return {{"Access-Control-Allow-Origin", "*"}};
}

api::Answer preflight(const http::Request& request, const store::SiteState& site,
                      const api::Match& match) {
  api::Answer answer;
  answer.status = 204;
  const bool allowed = may_send_credentials(request, site, match.is_for_voters());
  const bool reads = match.has_public_read();
  if (!(allowed || reads || match.has_safe_post())) return answer;
  answer.headers = {{"Access-Control-Allow-Methods", allowed ? "OPTIONS, " + match.methods()
                                                     : reads ? "OPTIONS, GET, HEAD"
                                                             : "OPTIONS, POST"},
                    // Any page can have the "null" origin, so this origin may send only the headers
                    // that any origin may send.
                    {"Access-Control-Allow-Headers", allowed && request.origin != "null"
                                                         ? headers_of_allowed_origins(site)
                                                         : std::string(kHeadersOfAnyOrigin)},
                    {"Access-Control-Max-Age", "600"}};
  return answer;
}

void add_common_headers(const http::Request& request, const api::Match& match,
                        const store::SiteState* site, http::Response& response) {
  const bool is_shared = match.is_shared();
  if (is_shared) {
    response.headers.push_back({"Access-Control-Allow-Origin", "*"});
  } else if (site != nullptr) {
    const bool is_options = request.method == Method::options;
    const bool is_public =
        ((is_options || is_read(request.method)) &&
         (match.routes.empty() || match.has_public_read())) ||
        ((is_options || request.method == Method::post) && match.has_safe_post());
    for (http::Header& header : cors_headers(request, *site, {is_public, match.is_for_voters()})) {
      response.headers.push_back(std::move(header));
    }
  }
  add_content_headers(response);
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Robots-Tag", "noindex"});
  response.headers.push_back({"X-Request-Id", request.id});
  if (!is_shared) {
    response.headers.push_back(
        {"Vary", "Origin, Cookie, Authorization, X-WP-Nonce, X-Ratingd-Device, X-Ratingd-Ticket"});
  }
  response.headers.push_back(
      {"Access-Control-Expose-Headers",
       "X-WP-Total, X-WP-TotalPages, Link, ETag, Allow, Retry-After, RateLimit, RateLimit-Policy, "
       "X-Request-Id, X-WP-Nonce, X-Ratingd-Login"});
  if (request.method == Method::head) {
    response.body.clear();
    response.pieces = {};
  }
}

}  // namespace dispatch
