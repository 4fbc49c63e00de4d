#pragma once

#include <deque>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "db/pool.h"
#include "model/rating.h"
#include "runtime/metrics.h"
#include "store/rating_key_sql.h"
#include "votes/own_ratings_cache.h"

namespace votes {

// DESIGN. If the host's cache contains a voter's ratings, the loader returns them from the cache.
// If the cache does not contain a voter's ratings, the loader reads all of them from the database
// and fills the cache. If a voter has more ratings than the cache can hold, the cache marks the
// ratings as not listed, and the loader reads only the ratings for the requested objects. If the
// cache is disabled, the loader always reads only the requested ratings.
//
// One SQL statement reads the ratings for many requests (the "dataloader" pattern). One of the
// waiting callers becomes the reader, and reads the ratings for as many waiting callers as
// possible, in order of arrival. A caller waits until the reader has read the caller's ratings, or
// until the caller becomes the next reader. If no caller is reading, a new caller reads
// immediately, without waiting for more requests. The busier the database is, the more lookups one
// statement answers. Several statements run at the same time only if the waiting lookups do not fit
// into one statement.
//
// Safe for concurrent use.
class RatingLoader {
 public:
  // "cache", "sessions" and "metrics" must outlive the loader. The loader uses at most
  // "most_readers" (at least 1) sessions at the same time. "metrics" counts cache hits and misses,
  // and may be nullptr.
  RatingLoader(OwnRatingsCache& cache, db::Pool& sessions, unsigned most_readers,
               runtime::Metrics* metrics = nullptr);
  RatingLoader(const RatingLoader&) = delete;
  RatingLoader& operator=(const RatingLoader&) = delete;

  // Returns the voter's ratings for "objects", in the order of "objects". Does not block if the
  // cache contains the ratings. If the cache does not contain the ratings, first waits until the
  // caller may read from the database, and then waits for a session from the pool. Each wait is
  // limited to the pool's maximum wait. Throws the same exceptions as db::Pool and db::Connection.
  std::vector<model::OwnRatings> read(model::VoterId voter, std::span<const model::Object> objects);

 private:
  // The arguments and result of one call to read(), stored in a local variable of that call. The
  // reading thread writes the "answer" member. The mutex guards all other members.
  struct Lookup {
    model::VoterId voter;
    std::span<const model::Object> objects;
    OwnRatingsCache::Token token;
    bool reads_all;  // all of the voter's ratings, unless there are too many
    std::vector<model::OwnRatings> answer{};
    std::exception_ptr failure{};
    bool is_taken = false;
    bool is_answered = false;
    base::Condition changed{};
  };

  using Lookups = std::vector<Lookup*>;

  // Returns how many rows the lookup adds to a statement. At most db::BulkStatement::kMaxRows rows
  // fit into a statement.
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

// The following functions read one voter's ratings, and throw the same exceptions as
// db::Connection.

// Returns the voter's ratings, newest first. Skips "offset" ratings and returns at most "limit"
// ratings.
[[nodiscard]] inline std::vector<model::Rating> ratings_of(db::Connection& connection,
                                                           model::VoterId voter,
                                                           std::int64_t offset,
                                                           std::int64_t limit) {
  return connection
      .query(
          "SELECT object_id, object_type, category, voter, value, rated_at"
          " FROM {prefix}ratingd_votes WHERE voter = ?"
          " ORDER BY rated_at DESC, object_id DESC, object_type DESC, category DESC"
          " LIMIT ? OFFSET ?",
          voter, limit, offset)
      .all(store::rating_in);
}

[[nodiscard]] inline std::int64_t count_ratings_of(db::Connection& connection,
                                                   model::VoterId voter) {
  return connection.query("SELECT COUNT(*) FROM {prefix}ratingd_votes WHERE voter = ?", voter)
      .number();
}

}  // namespace votes
