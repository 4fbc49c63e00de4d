#include <cstdint>
#include <string>

#include "checks/checks.h"

namespace checks {
namespace {

using base::Message;
using cms::Findings;
using cms::Subject;

constexpr std::chrono::days kRecent{1};

// Behind a proxy, requests name ever new visitors but come from the proxy's address, unless nginx's
// realip module restores the visitor's.
void check_proxies(const base::MetricsTable& table, base::Time, Findings& findings) {
  constexpr std::uint64_t kTooMany = 50;
  const auto visitors = base::clients_per_address(table);
  if (visitors < kTooMany) return findings.ok(Message("no single proxy seen"));
  findings.warn(Message(
      "the last {visitors} visitors that X-Forwarded-For or Forwarded name share one "
      "address and its limits; only if it is the address of your own proxy, configure nginx "
      "for it (docs/proxies.md)",
      {{"visitors", static_cast<std::int64_t>(visitors)}}));
}

// Browsers send one of two headers with each vote. If a proxy removes both, all visitors of a
// network look like one program.
void check_browsers(const base::MetricsTable& table, base::Time now, Findings& findings) {
  const auto voted_at = base::last_votes(table);
  const base::Time since = now - kRecent;
  if (voted_at.of_browser >= since)
    return findings.ok(Message("first votes show that browsers sent them"));
  if (voted_at.of_program < since)
    return findings.ok(Message("no vote of a new voter within the last day"));
  findings.warn(Message(
      "no vote of a new voter had a header Origin or Sec-Fetch-Site within the last day, as "
      "browsers send them: if a proxy or CDN removes them, let them through, since without "
      "them all new voters of a network count as one program (docs/proxies.md)"));
}

// Version 0.2 of the plugin does not.
void check_ticket_use(const base::MetricsTable& table, base::Time now, Findings& findings) {
  if (base::last_unbound_ticket(table) < now - kRecent) {
    return findings.ok(Message("none of the CMS's own that is valid for more than one request"));
  }
  findings.warn(
      Message("within the last day the CMS sent tickets that are valid for more than one request, "
              "which the next release rejects: its plugin is of version 0.2; run: ratingctl setup. "
              "A program of your own that makes such tickets must bind them (docs/headless.md, "
              "Bound tickets)"));
}

}  // namespace

void check_traffic(const base::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report) {
  const auto run = [&](const Subject& subject, const auto& check) {
    cms::run_check(subject, report, [&](Findings& findings) {
      table == nullptr ? findings.ok("not known: " + why_not) : check(*table, now, findings);
    });
  };
  run({"proxies", Message("Visitors’ addresses behind a proxy"),
       Message("Many visitors seem to have one address, and so share its limits. If a "
               "proxy or CDN is in front of the site, configure the web server for it.")},
      check_proxies);
  run({"browsers", Message("Votes without the signs of a browser"),
       Message("A proxy or CDN in front of the site seems to remove request headers. Let "
               "Origin and Sec-Fetch-Site through, or visitors of one network may count "
               "as one.")},
      check_browsers);
  run({"ticket use", Message("Tickets for more than one request"),
       Message("The plugin is older than the service, or a program of this site makes "
               "tickets as version 0.2 did. The next version rejects them. Run “sudo "
               "ratingctl setup” on the server.")},
      check_ticket_use);
}

}  // namespace checks
