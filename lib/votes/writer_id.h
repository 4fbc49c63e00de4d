#pragma once

#include <cstdint>

namespace votes {

// Identifies a writer. "id" is the number of its row in the table of writers
// (rollups/writer_rows.h). Rollup rows that every vote changes exist in several copies. "slot"
// selects one copy, so that writers do not wait for each other.
struct WriterId {
  static constexpr std::uint8_t kSlots = 16;

  explicit WriterId(std::uint64_t row) : id(row), slot(static_cast<std::uint8_t>(row % kSlots)) {}
  std::uint64_t id;
  std::uint8_t slot;
};

}  // namespace votes
