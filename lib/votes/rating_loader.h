#pragma once

#include <deque>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "db/bulk_statement.h"
#include "db/pool.h"
#include "runtime/metrics.h"
#include "votes/own_ratings_cache.h"

namespace votes {

// DESIGN. The ratings of a voter are found in the cache of the host, if it lists them. Else they
// are read from the database, and the cache is filled. A voter with more ratings than the cache
// lists is noted as such, and only the ratings of the requested objects are read, as for all voters
// if the cache is disabled.
//
// One statement reads for many requests (a "dataloader"). If no other caller is reading, a caller
// reads for all waiting callers, in their order. Other callers wait until they are answered, or
// until they may read next. So a single request never waits, and the busier the database is, the
// more lookups one statement answers. Several statements run at the same time only if the waiting
// lookups do not fit into one.
//
// Safe for concurrent use.
class RatingLoader {
 public:
  // "cache", "sessions" and "metrics" must outlive the loader, which uses at most "most_readers"
  // sessions at the same time: 1 or more. "metrics" counts hits and misses of the cache; nullptr:
  // not counted.
  RatingLoader(OwnRatingsCache& cache, db::Pool& sessions, unsigned most_readers,
               runtime::Metrics* metrics = nullptr);
  RatingLoader(const RatingLoader&) = delete;
  RatingLoader& operator=(const RatingLoader&) = delete;

  // The voter's ratings of "objects", in their order. Does not block if the cache has them. Else
  // waits for its turn as long as for a session of the pool, then as db::Pool. Errors: as db::Pool
  // and db::Connection.
  std::vector<model::OwnRatings> read(model::VoterId voter, std::span<const model::Object> objects);

 private:
  // A lookup, in the stack frame of its caller. The thread that has taken it fills "answer"; the
  // mutex guards the other members.
  struct Lookup {
    model::VoterId voter;
    std::span<const model::Object> objects;
    OwnRatingsCache::Token token;
    bool reads_all;  // ratings of the voter, unless they are too many
    std::vector<model::OwnRatings> answer{};
    std::exception_ptr failure{};
    bool is_taken = false;
    bool is_answered = false;
    base::Condition changed{};
  };

  using Lookups = std::vector<Lookup*>;

  // What a lookup adds to a statement: at most db::BulkStatement::kMaxRows fit.
  [[nodiscard]] static std::size_t rows_of(const Lookup& lookup);

  void count(runtime::Count what) const;
  void await_turn(Lookup& lookup) REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool may_read() const REQUIRES_LOCK(mutex_);
  void take_waiting(Lookups& lookups) REQUIRES_LOCK(mutex_);
  void answer(const Lookups& lookups) REQUIRES_LOCK(mutex_);
  [[nodiscard]] std::exception_ptr read_all(const Lookups& lookups) const;
  void read_into(db::Connection& connection, const Lookups& lookups) const;
  using Lists = std::map<model::VoterId, std::vector<RatingOfVoter>>;
  [[nodiscard]] Lists read_lists(db::Connection& connection,
                                 const std::set<model::VoterId>& voters) const;
  void answer_from(std::span<const RatingOfVoter> list, Lookup& lookup) const;
  void read_by_object(db::Connection& connection, const Lookups& lookups) const;

  OwnRatingsCache& cache_;
  db::Pool& sessions_;
  const unsigned most_readers_;
  runtime::Metrics* const metrics_;
  base::Mutex mutex_;
  unsigned readers_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_rows_ GUARDED_BY(mutex_) = 0;
  std::deque<Lookup*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace votes
