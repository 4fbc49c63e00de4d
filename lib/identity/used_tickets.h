#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"

namespace identity {

// DESIGN. Remembers the bound tickets that were used on this host during the last 90 seconds, so
// that each ticket counts once. A ticket is accepted from 30 seconds before "iat" until 30 seconds
// after "iat". The rest of the 90 seconds is for requests that wait before their ticket is looked
// up.
//
// The web server may send a request to a second worker if the first worker fails. Both requests
// have the same request id, which is stored with the use. So a ticket counts again with the same
// request id, but not with a different id. Clients cannot choose the id.
//
// A ticket belongs to one bucket, a cache line of eight words. A word consists of 26 bits of the
// ticket's hash, 26 bits of the request id's hash, and 12 bits of the time in seconds, so that one
// compare-and-swap adds a use. A word whose time is not within 90 seconds of now is free. The time
// wraps after 68 minutes, so an old word seems recent for three minutes. Such a word only takes up
// room. Two threads that add the same ticket at the same time may use two different words. So each
// thread searches again after it has added its word, and at least one of the threads finds the
// other thread's word.
//
// Only tickets with a valid signature are added, so a sender without a key cannot fill the table.
// If a bucket is full, further tickets in it are refused because a forgotten ticket would be valid
// again. The CMS and the other issuers have separate parts with 32,768 tickets each. So a busy
// issuer does not stop the CMS's own plugin, which uses a few tickets a minute.
//
// Each host remembers its own tickets. With several hosts, a bound ticket counts once on each host.
//
// Safe for concurrent use by all processes that share the table. Lock-free.
class UsedTickets {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> uses;
  };

  using Buckets = std::array<Bucket, 4096>;

  // The layout in shared memory: 512 KiB. A table of zeros is empty.
  struct Table {
    base::SharedKey key;
    Buckets of_cms;
    Buckets of_others;
  };

  enum class Use : std::uint8_t {
    allowed,  // used for the first time, or again for the same request
    used,     // used for another request
    no_room,
  };

  // "table" must outlive this object.
  explicit UsedTickets(Table& table) : hash_(table.key), table_(table) {}

  // Uses the ticket "nonce" for the request with the id "request_id", which was received at "now".
  // "nonce" is unique among the tickets from "issuer".
  [[nodiscard]] Use use(std::string_view issuer, std::string_view nonce,
                        std::string_view request_id, base::Time now);

 private:
  const base::KeyedHash hash_;
  Table& table_;
};

// The name for the layout of UsedTickets::Table, for config::segment_path().
inline constexpr std::string_view kUsedTicketsLayout = "used tickets 2";

}  // namespace identity
