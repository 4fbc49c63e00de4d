#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// How far new rollups are made (rollups/rebuild.h): what they have, they must be told of.
struct Rebuild {
  // What is being added to them, in this order.
  enum class Phase : std::uint8_t {
    totals = 1,
    aggregates = 2,
    votes = 3,
    voters = 4,
    complete = 5
  };

  base::Zone zone;  // in which their days are counted
  Phase phase = Phase::totals;
  model::RatingKey
      position;           // the last that is there in this phase; of voters only the voter counts
  std::int64_t done = 0;  // rows that were added in all phases

  // Whether the sums by object have the rating with this key, or would have it if there were one.
  [[nodiscard]] bool has_rating(const model::RatingKey& key) const;
  // The same of a balance, and of all that is summed by voter.
  [[nodiscard]] bool has_aggregate(const model::Object& object, model::Category category) const;
  [[nodiscard]] bool has_voter(model::VoterId voter) const;
};

struct RollupState {
  base::Zone zone;                 // in which the days of the rollups are counted
  std::optional<Rebuild> rebuild;  // of new ones that are to take their place
};

// The state of the rollups, one row. It is locked first in each transaction that changes votes or
// rollups: shared by all who change single votes, which keeps none of them from another, and alone
// by a rebuild, which so sees all votes, and is seen by all.
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions: as
// db::Connection; those that read throw std::runtime_error when the row is not there or its zone is
// not known on this host.
class RollupStateStore {
 public:
  explicit RollupStateStore(const std::string& table_prefix);

  // The time zone in which the rollups' days are counted.
  [[nodiscard]] base::Zone zone(db::Connection& connection) const;

  // Notes "zone" if none is noted yet; days that are counted already keep their zone.
  void note_zone(db::Connection& connection, const base::Zone& zone) const;

  // Without a lock: as it is at this moment.
  [[nodiscard]] RollupState read(db::Connection& connection) const;

  // Throws std::runtime_error if the session counts the rows that a statement finds instead of
  // those that it changes (CLIENT_FOUND_ROWS, which a proxy may set): db::Statement::execute()
  // would tell its callers something else. Changes nothing.
  void require_changed_rows(db::Connection& connection) const;

  // REQUIRES: a transaction, that has locked nothing yet.
  [[nodiscard]] RollupState lock_shared(db::Connection& connection) const;
  [[nodiscard]] RollupState lock_alone(db::Connection& connection) const;

  // Notes how far a rebuild has come; nothing: there is none. REQUIRES: lock_alone().
  void save(db::Connection& connection, const std::optional<Rebuild>& rebuild) const;

  // Notes in the state of the new rollups that they count their days in "zone", and are new.
  void save_next(db::Connection& connection, const base::Zone& zone) const;

 private:
  const std::string read_, lock_shared_, lock_alone_;
  const std::string insert_, save_, save_next_;
  const std::string change_nothing_;  // in a table that no transaction locks for long
};

}  // namespace rollups
