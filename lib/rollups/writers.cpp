#include "rollups/writers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/text.h"
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
    // Delete each row by its primary key, because a DELETE statement that searches by day would
    // wait for rows locked by running batches.
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

// --- The log of batches --------------------------------------------------------------------------

namespace {

// Formats the changed objects and voters, for example as "17/post 17/post:taste 42
// 9223372036854775812".
std::string text_of(const Changed& changed) {
  std::string text;
  for (const auto& [id, type] : changed.objects) text += std::to_string(id) + "/" + type + " ";
  for (const model::VoterId voter : changed.voters) text += std::to_string(voter) + " ";
  return text;
}

// Adds the objects and voters in "text" to "changed". Returns false if "text" is not a valid list
// of objects and voters.
bool add_to(Changed& changed, std::string_view text) {
  while (!text.empty()) {
    std::string_view word = base::take_until(text, ' ');
    const bool is_object = word.find('/') != std::string_view::npos;
    const auto id = base::parse_number<std::uint64_t>(base::take_until(word, '/'));
    if (!id) return false;
    if (is_object) {
      changed.objects.insert({*id, std::string(word)});
    } else {
      changed.voters.insert(*id);
    }
  }
  return true;
}

}  // namespace

void log_batch(db::Connection& connection, std::uint64_t writer, BatchNumbers numbers,
               const Changed& changed) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_batches (writer, slot, sequence_before, sequence, changed)"
      " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE sequence_before = VALUES(sequence_before),"
      " sequence = VALUES(sequence), changed = VALUES(changed)",
      writer, numbers.after % kLoggedBatches, numbers.before, numbers.after, text_of(changed));
}

void forget_batches(db::Connection& connection) {
  connection.execute("DELETE FROM {prefix}ratingd_batches");
}

std::optional<Changed> changed_by_batches(db::Connection& connection, std::uint64_t writer,
                                          BatchNumbers numbers) {
  if (numbers.after - numbers.before > kLoggedBatches) return std::nullopt;
  Changed changed;
  std::uint64_t last = numbers.before;
  db::Rows row = connection.query(
      "SELECT sequence_before, sequence, changed FROM {prefix}ratingd_batches"
      " WHERE writer = ? AND sequence > ? AND sequence <= ? ORDER BY sequence",
      writer, numbers.before, numbers.after);
  while (row.next()) {
    const bool follows = row.unsigned_integer(1) == std::exchange(last, row.unsigned_integer(2));
    if (!follows || !add_to(changed, row.text(3))) return std::nullopt;
  }
  return last == numbers.after ? std::optional(std::move(changed)) : std::nullopt;
}

}  // namespace rollups
