#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "db/connection.h"

namespace db {

// Another session holds the lock. what() is the message that the caller provided.
class Busy : public Conflict {
 public:
  explicit Busy(const std::string& sentence) : Conflict(0, sentence) {}
};

// A named lock of the server, scoped to one database, held by this session while this object lives.
// The server releases it when the session ends for any reason.
class ServerLock {
 public:
  // "connection" must outlive the lock. Errors: Busy with "sentence" - the lock was not free within
  // "max_wait"; as Connection.
  ServerLock(Connection& connection, std::string name, std::chrono::seconds max_wait,
             const std::string& sentence)
      : connection_(connection), name_(std::move(name)) {
    Rows row =
        connection_.prepare("SELECT GET_LOCK(LEFT(SHA2(CONCAT(DATABASE(), '.', ?), 256), 60), ?)")
            .bind(name_)
            .bind(std::int64_t{max_wait.count()})
            .query();
    if (!row.next() || row.integer(1) != 1) throw Busy(sentence);
  }
  ServerLock(const ServerLock&) = delete;
  ServerLock& operator=(const ServerLock&) = delete;
  ~ServerLock() {
    try {
      connection_.prepare("DO RELEASE_LOCK(LEFT(SHA2(CONCAT(DATABASE(), '.', ?), 256), 60))")
          .bind(name_)
          .execute();
    } catch (const Failure&) {
      // The session is lost, and its locks with it.
    }
  }

 private:
  Connection& connection_;
  const std::string name_;
};

}  // namespace db
