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

// DESIGN. A backup contains all rows in ratingd's tables at one point in time. It also contains the
// sums, because not all sums can be computed from the votes that are still stored
// (rollups/repair.h). The table and column names come from the migrations and the database, so a
// backup contains new tables and columns without additional code. A backup omits three kinds of
// tables: tables whose rows belong to running programs (leases, writers and their batches, limit
// counters), tables that are computed again (materialized lists), and the second set of rollups
// from version 0.3.
//
// A backup reads one snapshot, row by row, so votes may arrive in the meantime. Repairs cannot run
// during a backup. Rebuilds by version 0.3 cannot run either, because they swap tables, and a
// snapshot does not protect against swaps.
//
// A restore reads the file twice. The first time, it only checks the file. The file must contain
// every table that exists in the file's version, and only columns that the database knows. The file
// must contain exactly one rollup_state row, because without this row no vote can be read or
// written. The second time, one transaction locks rollup_state, which excludes all changes to
// votes. The transaction empties the tables and fills them again. So a restore is either complete
// or changes no row, even if it is killed. During the transaction, votes wait and are refused after
// their deadline, and reads return the rows from before the restore.
//
// A restore can also repair damaged tables. The existing rollup_state row may be invalid, the
// existing sums may be wrong, and missing tables are created.

using RowCounts = std::map<std::string, std::uint64_t>;  // by the table name without the prefix
using BackupProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// Passes the lines of a backup to "write" and returns the header and the number of rows in each
// table. The caller sets the program in "header". If the backup should contain the secret, the
// caller sets the secret, too. The other members are read from the database. Blocks until all rows
// are written. Errors: db::Busy
// - a repair is running. Otherwise as db::Connection. Also throws any exception thrown by "write".
struct Backup {
  BackupHeader header;
  RowCounts rows;
};
[[nodiscard]] Backup write_backup(db::Connection& connection, BackupHeader header,
                                  const std::function<void(std::string_view line)>& write,
                                  const BackupProgress& progress);

// Replaces all rows in ratingd's tables with the rows from a backup. The backup may have an older
// table version. Returns the number of restored rows. "file" must be seekable. No row is changed
// after an error. Errors: BackupError - the file is not a complete backup for these tables;
// std::runtime_error - the tables contain votes, and "replaces_votes" is false; db::Busy - a
// repair, a backup or an import is running. Otherwise as db::Connection.
struct RestoreOptions {
  bool replaces_votes = false;
};
[[nodiscard]] RowCounts restore_backup(db::Connection& connection, std::istream& file,
                                       RestoreOptions options, const BackupProgress& progress);

}  // namespace transfer
