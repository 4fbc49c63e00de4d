#include "model/rating.h"

#include "base/text.h"

namespace model {
namespace {

constexpr std::size_t kMaxObjectType = 64;

constexpr std::size_t kLowest = 0;
constexpr std::size_t kMiddle = 5;
constexpr std::size_t kHighest = 10;

}  // namespace

std::optional<std::string> parse_object_type(std::string_view text) {
  if (text.empty() || text.size() > kMaxObjectType) return std::nullopt;
  if (!base::consists_of_letters_digits_and(text, "_.:-")) return std::nullopt;
  return base::to_lower(text);
}

std::int64_t positive(const model::Totals& totals) { return totals.bins[kHighest]; }
std::int64_t neutral(const model::Totals& totals) { return totals.bins[kMiddle]; }
std::int64_t negative(const model::Totals& totals) { return totals.bins[kLowest]; }

std::optional<std::int64_t> average(const model::Totals& totals) {
  return average(totals.sum, totals.total());
}

std::optional<std::int64_t> average(std::int64_t sum, std::int64_t total) {
  if (total <= 0) return std::nullopt;
  const std::int64_t tenfold = sum * 10;
  const std::int64_t half = tenfold < 0 ? -total : total;
  return (2 * tenfold + half) / (2 * total);
}

bool is_issuer(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIssuerBytes &&
         base::consists_of_letters_digits_and(text, "_.-");
}

bool is_subject(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSubjectBytes && base::is_utf8(text);
}

}  // namespace model
