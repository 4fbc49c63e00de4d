#pragma once

#include <set>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "model/rating.h"
#include "transfer/rating_scan.h"

// Changes the records of imports from other plugins in the ratingd_imports table
// (imports/import_marks.h) when ratings are merged or deleted. All functions can throw the same
// exceptions as db::Connection.
namespace transfer {

// If a record contains this name instead of a table's name, the object's sums were moved to or from
// another object. Imports do not change the sums of such an object.
inline constexpr std::string_view kMergedLog = "merged";

// Records that aggregates with these sources were moved from one object to another.
void record_merge(db::Connection& connection, const std::set<std::string>& sources,
                  const model::Object& from, const model::Object& into);

// Deletes the records for the selected objects, so that the next import adds all their votes again.
// REQUIRES: selection.is_of_whole_objects().
void forget_imports(db::Connection& connection, const Selection& selection);

}  // namespace transfer
