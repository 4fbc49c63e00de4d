#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "db/connection.h"

namespace db {

// Another session holds the lock. what() is the sentence that was given with it, for whoever asked.
class Busy : public Conflict {
 public:
  explicit Busy(const std::string& sentence) : Conflict(0, sentence) {}
};

// A named lock of the server, of one database's own, held by this session as long as this object
// lives. It goes with the session, however that ends.
class ServerLock {
 public:
  // "connection" must outlive the lock. Errors: Busy - others held it all the time, as "sentence"
  // says; as Connection.
  ServerLock(Connection& connection, std::string name, std::chrono::seconds patience,
             const std::string& sentence)
      : connection_(connection), name_(std::move(name)) {
    Rows row = connection_.prepare("SELECT GET_LOCK(SHA1(CONCAT(DATABASE(), '.', ?)), ?)")
                   .bind(name_)
                   .bind(std::int64_t{patience.count()})
                   .query();
    if (!row.next() || row.integer(1) != 1) throw Busy(sentence);
  }
  ServerLock(const ServerLock&) = delete;
  ServerLock& operator=(const ServerLock&) = delete;
  ~ServerLock() {
    try {
      connection_.prepare("DO RELEASE_LOCK(SHA1(CONCAT(DATABASE(), '.', ?)))")
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
