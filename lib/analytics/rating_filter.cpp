#include "analytics/rating_filter.h"

namespace analytics {

std::string kind_condition(const RatingFilter& filter) {
  std::string condition = filter.category ? " AND category = ?" : " AND category IN (0, 1, 2)";
  if (filter.object_type) condition += " AND object_type = ?";
  return condition;
}

void bind_kind(db::Statement& statement, const RatingFilter& filter) {
  if (filter.category) statement.bind(static_cast<std::int64_t>(*filter.category));
  if (filter.object_type) statement.bind(*filter.object_type);
}

}  // namespace analytics
