#pragma once

#include <cstdint>

namespace votes {

// Identifies a writer. "id" is the number of the writer's row in the writers table
// (rollups/writers.h). Some rollup rows change with every vote. They exist in several copies,
// and "slot" selects one of the copies, so that writers do not wait for each other.
struct WriterId {
  static constexpr std::uint8_t kSlots = 16;

  explicit WriterId(std::uint64_t row) : id(row), slot(static_cast<std::uint8_t>(row % kSlots)) {}
  std::uint64_t id;
  std::uint8_t slot;
};

}  // namespace votes
