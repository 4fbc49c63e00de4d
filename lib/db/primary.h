#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/config.h"

namespace db {

// DESIGN. The servers of a database, one of which accepts writes: the primary. All sessions that
// share this object go to the same one, so that nobody writes to two servers at a time.
//
// A session looks for the primary when it connects: at the server that was chosen last, then, if
// that is away or does not accept writes, at the others in their order (db::Connection). Whoever
// finds one chooses it for all. Sessions of an earlier choice send no statement any more: they are
// lost, and what was under way on them is in doubt as with any other lost session. So a switch
// waits for nobody, and nothing is locked: several may look at the same moment, and the first one
// who finds wins.
//
// A server that answers but does not want this session, since it has too many or since the password
// is wrong, is not left: it may be the primary still. Nor is a server left because one further up
// in the list is back.
//
// Safe for concurrent use.
class Primary {
 public:
  // Which server, and the how-manieth choice it is.
  struct Choice {
    std::size_t server = 0;
    std::uint64_t turn = 0;

    bool operator==(const Choice&) const = default;
  };

  // At first the first one is chosen. REQUIRES: 1 to config::kMaxDatabaseServers servers.
  explicit Primary(std::vector<config::DatabaseServer> servers) : servers_(std::move(servers)) {
    assert(!servers_.empty() && servers_.size() <= config::kMaxDatabaseServers);
  }

  [[nodiscard]] const std::vector<config::DatabaseServer>& servers() const { return servers_; }

  [[nodiscard]] Choice choice() const { return unpacked(packed_.load()); }

  // Chooses "server", unless another choice was made since "seen". Returns the choice that stands.
  Choice choose(std::size_t server, Choice seen) {
    std::uint64_t expected = packed(seen);
    const Choice wanted{server, seen.turn + 1};
    if (packed_.compare_exchange_strong(expected, packed(wanted))) return wanted;
    return unpacked(expected);
  }

 private:
  static std::uint64_t packed(Choice choice) {
    return choice.turn * config::kMaxDatabaseServers + choice.server;
  }
  static Choice unpacked(std::uint64_t packed) {
    return {packed % config::kMaxDatabaseServers, packed / config::kMaxDatabaseServers};
  }

  const std::vector<config::DatabaseServer> servers_;
  std::atomic<std::uint64_t> packed_ = 0;
};

}  // namespace db
