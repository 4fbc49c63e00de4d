#include "admin/doctor_ticket_keys.h"

#include <algorithm>

#include "base/timestamp.h"
#include "identity/ticket.h"
#include "identity/ticket_keys.h"

namespace admin {
namespace {

using identity::TicketKey;

constexpr std::chrono::days kMaxAge{365};
// A rotation should not take longer.
constexpr std::chrono::days kMaxRotation{30};

Finding finding_for(const TicketKey& key, const std::vector<TicketKey>& keys, base::Time now) {
  const auto age = std::chrono::floor<std::chrono::days>(now - key.added);
  const std::string text = key.name + " (" + std::string(name_of(key.algorithm)) + "), added " +
                           base::to_rfc3339(key.added) + ", " + std::to_string(age.count()) +
                           " days ago";
  const bool is_replaced = std::ranges::any_of(keys, [&](const TicketKey& other) {
    return other.name == key.name && other.added > key.added && now - other.added > kMaxRotation;
  });
  if (is_replaced) {
    return {Health::warn, "ticket keys",
            text +
                ", was replaced more than 30 days ago and is still valid; run: ratingctl "
                "ticket-key remove " +
                key.name + " --older"};
  }
  if (age > kMaxAge) {
    return {Health::warn, "ticket keys",
            text + "; rotate it once a year (docs/operations.md, Rotating a ticket key)"};
  }
  return {Health::ok, "ticket keys", text};
}

}  // namespace

std::vector<Finding> examine_ticket_keys(const config::Config& config, base::Time now) {
  const auto keys = identity::read_ticket_keys(config.secret_file);
  static_cast<void>(identity::Tickets(keys));  // throws if one is not valid
  std::vector<Finding> findings;
  findings.reserve(keys.size());
  for (const TicketKey& key : keys) findings.push_back(finding_for(key, keys, now));
  return findings;
}

}  // namespace admin
