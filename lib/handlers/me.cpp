#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/access.h"
#include "api/fields.h"
#include "api/table.h"
#include "base/timestamp.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "handlers/rating_table.h"
#include "json/codec.h"
#include "store/front_end_visitors.h"
#include "store/reasons.h"
#include "transfer/retention.h"
#include "votes/rating_loader.h"

namespace handlers {
namespace {

constexpr std::int64_t kErasedAtOnce = 64;

// Withdraws up to kErasedAtOnce ratings by "voter".
tl::expected<std::int64_t, api::Error> erase_some(const api::Core& core, const api::Voting& voting,
                                                  const api::Call& call, model::VoterId voter) {
  const auto ratings = core.sessions.with_session([&](db::Connection& connection) {
    return votes::ratings_of(connection, voter, 0, kErasedAtOnce);
  });
  std::vector<votes::VoteRequest> vote_requests;
  for (const model::Rating& rating : ratings) {
    vote_requests.emplace_back();
    vote_requests.back().key = rating.key;
    vote_requests.back().received_at = call.request.received_at;
  }
  std::int64_t erased = 0;
  for (const auto& vote_result : voting.writer.write_all(std::move(vote_requests))) {
    if (!vote_result) return tl::unexpected(write_error(vote_result.error()));
    if (vote_result->outcome == votes::VoteResult::Outcome::withdrawn) ++erased;
  }
  return erased;
}

// Returns the name of the logged-in user. Returns nothing if no user is logged in or if the CMS has
// no name for the user.
std::optional<std::string> name_of_user(const api::Core& core, const api::Call& call,
                                        db::Connection& connection) {
  if (!call.requester.user) return std::nullopt;
  const std::uint64_t user = call.requester.user->id;
  auto names = core.cms.display_names(connection, {&user, 1});
  const auto found = names.find(user);
  return found == names.end() ? std::nullopt : std::optional(std::move(found->second));
}

// Writes the requester's identity and permissions, so that a page can offer only the permitted
// actions.
void write_requester(json::Writer& json, const api::Call& call,
                     const std::optional<std::string>& name) {
  const identity::Requester& requester = call.requester;
  json.key("user");
  if (requester.user) {
    json.begin_object().key("id").unsigned_integer(requester.user->id).key("name");
    name ? json.string(*name) : json.null();
    json.end_object();
  } else {
    json.null();
  }
  json.key("rights").begin_object();
  json.key("administer").boolean(requester.may(model::Right::administer));
  json.key("see_persons").boolean(requester.may(model::Right::see_persons));
  json.key("edit_others").boolean(requester.may(model::Right::see_unpublished));
  json.key("analytics").boolean(api::may_read_analytics(call)).end_object();
}

// Returns the response for a visitor who has never rated anything.
api::Result no_ratings(const api::Call& call, const api::Page& page) {
  if (page.is_past_end(0)) return tl::unexpected(api::Error{api::ErrorCode::page_past_end});
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array().end_array();
  json.key("meta").begin_object();
  write_requester(json, call, std::nullopt);
  json.end_object().end_object();
  api::add_page_headers(answer, call, page, 0);
  return answer;
}

}  // namespace

api::Result own_ratings(const api::Core& core, const api::Reading& reading, const api::Call& call) {
  api::Fields fields(call.parameters);
  const bool is_optional = fields.boolean("optional").value_or(false);
  if (!call.voter && !is_optional) return tl::unexpected(api::Error{api::ErrorCode::not_logged_in});
  const api::Page page = api::read_page(fields);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (!call.voter) return no_ratings(call, page);
  const model::VoterId voter = *call.voter;

  std::int64_t total = 0;
  std::optional<std::string> name;
  std::optional<Titles> titles;  // empty if the page is past the end
  std::map<model::RatingKey, std::string> reasons;
  const auto ratings = core.sessions.with_session([&](db::Connection& connection) {
    name = name_of_user(core, call, connection);
    total = votes::count_ratings_of(connection, voter);
    if (page.is_past_end(total)) return std::vector<model::Rating>();
    auto found = votes::ratings_of(connection, voter, page.offset(), page.size);
    titles.emplace(core, call, connection, objects_of(found));
    reasons = store::reasons_of(connection, found);
    return found;
  });
  // The ratings from the database may be newer than the cached ratings.
  reading.own_ratings_cache.invalidate(voter);
  if (page.is_past_end(total)) return tl::unexpected(api::Error{api::ErrorCode::page_past_end});

  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  for (const model::Rating& rating : ratings) {
    json.begin_object();
    write_object(json, rating.key.object);
    titles->write(json, rating.key.object);
    json.key("category").string(name_of(rating.key.category));
    json.key("value").decimal(rating.value, 3);
    json.key("rated_at").string(base::to_rfc3339(rating.rated_at));
    const auto reason = reasons.find(rating.key);
    if (reason != reasons.end()) json.key("reason").string(reason->second);
    json.end_object();
  }
  json.end_array().key("meta").begin_object();
  write_requester(json, call, name);
  json.end_object().end_object();
  api::add_page_headers(answer, call, page, total);
  return answer;
}

api::Result erase_own_ratings(const api::Core& core, const api::Voting& voting,
                              const api::Call& call) {
  api::Fields fields(call.parameters);
  fields.reject_unknown({});  // a filter such as `object_id` would not limit the deletion
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  const model::VoterId voter = call.voter.value();
  std::int64_t erased = 0;
  for (bool more = true; more;) {
    const auto count = erase_some(core, voting, call, voter);
    if (!count) return tl::unexpected(count.error());
    erased += *count;
    more = *count > 0;
  }
  if (model::is_anonymous(voter)) {
    core.sessions.with_session([&](db::Connection& connection) {
      return store::remove_unused_visitors(connection, {&voter, 1});
    });
  }

  const model::Settings& settings = call.site.settings;
  const int daily_maximum = model::is_anonymous(voter) ? settings.max_ratings_per_voter_per_day
                                                       : settings.max_ratings_per_user_per_day;
  core.sessions.with_session([&](db::Connection& connection) {
    transfer::forget_last_rating(connection, voter, {settings.cooldown, daily_maximum > 0});
  });

  api::Answer answer;
  answer.drops_voter_cookie = !call.requester.is_authenticated();
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("deleted").integer(erased).end_object();
  return answer;
}

}  // namespace handlers
