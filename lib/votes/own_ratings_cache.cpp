#include "votes/own_ratings_cache.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/crypto.h"

namespace votes {
namespace {

using model::Category;
using model::OwnRating;

constexpr unsigned kTimeBits = 52;  // enough until the year 2112
constexpr unsigned kValueBits = 10;
constexpr std::uint64_t kMaxTime = (std::uint64_t{1} << kTimeBits) - 1;
constexpr std::uint64_t kMaxValue = (std::uint64_t{1} << kValueBits) - 1;
constexpr std::uint64_t kNegative = 3;
static_assert(1 + 2 * VoterRatings::kPerRecord + 1 <= runtime::SharedCache::kWords);
static_assert(model::kCategories.size() == kNegative);

// Packs the rating into 64 bits. Returns nothing if the rating does not fit into 64 bits.
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

constexpr std::array<std::string_view, OwnRatingsCache::kParts> kPartNames = {
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"};

runtime::SharedCache::Key key_of(model::VoterId voter) { return {voter, ""}; }
runtime::SharedCache::Key key_of(model::VoterId voter, std::size_t part) {
  return {voter, kPartNames.at(part)};
}

std::size_t part_of(std::uint64_t object) { return object % OwnRatingsCache::kParts; }

VoterRatings list_of(std::span<const RatingOfVoter> ratings) {
  VoterRatings list;
  for (const RatingOfVoter& rating : ratings) list.add(rating);
  return list;
}

}  // namespace

VoterRatings VoterRatings::not_listed() {
  VoterRatings ratings;
  ratings.words_[0] = kNotListed;
  return ratings;
}

VoterRatings VoterRatings::in_parts(std::uint64_t reading) {
  VoterRatings ratings;
  ratings.words_[0] = kInParts;
  ratings.set_reading(reading);
  return ratings;
}

void VoterRatings::add(const RatingOfVoter& rating) {
  if (!are_listed()) return;
  const auto word = packed(rating.category, rating.rating);
  const std::uint64_t count = words_[0];
  if (count == kPerRecord || !word) {
    *this = not_listed();
    return;
  }
  words_[1 + 2 * count] = rating.object;
  words_[2 + 2 * count] = *word;
  ++words_[0];
}

void VoterRatings::set(std::uint64_t object, const model::OwnRatings& own) {
  if (!are_listed()) return;
  VoterRatings changed;
  changed.set_reading(reading());
  for (std::size_t i = 0; i < words_[0]; ++i) {
    if (words_[1 + 2 * i] == object) continue;
    changed.words_[1 + 2 * changed.words_[0]] = words_[1 + 2 * i];
    changed.words_[2 + 2 * changed.words_[0]] = words_[2 + 2 * i];
    ++changed.words_[0];
  }
  for (const Category category : model::kCategories) {
    const auto& rating = own[static_cast<std::size_t>(category)];
    if (rating) changed.add({object, category, *rating});
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

std::optional<std::vector<model::OwnRatings>> OwnRatingsCache::find(
    model::VoterId voter, std::span<const model::Object> objects, Token& token) const {
  token.is_not_listed = false;
  const auto record = cache_.find(key_of(voter), token.of_voter);
  if (!record) return std::nullopt;
  const VoterRatings of_voter(*record);
  token.is_not_listed = !of_voter.are_listed() && !of_voter.are_in_parts();
  if (token.is_not_listed) return std::nullopt;
  std::vector<model::OwnRatings> found(objects.size());
  if (of_voter.are_empty()) return found;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::uint64_t object = hash_of(objects[i]);
    std::optional<VoterRatings> list = of_voter;
    if (of_voter.are_in_parts()) {
      runtime::SharedCache::CasToken unused;
      list = find_part(voter, part_of(object), of_voter.reading(), unused);
      if (!list) return std::nullopt;
    }
    found[i] = list->of(object);
  }
  return found;
}

void OwnRatingsCache::fill(model::VoterId voter, std::span<const RatingOfVoter> ratings,
                           Token token, std::uint64_t server) {
  assert(ratings.size() <= kPerVoter);
  VoterRatings of_voter = list_of(ratings);
  if (!of_voter.are_listed()) {
    Parts parts;
    for (const RatingOfVoter& rating : ratings) parts.at(part_of(rating.object)).add(rating);
    if (std::ranges::all_of(parts, &VoterRatings::are_listed)) {
      of_voter = VoterRatings::in_parts(fill_parts(voter, parts, token, server));
    }
  }
  cache_.fill(key_of(voter), of_voter.record(), token.of_voter, server);
}

void OwnRatingsCache::fill_not_listed(model::VoterId voter, const Token& token,
                                      std::uint64_t server) {
  cache_.fill(key_of(voter), VoterRatings::not_listed().record(), token.of_voter, server);
}

std::uint64_t OwnRatingsCache::fill_parts(model::VoterId voter, Parts parts, Token& token,
                                          std::uint64_t server) {
  if (const auto stored = find_reading(voter, parts)) return *stored;
  const std::uint64_t reading = base::random_u64();
  for (std::size_t i = 0; i < kParts; ++i) {
    parts.at(i).set_reading(reading);
    runtime::SharedCache::CasToken of_part = cache_.begin_fill(key_of(voter, i));
    of_part.looked_up = token.of_voter.looked_up;
    cache_.fill(key_of(voter, i), parts.at(i).record(), of_part, server);
    if (!cache_.share_set(key_of(voter), key_of(voter, i))) continue;
    token.of_voter = runtime::SharedCache::after_fill(token.of_voter);
  }
  return reading;
}

std::optional<std::uint64_t> OwnRatingsCache::find_reading(model::VoterId voter,
                                                           Parts parts) const {
  runtime::SharedCache::CasToken unused;
  const auto record = cache_.find(key_of(voter), unused);
  if (!record || !VoterRatings(*record).are_in_parts()) return std::nullopt;
  const std::uint64_t reading = VoterRatings(*record).reading();
  for (std::size_t i = 0; i < kParts; ++i) {
    parts.at(i).set_reading(reading);
    if (find_part(voter, i, reading, unused) != parts.at(i)) return std::nullopt;
  }
  return reading;
}

std::optional<VoterRatings> OwnRatingsCache::find_part(
    model::VoterId voter, std::size_t part, std::uint64_t reading,
    runtime::SharedCache::CasToken& token) const {
  const auto record = cache_.find(key_of(voter, part), token);
  if (!record) return std::nullopt;
  const VoterRatings ratings(*record);
  return ratings.reading() == reading ? std::optional(ratings) : std::nullopt;
}

OwnRatingsCache::Change OwnRatingsCache::begin_change(model::VoterId voter) const {
  Change change;
  if (const auto record = cache_.find(key_of(voter), change.token))
    change.of_voter.emplace(*record);
  return change;
}

void OwnRatingsCache::begin_change(model::VoterId voter, std::uint64_t object,
                                   Change& change) const {
  const std::size_t part = part_of(object);
  if (!change.of_voter || !change.of_voter->are_in_parts() || change.parts.contains(part)) return;
  Change::Known known;
  const auto ratings = find_part(voter, part, change.of_voter->reading(), known.token);
  if (!ratings) {
    change.of_voter.reset();
    return;
  }
  known.ratings = *ratings;
  change.parts.emplace(part, known);
}

void OwnRatingsCache::set(std::uint64_t object, const model::OwnRatings& own, Change& change) {
  if (!change.of_voter) return;
  const auto part = change.parts.find(part_of(object));
  const bool is_in_part = change.of_voter->are_in_parts();
  if (is_in_part && part == change.parts.end()) {  // the visitor turned out to be another voter
    change.of_voter.reset();
    return;
  }
  VoterRatings& list = is_in_part ? part->second.ratings : *change.of_voter;
  list.set(object, own);
  // Make end_change() remove the cache record, because the ratings no longer fit into the record.
  if (!list.are_listed()) change.of_voter.reset();
}

void OwnRatingsCache::end_change(model::VoterId voter, const Change& change) {
  const auto& of_voter = change.of_voter;
  cache_.replace(key_of(voter), of_voter ? std::optional(of_voter->record()) : std::nullopt,
                 change.token);
  if (!of_voter) return;
  for (const auto& [part, known] : change.parts) {
    cache_.replace(key_of(voter, part), known.ratings.record(), known.token);
  }
}

void OwnRatingsCache::invalidate(model::VoterId voter) { cache_.invalidate(key_of(voter)); }

void HostCaches::forget(const rollups::Changed& changed) const {
  stats.invalidate(std::vector(changed.objects.begin(), changed.objects.end()));
  for (const model::VoterId voter : changed.voters) own_ratings.invalidate(voter);
}

}  // namespace votes
