#include "model/averages.h"

namespace model {
namespace {

constexpr std::size_t kLowest = 0;
constexpr std::size_t kMiddle = 5;
constexpr std::size_t kHighest = 10;

}  // namespace

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

}  // namespace model
