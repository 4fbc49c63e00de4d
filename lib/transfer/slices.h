#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "base/clock.h"
#include "db/connection.h"
#include "rollups/writers.h"

namespace transfer {

// Determines the size of the next slice in an operation that works in slices, one transaction each.
// Votes wait for the rows in a slice, so a slice should take approximately the target time,
// regardless of the server's speed. An operation with larger slices is faster because the votes in
// a slice share rows with sums. If a slice conflicts with other transactions, later slices become
// smaller. On a cluster, votes that other nodes commit during a slice may undo it. Used by one
// thread.
class Slices {
 public:
  static constexpr std::chrono::milliseconds kTargetTime{40};
  // The target times for operations that add or delete ratings, whose sums are locked only at the
  // end of a slice. kTargetTimeAlone applies while no votes arrive. On a cluster, all votes wait
  // for the whole slice (rollups/writers.h), so kTargetTime applies.
  static constexpr std::chrono::milliseconds kTargetTimeOfRatings{80}, kTargetTimeAlone{400};
  static constexpr std::size_t kLeast = 64, kFirst = 256, kMost = 8192;

  Slices() = default;
  // Returns slices for operations that add or delete ratings. "connection" must outlive the result.
  [[nodiscard]] static Slices of_ratings(db::Connection& connection) {
    Slices slices;
    if (!connection.is_multi_primary()) slices.votes_of_ = &connection;
    return slices;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Runs "work", which handles "rows" rows in one transaction, and adapts the size of the next
  // slice. Returns the result of "work".
  template <typename Work>
  auto run(std::size_t rows, const Work& work) {
    const base::Stopwatch stopwatch;
    auto result = work();
    adapt(rows, stopwatch.elapsed_exactly());
    return result;
  }

  // Runs "work" with a number of rows. After a conflict, runs it again with fewer rows. Errors: as
  // "work". Throws db::Conflict if even the smallest slice conflicts.
  template <typename Work>
  auto run(const Work& work) {
    for (;;) {
      const std::size_t rows = rows_;
      try {
        return run(rows, [&] { return work(rows); });
      } catch (const db::Conflict&) {
        if (rows == 1) throw;
      }
      rows_ = rows / 2;
    }
  }

  void adapt(std::size_t rows, std::chrono::nanoseconds elapsed) {
    if (votes_of_ != nullptr) look_for_votes();
    const auto fitting =
        static_cast<std::size_t>(static_cast<double>(rows) *
                                 static_cast<double>(target_time_ / std::chrono::nanoseconds(1)) /
                                 static_cast<double>(std::max<std::int64_t>(elapsed.count(), 1)));
    rows_ = std::clamp(std::min(fitting, 2 * rows_), std::min(kLeast, 2 * rows_), kMost);
  }

 private:
  using WriterRows = std::map<std::uint64_t, rollups::WriterRow>;

  // Checks whether votes have arrived: each vote writer changes its row.
  void look_for_votes() {
    WriterRows writers = rollups::read_writer_rows(*votes_of_);
    writers.erase(0);
    target_time_ = writers == writers_ ? kTargetTimeAlone : kTargetTimeOfRatings;
    writers_ = std::move(writers);
  }

  db::Connection* votes_of_ = nullptr;
  WriterRows writers_ = {};  // as read after the last slice
  std::chrono::milliseconds target_time_ = kTargetTime;
  std::size_t rows_ = kFirst;
};

// Runs "work" for all "rows". If this conflicts, runs it for the first half and then for the second
// half, and so on. Errors: as "work". Throws db::Conflict if even a single row conflicts. In this
// case, the rows before it are finished.
template <typename Row, typename Work>
void in_parts(std::span<Row> rows, const Work& work) {
  try {
    return work(rows);
  } catch (const db::Conflict&) {
    if (rows.size() < 2) throw;
  }
  const std::size_t middle = rows.size() / 2;
  in_parts(rows.first(middle), work);
  in_parts(rows.subspan(middle), work);
}

}  // namespace transfer
