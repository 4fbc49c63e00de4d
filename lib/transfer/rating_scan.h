#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// Selects ratings; an empty selection selects all.
struct Selection {
  std::optional<std::uint64_t> object_id = {};
  std::optional<std::string> object_type = {};
  std::string posts = {};  // cms::Cms::posts_of() this type, which are selected, too
  std::optional<model::VoterId> voter = {};  // excludes aggregates: they have no voters
  // One voter as well, instead of "voter": resolved() names it.
  std::optional<model::FrontEndVisitor> visitor = {};
  std::optional<base::Time> since = {};   // last changed at or after it
  std::optional<base::Time> before = {};  // last changed before it
  // Only these, if there are any: at most kMaxRatings. Excludes aggregates, too.
  std::vector<model::RatingKey> ratings = {};
  static constexpr std::size_t kMaxRatings = 100;

  [[nodiscard]] bool is_all() const {
    return !object_id && !object_type && !voter && !visitor && !since && !before && ratings.empty();
  }
  // Binds the parameters of the conditions of a scan.
  void bind_to(db::Statement& statement) const;
};

// No voter has this id.
inline constexpr model::VoterId kNobody = 0;

// The same with the voter of the selected visitor, which is kNobody if the visitor has no row.
// Errors: as db::Connection.
[[nodiscard]] Selection resolved(db::Connection& connection, Selection selection);

// Reads the votes of a selection in slices, in the order of the primary key, counted and held ones.
// Votes may change between two calls: a vote that exists all the time is returned once. Used by one
// thread. Errors of next(): as db::Connection; it may be repeated.
class RatingScan {
 public:
  // "connection" must outlive it. REQUIRES: resolved().
  RatingScan(db::Connection& connection, Selection selection);

  // The next "limit" votes, without addresses, with the names of visitors; empty: there are no
  // more.
  [[nodiscard]] std::vector<StoredRating> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // the last one returned; ids begin at 1
};

// Reads just the keys, for changes of a selection: voter by voter, so that all ratings of a voter
// are changed at once, and from the oldest to the newest. A rating that is changed meanwhile may be
// returned again. Used by one thread. Errors of next(): as db::Connection; it may be repeated.
class KeyScan {
 public:
  // "connection" must outlive it. REQUIRES: resolved().
  KeyScan(db::Connection& connection, Selection selection);

  [[nodiscard]] std::vector<model::RatingKey> next(std::size_t limit);

 private:
  db::Connection& connection_;
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // the last one returned, and its time
  base::Time last_rated_at_;
};

// The same for aggregates; "since" and "before" apply to the time of the last vote.
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
