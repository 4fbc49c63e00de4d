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

// The networks from which a user has logged in during the last 30 days. The table stores at most
// the last eight networks per user. Entries may be lost. A network whose entry is lost is merely
// treated like a new network.
//
// Only the user's name selects the bucket for the user's networks. So the owner of an account can
// evict this account's networks, but not the networks of another account. Users in the same bucket
// can evict each other's networks, but nobody can choose a bucket.
//
// Safe for concurrent use by all processes that share the table. Lock-free.
class KnownLogins {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> logins;
  };

  // The layout in shared memory, which has 256 KiB. An empty table consists of zeros.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 4096> buckets;
  };

  // "table" must outlive this object.
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

// Limits password guessing. Only failed logins count. The limits are 30 failures in 5 minutes per
// network, 10 in 5 minutes per network and name, and 300 per hour per user from all networks. The
// limit per user does not apply to networks from which this user has logged in (KnownLogins).
// Without this exception, an attacker with many addresses could lock out an administrator.
//
// Call wait() before hashing the password, and failed() or succeeded() afterwards. Concurrent
// attempts can all pass wait() before the first attempt has failed. Concurrent attempts do not help
// an attacker, because every failure is counted, even beyond the limit, and the next attempt has to
// wait for all counted failures.
//
// Safe for concurrent use.
class LoginGuard {
 public:
  // The maximum number of concurrent attempts. By default, all workers on a host together have
  // kUnderWay threads.
  static constexpr std::uint32_t kUnderWay = 128;

  // The time to wait, and the limit that requires this wait.
  struct Wait {
    std::chrono::microseconds time{0};  // 0 if there is no wait
    Limit limit = {};                   // the limit with the longest wait
  };

  struct Attempt {
    std::string_view network;  // base::Address::network()
    // The name that the client has sent, in lower case. The account's name is not used, because the
    // result must not reveal whether two spellings belong to the same account.
    std::string_view name;
    // The account's login name in the spelling that the CMS stores. If no account was found, "user"
    // is the same as "name".
    std::string_view user;
  };

  // "limiter" and "known" must outlive this object.
  LoginGuard(Limiter& limiter, KnownLogins& known) : limiter_(limiter), known_(known) {}

  // Returns how long the client must wait before this attempt.
  [[nodiscard]] Wait wait(const Attempt& attempt, base::Time now) const;

  // Returns whether the user has recently logged in from the network.
  [[nodiscard]] bool knows(const Attempt& attempt, base::Time now) const;

  void failed(const Attempt& attempt, base::Time now);
  void succeeded(const Attempt& attempt, base::Time now);

  // Do the same as wait() and failed(), but for signed cookies. The limit is 30 failures in 5
  // minutes per network. Nobody can guess a signature, but this limit is needed because checking a
  // cookie takes time. Cookies and passwords have separate limits, so failed cookies do not block
  // passwords, and failed passwords do not block cookies.
  [[nodiscard]] Wait wait_for_cookie(std::string_view network, base::Time now) const;
  void cookie_failed(std::string_view network, base::Time now);

 private:
  Limiter& limiter_;
  KnownLogins& known_;
};

// The rate limits for a site's clients. All workers on a host share this segment
// (runtime::SharedMemory).
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The name for the segment's layout, for config::segment_path(). If the layout changes, its name
// must change, too.
inline constexpr std::string_view kSegmentLayout = "limits 2";

}  // namespace limit
