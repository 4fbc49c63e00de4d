#include "votes/own_ratings_cache.h"

#include <cstdlib>

namespace votes {
namespace {

using model::Category;
using model::OwnRating;

constexpr unsigned kTimeBits = 52;  // until the year 2112
constexpr unsigned kValueBits = 10;
constexpr std::uint64_t kMaxTime = (std::uint64_t{1} << kTimeBits) - 1;
constexpr std::uint64_t kMaxValue = (std::uint64_t{1} << kValueBits) - 1;
constexpr std::uint64_t kNegative = 3;
static_assert(1 + 2 * VoterRatings::kMost <= base::SharedCache::kWords);
static_assert(model::kCategories.size() == kNegative);

// Nothing if the rating does not fit.
std::optional<std::uint64_t> packed(Category category, const OwnRating& rating) {
  const bool is_negative = rating.value < 0;
  const auto value = static_cast<std::uint64_t>(std::abs(rating.value));
  const std::int64_t rated_at = rating.rated_at.time_since_epoch().count();
  if (is_negative && category != Category::bipolar) return std::nullopt;
  if (value > kMaxValue || rated_at < 0 || rated_at > static_cast<std::int64_t>(kMaxTime)) {
    return std::nullopt;
  }
  const auto kind = is_negative ? kNegative : static_cast<std::uint64_t>(category);
  return ((kind << kValueBits | value) << kTimeBits) | static_cast<std::uint64_t>(rated_at);
}

void unpack(std::uint64_t word, model::OwnRatings& ratings) {
  const std::uint64_t kind = word >> (kTimeBits + kValueBits);
  const auto value = static_cast<model::Thousandths>((word >> kTimeBits) & kMaxValue);
  const base::Time rated_at{std::chrono::microseconds(word & kMaxTime)};
  if (kind == kNegative) {
    ratings[static_cast<std::size_t>(Category::bipolar)] = OwnRating{-value, rated_at};
  } else {
    ratings[kind] = OwnRating{value, rated_at};
  }
}

base::SharedCache::Key key_of(model::VoterId voter) { return {voter, ""}; }

}  // namespace

VoterRatings VoterRatings::not_listed() {
  VoterRatings ratings;
  ratings.words_[0] = kNotListed;
  return ratings;
}

void VoterRatings::add(std::uint64_t object, Category category, const OwnRating& rating) {
  if (!are_listed()) return;
  const auto word = packed(category, rating);
  const std::uint64_t count = words_[0];
  if (count == kMost || !word) {
    *this = not_listed();
    return;
  }
  words_[1 + 2 * count] = object;
  words_[2 + 2 * count] = *word;
  ++words_[0];
}

void VoterRatings::set(std::uint64_t object, const model::OwnRatings& own) {
  if (!are_listed()) return;
  VoterRatings changed;
  for (std::size_t i = 0; i < words_[0]; ++i) {
    if (words_[1 + 2 * i] == object) continue;
    changed.words_[1 + 2 * changed.words_[0]] = words_[1 + 2 * i];
    changed.words_[2 + 2 * changed.words_[0]] = words_[2 + 2 * i];
    ++changed.words_[0];
  }
  for (const Category category : model::kCategories) {
    const auto& rating = own[static_cast<std::size_t>(category)];
    if (rating) changed.add(object, category, *rating);
  }
  *this = changed;
}

model::OwnRatings VoterRatings::of(std::uint64_t object) const {
  model::OwnRatings ratings;
  for (std::size_t i = 0; i < words_[0]; ++i) {
    if (words_[1 + 2 * i] == object) unpack(words_[2 + 2 * i], ratings);
  }
  return ratings;
}

std::optional<VoterRatings> OwnRatingsCache::find(model::VoterId voter, CasToken& token) const {
  const auto record = cache_.find(key_of(voter), token);
  if (!record) return std::nullopt;
  return VoterRatings(*record);
}

void OwnRatingsCache::fill(model::VoterId voter, const VoterRatings& ratings, const CasToken& token,
                           std::uint64_t server) {
  cache_.fill(key_of(voter), ratings.record(), token, server);
}

OwnRatingsCache::Change OwnRatingsCache::begin_change(model::VoterId voter) const {
  Change change;
  change.ratings = find(voter, change.token);
  return change;
}

void OwnRatingsCache::end_change(model::VoterId voter, const Change& change) {
  // A voter whose ratings are not listed may have fewer now.
  const bool is_known = change.ratings && change.ratings->are_listed();
  cache_.replace(key_of(voter), is_known ? std::optional(change.ratings->record()) : std::nullopt,
                 change.token);
}

void OwnRatingsCache::invalidate(model::VoterId voter) { cache_.invalidate(key_of(voter)); }

}  // namespace votes
