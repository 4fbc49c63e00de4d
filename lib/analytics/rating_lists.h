#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

// The position at which a list of ratings, newest first, continues: after "passed" ratings of this
// object and category at this time. Only the voter distinguishes such ratings.
struct Cursor {
  base::Time rated_at;
  model::Object object;
  model::Category category = model::Category::binary;
  std::int64_t passed = 0;
};

// A page of a list, newest first.
struct RecentRatings {
  std::vector<model::Rating> ratings;
  std::optional<Cursor> rest;  // where to go on, if time was over before the list had an end
};

// Lists of single votes that count, each read by an index. Safe for concurrent use, each caller
// with its own connection. Errors of all functions: as db::Connection.
class RatingLists {
 public:
  explicit RatingLists(const std::string& table_prefix);

  // The newest ratings in "spans", at most "limit", starting at the cursor if there is one. "spans"
  // are newest first and disjoint. Applies the filter's category and type. Scans all votes of the
  // spans, including held ones, until enough ratings are found or "time_limit" is over; then the
  // result may be shorter or empty. Every call makes progress.
  [[nodiscard]] RecentRatings recent(db::Connection& connection, std::span<const TimeSpan> spans,
                                     const RatingFilter& filter,
                                     const std::optional<Cursor>& cursor, std::int64_t limit,
                                     std::chrono::milliseconds time_limit) const;

  // The time of the latest change among the ratings that count on "day" and are stored as sums
  // only. Applies the filter's category and type.
  [[nodiscard]] std::optional<base::Time> last_unlisted(db::Connection& connection, base::Day day,
                                                        const RatingFilter& filter) const;

  struct Part {
    std::int64_t offset = 0, limit = 0;
    bool oldest_first = false;
  };
  // The ratings of one voter, or of one object in "categories". Applies the filter's category and
  // type. Holds only this page in memory. REQUIRES: "categories" is not empty.
  [[nodiscard]] std::vector<model::Rating> of_voter(db::Connection& connection,
                                                    model::VoterId voter, const TimeSpan& span,
                                                    const RatingFilter& filter, Part part) const;
  [[nodiscard]] std::vector<model::Rating> of_object(db::Connection& connection,
                                                     const model::Object& object,
                                                     const TimeSpan& span,
                                                     std::span<const model::Category> categories,
                                                     Part part) const;

  // Sums that rollups cannot tell for a filter with ids: of "scale" with the bins of its values,
  // also of ratings that are stored as sums only; of registered users, by id, without positive and
  // negative; of one voter. "span" are the filter's days. The first two read every rating, for at
  // most ObjectAnalytics::kTimeLimit and some statements. Errors: TakesTooLong.
  [[nodiscard]] model::Totals of_scale(db::Connection& connection, const TimeSpan& span,
                                       RatingFilter filter) const;
  [[nodiscard]] SumsById of_users(db::Connection& connection, const TimeSpan& span,
                                  const RatingFilter& filter) const;
  [[nodiscard]] SumsByCategory sums_of_voter(db::Connection& connection, model::VoterId voter,
                                             const TimeSpan& span,
                                             const RatingFilter& filter) const;

  // The number of ratings of the object on these days that are stored as sums only, so that no list
  // has them.
  [[nodiscard]] std::int64_t unlisted(db::Connection& connection, const model::Object& object,
                                      RatingFilter filter) const;

 private:
  void for_each(db::Connection& connection, TimeSpan span, const RatingFilter& filter,
                const std::function<void(const model::Rating&)>& use) const;
  base::Time begin_of_chunk(db::Connection& connection, const TimeSpan& span,
                            std::int64_t votes) const;
  std::vector<model::Rating> newest(db::Connection& connection, const TimeSpan& span,
                                    const RatingFilter& filter, std::int64_t limit) const;
  std::vector<model::Rating> rest_of_moment(db::Connection& connection, const Cursor& cursor,
                                            const RatingFilter& filter, std::int64_t limit) const;

  const std::string table_prefix_;
  const std::string select_, select_newest_, select_of_object_, find_chunk_;
};

}  // namespace analytics
