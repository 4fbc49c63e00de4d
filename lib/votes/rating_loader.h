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
#include "votes/vote_request.h"

namespace votes {

// DESIGN. What voters have rated themselves, read for many requests by one statement. A caller who
// comes while nobody reads, reads for those who are waiting, in their order; the others wait to be
// read for, or to read next. So a lone request waits for nobody, and the busier the database is,
// the fewer statements it is asked. More of them run at once only when those who wait are too many
// for one.
//
// Safe for concurrent use.
class RatingLoader {
 public:
  // "sessions" must outlive the reader, which uses at most so many of them at once: 1 or more.
  RatingLoader(db::Pool& sessions, unsigned most_readers, const std::string& table_prefix);
  RatingLoader(const RatingLoader&) = delete;
  RatingLoader& operator=(const RatingLoader&) = delete;

  // The voter's ratings of "objects"; those without any are not there. Waits for its turn for at
  // most the pool's patience, and then as db::Pool and db::Connection do, whose errors it has.
  std::map<model::Object, model::OwnRatings> read(model::VoterId voter,
                                                  std::span<const model::Object> objects);

 private:
  // A request on its way, in its caller's frame. The answer is filled by whoever has taken it; the
  // rest is guarded by the mutex.
  struct Lookup {
    model::VoterId voter;
    std::span<const model::Object> objects;
    std::map<model::Object, model::OwnRatings> answer{};
    std::exception_ptr failure{};
    bool is_taken = false;
    bool is_answered = false;
    base::Condition changed{};
  };

  using Lookups = std::vector<Lookup*>;

  void await_turn(Lookup& lookup) REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool may_read() const REQUIRES_LOCK(mutex_);
  void take_waiting(Lookups& lookups) REQUIRES_LOCK(mutex_);
  void answer(const Lookups& lookups) REQUIRES_LOCK(mutex_);
  [[nodiscard]] std::exception_ptr ask_all(const Lookups& lookups) const;
  void ask(db::Connection& connection, const Lookups& lookups) const;

  db::Pool& sessions_;
  const unsigned most_readers_;
  const db::BulkStatement statement_;
  base::Mutex mutex_;
  unsigned readers_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_rows_ GUARDED_BY(mutex_) = 0;
  std::deque<Lookup*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace votes
