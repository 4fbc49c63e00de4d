#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/object_set.h"
#include "model/rating.h"

namespace analytics {

// What objects are ordered by. Of wilson and bayesian: analytics/scores.h.
enum class Metric { bayesian, average, wilson, positive, negative, score, total };

struct RankingQuery {
  Metric order_by = Metric::bayesian;
  bool ascending = false;
  bool is_bipolar = false;  // wilson leaves neutral ratings out
  bool is_scale = false;    // wilson takes values as fractions
  std::int64_t least_total = 1;
  std::vector<std::uint64_t> exclude;                   // ids, of any type
  std::shared_ptr<const model::ObjectSet> hidden = {};  // may be none
  // Of bayesian: the sum and number of the site's ratings, and what they weigh.
  std::int64_t prior_sum = 0, prior_total = 0, prior_weight = 0;
};

struct RankedObject {
  model::Object object;
  Sums sums;
};

// A part of a list, and the length of the whole.
template <typename Item>
struct Slice {
  std::vector<Item> items;
  std::int64_t total = 0;
};

// What one object was rated in each category.
struct ObjectSums {
  model::Object object;
  SumsByCategory by_category;
};

// What the ratings of one object in one category that count on one day add up to.
struct ObjectDay {
  model::Object object;
  model::Category category = model::Category::binary;
  base::Day day;
  Sums sums;
};

// Reads the rollups of single objects. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class ObjectAnalytics {
 public:
  explicit ObjectAnalytics(const std::string& table_prefix);

  // These three sum up a row for each object and day: nothing if that takes longer than kPatience.
  static constexpr std::chrono::milliseconds kPatience{5000};

  // The objects with ratings that count, "limit" of them after the first "offset". Ties: more
  // ratings first, then by type and id. REQUIRES: the filter has a category.
  [[nodiscard]] std::optional<Slice<RankedObject>> top(db::Connection& connection,
                                                       const RatingFilter& filter,
                                                       const RankingQuery& ranking,
                                                       std::int64_t offset,
                                                       std::int64_t limit) const;

  // Those with most ratings of all categories, at most "limit", without "hidden" ones; ties by id.
  // REQUIRES: the filter has a type.
  [[nodiscard]] std::optional<std::vector<ObjectSums>> most_rated(db::Connection& connection,
                                                                  const RatingFilter& filter,
                                                                  const model::ObjectSet& hidden,
                                                                  std::size_t limit) const;

  // How many objects of each type have ratings that count.
  [[nodiscard]] std::optional<std::map<std::string, std::int64_t>> rated_objects(
      db::Connection& connection, const RatingFilter& filter) const;

  // Day by day, in any order, of all categories: a look-up for each object and day. Days without a
  // rating are not there.
  [[nodiscard]] std::vector<ObjectDay> days(db::Connection& connection,
                                            std::span<const model::Object> objects,
                                            const DayRange& days) const;

 private:
  const std::string table_prefix_;
  const db::BulkStatement read_days_;
};

}  // namespace analytics
