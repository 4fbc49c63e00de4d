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

// DESIGN. Reads the ratings of voters for many requests with one statement (a "dataloader"). If no
// other caller is reading, a caller reads for all waiting callers, in their order. Other callers
// wait until they are answered, or until they may read next. So a single request never waits, and
// the busier the database is, the more lookups one statement answers. Several statements run at the
// same time only if the waiting lookups do not fit into one.
//
// Safe for concurrent use.
class RatingLoader {
 public:
  // "sessions" must outlive the loader, which uses at most "most_readers" of them at once: 1 or
  // more.
  RatingLoader(db::Pool& sessions, unsigned most_readers, const std::string& table_prefix);
  RatingLoader(const RatingLoader&) = delete;
  RatingLoader& operator=(const RatingLoader&) = delete;

  // The voter's ratings of "objects"; objects without a rating are left out. Waits for its turn as
  // long as for a session of the pool, then as db::Pool. Errors: as db::Pool and db::Connection.
  std::map<model::Object, model::OwnRatings> read(model::VoterId voter,
                                                  std::span<const model::Object> objects);

 private:
  // A lookup, in the stack frame of its caller. The thread that has taken it fills "answer"; the
  // mutex guards the other members.
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
  [[nodiscard]] std::exception_ptr read_all(const Lookups& lookups) const;
  void read_into(db::Connection& connection, const Lookups& lookups) const;

  db::Pool& sessions_;
  const unsigned most_readers_;
  const db::BulkStatement statement_;
  base::Mutex mutex_;
  unsigned readers_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_rows_ GUARDED_BY(mutex_) = 0;
  std::deque<Lookup*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace votes
