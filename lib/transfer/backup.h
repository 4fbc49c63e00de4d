#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "transfer/backup_file.h"

namespace transfer {

// DESIGN. A backup contains all rows of ratingd's tables as they were at one moment. It contains
// the sums, too, because not all of them follow from the votes that are still stored
// (rollups/repair.h). The names of tables and columns come from the migrations and the database, so
// a backup contains new tables and columns without further code. It does not contain the rows of
// running programs (leases, writers and their batches, counters of limits), tables that are
// computed again (materialized lists), and the second set of rollups of version 0.3.
//
// A backup reads one snapshot, row by row, so votes may arrive meanwhile. It excludes repairs. It
// also excludes rebuilds by version 0.3, which swap tables: a snapshot does not cover that.
//
// A restore reads the file twice. The first time it only checks the file: each table of the file's
// version must be in it, with columns that the database knows, and exactly one row of rollup_state,
// without which no vote could be read or written. Then one transaction takes the lock of
// rollup_state, which excludes all changes of votes, empties the tables, and fills them. So a
// restore is complete or changes no row, also when it is killed. Votes wait meanwhile, and are
// refused after their deadline; reads are answered with the rows from before.
//
// A restore also repairs damaged tables. It requires neither a valid row of rollup_state nor sums
// that match, and creates lost tables.

using RowCounts = std::map<std::string, std::uint64_t>;  // by the table's name without prefix
using BackupProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// Passes the lines of a backup to "write", and returns what is in it. "header" names the program,
// and has the secret if that is to be in it; the rest of it is read from the database. Blocks for
// as long as the rows take. Errors: db::Busy - a repair is running; as db::Connection; what
// "write" throws.
struct Backup {
  BackupHeader header;
  RowCounts rows;
};
[[nodiscard]] Backup write_backup(db::Connection& connection, BackupHeader header,
                                  const std::function<void(std::string_view line)>& write,
                                  const BackupProgress& progress);

// Replaces all rows of ratingd's tables by those of a backup, whose tables may be older.
// Returns what was restored. "file" must be seekable. Errors: BackupError - the file is not a
// complete backup for these tables; std::runtime_error - they hold votes, and may not be
// "replaced"; db::Busy, as above, or an import is running; as db::Connection. No row is changed
// then.
struct RestoreOptions {
  bool replaces_votes = false;
};
[[nodiscard]] RowCounts restore_backup(db::Connection& connection, std::istream& file,
                                       RestoreOptions options, const BackupProgress& progress);

}  // namespace transfer
