#include "votes/batch_rows.h"

#include <algorithm>
#include <cassert>

namespace votes {

using model::Category;
using model::Object;
using model::VoterId;

namespace {

bool is_counted_in_database(const SharedLimit& limit) { return !limit.counter.empty(); }

Allowances::Key key_of(const SharedLimit& limit) {
  return first_counter_until(limit.ends_at) + limit.counter;
}

}  // namespace

std::string first_counter_until(base::Time ends_at) {
  const auto hours = static_cast<std::uint32_t>(
      std::chrono::floor<std::chrono::hours>(ends_at).time_since_epoch().count());
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(hours >> shift);
  return bytes;
}

void Allowances::reserve(const SharedLimit& limit) {
  if (is_counted_in_database(limit)) ++counts[key_of(limit)].reserved;
}

void Allowances::use(const SharedLimit& limit) {
  if (!is_counted_in_database(limit)) return;
  Count& count = counts.at(key_of(limit));
  assert(count.reserved > 0);
  --count.reserved;
  ++count.used;
}

std::int64_t Allowances::used(const SharedLimit& limit) const {
  if (!is_counted_in_database(limit)) return 0;
  const auto found = counts.find(key_of(limit));
  return found == counts.end() ? 0 : found->second.used;
}

std::optional<model::OwnRating> BatchRows::rating_of(const model::RatingKey& key) const {
  const auto found = ratings.find(key);
  if (found == ratings.end()) return std::nullopt;
  return found->second;
}

model::OwnRatings BatchRows::own_ratings(const Object& object, VoterId voter) const {
  model::OwnRatings own;
  model::RatingKey key{object, {}, voter};
  for (const Category category : model::kCategories) {
    key.category = category;
    own[static_cast<std::size_t>(category)] = rating_of(key);
  }
  return own;
}

bool BatchRows::has_rated(const Object& object, VoterId voter) const {
  const model::OwnRatings own = own_ratings(object, voter);
  return std::any_of(own.begin(), own.end(), [](const auto& rating) { return rating.has_value(); });
}

bool is_of_new_voter(const BatchRows& rows, VoteSpan vote) {
  const VoterId voter = vote.front().key.voter;
  if (!model::is_anonymous(voter)) return false;
  for (const VoteRequest& request : vote) {
    if (rows.has_rated(request.key.object, voter)) return false;
  }
  return std::ranges::none_of(vote.front().related_types, [&](const std::string& type) {
    return rows.has_rated({vote.front().key.object.id, type}, voter);
  });
}

model::RatingKey earlier_key(const BatchRows& rows, const VoteRequest& request) {
  if (!request.moved_from || rows.ratings.contains(request.key)) return request.key;
  return {request.key.object, request.key.category, *request.moved_from};
}

std::string earlier_reason(const BatchRows& rows, const VoteRequest& request) {
  if (rows.reasons.empty()) return "";
  const auto found = rows.reasons.find(earlier_key(rows, request));
  return found == rows.reasons.end() ? "" : found->second;
}

std::uint16_t earlier_agent(const BatchRows& rows, const VoteRequest& request) {
  if (rows.agents.empty()) return 0;
  const auto found = rows.agents.find(earlier_key(rows, request));
  return found == rows.agents.end() ? 0 : found->second;
}

}  // namespace votes
