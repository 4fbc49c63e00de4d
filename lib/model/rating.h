#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace model {

// The categories of ratings. The numbers are stored in the database.
enum class Category : std::uint8_t {
  binary = 0,   // 0 or 1
  bipolar = 1,  // -1, 0 or 1
  scale = 2,    // 0 to 1, in steps of a thousandth
};

inline constexpr std::array kCategories = {Category::binary, Category::bipolar, Category::scale};

[[nodiscard]] constexpr std::string_view name_of(Category category) {
  constexpr std::array<std::string_view, 3> kNames = {"binary", "bipolar", "scale"};
  return kNames[static_cast<std::size_t>(category)];
}

[[nodiscard]] constexpr std::optional<Category> category_named(std::string_view name) {
  for (const Category category : kCategories) {
    if (name_of(category) == name) return category;
  }
  return std::nullopt;
}

// A rating's value in thousandths: -1000 ... 1000, so that sums are exact.
using Thousandths = std::int32_t;

// A voter: the WordPress id of a registered user, or a random number with the highest bit set for
// an anonymous voter.
using VoterId = std::uint64_t;
inline constexpr VoterId kAnonymousBit = VoterId{1} << 63U;
[[nodiscard]] constexpr bool is_anonymous(VoterId voter) { return (voter & kAnonymousBit) != 0; }

// How the voter of a request was identified.
enum class IdentifiedBy : std::uint8_t {
  user,     // a login of the CMS
  ticket,   // a ticket of another front end, or of the CMS's own programs
  cookie,   // the cookie of an anonymous voter
  device,   // the device token of an anonymous voter
  network,  // nothing but network, user agent and object (identity::voter_of_network)
  new_,     // nothing: the voter is new, and the answer sets the cookie
};

inline constexpr auto kIdentifications =
    std::to_array<std::string_view>({"user", "ticket", "cookie", "device", "network", "new"});

[[nodiscard]] constexpr std::string_view name_of(IdentifiedBy identified_by) {
  return kIdentifications[static_cast<std::size_t>(identified_by)];
}

inline constexpr std::uint64_t kMaxObjectId = 9223372036854775807U;

// A rated object: an id with a type, mostly "post".
struct Object {
  std::uint64_t id = 0;  // 1 ... kMaxObjectId
  std::string type;      // 1-64 of [a-z0-9_.:-]

  auto operator<=>(const Object&) const = default;
};

// Parses a type, in any case; nothing if "text" is not a type.
[[nodiscard]] std::optional<std::string> parse_object_type(std::string_view text);

// The key of a rating: a voter has at most one rating per key.
struct RatingKey {
  Object object;
  Category category = Category::binary;
  VoterId voter = 0;

  auto operator<=>(const RatingKey&) const = default;
};

struct Rating {
  RatingKey key;
  Thousandths value = 0;
  base::Time rated_at;

  bool operator==(const Rating&) const = default;
};

// Exact sums over the ratings of one object in one category. A value counts in one of eleven bins:
// binary 0 and 1 in bins 0 and 10, bipolar -1, 0 and 1 in bins 0, 5 and 10, a scale value at its
// nearest tenth, halves up.
struct Totals {
  static constexpr std::size_t kBins = 11;

  std::int64_t sum = 0;  // thousandths
  std::array<std::int64_t, kBins> bins{};
  std::optional<base::Time> last_rated_at;

  [[nodiscard]] std::int64_t total() const {
    std::int64_t count = 0;
    for (const std::int64_t bin : bins) count += bin;
    return count;
  }

  bool operator==(const Totals&) const = default;
};

[[nodiscard]] constexpr std::size_t bin_of(Category category, Thousandths value) {
  const Thousandths tenths = category == Category::bipolar ? (value + 1000) / 200  //
                                                           : (value + 50) / 100;
  return static_cast<std::size_t>(tenths);
}

// The totals of one object, by category.
using Stats = std::array<Totals, kCategories.size()>;

// A rating without its key.
struct OwnRating {
  Thousandths value = 0;
  base::Time rated_at;

  bool operator==(const OwnRating&) const = default;
};

// One voter's ratings of one object, by category.
using OwnRatings = std::array<std::optional<OwnRating>, kCategories.size()>;

// Exact statistics of the totals of one category. Values in thousandths are within the range of the
// category: 0 ... 1000, or -1000 ... 1000 for bipolar.

// For binary: 1s and 0s; for bipolar: 1s, 0s and -1s. Undefined for scale.
[[nodiscard]] std::int64_t positive(const model::Totals& totals);
[[nodiscard]] std::int64_t neutral(const model::Totals& totals);  // of bipolar
[[nodiscard]] std::int64_t negative(const model::Totals& totals);

// The mean value in ten-thousandths, halves away from zero; nothing without votes.
[[nodiscard]] std::optional<std::int64_t> average(const model::Totals& totals);
// The same for "total" values with the sum "sum".
[[nodiscard]] std::optional<std::int64_t> average(std::int64_t sum, std::int64_t total);

}  // namespace model
