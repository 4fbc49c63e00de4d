#pragma once

#include <cstdint>
#include <optional>

#include "model/rating.h"

namespace model {

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
