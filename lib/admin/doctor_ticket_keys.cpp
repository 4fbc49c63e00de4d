#include "admin/doctor_ticket_keys.h"

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "base/shell.h"
#include "base/timestamp.h"
#include "identity/ticket.h"
#include "identity/ticket_keys.h"

namespace admin {
namespace {

using identity::TicketKey;

constexpr std::chrono::days kMaxAge{365};
// A rotation should not take longer.
constexpr std::chrono::days kMaxRotation{30};

void check_key(const TicketKey& key, const std::vector<TicketKey>& keys,
               const config::Config& config, base::Time now, cms::Findings& findings) {
  const auto age = std::chrono::floor<std::chrono::days>(now - key.added);
  const std::string text = key.name + " (" + std::string(name_of(key.algorithm)) + "), added " +
                           base::to_rfc3339(key.added) + ", " +
                           base::counted(age.count(), "day", "days") + " ago";
  const bool is_replaced = std::ranges::any_of(keys, [&](const TicketKey& other) {
    return other.name == key.name && other.added > key.added && now - other.added > kMaxRotation;
  });
  if (is_replaced) {
    findings.warn(text +
                  ", was replaced more than 30 days ago and is still valid; run: ratingctl "
                  "ticket-key remove " +
                  key.name + " --older --secret-file " +
                  base::shell_quoted(config.secret_file.string()));
  } else if (age > kMaxAge) {
    findings.warn(text + "; rotate it once a year (docs/operations.md, Rotating a ticket key)");
  } else {
    findings.ok(text);
  }
}

}  // namespace

void check_ticket_keys(const config::Config& config, base::Time now, cms::Findings& findings) {
  const auto keys = identity::read_ticket_keys(config.secret_file);
  static_cast<void>(identity::Tickets(keys));  // throws if one is not valid
  for (const TicketKey& key : keys) check_key(key, keys, config, now, findings);
}

}  // namespace admin
