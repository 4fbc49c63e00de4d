#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// Selects ratings. An empty selection selects all ratings.
struct Selection {
  std::optional<std::uint64_t> object_id = {};
  std::optional<std::string> object_type = {};
  std::string posts = {};  // result of cms::Cms::posts_of(); also selects posts with this type
  // If set, excludes aggregates, because they have no voters.
  std::optional<model::VoterId> voter = {};
  // Another way to select one voter. resolved() looks up this visitor's voter.
  std::optional<model::FrontEndVisitor> visitor = {};
  std::optional<base::Time> since = {};   // last changed at or after this time
  std::optional<base::Time> before = {};  // last changed before this time
  // If this list is not empty, only the ratings in it are selected. It may contain at most
  // kMaxRatings ratings. Such a selection also excludes aggregates.
  std::vector<model::RatingKey> ratings = {};
  static constexpr std::size_t kMaxRatings = 100;

  [[nodiscard]] bool is_all() const {
    return !object_id && !object_type && !voter && !visitor && !since && !before && ratings.empty();
  }
  // Binds the parameters for a scan's conditions.
  void bind_to(db::Statement& statement) const;
};

// An id that belongs to no voter.
inline constexpr model::VoterId kNobody = 0;

// Returns the selection with the selected visitor's voter. If the visitor has no row, the voter is
// kNobody. Errors: same as db::Connection.
[[nodiscard]] Selection resolved(db::Connection& connection, Selection selection);

// Reads the counted and held votes in a selection in slices, in primary key order. Votes may change
// between two calls. A vote that exists during the whole scan is returned once. Must be used by
// only one thread. Errors (next()): same as db::Connection. After an error, next() may be called
// again.
class RatingScan {
 public:
  // "connection" must outlive this object. REQUIRES: "selection" is a result of resolved().
  RatingScan(db::Connection& connection, Selection selection);

  // Returns the next "limit" votes, with the visitors' names, but without addresses. Returns an
  // empty list if there are no more votes.
  [[nodiscard]] std::vector<StoredRating> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // the last returned key; initially, a key that comes before all keys
};

// Reads only the keys of the votes in a selection, for code that will change these votes. Reads
// voter by voter, so that a voter's ratings are changed together, from the oldest to the newest. If
// an object is selected, reads in primary key order. A rating that is changed in the meantime may
// be returned again. Must be used by only one thread. Errors (next()): same as db::Connection.
// After an error, next() may be called again.
class KeyScan {
 public:
  // "connection" must outlive this object. REQUIRES: "selection" is a result of resolved().
  KeyScan(db::Connection& connection, Selection selection);

  [[nodiscard]] std::vector<model::RatingKey> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // the last returned key; its time is in the next member
  base::Time last_rated_at_;
};

// Reads the aggregates in a selection in the same way as RatingScan. "since" and "before" apply to
// the time of the last vote.
class AggregateScan {
 public:
  AggregateScan(db::Connection& connection, Selection selection);

  [[nodiscard]] std::vector<rollups::Aggregate> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  rollups::Aggregate::Key last_{{}, model::Category::binary, rollups::kNeverActive, {}};
};

}  // namespace transfer
