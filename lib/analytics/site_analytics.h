#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

// What the ratings of one category that count on one day add up to, without times.
struct SiteDay {
  base::Day day;
  model::Category category = model::Category::binary;
  model::Totals totals;
};

// Reads the rollups of the whole site. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class SiteAnalytics {
 public:
  explicit SiteAnalytics(const std::string& table_prefix);

  // The first day that any rating counts on.
  [[nodiscard]] std::optional<base::Day> first_day(db::Connection& connection) const;

  // By day and category, in this order; those without a rating are not there.
  [[nodiscard]] std::vector<SiteDay> days(db::Connection& connection,
                                          const RatingFilter& filter) const;

  // How many voters rated, or changed a rating, on these days, whatever became of it later.
  [[nodiscard]] std::int64_t active_voters(db::Connection& connection, const DayRange& days) const;

 private:
  const std::string table_prefix_;
  const std::string find_first_day_, count_voters_;
};

}  // namespace analytics
