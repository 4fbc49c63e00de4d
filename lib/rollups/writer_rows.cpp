#include "rollups/writer_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "db/transaction.h"

namespace rollups {
namespace {

constexpr std::string_view kReadSequence =
    "SELECT sequence FROM {prefix}ratingd_writers WHERE writer = ?";

}  // namespace

std::uint64_t add_writer(db::Connection& connection, std::uint8_t slots) {
  return db::in_transaction(connection, [&] {
    note_change(connection);
    std::vector<int> writers_of(slots, 0);
    std::vector<std::uint64_t> old;
    db::Rows row = connection.query(
        "SELECT writer, seen_on >= UTC_DATE() - INTERVAL 1 DAY,"
        " seen_on < UTC_DATE() - INTERVAL 7 DAY FROM {prefix}ratingd_writers WHERE writer <> 0");
    while (row.next()) {
      if (row.integer(2) != 0) ++writers_of[row.unsigned_integer(1) % slots];
      if (row.integer(3) != 0) old.push_back(row.unsigned_integer(1));
    }
    // The rows are deleted one by one because a search would wait for the rows of all running
    // batches.
    for (const std::uint64_t id : old) {
      connection.execute("DELETE FROM {prefix}ratingd_writers WHERE writer = ?", id);
      connection.execute("DELETE FROM {prefix}ratingd_batches WHERE writer = ?", id);
    }
    const auto slot = std::ranges::min_element(writers_of) - writers_of.begin();
    const std::uint64_t writer =
        base::random_u64() / slots * slots + static_cast<std::uint64_t>(slot);
    connection.execute(
        "INSERT INTO {prefix}ratingd_writers (writer, sequence, seen_on, program)"
        " VALUES (?, 0, UTC_DATE(), ?)",
        writer, kProgram);
    return writer;
  });
}

void add_raise_sequence(db::Connection& connection, std::uint64_t writer, std::uint64_t sequence) {
  connection.execute(
      "UPDATE {prefix}ratingd_writers SET sequence = ?, seen_on = UTC_DATE()"
      " WHERE writer = ? AND sequence < ?",
      sequence, writer, sequence);
}

void add_read_sequence(db::Connection& connection, std::uint64_t writer) {
  connection.execute(kReadSequence, writer);
}

std::optional<std::uint64_t> read_sequence(db::Connection& connection, std::uint64_t writer) {
  db::Rows row = connection.query(kReadSequence, writer);
  return sequence_in(row);
}

std::optional<std::uint64_t> sequence_in(db::Rows& row) {
  return row.first([](const db::Rows& found) { return found.unsigned_integer(1); });
}

std::map<std::uint64_t, WriterRow> read_writer_rows(db::Connection& connection) {
  std::map<std::uint64_t, WriterRow> rows;
  db::Rows row =
      connection.prepare("SELECT writer, sequence, fence FROM {prefix}ratingd_writers").query();
  while (row.next()) {
    rows[row.unsigned_integer(1)] = {row.unsigned_integer(2), row.unsigned_integer(3)};
  }
  return rows;
}

void note_change(db::Connection& connection) {
  connection.prepare("UPDATE {prefix}ratingd_writers SET sequence = sequence + 1 WHERE writer = 0")
      .execute();
}

void fence_writers(db::Connection& connection) {
  connection.prepare("UPDATE {prefix}ratingd_writers SET fence = fence + 1").execute();
}

}  // namespace rollups
