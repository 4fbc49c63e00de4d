#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/database.h"

namespace db {

// DESIGN. The servers of a database, one of which accepts writes: the primary. All sessions that
// share this object use the same server, so nobody writes to two servers at the same time.
//
// A session finds the primary when it connects: it tries the server that was chosen last, then, if
// that server is unavailable or does not accept writes, the others in order (db::Connection). The
// session that finds a primary sets it for all. Sessions of an earlier choice send no more
// statements: they count as lost, and the outcome of their work is unknown as with any lost
// session. So a failover waits for nobody and takes no lock: several sessions may search at the
// same time, and the first to find the primary wins.
//
// A server that accepts writes but did not answer in time is suspected: its cluster may have lost
// its majority, so that commits wait. Then another server that accepts writes comes first.
//
// A server that answers but refuses the session (too many connections, wrong password) is not
// abandoned: it may still be the primary. Nor does a session fail back to a server that is earlier
// in the list.
//
// Safe for concurrent use.
class Primary {
 public:
  // The server, and the number of choices made so far.
  struct Choice {
    std::size_t server = 0;
    std::uint64_t generation = 0;

    bool operator==(const Choice&) const = default;
  };

  // Initially the first server. REQUIRES: 1 to config::kMaxDatabaseServers servers.
  explicit Primary(std::vector<config::DatabaseServer> servers) : servers_(std::move(servers)) {
    assert(!servers_.empty() && servers_.size() <= config::kMaxDatabaseServers);
  }

  [[nodiscard]] const std::vector<config::DatabaseServer>& servers() const { return servers_; }

  [[nodiscard]] Choice choice() const { return unpacked(packed_.load()); }

  // Suspects the server of "choice" until another one is chosen.
  void suspect(Choice choice) { suspected_.store(packed(choice)); }
  [[nodiscard]] bool is_suspected(Choice choice) const {
    return suspected_.load() == packed(choice);
  }

  // Chooses "server", unless another choice was made since "seen". Returns the current choice.
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
  std::atomic<std::uint64_t> suspected_ = ~std::uint64_t{0};  // packed
};

}  // namespace db
