#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// A selection of ratings. An empty selection selects all ratings.
struct Selection {
  std::optional<std::uint64_t> object_id = {};
  std::optional<std::string> object_type = {};
  std::string posts = {};  // the result of cms::Cms::posts_of() for "object_type"
  // If a voter is selected, aggregates are excluded, because aggregates have no voters.
  std::optional<model::VoterId> voter = {};
  // If this member is set, only the ratings by this front-end visitor are selected. The function
  // resolved() finds the voter id under which the visitor's ratings are stored.
  std::optional<model::FrontEndVisitor> visitor = {};
  std::optional<base::Time> since = {};   // selects ratings that were last changed at or after this
                                          // time
  std::optional<base::Time> before = {};  // selects ratings that were last changed before this time
  // If the list "ratings" is not empty, only the ratings in the list are selected, and aggregates
  // are excluded. The list may contain at most kMaxRatings ratings.
  std::vector<model::RatingKey> ratings = {};
  static constexpr std::size_t kMaxRatings = 100;

  [[nodiscard]] bool is_all() const { return is_of_whole_objects() && !object_id && !object_type; }
  // Returns whether all ratings of each selected object are selected.
  [[nodiscard]] bool is_of_whole_objects() const {
    return !voter && !visitor && !since && !before && ratings.empty();
  }
  // Binds the parameters for the SQL conditions of a scan.
  void bind_to(db::Statement& statement) const;
};

// kNobody is an id that no voter has.
inline constexpr model::VoterId kNobody = 0;

// Returns a copy of "selection". If "selection" contains a visitor, "voter" in the copy is the
// visitor's voter id. If no voter is stored for the visitor, "voter" is kNobody, so nothing is
// selected. Throws the same exceptions as db::Connection.
[[nodiscard]] Selection resolved(db::Connection& connection, Selection selection);

// Reads the counted and held votes in a selection, slice by slice and in primary key order. Votes
// may change between slices. A vote that exists throughout the scan is returned exactly once. The
// class is not thread-safe. The function next() throws the same exceptions as db::Connection. After
// an error, next() may be called again.
class RatingScan {
 public:
  // "connection" must outlive this object. "selection" must have been returned by resolved().
  RatingScan(db::Connection& connection, Selection selection);

  // Returns the next "limit" votes, with the visitors' names, but without addresses. Returns an
  // empty list at the end of the selection.
  [[nodiscard]] std::vector<StoredRating> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // the last returned key, or initially a key that is less than all keys
};

// Reads only the keys of the votes in a selection. Reads the keys voter by voter, so that all
// ratings by a voter are changed together, from oldest to newest. If an object is selected, reads
// the keys in primary key order. A rating that is changed during the scan may be returned again.
// The class is not thread-safe. The function next() throws the same exceptions as db::Connection.
// After an error, next() may be called again.
class KeyScan {
 public:
  // "connection" must outlive this object. "selection" must have been returned by resolved().
  KeyScan(db::Connection& connection, Selection selection);

  [[nodiscard]] std::vector<model::RatingKey> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // the last returned key
  base::Time last_rated_at_;
};

// Reads the aggregates in a selection just as RatingScan reads votes. "since" and "before" apply to
// the time of the last vote in an aggregate.
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
