#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cms/cms.h"
#include "db/connection.h"
#include "model/rating.h"
#include "transfer/bulk_ratings.h"

namespace transfer {

// An object that has ratings but no longer exists.
struct Orphan {
  model::Object object;
  std::int64_t ratings = 0;  // stored votes, also held ones

  bool operator==(const Orphan&) const = default;
};

// Finds and removes the ratings of objects that no longer exist in the CMS. Objects of types that
// the CMS does not know are never orphans.
//
// Ratings are removed some hundred at a time, together with the activity of their voters
// (transfer/bulk_ratings.h).
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions: as
// db::Connection.
class Orphans {
 public:
  explicit Orphans(const std::string& table_prefix);

  // In the order of their ids. Reads an index of all votes.
  [[nodiscard]] std::vector<Orphan> find(db::Connection& connection, const cms::Cms& cms) const;

  // Removes all ratings and aggregates of "object". Calls "progress" after each transaction with
  // the number of removed ratings. Ratings removed before an error stay removed. Errors: Conflict -
  // conflicts with other transactions did not end; db::Busy - an import or a clean-up is running,
  // or a deletion of all ratings was interrupted.
  void remove(db::Connection& connection, const model::Object& object,
              const std::function<void(std::int64_t)>& progress) const;

 private:
  const std::string table_prefix_;
  const std::string count_, read_votes_;
  const BulkRatings bulk_;
};

}  // namespace transfer
