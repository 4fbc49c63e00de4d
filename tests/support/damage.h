#pragma once

#include <array>
#include <random>
#include <string>

#include "db/connection.h"
#include "db/transaction.h"

namespace support {

// Damages random rows in the tables that contain sums. The database session "owner" must have all
// privileges.
inline void damage(db::Connection& owner, std::mt19937& dice) {
  constexpr std::array kDamages = {
      "UPDATE wp_ratingd_totals SET sum = sum + ?, bin0 = bin0 - 1 WHERE object_id % 7 = ? LIMIT 5",
      "UPDATE wp_ratingd_totals SET last_rated_at = last_rated_at + INTERVAL ? DAY"
      " WHERE object_id % 7 = ? LIMIT 5",
      "DELETE FROM wp_ratingd_totals WHERE ? > 0 AND object_id % 7 = ? LIMIT 3",
      "UPDATE wp_ratingd_daily SET total = total + ?, sum = sum * 2 WHERE DAY(day) % 7 = ? LIMIT 9",
      "DELETE FROM wp_ratingd_daily WHERE ? > 0 AND DAY(day) % 7 = ? LIMIT 9",
      "UPDATE wp_ratingd_site_daily SET bin10 = bin10 + ? WHERE DAY(day) % 7 = ? LIMIT 4",
      "DELETE FROM wp_ratingd_site_daily WHERE ? > 0 AND DAY(day) % 7 = ? LIMIT 4",
      "UPDATE wp_ratingd_users SET total = total + ? WHERE user_id % 7 = ? LIMIT 4",
      "DELETE FROM wp_ratingd_users WHERE ? > 0 AND user_id % 7 = ? LIMIT 4",
      "UPDATE wp_ratingd_user_daily SET sum = sum - ? WHERE user_id % 7 = ? LIMIT 9",
      "UPDATE wp_ratingd_voters SET last_day = last_day - INTERVAL ? DAY"
      " WHERE last_day > '2000-01-01' AND voter % 7 = ? LIMIT 3",
      "UPDATE wp_ratingd_reach SET voters = voters + ? WHERE DAY(day) % 7 = ? LIMIT 3",
      "DELETE FROM wp_ratingd_reach WHERE ? > 0 AND DAY(day) % 7 = ? LIMIT 3",
  };
  const std::string statement = kDamages.at(dice() % kDamages.size());
  const auto amount = static_cast<std::int64_t>(1 + dice() % 9);
  const auto rest = static_cast<std::int64_t>(dice() % 7);
  db::in_transaction(owner, 100, [&] { owner.execute(statement, amount, rest); });
}

}  // namespace support
