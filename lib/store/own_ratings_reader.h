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
// comes while nobody reads, reads for those who are waiting, in their order; the others wait to be
// read for, or to read next. So a lone request waits for nobody, and the busier the database is,
// the fewer statements it is asked. More of them run at once only when those who wait are too many
// for one.
//
// Safe for concurrent use.
class OwnRatingsReader {
 public:
  // "sessions" must outlive the reader, which uses at most so many of them at once: 1 or more.
  OwnRatingsReader(db::Pool& sessions, unsigned most_readers, const std::string& table_prefix);
  OwnRatingsReader(const OwnRatingsReader&) = delete;
  OwnRatingsReader& operator=(const OwnRatingsReader&) = delete;

  // The voter's ratings of "objects"; those without any are not there. Waits for its turn for at
  // most db::Pool::kPatience, and then as db::Pool and db::Connection do, whose errors it has.
  std::map<model::Object, OwnRatings> read(model::VoterId voter,
                                           std::span<const model::Object> objects);

 private:
  // A request on its way, in its caller's frame. The answer is filled by whoever has taken it; the
  // rest is guarded by the mutex.
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
  [[nodiscard]] bool may_read() const REQUIRES_LOCK(mutex_);
  void take_waiting(Questions& questions) REQUIRES_LOCK(mutex_);
  void answer(const Questions& questions) REQUIRES_LOCK(mutex_);
  [[nodiscard]] std::exception_ptr ask_all(const Questions& questions) const;
  void ask(db::Connection& connection, const Questions& questions) const;

  db::Pool& sessions_;
  const unsigned most_readers_;
  const db::BulkStatement statement_;
  base::Mutex mutex_;
  unsigned readers_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_rows_ GUARDED_BY(mutex_) = 0;
  std::deque<Question*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace store
