#include "rollups/batch_log.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace rollups {
namespace {

// Returns a string such as "17/post 17/post:taste 42 9223372036854775812", with the objects before
// the voters.
std::string text_of(const Changed& changed) {
  std::string text;
  for (const auto& [id, type] : changed.objects) text += std::to_string(id) + "/" + type + " ";
  for (const model::VoterId voter : changed.voters) text += std::to_string(voter) + " ";
  return text;
}

// Adds the changes in "text" to "changed". Returns whether "text" is well-formed.
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
