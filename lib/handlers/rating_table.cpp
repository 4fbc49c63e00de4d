#include "handlers/rating_table.h"

#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/timestamp.h"
#include "db/bulk_statement.h"
#include "model/rating.h"
#include "store/front_end_visitors.h"
#include "store/reasons.h"
#include "transfer/requests.h"

namespace handlers {
namespace {

using model::Rating;

// The names of the voters in a list, if known.
struct VoterNames {
  std::map<std::uint64_t, std::string> users;
  store::VisitorsByVoter visitors;  // voters from other front ends
};

VoterNames names_of(const Analysis& analysis, const std::vector<Rating>& ratings) {
  std::set<model::VoterId> users;
  std::set<model::VoterId> anonymous;
  for (const Rating& rating : ratings) {
    const model::VoterId voter = rating.key.voter;
    (model::is_anonymous(voter) ? anonymous : users).insert(voter);
  }
  db::Connection& connection = analysis.connection();
  return {analysis.core.cms.display_names(connection, db::rows_of(users)),
          store::visitors_of(connection, db::rows_of(anonymous))};
}

void add_voter_columns(api::Table& table) {
  table.columns.insert(table.columns.end(),
                       {"voter.type", "voter.id", "voter.name", "voter.issuer", "voter.subject"});
}

// An anonymous voter's number means nothing to users, so it is not shown.
void add_voter(std::vector<api::Cell>& row, model::VoterId voter, const VoterNames& names) {
  if (!model::is_anonymous(voter)) {
    const auto name = names.users.find(voter);
    row.insert(row.end(), {std::string("user"), voter,
                           name == names.users.end() ? api::Cell() : api::Cell(name->second),
                           api::Cell(), api::Cell()});
    return;
  }
  row.insert(row.end(), {std::string("anonymous"), api::Cell()});
  const auto found = names.visitors.find(voter);
  if (found == names.visitors.end()) {
    row.insert(row.end(), {api::Cell(), api::Cell(), api::Cell()});
  } else {
    const auto& [issuer, subject] = found->second;
    row.insert(row.end(), {issuer + ": " + subject, issuer, subject});
  }
}

}  // namespace

std::vector<model::Object> objects_of(const std::vector<Rating>& ratings) {
  std::vector<model::Object> objects;
  objects.reserve(ratings.size());
  for (const Rating& rating : ratings) objects.push_back(rating.key.object);
  return objects;
}

api::Table rating_table(const Analysis& analysis, const std::vector<Rating>& ratings,
                        RatingColumns columns) {
  const auto& requester = analysis.call.requester;
  const bool sees_persons = requester.may(model::Right::see_persons);
  const bool has_voter = sees_persons && !columns.is_of_voter;
  const bool has_reason = sees_persons || columns.is_of_voter;
  columns.id = columns.id && sees_persons && requester.may(model::Right::administer);
  const auto names = has_voter ? names_of(analysis, ratings) : VoterNames();
  std::map<model::RatingKey, std::string> reasons;
  if (has_reason) reasons = store::reasons_of(analysis.connection(), ratings);

  api::Table table{{"object_id", "object_type"}, {}};
  if (columns.titles != nullptr) Titles::add_columns(table);
  table.columns.insert(table.columns.end(), {"category", "value", "rated_at"});
  if (has_reason) table.columns.emplace_back("reason");
  if (has_voter) add_voter_columns(table);
  if (columns.id) table.columns.emplace_back("id");
  for (const Rating& rating : ratings) {
    std::vector<api::Cell> row = {rating.key.object.id, rating.key.object.type};
    if (columns.titles != nullptr) columns.titles->add_cells(row, rating.key.object);
    row.emplace_back(std::string(name_of(rating.key.category)));
    row.emplace_back(api::Fraction{rating.value, 3});
    row.emplace_back(base::to_rfc3339(rating.rated_at));
    if (has_reason) {
      const auto reason = reasons.find(rating.key);
      row.push_back(reason == reasons.end() ? api::Cell() : api::Cell(reason->second));
    }
    if (has_voter) add_voter(row, rating.key.voter, names);
    if (columns.id) row.emplace_back(transfer::rating_id(rating.key));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_category_columns(api::Table& table) {
  for (const char* word : {"totals.", "averages."}) {
    for (const model::Category category : model::kCategories) {
      table.columns.push_back(std::string(word).append(name_of(category)));
    }
  }
}

void add_category_cells(std::vector<api::Cell>& row,
                        const std::array<analytics::Sums, model::kCategories.size()>& by_category) {
  for (const analytics::Sums& sums : by_category) row.emplace_back(sums.total);
  for (const analytics::Sums& sums : by_category) {
    row.push_back(api::average_cell(model::average(sums.sum, sums.total)));
  }
}

}  // namespace handlers
