#pragma once

#include <cstdint>
#include <optional>

#include "model/rating.h"

namespace model {

// What the totals of one category say, exact. Values in thousandths stay in the range of the
// category: 0 ... 1000, or -1000 ... 1000 for bipolar.

// Of binary: 1s and 0s; of bipolar: 1s, 0s and -1s. For scale they mean nothing.
[[nodiscard]] std::int64_t positive(const model::Totals& totals);
[[nodiscard]] std::int64_t neutral(const model::Totals& totals);  // of bipolar
[[nodiscard]] std::int64_t negative(const model::Totals& totals);

// The mean value in ten-thousandths, halves away from zero; nothing while there are no votes.
[[nodiscard]] std::optional<std::int64_t> average(const model::Totals& totals);
// The same of "total" values that add up to "sum".
[[nodiscard]] std::optional<std::int64_t> average(std::int64_t sum, std::int64_t total);

}  // namespace model
