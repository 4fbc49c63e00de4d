#include "admin/doctor.h"

// DESIGN. The check sends requests like a browser's: the Host header and the TLS server name
// contain the site's host name. Unlike a browser, the check sends its requests directly to the
// addresses of this host. The check tries the loopback address first and then the host's other
// addresses, because a web server may listen only on some addresses. Each request contains a random
// challenge. Only the site's workers have the secret from which the challenge response is computed
// (identity::challenge_response). A correct response therefore proves that the request has reached
// the site's workers, possibly through a proxy. If the TLS certificate is invalid, the check
// reports this problem and repeats the request without verifying the certificate, because neither
// the challenge nor the response is confidential.
//
// If no program on this host accepts connections on the site's port, a proxy or CDN in front of the
// host may serve that port or terminate TLS. If the workers do not answer on the site's port, the
// check tries all other ports on which this host's nginx serves the site.

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "admin/setup_plan.h"
#include "admin/web_request.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/origin.h"
#include "base/text.h"
#include "identity/secrets.h"
#include "setup/apache.h"
#include "setup/nginx.h"
#include "setup/units.h"

namespace admin {
namespace {

using Outcome = WebAnswer::Outcome;

// No request starts after kTimeOfWebChecks, but the last request may take another 10 s.
constexpr std::chrono::seconds kTimeOfWebChecks{20};
constexpr std::size_t kChallengeBytes = 16;

struct Site {
  const config::Config& config;
  std::string origin;  // "https://example.org"
  std::string name;    // "example.org"
  std::string host;    // the Host header, with the port if it is not the scheme's default
  setup::Site files;
  identity::KeyRing keys;
  base::Stopwatch stopwatch = {};
};

struct Attempt {
  setup::NginxListen place;
  std::string address = {};  // the address that accepted the connection
  WebAnswer answer = {};
  std::string distrust = {};  // why the certificate is not valid
  bool has_secret = false;
};

std::string scheme_of(const setup::NginxListen& place) { return place.is_tls ? "https" : "http"; }

// Returns a string such as "https, port 443".
std::string name_of(const setup::NginxListen& place) {
  return scheme_of(place) + ", port " + std::to_string(place.port);
}

std::vector<std::string> addresses_of_host() {
  std::vector<std::string> addresses = {"127.0.0.1", "[::1]"};
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return addresses;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    const bool is_v6 = each->ifa_addr->sa_family == AF_INET6;
    if (!is_v6 && each->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, NI_MAXHOST> text{};
    const socklen_t size = is_v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (getnameinfo(each->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) !=
        0)
      continue;
    const std::string address = text.data();
    if (address.find('%') != std::string::npos) continue;  // link-local
    addresses.push_back(is_v6 ? "[" + address + "]" : address);
  }
  return addresses;
}

WebRequest request_for(const Site& site, const setup::NginxListen& place, const std::string& path) {
  return {.url = scheme_of(place) + "://" + site.name + ":" + std::to_string(place.port) + path,
          .host = site.host,
          .address = "",
          .is_forwarded = !place.is_tls && site.origin.starts_with("https:")};
}

Attempt attempt(const Site& site, const setup::NginxListen& place) {
  const std::string port = std::to_string(place.port);
  const std::string challenge = base::to_hex(base::random_bytes(kChallengeBytes));
  WebRequest request =
      request_for(site, place, site.config.base_path + "/health?challenge=" + challenge);
  Attempt result{.place = place};
  for (const std::string& address : addresses_of_host()) {
    if (site.stopwatch.elapsed() > kTimeOfWebChecks) break;
    request.address = address + ":" + port;
    result.answer = send(request);
    if (result.answer.outcome == Outcome::refused) continue;
    result.address = request.address;
    if (result.answer.outcome == Outcome::untrusted) {
      result.distrust = result.answer.problem;
      request.verifies = false;
      result.answer = send(request);
    }
    break;
  }
  // After a rotation, workers may still be using the previous secret.
  result.has_secret = std::ranges::any_of(site.keys, [&](const identity::Keys& keys) {
    return result.answer.challenge_response == identity::challenge_response(keys, challenge);
  });
  return result;
}

// Returns the requested address, worded as the subject of a sentence such as "https://example.org
// answers with status 200".
std::string subject_of(const Site& site, const Attempt& attempt) {
  if (attempt.place == port_of_browsers(site.origin)) return site.origin;
  return site.origin + ", requested at " + name_of(attempt.place) + " of this host,";
}

// Returns whether nginx's configuration includes ratingd's file in a server block that listens on
// the port in "place". Reads nginx's files, or runs "nginx -T" if the files are in an unusual
// folder.
bool has_nginx_line(const Site& site, const setup::NginxListen& place) {
  const auto lines = includes_of(site.files);
  bool is_elsewhere = false;
  for (const setup::NginxFile& file : setup::nginx_files()) {
    if (setup::has_server_line(file.directives, lines, place.port)) return true;
    is_elsewhere |= setup::includes(file.directives, lines.server);
  }
  return !is_elsewhere && !setup::read_by_nginx({site.files.nginx_server}).empty();
}

// Returns advice for the operator if another program answers instead of ratingd.
std::string advice_for(const Site& site, const setup::NginxListen& place) {
  if (is_behind_apache(site.files) || !has_nginx_line(site, place)) {
    return advice_for_nginx(site.files, site.config.cms, site.origin);
  }
  return "Its configuration has the line \"include " + site.files.nginx_server.string() +
         ";\", but nginx has not been reloaded since, or another server { } answers. Run: nginx -t "
         "&& systemctl reload nginx";
}

// Returns why the web server gets no answer from the workers, and advice for the operator.
std::string why_no_worker_answers(const Site& site) {
  const std::string unit = site.files.unit + ".socket";
  const std::string account = account_of_web_server(site.files);
  const auto id = setup::id_of_account(account);
  struct stat status {};
  const bool may_connect = !id || *id == 0 || stat(site.files.socket.c_str(), &status) != 0 ||
                           status.st_uid == *id || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (may_connect) {
    return "no worker answers. Run: systemctl status " + unit + " " + site.files.unit + "@1";
  }
  const std::string text =
      "it runs as " + account + ", which may not connect to " + site.files.socket.string() + ". ";
  if (!setup::let_connect(site.files, account).actions.empty()) {
    return text + "Run: " + setup::command_for(site.files, "setup");
  }
  return text + "Set SocketUser=" + account + " (systemctl edit " + unit +
         "), then run: systemctl restart " + site.files.unit + ".target";
}

// Describes a response that did not come from the site's workers, and adds advice.
std::string what_came(const Site& site, const Attempt& attempt) {
  const WebAnswer& answer = attempt.answer;
  if (answer.outcome != Outcome::answered) {
    return "gives no answer (" + answer.problem + "). See the log of the web server there";
  }
  if (!answer.challenge_response.empty()) {
    return "leads to workers with another secret. They belong to another site, or they have not "
           "read the changed secret. If they are this site's workers, run: " +
           setup::command_for(site.files, "reload");
  }
  const std::string came = "answers with status " + std::to_string(answer.status) +
                           (answer.server.empty() ? "" : " from " + answer.server) +
                           (answer.location.empty() ? "" : ", to " + answer.location);
  // A response with a request ID comes from the workers, or from the nginx configuration that
  // ratingd installs.
  const bool is_of_ratingd = !answer.request_id.empty();
  if (is_of_ratingd && answer.status == 200) {
    return came +
           ", sent by a ratingd before 0.2.1. Run: " + setup::command_for(site.files, "reload");
  }
  constexpr int kTooMany = 429;
  if (is_of_ratingd && answer.status == kTooMany) {
    return came +
           ". This host's address has reached the limit of reads. If a proxy in front hides the "
           "visitors' addresses, they all share this limit (docs/proxies.md). Repeat this command "
           "in a minute";
  }
  if (is_of_ratingd && answer.status >= 500) {
    return came + ". It passes requests to ratingd, but " + why_no_worker_answers(site);
  }
  return came +
         (attempt.distrust.empty() ? ""
                                   : ", with a certificate that is not valid for " + site.name +
                                         " (" + attempt.distrust + ")") +
         ", not from ratingd. " + advice_for(site, attempt.place);
}

constexpr int kUnauthorized = 401, kForbidden = 403, kGone = 410;

// Reports that the web server rejected the request, as web servers of staging sites often do.
void report_refusal(const Site& site, const Attempt& attempt, cms::Findings& findings) {
  const bool asks = attempt.answer.status == kUnauthorized;
  const std::string text =
      subject_of(site, attempt) + " answers with status " + std::to_string(attempt.answer.status) +
      (asks ? ": the web server requires a user name and a password, as for a staging site"
            : ": the web server refuses requests from this host") +
      ", before it passes requests on";
  const bool passes_on = is_behind_apache(site.files) || has_nginx_line(site, attempt.place);
  if (!passes_on) {
    return findings.fail(text + ". " + advice_for_nginx(site.files, site.config.cms, site.origin));
  }
  findings.warn(
      text + ", so doctor cannot see whether they reach ratingd. To let doctor check this, " +
      (asks ? "allow this host without a password (nginx: satisfy any; allow 127.0.0.1; deny all;)"
            : "allow this host (nginx: allow 127.0.0.1;)"));
}

// Reports that a program other than the site's workers answered, or that there was no response.
void report_other(const Site& site, const Attempt& attempt, cms::Findings& findings) {
  const WebAnswer& answer = attempt.answer;
  const bool is_answer = answer.outcome == Outcome::answered && answer.challenge_response.empty();
  if (is_answer && (answer.status == kUnauthorized || answer.status == kForbidden)) {
    return report_refusal(site, attempt, findings);
  }
  if (is_answer && answer.status == kGone && !answer.request_id.empty()) {
    return findings.ok(subject_of(site, attempt) +
                       " reaches ratingd, which responds that the site is closed (410). The site "
                       "is archived, spam or deleted in the network");
  }
  findings.fail(subject_of(site, attempt) + " " + what_came(site, attempt));
}

// Reports that the workers have answered. "other" is nullptr, or the first attempt in which a
// program other than the workers accepted the connection.
void report_workers(const Site& site, const Attempt& worker, const Attempt* other,
                    cms::Findings& findings) {
  const std::string reached = "reaches this site's workers, at " + worker.address;
  if (other != nullptr) {
    const std::string text = subject_of(site, *other) + " " + what_came(site, *other) + ". Only " +
                             name_of(worker.place) + ", " + reached;
    // If a proxy in front of this host terminates TLS for this site, an invalid certificate on this
    // host may belong to another site.
    return other->distrust.empty() ? findings.fail(text) : findings.warn(text);
  }
  if (worker.place != port_of_browsers(site.origin)) {
    return findings.ok(
        subject_of(site, worker) + " " + reached +
        ". The port in the address is closed on this host, so another server must be in front");
  }
  if (!worker.distrust.empty()) {
    return findings.warn(
        site.origin + " " + reached + ", but the certificate is not valid for " + site.name + " (" +
        worker.distrust +
        "). Browsers refuse this certificate, unless another server in front ends TLS");
  }
  findings.ok(site.origin + " " + reached);
}

// Checks whether the workers recognize requests to an https address as https requests. If a proxy
// in front of this host terminates TLS, the web server must pass the scheme "https" to the workers.
void check_scheme(const Site& site, const Attempt& worker, cms::Findings& findings) {
  if (!site.origin.starts_with("https:") || worker.answer.scheme != "http") return;
  findings.warn(
      "the workers treat requests for " + site.origin +
      " as sent without TLS, so their cookies lack the attribute Secure. If TLS ends in front of "
      "this host, " +
      (is_behind_apache(site.files)
           ? "replace \"expr=%{REQUEST_SCHEME}\" with https in " + std::string(setup::kApacheFile) +
                 " (docs/apache.md)"
           : std::string(
                 "let nginx pass the scheme on (docs/proxies.md, TLS that ends at the proxy)")));
}

// Checks whether the base path matches the CMS's REST API. If a CMS plugin changes the prefix of
// the REST API, pages also use the new prefix in requests to ratingd. "home" is the path of the
// site's home page without a trailing slash.
void check_rest_api(const Site& site, const Attempt& worker, const std::string& home,
                    cms::Findings& findings) {
  if (site.config.cms == config::CmsName::none) return;
  WebRequest request = request_for(site, worker.place, home + "/");
  request.address = worker.address;
  request.verifies = worker.distrust.empty();
  request.is_head = true;  // WordPress sends the same headers and does not render the page
  const std::string url = send(request).rest_api;
  const std::size_t path = url.find('/', url.find("://") + 3);
  // If WordPress uses plain permalinks, the REST API's URL has a query string instead of the
  // prefix.
  if (url.empty() || path == std::string::npos || url.find('?') != std::string::npos) return;
  const std::string base_path = url.substr(path) + "ratingd/v1";
  if (base_path == site.config.base_path) return;
  findings.warn(
      "the REST API of the CMS is at " + url + ", so pages call " + base_path +
      ", but ratingd serves " + site.config.base_path +
      ". Set \"base-path\" in ratingd.conf, ratingctl.conf and the web server's files to the path "
      "that pages call. Or tell the plugin the path of ratingd with the filter ratingd_base_url");
}

void report_refused(const Site& site, const std::vector<setup::NginxListen>& places,
                    bool is_served_here, cms::Findings& findings) {
  const auto port_of = [](const setup::NginxListen& place) { return std::to_string(place.port); };
  const std::string text = "nothing on this host accepts connections for " + site.origin +
                           " (port " + base::joined(places, ", ", port_of) + ")";
  if (is_behind_apache(site.files)) {
    return findings.fail(text + ". Run: apache2ctl configtest, then: systemctl start apache2");
  }
  if (is_served_here) {
    return findings.fail(text + ". Run: nginx -t, then: systemctl start nginx");
  }
  findings.warn(text +
                ", and no server { } of nginx on this host has its name. If the site's web server "
                "is on another host or in a container, run there: curl " +
                site.origin + site.config.base_path + "/health");
}

}  // namespace

void check_web_server(const config::Config& config, const std::string& home,
                      cms::Findings& findings) {
  const auto origin = base::origin_of(home);
  if (!origin)
    return findings.unchecked(
        std::string("not checked, because the site has no address with http or https"));
  const std::string host = origin->substr(origin->find("://") + 3);
  const Site site{.config = config,
                  .origin = *origin,
                  .name = std::string(base::host_of(*origin)),
                  .host = host,
                  .files = setup::site_in(config.runtime_dir),
                  .keys = identity::read_secrets(config.secret_file, config::site_of_keys(config))};
  std::vector<setup::NginxListen> places = {port_of_browsers(*origin)};
  bool is_served_here = false;
  for (const setup::NginxFile& file : setup::nginx_files()) {
    for (const auto& place : listens(file.directives, includes_of(site.files), site.name)) {
      is_served_here = true;
      if (std::ranges::count(places, place.port, &setup::NginxListen::port) == 0) {
        places.push_back(place);
      }
    }
  }
  std::vector<Attempt> others;
  for (const setup::NginxListen& place : places) {
    Attempt made = attempt(site, place);
    const Attempt* const other = others.empty() ? nullptr : &others.front();
    if (made.has_secret) {
      report_workers(site, made, other, findings);
      check_scheme(site, made, findings);
      return check_rest_api(site, made, home.substr(std::min(home.size(), origin->size())),
                            findings);
    }
    if (made.answer.outcome != Outcome::refused) others.push_back(std::move(made));
  }
  if (others.empty()) return report_refused(site, places, is_served_here, findings);
  report_other(site, others.front(), findings);
}

}  // namespace admin
