#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "transfer/bulk_ratings.h"

namespace transfer {

// Which ratings are meant; without any of these, all.
struct Selection {
  std::optional<std::uint64_t> object_id = {};
  std::optional<std::string> object_type = {};
  std::optional<model::VoterId> voter = {};  // then no balances: nobody knows whose votes they are
  std::optional<base::Time> before = {};     // last changed before it

  [[nodiscard]] bool is_all() const { return !object_id && !object_type && !voter && !before; }
};

// Goes through the votes of a selection in the order of the primary key, counted and held, some at
// a time. Between two calls others may write: each vote that is there all the time is seen once.
// Used by one thread. Errors of next(): as db::Connection; it may be repeated.
class RatingScan {
 public:
  RatingScan(const std::string& table_prefix, Selection selection);

  // The next "limit" of them, without addresses; none: that was all.
  [[nodiscard]] std::vector<StoredRating> next(db::Connection& connection, std::int64_t limit);

 private:
  const Selection selection_;
  const std::string read_;
  model::RatingKey last_;  // seen; ids begin at 1
};

// The same for balances; their last vote counts for "before".
class AggregateScan {
 public:
  AggregateScan(const std::string& table_prefix, Selection selection);

  [[nodiscard]] std::vector<rollups::Aggregate> next(db::Connection& connection,
                                                     std::int64_t limit);

 private:
  const Selection selection_;
  const std::string read_;
  rollups::Aggregate::Key last_{{}, model::Category::binary, rollups::kNeverActive, {}};
};

// The same for all voters of whom anything is stored, with ratings or without.
class VoterScan {
 public:
  explicit VoterScan(const std::string& table_prefix);

  [[nodiscard]] std::vector<model::VoterId> next(db::Connection& connection, std::int64_t limit);

 private:
  const std::string read_;
  model::VoterId last_ = 0;
};

}  // namespace transfer
