#pragma once

#include <cstdint>

namespace votes {

// Identifies a writer: "id" is its row in the table of writers (rollups/writer_rows.h). "slot"
// selects one of several copies of the rollup rows that every vote changes, so that writers do not
// wait for each other there.
struct WriterId {
  static constexpr std::uint8_t kSlots = 16;

  explicit WriterId(std::uint64_t row) : id(row), slot(static_cast<std::uint8_t>(row % kSlots)) {}
  std::uint64_t id;
  std::uint8_t slot;
};

}  // namespace votes
