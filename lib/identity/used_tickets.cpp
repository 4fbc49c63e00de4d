#include "identity/used_tickets.h"

#include <algorithm>
#include <string>

#include "config/cms.h"

namespace identity {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// A word: 26 bits of the ticket's hash, 26 bits of the request id's hash, 12 bits for the second of
// the use.
constexpr unsigned kTagBits = 26;
constexpr unsigned kSecondBits = 12;
constexpr unsigned kTicketShift = kTagBits + kSecondBits;
constexpr std::uint64_t kSeconds = (1ULL << kSecondBits) - 1;
constexpr std::uint64_t kMemory = 90;  // seconds

std::uint64_t second_of(base::Time now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  return static_cast<std::uint64_t>(second.count()) & kSeconds;
}

bool is_recent(std::uint64_t use, std::uint64_t second) {
  const std::uint64_t age = (second - use) & kSeconds;
  return use != 0 && (age <= kMemory || age >= kSeconds - kMemory);
}

bool is_of_one_ticket(std::uint64_t use, std::uint64_t other) {
  return use >> kTicketShift == other >> kTicketShift;
}

bool is_of_one_request(std::uint64_t use, std::uint64_t other) {
  return use >> kSecondBits == other >> kSecondBits;
}

}  // namespace

UsedTickets::Use UsedTickets::use(std::string_view issuer, std::string_view nonce,
                                  std::string_view request_id, base::Time now) {
  const std::uint64_t hash = hash_(std::string(issuer) + " " + std::string(nonce));
  const std::uint64_t second = second_of(now);
  const std::uint64_t own = hash >> kTicketShift << kTicketShift |
                            hash_(request_id) >> kTicketShift << kSecondBits | second;
  Buckets& buckets = config::cms_named(issuer) ? table_.of_cms : table_.of_others;
  auto& uses = buckets[hash % buckets.size()].uses;
  const auto is_for_another = [&](const std::atomic<std::uint64_t>& word) {
    const std::uint64_t use = word.load();
    return is_recent(use, second) && is_of_one_ticket(use, own) && !is_of_one_request(use, own);
  };
  for (std::atomic<std::uint64_t>& word : uses) {
    std::uint64_t use = word.load();
    if (is_recent(use, second) && is_of_one_request(use, own)) return Use::allowed;
  }
  if (std::ranges::any_of(uses, is_for_another)) return Use::used;
  for (std::atomic<std::uint64_t>& word : uses) {
    std::uint64_t use = word.load();
    if (is_recent(use, second) || !word.compare_exchange_strong(use, own)) continue;
    return std::ranges::any_of(uses, is_for_another) ? Use::used : Use::allowed;
  }
  return Use::no_room;
}

}  // namespace identity
