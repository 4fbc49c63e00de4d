#pragma once

#include <deque>
#include <exception>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "db/bulk_statement.h"
#include "db/pool.h"
#include "store/ballot.h"

namespace store {

// DESIGN. What voters have rated themselves, read for many requests by one statement. A caller who
// comes while nobody reads, reads for all who are waiting; the others wait to be read for, or to
// read next. So a lone request waits for nobody, and the busier the database is, the fewer
// statements it is asked.
//
// Safe for concurrent use.
class OwnRatingsReader {
 public:
  // "sessions" must outlive the reader.
  OwnRatingsReader(db::Pool& sessions, const std::string& table_prefix);
  OwnRatingsReader(const OwnRatingsReader&) = delete;
  OwnRatingsReader& operator=(const OwnRatingsReader&) = delete;

  // The voter's ratings of "objects"; those without any are not there. Blocks for at most
  // db::Pool::kPatience until its turn comes. Errors: as db::Pool and db::Connection.
  std::map<model::Object, OwnRatings> read(model::VoterId voter,
                                           std::span<const model::Object> objects);

 private:
  // A request on its way, in its caller's frame. All but what is asked is guarded by the mutex.
  struct Question {
    model::VoterId voter;
    std::span<const model::Object> objects;
    std::map<model::Object, OwnRatings> answer{};
    std::exception_ptr failure{};
    bool is_taken = false;
    bool is_answered = false;
    base::Condition changed{};
  };

  using Questions = std::vector<Question*>;

  void await_turn(Question& question) REQUIRES_LOCK(mutex_);
  Questions take_with(Question& first) REQUIRES_LOCK(mutex_);
  void answer(const Questions& questions);
  void ask(db::Connection& connection, const Questions& questions) const;

  db::Pool& sessions_;
  const db::BulkStatement statement_;
  base::Mutex mutex_;
  bool is_reading_ GUARDED_BY(mutex_) = false;
  std::deque<Question*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace store
