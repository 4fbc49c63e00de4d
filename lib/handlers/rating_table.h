#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/fields.h"
#include "api/table.h"
#include "base/message.h"
#include "handlers/analysis.h"
#include "model/rating.h"

namespace handlers {

// The columns of a list of single ratings besides object, value and time.
struct RatingColumns {
  const Titles* titles = nullptr;  // with links, if there are any; of all objects of the list
  // All are of one voter, who is the requester or whom the requester may see: there are reasons and
  // no names. Otherwise there are both if the requester may see persons.
  bool is_of_voter = false;
  bool id = false;  // transfer::rating_id(), where the requester may administer and see persons
};

// The objects of "ratings", in their order.
[[nodiscard]] std::vector<model::Object> objects_of(const std::vector<model::Rating>& ratings);

// A row for each of "ratings", in their order.
[[nodiscard]] api::Table rating_table(const Analysis& analysis,
                                      const std::vector<model::Rating>& ratings,
                                      RatingColumns columns);

// The columns totals.binary ..., averages.binary ...
void add_category_columns(api::Table& table);
void add_category_cells(std::vector<api::Cell>& row,
                        const std::array<analytics::Sums, model::kCategories.size()>& by_category);

}  // namespace handlers
