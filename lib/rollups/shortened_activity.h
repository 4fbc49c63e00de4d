#pragma once

#include <string>
#include <string_view>

namespace rollups {

// The row of {prefix}ratingd_state that exists from the beginning of a deletion of all ratings
// until it is complete (transfer/clean_all.h). Until then, activity and last days do not follow
// from the ratings that are still stored. The value is a time, '/', RollupState::rebuilds at the
// beginning, '/', and the progress: a complete rebuild computes the activity from the ratings.
inline constexpr std::string_view kShortenedActivity = "cleaning_all";

// Whether this is so: an expression of SQL.
[[nodiscard]] inline std::string activity_is_shortened(const std::string& table_prefix) {
  return "EXISTS (SELECT 1 FROM " + table_prefix + "ratingd_state JOIN " + table_prefix +
         "ratingd_rollup_state ON id = 1 WHERE name = '" + std::string(kShortenedActivity) +
         "' AND value LIKE CONCAT('%/', rebuilds, '/%'))";
}

}  // namespace rollups
