#pragma once

namespace model {

// The lower end of the Wilson score interval at 95 % for the share of successes, 0 to 1, in so many
// trials. (E. B. Wilson, Probable inference, the law of succession, and statistical inference,
// Journal of the American Statistical Association 22, 1927, pp. 209-212.) REQUIRES: trials > 0.
[[nodiscard]] double wilson_bound(double share, double trials);

}  // namespace model
