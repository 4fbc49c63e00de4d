#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "limit/limiter.h"

namespace limit {

// A table of the networks from which each user has logged in during the last 30 days. The table
// stores at most the last eight networks per user. The table may lose entries. A lost entry only
// means that the network is treated as new.
//
// The bucket for a user's networks depends only on the user's name. Therefore, a user who logs in
// from many networks can evict only entries in the user's own bucket. Users in the same bucket can
// evict each other's entries, but nobody can find out or choose a bucket.
//
// Safe for concurrent use by all processes that share the table. Lock-free.
class KnownLogins {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> logins;
  };

  // The layout of the 256-KiB table in shared memory. A table in its initial state contains only
  // zeros.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 4096> buckets;
  };

  // "table" must outlive the KnownLogins object.
  explicit KnownLogins(Table& table);

  void add(std::string_view network, std::string_view user, base::Time now);
  [[nodiscard]] bool contains(std::string_view network, std::string_view user,
                              base::Time now) const;

 private:
  struct Slot {
    Bucket& bucket;
    std::uint64_t tag;
  };
  Slot slot_of(std::string_view network, std::string_view user) const;

  const base::KeyedHash hash_;
  const std::span<Bucket> buckets_;
};

// Limits password guessing. Only failed logins are counted. The limits are 30 failures in 5 minutes
// for each network, 10 in 5 minutes for each pair of network and name, and 300 per hour for each
// user across all networks. The limit per user does not apply to networks from which the user has
// logged in before (KnownLogins). If the limit per user applied to known networks, an attacker with
// many IP addresses could lock out an administrator.
//
// Call wait() before hashing the password, and failed() or succeeded() afterwards. Several
// concurrent attempts can pass wait() before the first attempt has failed. Concurrent attempts do
// not help an attacker, because each failure beyond the limit lengthens the next wait.
//
// Safe for concurrent use.
class LoginGuard {
 public:
  // The maximum number of concurrent login attempts. The value is the default number of worker
  // threads on a host.
  static constexpr std::uint32_t kUnderWay = 128;

  // How long the client must wait, and the limit that causes the wait.
  struct Wait {
    std::chrono::microseconds time{0};  // 0 if there is no wait
    Limit limit = {};                   // the limit with the longest wait
  };

  struct Attempt {
    std::string_view network;  // base::Address::network()
    // The login name that the client has sent, in lower case. The account's own spelling is not
    // used here, because the response must not reveal whether two spellings belong to the same
    // account.
    std::string_view name;
    // The account's login name, spelled as in the CMS. If the CMS has no account with this name,
    // "user" is the same as "name".
    std::string_view user;
  };

  // "limiter" and "known" must outlive the LoginGuard.
  LoginGuard(Limiter& limiter, KnownLogins& known) : limiter_(limiter), known_(known) {}

  // Returns how long the client must wait before this login attempt.
  [[nodiscard]] Wait wait(const Attempt& attempt, base::Time now) const;

  // Returns whether the user has recently logged in from the network.
  [[nodiscard]] bool knows(const Attempt& attempt, base::Time now) const;

  void failed(const Attempt& attempt, base::Time now);
  void succeeded(const Attempt& attempt, base::Time now);

  // Do the same as wait() and failed(), but for the CMS's signed login cookies. The limit is 30
  // invalid cookies in 5 minutes for each network. An attacker cannot guess a signature, but
  // invalid cookies are also limited, because checking a cookie takes time. Invalid cookies and
  // wrong passwords have separate limits, so invalid cookies never block logins with a password,
  // and wrong passwords never block cookies.
  [[nodiscard]] Wait wait_for_cookie(std::string_view network, base::Time now) const;
  void cookie_failed(std::string_view network, base::Time now);

 private:
  Limiter& limiter_;
  KnownLogins& known_;
};

// The shared memory for a site's rate limits. All workers for a site on a host share this memory
// segment (runtime::SharedMemory).
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The name of the memory layout, which config::segment_path() uses in the segment's file name. If
// the layout of Segment changes, kSegmentLayout must also change.
inline constexpr std::string_view kSegmentLayout = "limits 2";

}  // namespace limit
