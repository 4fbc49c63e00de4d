#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "store/rating_filter.h"

namespace store {

// What objects are ordered by. Of wilson and bayesian: ratings/ranking.h.
enum class Metric { bayesian, average, wilson, positive, negative, score, total };

struct Ranking {
  Metric order_by = Metric::bayesian;
  bool ascending = false;
  bool is_bipolar = false;  // wilson leaves neutral ratings out
  bool is_scale = false;    // wilson takes values as fractions
  std::int64_t least_total = 1;
  std::vector<std::uint64_t> exclude;  // ids, of any type
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

  // The objects with ratings that count, "limit" of them after the first "offset". Ties: more
  // ratings first, then by type and id. Equal to within a ten-thousandth of a millionth is equal.
  // Reads a row for each object and day. REQUIRES: a ranking other than by total has a category.
  [[nodiscard]] Slice<RankedObject> top(db::Connection& connection, const RatingFilter& filter,
                                        const Ranking& ranking, std::int64_t offset,
                                        std::int64_t limit) const;

  // Day by day, in any order, of all categories: a look-up for each object and day. Days without a
  // rating are not there.
  [[nodiscard]] std::vector<ObjectDay> days(db::Connection& connection,
                                            std::span<const model::Object> objects,
                                            const DayRange& days) const;

 private:
  const std::string table_prefix_;
  const db::BulkStatement read_days_;
};

}  // namespace store
