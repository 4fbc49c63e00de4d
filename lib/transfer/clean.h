#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/zone.h"
#include "cms/cms.h"
#include "db/connection.h"
#include "model/rating.h"
#include "transfer/rating_scan.h"

namespace transfer {

// The kinds of data that clean() can delete.
enum class CleanScope { ratings, addresses, settings, templates };
// The names of the scopes, in the order of the CleanScope enum.
inline constexpr std::array<std::string_view, 4> kCleanScopes = {"ratings", "addresses", "settings",
                                                                 "templates"};
static_assert(kCleanScopes.size() == static_cast<std::size_t>(CleanScope::templates) + 1);

// Returns whether the deletion of data in a scope can be limited to a selection. Settings and
// templates are always deleted completely.
[[nodiscard]] constexpr bool takes_filters(CleanScope scope) {
  return scope == CleanScope::ratings || scope == CleanScope::addresses;
}

// Parses a time in UTC, or a day. For a day, returns the start of the day in the site's time zone.
[[nodiscard]] std::optional<base::Time> parse_before(std::string_view text,
                                                     const base::ZoneHistory& zones);

struct CleanReport {
  std::uint64_t ratings = 0;     // deleted, including held ratings
  std::uint64_t aggregates = 0;  // deleted
  std::uint64_t addresses = 0;   // the number of ratings whose address was erased
  std::uint64_t settings = 0;    // the number of settings that were reset to their default values
  std::uint64_t templates = 0;   // deleted

  bool operator==(const CleanReport&) const = default;
};

// Deletes the data in "scope" that match the selection "selected". Works in slices, with one
// transaction per slice, so that votes never wait long. New votes that arrive during the deletion
// of all ratings are not deleted. Repeatedly calls "progress" with the number of processed rows.
// Ratings that were deleted before an interruption remain deleted. A repeated call deletes the
// remaining data, including matching data stored after the first call.
//
// Also deletes all data about voters who have no ratings left. If "selected" is empty or contains
// only a voter, also deletes data about voters who already had no ratings before the call. Also
// deletes the selected aggregates, unless a voter is selected. If all ratings of the selected
// objects are deleted, also deletes the records of imports for these objects, so that the next
// import from a rating plugin adds the plugin's votes again. For settings and templates, the
// selection must be empty.
//
// Throws the same exceptions as db::Connection and require_full_activity(). Throws db::Busy if an
// import or another clean-up is running.
CleanReport clean(db::Connection& connection, CleanScope scope, const Selection& selected,
                  const std::function<void(std::uint64_t rows)>& progress);

// An object that has ratings but no longer exists.
struct Orphan {
  model::Object object;
  std::int64_t ratings = 0;     // the number of stored votes, including held votes
  std::int64_t aggregates = 0;  // the number of stored aggregates

  bool operator==(const Orphan&) const = default;
};

// Returns the orphans, sorted by id. An orphan is an object that does not exist in the CMS. The
// result omits objects whose type the CMS does not support. The function is slow, because it scans
// an index of the whole votes table. Throws the same exceptions as db::Connection.
[[nodiscard]] std::vector<Orphan> find_orphans(db::Connection& connection, const cms::Cms& cms,
                                               const model::FacetNames& facets);

}  // namespace transfer
