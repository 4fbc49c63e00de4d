#pragma once

#include <array>
#include <vector>

#include "api/fields.h"
#include "api/table.h"
#include "base/message.h"
#include "handlers/analysis.h"
#include "model/rating.h"

namespace handlers {

// The optional columns in a list of individual ratings. The columns for the object, the value and
// the time are always present.
struct RatingColumns {
  // If "titles" is set, the list has columns with the objects' titles and links.
  const Titles* titles = nullptr;
  // If "is_of_voter" is true, all ratings are from one voter whose data the requester may see. A
  // list of one voter's ratings has a column for reasons but no column for names. If "is_of_voter"
  // is false, the list has reasons and names only if the requester has the see_persons permission.
  bool is_of_voter = false;
  bool id = false;  // adds transfer::rating_id() if the requester may administer and see persons
};

// Returns the rated objects, in the order of "ratings".
[[nodiscard]] std::vector<model::Object> objects_of(const std::vector<model::Rating>& ratings);

// Returns a table with one row for each rating, in the order of "ratings".
[[nodiscard]] api::Table rating_table(const Analysis& analysis,
                                      const std::vector<model::Rating>& ratings,
                                      RatingColumns columns);

// These functions add columns for the total and average in each category, such as totals.binary and
// averages.binary.
void add_category_columns(api::Table& table);
void add_category_cells(std::vector<api::Cell>& row,
                        const std::array<analytics::Sums, model::kCategories.size()>& by_category);

}  // namespace handlers
