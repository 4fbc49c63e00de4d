#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/zone.h"
#include "json/fields.h"
#include "model/rating.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"

// Functions that read requests to export, import and delete data. The functions also read
// command-line flags, after the caller has converted the flag names to HTTP parameter names. All
// functions add errors to "fields". The functions for whole requests also reject unknown names,
// because a misspelled name would otherwise select more data than its sender meant.
namespace transfer {

// The site data needed to read requests. Throws the same exceptions as db::Connection.
struct Lookups {
  std::function<std::string(const std::string& object_type)> posts_of;  // cms::Cms::posts_of()
  std::function<base::ZoneHistory()> zones;  // the time zones in the rollups
};

// Reads a selection from the `object_id`, `object_type`, `user_id`, `issuer` and `subject` fields,
// or from the `ratings` field.
[[nodiscard]] Selection read_selection(json::Fields& fields, const Lookups& lookups);

struct ImportRequest {
  Format format = Format::ndjson;
  Import::Mode mode = Import::Mode::store;
};

// Reads the `format` and `dry_run` fields. If the `format` field is missing, returns "usual" as the
// format.
[[nodiscard]] ImportRequest read_import(json::Fields& fields, Format usual);

// Reads a selection and the `from`, `to`, `scope` and `format` fields.
[[nodiscard]] ExportRequest read_export(json::Fields& fields, const Lookups& lookups, Format usual);

struct CleanRequest {
  CleanScope scope = CleanScope::ratings;
  Selection selection;
};

// Reads the `scope` and `confirm` fields, and either the `all` field, or a selection with the
// `from`, `to` and `before` fields. Values of `before` after "now" are rejected.
[[nodiscard]] CleanRequest read_clean(json::Fields& fields, const Lookups& lookups, base::Time now);

// Returns the identifier of a rating, such as "42/post/binary/7". The identifier contains the
// voter, so it must be sent only to requesters who may see personal data. Object types never
// contain a slash.
[[nodiscard]] std::string rating_id(const model::RatingKey& key);

// Returns the ratings in the list parameter "name", or an empty list if the parameter is missing.
// If an item is not the identifier of a rating, adds an error with the text in "message".
[[nodiscard]] std::vector<model::RatingKey> read_rating_ids(json::Fields& fields,
                                                            std::string_view name,
                                                            base::Message message);

}  // namespace transfer
