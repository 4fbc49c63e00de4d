#include "rollups/writer_rows.h"

#include <algorithm>
#include <vector>

#include "base/crypto.h"
#include "db/transaction.h"

namespace rollups {

WriterRows::WriterRows(const std::string& table_prefix)
    : add_("INSERT INTO " + table_prefix +
           "ratingd_writers (writer, sequence, seen_on) VALUES (?, 0, UTC_DATE())"),
      find_all_(
          "SELECT writer, seen_on >= UTC_DATE() - INTERVAL 1 DAY,"
          " seen_on < UTC_DATE() - INTERVAL 7 DAY FROM " +
          table_prefix + "ratingd_writers WHERE writer <> 0"),
      delete_("DELETE FROM " + table_prefix + "ratingd_writers WHERE writer = ?"),
      raise_("UPDATE " + table_prefix +
             "ratingd_writers SET sequence = ?, seen_on = UTC_DATE() WHERE writer = ? AND sequence"
             " < ?"),
      read_("SELECT sequence FROM " + table_prefix + "ratingd_writers WHERE writer = ?"),
      read_all_("SELECT writer, sequence, fence FROM " + table_prefix + "ratingd_writers"),
      note_change_("UPDATE " + table_prefix +
                   "ratingd_writers SET sequence = sequence + 1 WHERE writer = 0"),
      fence_("UPDATE " + table_prefix + "ratingd_writers SET fence = fence + 1") {}

std::uint64_t WriterRows::add(db::Connection& connection, std::uint8_t slots) const {
  return db::in_transaction(connection, [&] {
    note_change(connection);
    std::vector<int> writers_of(slots, 0);
    std::vector<std::uint64_t> old;
    for (db::Rows row = connection.query(find_all_); row.next();) {
      if (row.integer(2) != 0) ++writers_of[row.unsigned_integer(1) % slots];
      if (row.integer(3) != 0) old.push_back(row.unsigned_integer(1));
    }
    // One by one: a search would wait for the rows of all running batches.
    for (const std::uint64_t id : old) connection.execute(delete_, id);
    const auto slot = std::ranges::min_element(writers_of) - writers_of.begin();
    const std::uint64_t writer =
        base::random_u64() / slots * slots + static_cast<std::uint64_t>(slot);
    connection.execute(add_, writer);
    return writer;
  });
}

std::optional<std::uint64_t> WriterRows::read(db::Connection& connection,
                                              std::uint64_t writer) const {
  db::Rows row = connection.query(read_, writer);
  return sequence_in(row);
}

std::optional<std::uint64_t> WriterRows::sequence_in(db::Rows& row) {
  if (!row.next()) return std::nullopt;
  return row.unsigned_integer(1);
}

std::map<std::uint64_t, WriterRows::Row> WriterRows::read_all(db::Connection& connection) const {
  std::map<std::uint64_t, Row> rows;
  for (db::Rows row = connection.prepare(read_all_).query(); row.next();) {
    rows[row.unsigned_integer(1)] = {row.unsigned_integer(2), row.unsigned_integer(3)};
  }
  return rows;
}

}  // namespace rollups
