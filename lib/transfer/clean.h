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

// The data that clean() deletes.
enum class CleanScope { ratings, addresses, settings, templates };
// The scope names, in the order of the enumerators.
inline constexpr std::array<std::string_view, 4> kCleanScopes = {"ratings", "addresses", "settings",
                                                                 "templates"};
static_assert(kCleanScopes.size() == static_cast<std::size_t>(CleanScope::templates) + 1);

// Returns whether a selection may restrict what is deleted in this scope. Settings and templates
// can be deleted only all at once.
[[nodiscard]] constexpr bool takes_filters(CleanScope scope) {
  return scope == CleanScope::ratings || scope == CleanScope::addresses;
}

// Parses a day or a time in UTC. A day is the time at which the day begins in "zones".
[[nodiscard]] std::optional<base::Time> parse_before(std::string_view text,
                                                     const base::ZoneHistory& zones);

struct CleanReport {
  std::uint64_t ratings = 0;     // deleted, including held ratings
  std::uint64_t aggregates = 0;  // deleted
  std::uint64_t addresses = 0;   // ratings whose address was erased
  std::uint64_t settings = 0;    // reset to their defaults
  std::uint64_t templates = 0;   // deleted

  bool operator==(const CleanReport&) const = default;
};

// Deletes the data in "scope" that are selected by "selected". Works in slices, with one
// transaction for each slice, so that votes never wait long. If all ratings are deleted, votes that
// arrive in the meantime stay. From time to time, calls "progress" with the number of finished
// rows. After an interruption, finished slices stay deleted. A repeated call continues and also
// deletes data that have arrived in the meantime. (The functions in transfer/retention.h delete old
// data every night.)
//
// Deletes all data about voters who have no ratings left. If the selection is a single voter, or
// all ratings, this includes voters who had no ratings before. Aggregates are deleted with the
// ratings, unless a voter is selected. REQUIRES: for settings and templates, the selection is
// empty.
//
// Errors: same as db::Connection and require_full_activity(). Throws db::Busy if an import or
// another clean-up is running.
CleanReport clean(db::Connection& connection, CleanScope scope, const Selection& selected,
                  const std::function<void(std::uint64_t rows)>& progress);

// An object that has ratings but no longer exists.
struct Orphan {
  model::Object object;
  std::int64_t ratings = 0;  // stored votes, including held votes

  bool operator==(const Orphan&) const = default;
};

// Returns the orphans, sorted by id. Objects with types that the CMS does not know are never
// orphans. Reads an index of all votes. Errors: same as db::Connection.
[[nodiscard]] std::vector<Orphan> find_orphans(db::Connection& connection, const cms::Cms& cms,
                                               const model::FacetNames& facets);

}  // namespace transfer
