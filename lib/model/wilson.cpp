#include "model/wilson.h"

#include <cassert>
#include <cmath>

namespace model {

double wilson_bound(double share, double trials) {
  constexpr double kQuantile = 1.959963984540054;  // of the normal distribution, at 97.5 %
  constexpr double kSquare = kQuantile * kQuantile;
  assert(trials > 0);
  const double deviation = std::sqrt((share * (1 - share) + kSquare / (4 * trials)) / trials);
  return (share + kSquare / (2 * trials) - kQuantile * deviation) / (1 + kSquare / trials);
}

}  // namespace model
