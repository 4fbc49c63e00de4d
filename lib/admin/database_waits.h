#pragma once

#include <chrono>

namespace admin {

// How long a command waits for one statement: one that reads all votes, or that a backup which
// holds the tables delays; one that reads many; a small one.
inline constexpr std::chrono::hours kWaitForAll{24};
inline constexpr std::chrono::minutes kWaitForMany{10};
inline constexpr std::chrono::minutes kWaitForFew{1};

}  // namespace admin
