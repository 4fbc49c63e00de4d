#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl export [--scope LIST] [--format F] [--user ID] [--object ID] [--type T] [FILE]: writes
// what GET /data/export sends into a new file, or to standard output. Returns 0, or 2 if the
// arguments are invalid.
int export_data(const config::Config& config, Arguments arguments, const Flags& flags);

// ratingctl import [--format F] [FILE]: takes over such a file, or standard input, of any size.
// Returns 0, 1 if rows were refused or the file is incomplete, or 2 if the arguments are invalid.
int import_data(const config::Config& config, Arguments arguments, const Flags& flags);

// ratingctl clean SCOPE [--user ID] [--object ID] [--type T] [--before DAY] [--all] --confirm:
// deletes what POST /data/clean deletes. Returns 0, or 2 if the arguments are invalid.
int clean_data(const config::Config& config, Arguments arguments, const Flags& flags);

}  // namespace admin
