#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/database.h"

namespace db {

// DESIGN. The servers of a database. The primary is the server that accepts writes. All sessions
// that share this object use the same server, so nobody writes to two servers at the same time.
//
// When a session connects (db::Connection), it tries the server that was chosen last, and then the
// other servers in order, until a server accepts writes. All sessions use the primary found by one
// session. Sessions connected to an earlier primary are treated as lost and send no more
// statements. Whether the server has completed the work of a lost session is unknown. A failover
// does not require a lock: several sessions may search for the primary at the same time, and the
// first result is used by all sessions.
//
// A server that accepts writes but did not respond in time is marked as suspected. If a suspected
// server's cluster has lost its majority, commits on the server may never finish. Sessions avoid a
// suspected server while another server accepts writes.
//
// A server that refuses sessions (too many connections, wrong password) may still be the primary,
// so sessions do not switch to another server. Sessions do not switch back when a server earlier in
// the list becomes available again.
//
// Safe for concurrent use.
class Primary {
 public:
  // The index of the chosen server, and the number of times that the choice has changed.
  struct Choice {
    std::size_t server = 0;
    std::uint64_t generation = 0;

    bool operator==(const Choice&) const = default;
  };

  // Initially, the first server in the list is the chosen server. There must be 1 to
  // config::kMaxDatabaseServers servers.
  explicit Primary(std::vector<config::DatabaseServer> servers) : servers_(std::move(servers)) {
    assert(!servers_.empty() && servers_.size() <= config::kMaxDatabaseServers);
  }

  [[nodiscard]] const std::vector<config::DatabaseServer>& servers() const { return servers_; }

  [[nodiscard]] Choice choice() const { return unpacked(packed_.load()); }

  // Marks the server in "choice" as suspected until another server is chosen.
  void suspect(Choice choice) { suspected_.store(packed(choice)); }
  [[nodiscard]] bool is_suspected(Choice choice) const {
    return suspected_.load() == packed(choice);
  }

  // If "seen" is still the current choice, makes "server" the chosen server. Returns the current
  // choice.
  Choice choose(std::size_t server, Choice seen) {
    std::uint64_t expected = packed(seen);
    const Choice wanted{server, seen.generation + 1};
    if (packed_.compare_exchange_strong(expected, packed(wanted))) return wanted;
    return unpacked(expected);
  }

 private:
  static std::uint64_t packed(Choice choice) {
    return choice.generation * config::kMaxDatabaseServers + choice.server;
  }
  static Choice unpacked(std::uint64_t packed) {
    return {packed % config::kMaxDatabaseServers, packed / config::kMaxDatabaseServers};
  }

  const std::vector<config::DatabaseServer> servers_;
  std::atomic<std::uint64_t> packed_ = 0;
  std::atomic<std::uint64_t> suspected_ = ~std::uint64_t{0};  // a packed Choice
};

}  // namespace db
