#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "db/connection.h"

namespace db {

// Another session holds the lock. what() is the sentence that was given with it, for whoever asked.
class Busy : public Conflict {
 public:
  explicit Busy(const std::string& sentence) : Conflict(0, sentence) {}
};

// A named lock of the server, held by this session as long as this object lives.
class ServerLock {
 public:
  // "name" is the database's own, up to 56 characters. Errors: Busy - another session holds it and
  // does not let go of it within "patience"; "sentence" says so.
  ServerLock(Connection& connection, std::string name, std::chrono::seconds patience,
             const std::string& sentence)
      : connection_(connection), name_(std::move(name)) {
    Rows row = connection_.prepare("SELECT GET_LOCK(CONCAT(LEFT(MD5(DATABASE()), 8), ?), ?)")
                   .bind(name_)
                   .bind(std::int64_t{patience.count()})
                   .query();
    if (!row.next() || row.integer(1) != 1) {
      throw Busy(sentence);
    }
  }
  ServerLock(const ServerLock&) = delete;
  ServerLock& operator=(const ServerLock&) = delete;
  ~ServerLock() {
    try {
      connection_.prepare("DO RELEASE_LOCK(CONCAT(LEFT(MD5(DATABASE()), 8), ?))")
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
