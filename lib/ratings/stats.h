#pragma once

#include <cstdint>
#include <optional>

#include "model/rating.h"

namespace ratings {

// What the totals of one category say, exact. Values in thousandths stay in the range of the
// category: 0 ... 1000, or -1000 ... 1000 for bipolar.

[[nodiscard]] std::int64_t positive(const model::Totals& totals);          // 1s; of binary, bipolar
[[nodiscard]] std::int64_t negative_binary(const model::Totals& totals);   // 0s
[[nodiscard]] std::int64_t negative_bipolar(const model::Totals& totals);  // -1s
[[nodiscard]] std::int64_t neutral_bipolar(const model::Totals& totals);   // 0s

// The mean value in ten-thousandths, halves away from zero; nothing while there are no votes.
[[nodiscard]] std::optional<std::int64_t> average(const model::Totals& totals);

}  // namespace ratings
