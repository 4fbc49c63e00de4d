#include "analytics/rating_filter.h"

namespace analytics {

std::string kind_condition(const RatingFilter& filter, const std::string& table) {
  return " AND " + table + "category " + (filter.category ? "= ?" : "IN (0, 1, 2)") +
         type_condition(filter, "?", table);
}

std::string type_condition(const RatingFilter& filter, const std::string& type,
                           const std::string& table) {
  if (!filter.object_type) return "";
  const std::string is_type = table + "object_type = " + type;
  if (filter.ids.empty()) return " AND " + is_type;
  return " AND (" + is_type + " OR " + table + "object_type = 'post' AND " + table +
         "object_id IN (" + filter.ids + "))";
}

void bind_kind(db::Statement& statement, const RatingFilter& filter) {
  if (filter.category) statement.bind(static_cast<std::int64_t>(*filter.category));
  if (filter.object_type) statement.bind(*filter.object_type);
}

}  // namespace analytics
