#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "model/rating.h"
#include "transfer/bulk_ratings.h"

namespace transfer {

// Rated, but not there any more.
struct Orphan {
  model::Object object;
  std::int64_t ratings = 0;  // that are stored one by one, the held ones too

  bool operator==(const Orphan&) const = default;
};

// The ratings of objects that the CMS has no more: comments, and posts of all types that it has
// posts of, or always has. Of other types it knows nothing: their objects are never orphans. A post
// that is in the trash, or has another type now, is still there.
//
// They are removed some hundred at once, with what they tell of their voters' activity
// (transfer/bulk_ratings.h).
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions: as
// db::Connection.
class Orphans {
 public:
  explicit Orphans(const std::string& table_prefix);

  // In the order of their ids. Reads an index of all votes.
  [[nodiscard]] std::vector<Orphan> find(db::Connection& connection) const;

  // Removes what is known of the ratings of "object"; "progress" hears how many of them have gone
  // with each transaction. What was done until an error stays done.
  // Errors: Conflict - votes were in the way again and again.
  void remove(db::Connection& connection, const model::Object& object,
              const std::function<void(std::int64_t)>& progress) const;

 private:
  const std::string table_prefix_;
  const std::string read_types_, count_, read_votes_;
  const BulkRatings bulk_;
};

}  // namespace transfer
