#pragma once

#include <string>
#include <vector>

#include "rollups/repair.h"
#include "support/reference_db.h"
#include "transfer/rating_merge.h"
#include "transfer/rating_removal.h"
#include "transfer/retention.h"

namespace support {

inline transfer::StoredRating rating_of(const votes::VoteRequest& vote_request) {
  return {vote_request.key,
          *vote_request.value,
          vote_request.received_at,
          vote_request.received_at,
          {},
          ""};
}

inline rollups::Aggregate aggregate(std::int64_t zeros, std::int64_t ones, base::Time last,
                                    std::uint64_t object = 42) {
  rollups::Aggregate aggregate{
      {{object, "post"},
       model::Category::binary,
       std::chrono::floor<std::chrono::days>(kNoon - std::chrono::days(300)),
       "likes"},
      {}};
  aggregate.sums.sum = 1000 * ones;
  aggregate.sums.bins.front() = zeros;
  aggregate.sums.bins.back() = ones;
  aggregate.sums.last_rated_at = last;
  return aggregate;
}

// Tests operations that change many ratings at once in a database with votes.
class BulkOperations : public ReferenceDatabase {
 protected:
  // Repairs the sums. Returns whether the repair has finished.
  bool repair() {
    db::Connection connection(database_.ratingctl());
    return rollups::Repair(connection, kNoon, std::chrono::seconds(5), 50)
        .run([](std::int64_t, std::int64_t) {})
        .is_complete;
  }
  transfer::MergeCounts merge(const transfer::StoredRating& rating) {
    return merge_.merge({&rating, 1}, memory_);
  }
  transfer::MergeCounts merge(const votes::VoteRequest& vote_request) {
    return merge(rating_of(vote_request));
  }
  std::size_t remove(const model::RatingKey& key, base::Time before = base::Time::max()) {
    return removal_.remove({&key, 1}, before);
  }
  std::size_t aggregate_all(base::Time before) {
    std::size_t aggregated = 0;
    while (const std::size_t more = aggregation_.aggregate(before)) aggregated += more;
    return aggregated;
  }
  std::string dump(const std::string& what) {
    std::string text;
    for (db::Rows row = connection_.query("SELECT CONCAT_WS(' ', " + what); row.next();) {
      text += row.text(1) + "\n";
    }
    return text;
  }
  std::string site_sums() {
    return dump(
        "category, day, SUM(sum), SUM(bin0), SUM(bin5), SUM(bin8), SUM(bin10)) FROM "
        "wp_ratingd_site_daily GROUP BY category, day ORDER BY category, day");
  }
  std::string object_sums() {
    return dump(
               "object_id, category, sum, bin0, bin5, bin8, bin10, last_rated_at) FROM "
               "wp_ratingd_totals ORDER BY object_id, category") +
           dump(
               "object_id, category, day, total, sum, positive, negative) FROM wp_ratingd_daily "
               "ORDER BY object_id, category, day");
  }
  std::string reach() {
    return dump(
        "day, previous_day, SUM(voters)) FROM wp_ratingd_reach GROUP BY day, previous_day HAVING "
        "SUM(voters) <> 0 ORDER BY day, previous_day");
  }

  const transfer::RatingMerge merge_{connection_};
  const transfer::RatingRemoval removal_{connection_};
  const transfer::Aggregation aggregation_{connection_};
  transfer::MergeMemory memory_;
};

}  // namespace support
