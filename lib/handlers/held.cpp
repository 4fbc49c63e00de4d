#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/fields.h"
#include "api/table.h"
#include "base/timestamp.h"
#include "db/bulk_statement.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "handlers/rating_table.h"
#include "json/codec.h"
#include "store/front_end_visitors.h"
#include "transfer/requests.h"

namespace handlers {
namespace {

using model::RatingKey;
using votes::HeldRating;
using votes::HeldStore;

// Returns the object named in the request, or nothing if the request has no object id.
std::optional<model::Object> read_object(api::Fields& fields) {
  const std::string type = fields.object_type("object_type").value_or("post");
  if (!fields.has("object_id")) return std::nullopt;
  return model::Object{fields.object_id("object_id").value_or(0), type};
}

// A member function of HeldStore that releases or drops ratings.
using Action = std::size_t (HeldStore::*)(db::Connection&, std::span<const RatingKey>) const;

struct HeldOrder {
  Action action = &HeldStore::release;
  std::vector<RatingKey> keys;
  std::optional<model::Object> object;  // if "keys" is empty, all held ratings for this object
};

tl::expected<HeldOrder, api::Error> read_held_order(const api::Parameters& parameters) {
  constexpr std::array<std::string_view, 2> kActions = {"release", "drop"};
  constexpr std::array<std::string_view, 4> kNames = {"action", "ids", "object_id", "object_type"};
  api::Fields fields(parameters);
  fields.reject_unknown(kNames);
  HeldOrder order;
  fields.require("action");
  if (!fields.has("object_id")) fields.require("ids");
  if (fields.choice("action", kActions) == 1) order.action = &HeldStore::drop;
  order.keys = transfer::read_rating_ids(
      fields, "ids",
      base::Message(
          "The “ids” parameter must be a list of IDs from the response to GET /data/held."));
  order.object = read_object(fields);
  if (fields.has("ids") && order.object) {
    fields.reject("object_id", "rest_invalid_param",
                  base::Message("Send either the “ids” parameter or the “object_id” parameter."));
  }
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return order;
}

std::size_t settle(const api::Core& core, const api::Voting& voting, Action action,
                   std::span<const RatingKey> keys) {
  std::size_t settled = 0;
  while (!keys.empty()) {
    const auto some = keys.first(std::min(keys.size(), HeldStore::kHeldAtOnce));
    settled += core.sessions.with_session(
        [&](db::Connection& connection) { return (voting.held.*action)(connection, some); });
    keys = keys.subspan(some.size());
  }
  return settled;
}

std::size_t settle_object(const api::Core& core, const api::Voting& voting, Action action,
                          const model::Object& object) {
  std::size_t settled = 0;
  while (true) {
    const auto ratings = core.sessions.with_session([&](db::Connection& connection) {
      return voting.held.list(connection, object, 0, HeldStore::kHeldAtOnce);
    });
    std::vector<RatingKey> keys;
    keys.reserve(ratings.size());
    for (const HeldRating& held : ratings) keys.push_back(held.rating.key);
    const std::size_t some = settle(core, voting, action, keys);
    if (some == 0) return settled;  // none are left, or another administrator has resolved them
    settled += some;
  }
}

store::VisitorsByVoter visitors_among(db::Connection& connection,
                                      const std::vector<HeldRating>& ratings) {
  std::set<model::VoterId> voters;
  for (const HeldRating& held : ratings) {
    if (model::is_anonymous(held.rating.key.voter)) voters.insert(held.rating.key.voter);
  }
  return store::visitors_of(connection, db::rows_of(voters));
}

// Writes the "issuer" and "subject" members, which are null unless the voter is a visitor to a
// separate front end.
void write_visitor(json::Writer& json, model::VoterId voter,
                   const store::VisitorsByVoter& visitors) {
  const auto found = visitors.find(voter);
  const bool is_known = found != visitors.end();
  json.key("issuer");
  is_known ? json.string(found->second.issuer) : json.null();
  json.key("subject");
  is_known ? json.string(found->second.subject) : json.null();
}

// A page of held ratings, with the titles of the rated objects and the visitors who cast the votes.
struct HeldPage {
  std::vector<HeldRating> ratings;
  std::optional<Titles> titles;  // empty if the page is past the end
  store::VisitorsByVoter visitors;
};

HeldPage read_held(const api::Core& core, const api::Voting& voting, const api::Call& call,
                   db::Connection& connection, const std::optional<model::Object>& object,
                   const api::Page& page) {
  HeldPage held;
  held.ratings = voting.held.list(connection, object, page.offset(), page.size);
  std::vector<model::Object> objects;
  objects.reserve(held.ratings.size());
  for (const HeldRating& one : held.ratings) objects.push_back(one.rating.key.object);
  held.titles.emplace(core, call, connection, objects);
  held.visitors = visitors_among(connection, held.ratings);
  return held;
}

void write_held(json::Writer& json, const HeldRating& held, const HeldPage& page) {
  const auto& [key, value, rated_at] = held.rating;
  json.begin_object().key("id").string(transfer::rating_id(key));
  write_object(json, key.object);
  page.titles->write(json, key.object);
  json.key("category").string(name_of(key.category)).key("value").decimal(value, 3);
  json.key("user_id");
  model::is_anonymous(key.voter) ? json.null() : json.unsigned_integer(key.voter);
  write_visitor(json, key.voter, page.visitors);
  json.key("rated_at").string(base::to_rfc3339(rated_at));
  json.key("held_at").string(base::to_rfc3339(held.held_at)).key("reasons").begin_array();
  for (const std::string_view reason : votes::names_of(held.reasons)) json.string(reason);
  json.end_array().end_object();
}

}  // namespace

api::Result list_held(const api::Core& core, const api::Voting& voting, const api::Call& call) {
  api::Fields fields(call.parameters);
  const api::Page page = api::read_page(fields);
  const auto object = read_object(fields);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  std::int64_t total = 0;
  const auto held = core.sessions.with_session([&](db::Connection& connection) {
    total = voting.held.count(connection, object);
    return page.is_past_end(total) ? HeldPage()
                                   : read_held(core, voting, call, connection, object, page);
  });
  if (page.is_past_end(total)) return tl::unexpected(api::Error{api::ErrorCode::page_past_end});

  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  for (const HeldRating& one : held.ratings) write_held(json, one, held);
  json.end_array().end_object();
  api::add_page_headers(answer, call, page, total);
  return answer;
}

api::Result resolve_held(const api::Core& core, const api::Voting& voting, const api::Call& call) {
  const auto order = read_held_order(call.parameters);
  if (!order) return tl::unexpected(order.error());
  const std::size_t count = order->object
                                ? settle_object(core, voting, order->action, *order->object)
                                : settle(core, voting, order->action, order->keys);
  const bool is_release = order->action == &HeldStore::release;
  core.log.info(is_release ? "held_votes_released" : "held_votes_dropped",
                {{"request", call.request.id}, {"ratings", count}});
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key(is_release ? "released" : "dropped").unsigned_integer(count).end_object().end_object();
  return answer;
}

}  // namespace handlers
