#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "limit/limiter.h"

namespace limit {

// The networks that have logged in as a user during the last 30 days: the last eight networks of
// each user. Entries may be lost; a network without an entry is only treated as new.
//
// A user's networks are in one bucket, selected by the user's name only. So the owner of an account
// can evict that account's networks, but not another's (except for users in the same bucket, which
// nobody can choose).
//
// Safe for concurrent use, by all processes that share the table. Lock-free.
class KnownLogins {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> logins;
  };

  // The layout in shared memory: 256 KiB. Zeros are an empty table.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 4096> buckets;
  };

  // "table" must outlive this.
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

// Limits password guessing. Only failed logins count: 30 in 5 minutes per network, 10 per network
// and name, and 300 per hour per user from all networks. The last limit applies only to networks
// that have not logged in as that user (KnownLogins); otherwise an attacker with many addresses
// could lock an administrator out.
//
// Call wait() before the password is hashed, and failed() or succeeded() afterwards. Concurrent
// attempts all pass wait() before the first of them has failed. So that nobody gains by that, each
// failure is counted, even beyond the limit, and all must be repaid by time.
//
// Safe for concurrent use.
class LoginGuard {
 public:
  // The maximum number of concurrent attempts: one per thread of the host's workers by default.
  static constexpr std::uint32_t kUnderWay = 128;

  // How long to wait, and the limit that requires it.
  struct Wait {
    std::chrono::microseconds time{0};  // 0: none
    Limit limit = {};                   // the one with the longest time
  };

  struct Attempt {
    std::string_view network;  // base::Address::network()
    // As sent, in lower case: the result for other spellings must not reveal whether they name the
    // same account.
    std::string_view name;
    // The login name of the account that was found, as the CMS has it; "name" if none was.
    std::string_view user;
  };

  // Both must outlive the guard.
  LoginGuard(Limiter& limiter, KnownLogins& known) : limiter_(limiter), known_(known) {}

  // How long the sender must wait before this attempt.
  [[nodiscard]] Wait wait(const Attempt& attempt, base::Time now) const;

  // Whether the network has recently logged in as the user.
  [[nodiscard]] bool knows(const Attempt& attempt, base::Time now) const;

  void failed(const Attempt& attempt, base::Time now);
  void succeeded(const Attempt& attempt, base::Time now);

  // wait() and failed() for signed cookies: 30 failures in 5 minutes per network. They are limited
  // because checking costs time, not because signatures could be guessed, and separately from
  // passwords: failures of one kind do not block the other.
  [[nodiscard]] Wait wait_for_cookie(std::string_view network, base::Time now) const;
  void cookie_failed(std::string_view network, base::Time now);

 private:
  Limiter& limiter_;
  KnownLogins& known_;
};

// The rate limits of a site's clients, in runtime::SharedMemory of the workers of one host.
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The name of its layout, for config::segment_path(): another layout needs another name.
inline constexpr std::string_view kSegmentLayout = "limits 2";

}  // namespace limit
