#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analytics/materialized_lists.h"
#include "analytics/packed.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. A list of users over any days needs a row for each user and day, or for each user and
// category: too many to read per request. So the lists of the period "all" include what such a list
// is made of, in some bytes for each row:
//
//   user_times   of each user, the first and the last time;
//   user_totals  of each category and type, the sums of each user over the days of the period;
//   user_days    the same of each of these days: the part is the number of days before it.
//
// Most of the days are the totals minus the other days.

// One part: users with two numbers each, in the order of their ids.
class PackedUsers {
 public:
  void add(std::uint64_t id, std::int64_t one, std::int64_t other) {
    packer_.add(id - last_id_);
    packer_.add_signed(one);
    packer_.add_signed(other);
    last_id_ = id;
    ++entries_;
  }

  [[nodiscard]] std::int64_t entries() const { return entries_; }

  // Appends the part, named by "name", and begins an empty one.
  void finish(std::vector<ListPart>& parts, ListPart name);

 private:
  Packer packer_;
  std::uint64_t last_id_ = 0;
  std::int64_t entries_ = 0;
};

// The same in as many parts as are needed, at least one.
class PackedUserList {
 public:
  explicit PackedUserList(ListPart name) : name_(std::move(name)) {}

  void add(std::uint64_t id, std::int64_t one, std::int64_t other);
  void finish(std::vector<ListPart>& parts);

 private:
  ListPart name_;
  PackedUsers part_;  // the current one
  std::vector<ListPart> parts_;
};

// The sums of users over the days. Appends user_totals and user_days to "parts" if there are few
// types; "are_listed" tells that. Reads a row for each user and day. Errors: as db::Connection.
struct UserDays {
  SumsByTypeAndId sums;
  bool are_listed = false;
};
[[nodiscard]] UserDays add_user_days(std::vector<ListPart>& parts, db::Connection& connection,
                                     const DayRange& days);

// As list_users(). Nothing if there are no lists that were made in this zone. REQUIRES:
// the filter has no ids. Errors: as db::Connection.
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

}  // namespace analytics
