#include "api/rating_table.h"

#include <algorithm>
#include <map>

#include "api/access.h"
#include "model/averages.h"

namespace api {
namespace {

using model::Rating;

std::map<std::uint64_t, std::string> names_of(const Analysis& analysis,
                                              const std::vector<Rating>& ratings) {
  std::vector<std::uint64_t> users;
  for (const Rating& rating : ratings) {
    if (!model::is_anonymous(rating.key.voter)) users.push_back(rating.key.voter);
  }
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  return analysis.app.cms.display_names(analysis.connection, users);
}

// The number of an anonymous voter is meaningless to users, so it is not shown.
void add_voter(std::vector<Cell>& row, model::VoterId voter,
               const std::map<std::uint64_t, std::string>& names) {
  if (model::is_anonymous(voter)) {
    row.insert(row.end(), {std::string("anonymous"), Cell(), Cell()});
    return;
  }
  const auto name = names.find(voter);
  row.insert(row.end(),
             {std::string("user"), voter, name == names.end() ? Cell() : Cell(name->second)});
}

}  // namespace

std::vector<model::Object> objects_of(const std::vector<Rating>& ratings) {
  std::vector<model::Object> objects;
  objects.reserve(ratings.size());
  for (const Rating& rating : ratings) objects.push_back(rating.key.object);
  return objects;
}

Table rating_table(const Analysis& analysis, const std::vector<Rating>& ratings,
                   RatingColumns columns) {
  columns.voter = columns.voter && analysis.call.requester.may(model::Right::see_persons);
  const auto names =
      columns.voter ? names_of(analysis, ratings) : std::map<std::uint64_t, std::string>();

  Table table{{"object_id", "object_type"}, {}};
  if (columns.titles != nullptr) Titles::add_columns(table);
  table.columns.insert(table.columns.end(), {"category", "value", "rated_at"});
  if (columns.voter) {
    table.columns.insert(table.columns.end(), {"voter.type", "voter.id", "voter.name"});
  }
  for (const Rating& rating : ratings) {
    std::vector<Cell> row = {rating.key.object.id, rating.key.object.type};
    if (columns.titles != nullptr) columns.titles->add_cells(row, rating.key.object);
    row.emplace_back(std::string(name_of(rating.key.category)));
    row.emplace_back(Fraction{rating.value, 3});
    row.push_back(time_cell(rating.rated_at));
    if (columns.voter) add_voter(row, rating.key.voter, names);
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_category_columns(Table& table) {
  for (const char* word : {"totals.", "averages."}) {
    for (const model::Category category : model::kCategories) {
      table.columns.push_back(std::string(word).append(name_of(category)));
    }
  }
}

void add_category_cells(std::vector<Cell>& row,
                        const std::array<analytics::Sums, model::kCategories.size()>& by_category) {
  for (const analytics::Sums& sums : by_category) row.emplace_back(sums.total);
  for (const analytics::Sums& sums : by_category) {
    row.push_back(average_cell(model::average(sums.sum, sums.total)));
  }
}

}  // namespace api
