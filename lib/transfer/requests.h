#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/zone_history.h"
#include "json/fields.h"
#include "model/rating.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"

// Reads requests to export, import and delete data. HTTP parameters and the flags of commands are
// both read here: their names are those of the HTTP API. Errors are noted in the fields.
namespace transfer {

// The facts about the site that the requests need. Errors: as db::Connection.
struct Lookups {
  std::function<std::string(const std::string& object_type)> posts_of;  // cms::Cms::posts_of()
  std::function<base::ZoneHistory()> zones;                             // of the rollups
};

// Reads object_id, object_type, user_id, issuer and subject, or ratings.
[[nodiscard]] Selection read_selection(json::Fields& fields, const Lookups& lookups);

struct ImportRequest {
  Format format = Format::ndjson;
  Import::Mode mode = Import::Mode::store;
};

// Reads format ("usual" if it is absent) and dry_run.
[[nodiscard]] ImportRequest read_import(json::Fields& fields, Format usual);

// Reads a selection, from, to, scope and format.
[[nodiscard]] ExportRequest read_export(json::Fields& fields, const Lookups& lookups, Format usual);

struct CleanRequest {
  CleanScope scope = CleanScope::ratings;
  Selection selection;
};

// Reads scope; a selection and before, or all; and confirm. Times after "now" are refused.
[[nodiscard]] CleanRequest read_clean(json::Fields& fields, const Lookups& lookups, base::Time now);

// Returns the identifier of a rating, for requesters who may see persons: "42/post/binary/7". Types
// have no slash.
[[nodiscard]] std::string rating_id(const model::RatingKey& key);

// Returns the ratings in a list parameter; none if the parameter is absent. "message" is the error
// for an item that is not a rating.
[[nodiscard]] std::vector<model::RatingKey> read_rating_ids(json::Fields& fields,
                                                            std::string_view name,
                                                            base::Message message);

}  // namespace transfer
