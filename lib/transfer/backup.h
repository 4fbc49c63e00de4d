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

// DESIGN. A backup contains all rows in ratingd's tables at one point in time. A backup also
// contains the rating totals, because not all totals can be computed from the stored votes
// (rollups/repair.h). The table and column names are read from the migrations and the database, so
// new tables and columns are backed up without additional code. A backup omits tables that only
// running programs use, such as leases, writers, batches and limit counters. A backup also omits
// materialized lists, because workers recompute them. A backup also omits the rollup tables whose
// names end in "_new", which are used only by version 0.3.
//
// A backup reads one database snapshot, so votes may arrive during the backup. Repairs cannot run
// during a backup. Version 0.3 cannot rebuild the rollup tables during a backup, because a rebuild
// replaces tables, and an open snapshot would then read the new tables.
//
// A restore reads the file twice. The first pass checks that the file contains all tables of its
// schema version, and only columns that exist in the database. The file must also contain exactly
// one row of the rollup_state table, because votes cannot be read or written without this row. In
// the second pass, one transaction locks the rollup_state table, so that no other transaction can
// change votes. The transaction then empties and refills the tables. A restore therefore replaces
// all rows or none, even if the process is killed. During the transaction, reads return the old
// rows. During a restore, votes wait, and votes whose deadline passes are rejected.
//
// A restore also repairs wrong sums, an invalid row in the rollup_state table, and missing tables.

using RowCounts = std::map<std::string, std::uint64_t>;  // the number of rows by table name without
                                                         // prefix
using BackupProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// Passes the lines of a backup to "write" and returns the header and the number of rows in each
// table. In "header", the caller must set "program", and may set "secret" to include the secret in
// the backup. The write_backup() function fills in the rest of the header from the database. Blocks
// until all rows are written. Throws the same exceptions as db::Connection. Throws db::Busy if a
// repair is running. Exceptions thrown by "write" propagate to the caller.
struct Backup {
  BackupHeader header;
  RowCounts rows;
};
[[nodiscard]] Backup write_backup(db::Connection& connection, BackupHeader header,
                                  const std::function<void(std::string_view line)>& write,
                                  const BackupProgress& progress);

// Replaces all rows in ratingd's tables with the rows from a backup. The backup may be from a
// database with an older schema version. Returns the number of restored rows. "file" must be
// seekable. If an error occurs, no rows are changed. Throws BackupError if the file is not a
// complete backup for the tables in the database. Throws std::runtime_error if the tables contain
// votes and "replaces_votes" is false. Throws db::Busy if a repair, a backup or an import is
// running. Throws the same exceptions as db::Connection.
struct RestoreOptions {
  bool replaces_votes = false;
};
[[nodiscard]] RowCounts restore_backup(db::Connection& connection, std::istream& file,
                                       RestoreOptions options, const BackupProgress& progress);

}  // namespace transfer
