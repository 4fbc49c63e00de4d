#include <cstdint>
#include <string>

#include "checks/checks.h"

namespace checks {

using cms::Findings;

// Behind a proxy, requests name ever new visitors but come from the proxy's address, unless nginx's
// realip module restores the visitor's.
void check_proxies(const base::MetricsTable& table, Findings& findings) {
  constexpr std::uint64_t kTooMany = 50;
  const auto visitors = base::visitors_per_address(table);
  if (visitors < kTooMany) return findings.ok("no single proxy seen");
  findings.warn("the last " + std::to_string(visitors) +
                " visitors that X-Forwarded-For or Forwarded name share one address and its "
                "limits; only if it is the address of your own proxy, configure nginx for it "
                "(docs/proxies.md)");
}

// Browsers send one of two headers with each vote. If a proxy removes both, all visitors of a
// network look like one program.
void check_browsers(const base::MetricsTable& table, base::Time now, Findings& findings) {
  constexpr std::chrono::days kRecent{1};
  const auto voted_at = base::last_votes(table);
  const base::Time since = now - kRecent;
  if (voted_at.of_browser >= since) return findings.ok("first votes show that browsers sent them");
  if (voted_at.of_program < since) return findings.ok("no vote of a new voter within the last day");
  findings.warn(
      "no vote of a new voter had a header Origin or Sec-Fetch-Site within the last day, as "
      "browsers send them: if a proxy or CDN removes them, let them through, since without them "
      "all new voters of a network count as one program (docs/proxies.md)");
}

}  // namespace checks
