#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/text.h"

namespace model {

// The rating categories. The category numbers are stored in the database and must not change.
enum class Category : std::uint8_t {
  binary = 0,   // 0 or 1
  bipolar = 1,  // -1, 0 or 1
  scale = 2,    // 0 to 1, in thousandths
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

// A rating's value in thousandths, from -1000 to 1000. Because values are integers, their sums are
// exact.
using Thousandths = std::int32_t;

// Identifies a voter. A registered user's id is the user id in the CMS. An anonymous voter's id is
// a random number with the highest bit set.
using VoterId = std::uint64_t;
inline constexpr VoterId kAnonymousBit = VoterId{1} << 63U;
[[nodiscard]] constexpr bool is_anonymous(VoterId voter) { return (voter & kAnonymousBit) != 0; }

// The ways to identify the voter who sent a request.
enum class IdentifiedBy : std::uint8_t {
  user,     // a CMS login
  ticket,   // a ticket from another front end, or from the CMS's own programs
  cookie,   // an anonymous voter's cookie
  device,   // an anonymous voter's device token
  network,  // only network, user agent and object (identity::voter_of_network)
  new_,     // no credentials: the voter is new, and the response sets the cookie
};

inline constexpr auto kIdentifications =
    std::to_array<std::string_view>({"user", "ticket", "cookie", "device", "network", "new"});

[[nodiscard]] constexpr std::string_view name_of(IdentifiedBy identified_by) {
  return kIdentifications[static_cast<std::size_t>(identified_by)];
}

inline constexpr std::size_t kMaxIssuerBytes = 64;
inline constexpr std::size_t kMaxSubjectBytes = 255;

// A visitor to a separate front end, who is identified by a ticket. ratingd treats each front-end
// visitor as an anonymous voter.
struct FrontEndVisitor {
  std::string issuer;   // the ticket key's name: 1 to 64 characters from [A-Za-z0-9_.-]
  std::string subject;  // the visitor's id at the issuer: 1 to 255 bytes of UTF-8

  auto operator<=>(const FrontEndVisitor&) const = default;
};

// is_issuer() returns whether "text" is a valid ticket issuer, and is_subject() whether "text" is a
// valid ticket subject.
[[nodiscard]] bool is_issuer(std::string_view text);
[[nodiscard]] bool is_subject(std::string_view text);

inline constexpr std::uint64_t kMaxObjectId = 9223372036854775807U;

// A rated object, which has an id and a type. An object's type is usually "post".
struct Object {
  std::uint64_t id = 0;  // 1 to kMaxObjectId
  std::string type;      // 1 to 64 characters of [a-z0-9_.:-]

  auto operator<=>(const Object&) const = default;
};

// Parses an object type in upper or lower case and returns the type in lower case. Returns nothing
// if "text" is not a valid object type.
[[nodiscard]] std::optional<std::string> parse_object_type(std::string_view text);

// A rating's key. A voter has at most one rating for each object and category.
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

// The exact sums of an object's ratings in one category. Each rating is counted in one of eleven
// bins, depending on its value. Binary votes of 0 and 1 are counted in bins 0 and 10, respectively.
// Bipolar votes of -1, 0 and 1 are counted in bins 0, 5 and 10, respectively. A scale vote is
// counted in the bin for the nearest tenth, with halves rounded up.
struct Totals {
  static constexpr std::size_t kBins = 11;

  std::int64_t sum = 0;  // in thousandths
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

// The limits for a reason, which is a message to the site's owner that a voter may add to a low
// vote.
inline constexpr TextLimits kReasonLimits{
    .may_be_empty = true, .maximum = 1000, .lines = TextLimits::Lines::several};

// Returns whether a voter may add a reason to a vote with this value. Reasons are allowed for
// dislikes, thumbs down, and values up to the middle of the scale.
[[nodiscard]] constexpr bool is_low(Category category, Thousandths value) {
  switch (category) {
    case Category::binary:
      return value == 0;
    case Category::bipolar:
      return value < 0;
    case Category::scale:
      return value <= 500;
  }
  return false;
}

// An object's totals, indexed by category.
using Stats = std::array<Totals, kCategories.size()>;

// The value and the time of a rating, without the rating's key.
struct OwnRating {
  Thousandths value = 0;
  base::Time rated_at;

  bool operator==(const OwnRating&) const = default;
};

// One voter's ratings for one object, indexed by category.
using OwnRatings = std::array<std::optional<OwnRating>, kCategories.size()>;

// The following functions compute exact statistics from the totals for one category.

// For the binary category, positive() returns the number of 1s, and negative() returns the number
// of 0s. For the bipolar category, positive(), neutral() and negative() return the numbers of 1s,
// 0s and -1s. For the scale category, the results of positive(), neutral() and negative() are
// undefined.
[[nodiscard]] std::int64_t positive(const model::Totals& totals);
[[nodiscard]] std::int64_t neutral(const model::Totals& totals);  // only for the bipolar category
[[nodiscard]] std::int64_t negative(const model::Totals& totals);

// Returns the mean of the votes in ten-thousandths, rounded to the nearest integer, with halves
// rounded away from zero. Returns nothing if there are no votes.
[[nodiscard]] std::optional<std::int64_t> average(const model::Totals& totals);
// Returns the mean of several values in ten-thousandths. "sum" is the sum of the values in
// thousandths, and "total" is the number of values.
[[nodiscard]] std::optional<std::int64_t> average(std::int64_t sum, std::int64_t total);

}  // namespace model
