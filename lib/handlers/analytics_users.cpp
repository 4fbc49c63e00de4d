// Analytics for registered users: the list of all users who have rated, and the details for one
// user.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analytics/range_lists.h"
#include "analytics/user_analytics.h"
#include "base/timestamp.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "handlers/rating_table.h"
#include "json/codec.h"

namespace handlers {
namespace {

using analytics::UserOrder;
using analytics::UserSums;

// The values of the `orderby` parameter, in the order of the enumerators in UserOrder.
constexpr std::array<std::string_view, 4> kOrders = {"total", "id", "first_rated_at",
                                                     "last_rated_at"};

// The maximum number of users that a search finds. The limit is needed because a search sums all
// ratings of each user found.
constexpr std::size_t kMaxMatches = 1000;

using Names = std::map<std::uint64_t, std::string>;

Names names_of(const Analysis& analysis, const std::vector<UserSums>& users) {
  std::vector<std::uint64_t> ids;
  ids.reserve(users.size());
  for (const UserSums& user : users) ids.push_back(user.user_id);
  return analysis.core.cms.display_names(analysis.connection(), ids);
}

void add_columns(api::Table& table) {
  table.columns.insert(table.columns.end(), {"id", "name", "total"});
  add_category_columns(table);
  table.columns.insert(table.columns.end(), {"first_rated_at", "last_rated_at"});
}

// If "has_rated" is false, the user has no rating timestamps.
std::vector<api::Cell> row_of(const UserSums& user, const Names& names, bool has_rated) {
  const auto name = names.find(user.user_id);
  std::vector<api::Cell> row = {
      user.user_id, name == names.end() ? api::Cell() : api::Cell(name->second), user.total()};
  add_category_cells(row, user.by_category);
  row.push_back(has_rated ? api::Cell(base::to_rfc3339(user.first_rated_at)) : api::Cell());
  row.push_back(has_rated ? api::Cell(base::to_rfc3339(user.last_rated_at)) : api::Cell());
  return row;
}

struct ListQuery {
  AnalyticsQuery shared;
  api::Page page;
  Order order;
  std::optional<std::string> search;
};

// If the filter contains object ids, computes the list from the ratings, because the rollup of each
// user's ratings does not contain object ids.
std::optional<analytics::Slice<UserSums>> compute_list(Analysis& analysis,
                                                       const analytics::RatingFilter& filter,
                                                       const analytics::UserComesBefore& order,
                                                       const api::Page& page) {
  db::Connection& connection = analysis.connection();
  if (filter.ids.empty()) {
    if (auto found = analytics::list_materialized_users(connection, analysis.calendar.zone.name(),
                                                        filter, order, page.offset(), page.size)) {
      analysis.as_of = std::min(analysis.as_of, found->as_of);
      return std::move(found->value);
    }
    return analytics::list_users(connection, filter, order, page.offset(), page.size);
  }
  const auto sums = analytics::sums_of_users(
      connection, moments_of(filter.days, analysis.calendar.zones), filter);
  return analytics::list_users(connection, sums,
                               analytics::UserPage(filter, order, page.offset(), page.size));
}

Attempt list_users(Analysis& analysis, const ListQuery& query) {
  const analytics::UserComesBefore order{UserOrder{query.order.by}, query.order.ascending};
  if (query.page.is_past_end(ratings_in_period(analysis))) {
    return tl::unexpected(api::Error{api::ErrorCode::page_past_end});
  }
  if (query.search) {
    const auto found =
        analysis.core.cms.users_named(analysis.connection(), *query.search, kMaxMatches);
    analysis.filter.users.emplace(found.begin(), found.end());
    analysis.list_query.reset();  // the materialized lists contain only each order's first users
  }
  const auto slice = analysis.materialized_or(
      [&](const analytics::ListQuery& list_query) {
        return analytics::materialized_users(analysis.connection(), list_query, analysis.filter,
                                             order, query.page.offset(), query.page.size);
      },
      [&](const analytics::RatingFilter& filter) {
        return compute_list(analysis, filter, order, query.page);
      });
  if (!slice) return std::nullopt;
  if (query.page.is_past_end(slice->total))
    return tl::unexpected(api::Error{api::ErrorCode::page_past_end});
  const Names names = names_of(analysis, slice->items);
  api::Table table;
  add_columns(table);
  for (const UserSums& user : slice->items) table.rows.push_back(row_of(user, names, true));
  api::Answer answer = list_answer(analysis, "users", table);
  api::add_page_headers(answer, analysis.call, query.page, slice->total);
  return answer;
}

// Returns the totals of the user's ratings, or nothing if the filter matches none of these ratings.
std::optional<UserSums> sums_of(const Analysis& analysis, std::uint64_t id) {
  analytics::RatingFilter filter = analysis.filter;
  // Even if no day has ratings, the query must read the user's timestamps, so use a range of one
  // day.
  filter.days =
      analysis.rated_days().value_or(analytics::DayRange{filter.days.first, filter.days.first});
  auto user = analytics::find_user(analysis.connection(), id, filter);
  if (user && !filter.ids.empty()) {
    user->by_category = analytics::sums_of_voter(
        analysis.connection(), id, moments_of(filter.days, analysis.calendar.zones), filter);
  }
  return user;
}

api::Result describe_user(const Analysis& analysis, std::uint64_t id, const ListQuery& query) {
  const auto found = sums_of(analysis, id);
  UserSums user = found.value_or(UserSums());
  user.user_id = id;
  const Names names = names_of(analysis, {user});
  if (!found && names.empty()) return tl::unexpected(api::Error{api::ErrorCode::not_found});
  if (query.page.is_past_end(user.total()))
    return tl::unexpected(api::Error{api::ErrorCode::page_past_end});
  std::vector<model::Rating> ratings;
  if (const auto days = analysis.rated_days()) {
    ratings = analytics::ratings_of_voter(
        analysis.connection(), id, moments_of(*days, analysis.calendar.zones), analysis.filter,
        {query.page.offset(), query.page.size, query.order.ascending});
  }
  const Titles titles(analysis, objects_of(ratings));
  const api::Table table = rating_table(
      analysis, ratings, {.titles = &titles, .is_of_voter = true, .id = query.shared.has_ids});

  api::Answer answer;
  if (analysis.is_csv) {
    answer = list_answer(analysis, "user-details", table);
  } else {
    api::Table head;
    add_columns(head);
    std::string data;
    json::Writer json(data);
    json.begin_object();
    api::write_members(json, head.columns, row_of(user, names, found.has_value()));
    json.key("ratings");
    api::write_table(json, table);
    json.end_object();
    answer = json_answer(analysis, data);
  }
  api::add_page_headers(answer, analysis.call, query.page, user.total());
  return answer;
}

}  // namespace

api::Result rating_users(const api::Core& core, const api::Analytics& analytics,
                         const api::Call& call) {
  api::Fields fields(call.parameters);
  ListQuery query;
  query.shared = read_analytics_query(fields);
  query.page = api::read_page(fields);
  query.order = read_order(fields, kOrders);
  query.search = read_search(fields);
  return analyze(core, analytics, call, fields, query.shared,
                 [&](Analysis& analysis) { return list_users(analysis, query); });
}

api::Result user_details(const api::Core& core, const api::Analytics& analytics,
                         const api::Call& call) {
  const auto id = api::parse_object_id(call.argument);
  if (!id) return tl::unexpected(api::bad_object_id(call.argument, "id"));
  api::Fields fields(call.parameters);
  ListQuery query;
  query.shared = read_analytics_query(fields);
  query.shared.has_ids = fields.boolean("ids").value_or(false);
  query.page = api::read_page(fields);
  query.order = read_order(fields, kOrderOfRatings);
  return analyze(core, analytics, call, fields, query.shared,
                 [&](Analysis& analysis) { return describe_user(analysis, *id, query); });
}

}  // namespace handlers
