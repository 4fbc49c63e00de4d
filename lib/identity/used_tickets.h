#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/keyed_hash.h"

namespace identity {

// DESIGN. The bound tickets that were used on this host during the last 90 seconds, so that each
// counts once. 90 seconds: a ticket is accepted from 30 seconds before "iat" until 30 seconds after
// it, and a request may have been under way for a moment when it is looked up.
//
// The web server may send a request to a second worker if the first one fails. It is the same
// request, with the same id, so a use remembers the id: the same ticket counts again with the same
// id, and with no other. Clients cannot choose the id.
//
// A ticket belongs to one bucket, a cache line of eight words. A word has 26 bits of the ticket's
// hash, 26 of the request id's, and 12 bits of the time in seconds, so that one compare-and-swap
// adds it. A word whose time is not within 90 seconds of now is free. (The time wraps after 68
// minutes, and an old word is taken for a recent one then, for three minutes. It only takes room.)
// Two threads that add the same ticket at the same time may do so in two words. So each looks again
// after it has added its own, and one of them at least finds the other's.
//
// Only tickets with a valid signature are added, so a sender without a key cannot fill the table.
// If a bucket is full, further tickets in it are refused: forgetting one would make it valid again.
// The CMS and the other issuers each have a part for 32,768 tickets, so that a busy issuer does not
// stop the CMS's own plugin, which uses a few in a minute.
//
// Hosts remember separately: with several hosts, a bound ticket counts once on each.
//
// Safe for concurrent use, by all processes that share the table. Lock-free.
class UsedTickets {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> uses;
  };

  using Buckets = std::array<Bucket, 4096>;

  // The layout in shared memory: 512 KiB. Zeros are an empty table.
  struct Table {
    base::SharedKey key;
    Buckets of_cms;
    Buckets of_others;
  };

  enum class Use : std::uint8_t {
    allowed,  // for the first time, or for the same request again
    used,     // for another request
    no_room,
  };

  // "table" must outlive this.
  explicit UsedTickets(Table& table) : hash_(table.key), table_(table) {}

  // Uses the ticket "nonce", unique among the issuer's, for the request with this id, received at
  // "now".
  [[nodiscard]] Use use(std::string_view issuer, std::string_view nonce,
                        std::string_view request_id, base::Time now);

 private:
  const base::KeyedHash hash_;
  Table& table_;
};

// The name of the layout of UsedTickets::Table, for config::segment_path().
inline constexpr std::string_view kUsedTicketsLayout = "used tickets 2";

}  // namespace identity
