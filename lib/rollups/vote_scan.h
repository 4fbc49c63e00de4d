#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/fingerprint.h"

namespace rollups {

// Sums that are compared with rollups in another order than that of the votes: those of votes and
// aggregates, minus those of the rollups. Their size depends on days and users, not on votes.
struct ScannedSums {
  struct OfDay {
    Fingerprint daily, user_daily;
  };
  using Site =
      std::unordered_map<std::int64_t, model::Totals>;  // by place_in_site(), without times
  static constexpr std::uint64_t kUsersOfRange = 1024;

  std::uint64_t seed = 0;                                // of all fingerprints
  std::unordered_map<std::int64_t, OfDay> days;          // since 1970-01-01
  std::map<std::string, Site> site;                      // by type
  std::unordered_map<std::uint64_t, Fingerprint> users;  // by user id / kUsersOfRange

  [[nodiscard]] static std::int64_t place_in_site(base::Day day, model::Category category) {
    return 4 * day.time_since_epoch().count() + static_cast<std::int64_t>(category);
  }
  OfDay& of_day(base::Day day) { return days[day.time_since_epoch().count()]; }
  Fingerprint& of_user(std::uint64_t user_id) { return users[user_id / kUsersOfRange]; }
  [[nodiscard]] Fingerprint::Key key(const model::Object& object, model::Category category) const;
  [[nodiscard]] Fingerprint::Key key(std::uint64_t user_id, model::Category category) const;

  ScannedSums& operator+=(const ScannedSums& more);
};

// DESIGN. Reads all votes and aggregates once, in the order of objects, and compares them with the
// totals. What belongs to an object and category is read in one snapshot. A snapshot lasts for some
// thousand votes, or for one object, so the server keeps old rows only for a short time.
//
// Used by one thread. Errors: as db::Connection.
class VoteScan {
 public:
  struct Group {
    model::Object object;
    model::Category category = model::Category::binary;
    auto operator<=>(const Group&) const = default;
  };
  struct Differences {
    std::vector<Group> of_sums, of_times;  // "times" are those of the last votes
  };

  // "connection" must outlive this.
  VoteScan(db::Connection& connection, const std::string& table_prefix, base::Zone zone);

  // Reads the next part, adds it to "sums" and the differences to "found". Returns the number of
  // votes; nothing: there are no more.
  std::optional<std::int64_t> next(ScannedSums& sums, Differences& found);

 private:
  struct Vote {
    model::RatingKey key;
    model::OwnRating rating;
  };
  struct Total {
    Group group;
    model::Totals sums;
  };
  struct Part {
    ScannedSums sums;
    std::map<Group, model::Totals> counted;  // by votes and aggregates
    std::map<Group, model::Totals> noted;    // by the totals
    std::optional<Group> end;                // the last group; nothing: there are no more
    std::int64_t votes = 0;
  };

  void read(Part& part);
  std::vector<Vote> next_votes(std::int64_t limit);
  std::vector<Vote> votes_of(const Group& group, model::VoterId after);
  std::vector<Aggregate> next_aggregates(std::int64_t limit);
  std::vector<Aggregate> aggregates_of(const Aggregate::Key& after);
  std::vector<Total> next_totals(std::int64_t limit);
  void count(const std::vector<Vote>& votes, Part& part) const;
  static void count(const std::vector<Aggregate>& aggregates, Part& part);

  db::Connection& connection_;
  const base::Zone zone_;
  const std::string next_votes_, votes_of_, next_aggregates_, aggregates_of_, next_totals_;
  Group position_;  // the last one that was compared
  bool is_complete_ = false;
  std::int64_t aggregates_limit_, totals_limit_;
};

}  // namespace rollups
