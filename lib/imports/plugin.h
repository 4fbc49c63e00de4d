#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/zone.h"
#include "db/connection.h"
#include "model/decimal.h"
#include "model/facets.h"
#include "model/rating.h"
#include "store/grants.h"

namespace imports {

// Descriptions of the data that other rating plugins store in the database of the CMS, and how it
// is converted. docs/plugins.md says it for owners of sites, and names the sources.

// A vote as stored by a plugin. Values that the plugin does not store are empty.
struct PluginVote {
  std::uint64_t row = 0;    // the key in the plugin's table
  std::string object_id;    // as in ratingd
  std::string object_type;  // as in ratingd
  std::string
      object_table;     // of the CMS, in which the object must be: "posts", "comments", or none
  std::string user;     // of the CMS, or what the plugin has in place of it; "0" is nobody
  std::string visitor;  // what distinguishes an anonymous voter from others
  std::string kind;     // what decides how "value" is read, if not all votes are alike
  std::string value;
  std::string rated_at, created_at;  // as VoteQuery::read_time reads them

  bool operator==(const PluginVote&) const = default;
};

// The sums of an object's votes, as stored by a plugin.
struct PluginTotal {
  std::uint64_t object_id = 0;
  std::string published;                   // the time in UTC, if it is known
  std::string votes, sum;                  // of all votes
  std::string votes_in_rows, sum_in_rows;  // of votes that the plugin stores as rows, too

  bool operator==(const PluginTotal&) const = default;
};

// Settings of the site that are needed to convert its votes.
struct PluginFacts {
  base::Zone zone;  // the site's
  // The range of the values in this site's plugin.
  model::Decimal lowest = model::decimal_of(0);
  model::Decimal highest = model::decimal_of(5);
  model::FacetNames facets = {};  // of the site
};

struct VoteMeaning {
  model::Category category = model::Category::binary;
  model::Thousandths value = 0;

  bool operator==(const VoteMeaning&) const = default;
};

struct TotalMeaning {
  model::Category category = model::Category::binary;
  model::Totals sums;  // without a time

  bool operator==(const TotalMeaning&) const = default;
};

// Why something is not imported: a phrase for the administrator, with static lifetime. The literals
// of because() and Reason() are collected for translation.
using Reason = std::string_view;
[[nodiscard]] inline tl::unexpected<Reason> because(Reason reason) {
  return tl::unexpected<Reason>(reason);
}

// Reads votes that a plugin stores as rows. The query of a slice is
//
//   SELECT {key}, {columns} FROM {from} WHERE {key} > ? ORDER BY {key} LIMIT n
//
// The texts are read up to a limit (kMaxNumber, kMaxText), whatever the tables contain.
struct VoteQuery {
  std::string_view table;      // without the prefix; the query is skipped if it is missing
  std::string_view also = {};  // another table that it needs
  // A column of unsigned integers that are unique and never change. If nothing else identifies a
  // voter, it does.
  std::string_view key;
  // The expressions of the members of PluginVote.
  std::string_view object_id, object_type, object_table, user, visitor = "''", kind = "''", value,
                                                               rated_at, created_at = "''";
  std::string_view from;
  tl::expected<VoteMeaning, Reason> (*read)(const PluginVote& vote, const PluginFacts& facts);
  std::optional<base::Time> (*read_time)(std::string_view text, const base::Zone& site_zone);
};

// Reads sums that a plugin stores for posts or comments. The query of a slice is
//
//   {select} > ? {group} LIMIT n
//
// and its columns are the members of PluginTotal. It reads LEFT(text, 33) of each text that anybody
// may have written, such as post meta (kMaxNumber).
struct TotalQuery {
  std::string_view table;  // as above
  std::string_view object_type;
  std::string_view select;  // ends with the id of the object, before "> ?"
  std::string_view group;   // GROUP BY and ORDER BY the id of the object
  tl::expected<TotalMeaning, Reason> (*read)(const PluginTotal& total, const PluginFacts& facts);
};

// Data that is counted but never imported.
struct Leftover {
  std::string_view table;  // as above
  std::string_view count;  // a query that returns one number
  Reason reason;
};

struct PluginTable {
  std::string_view name;    // without the prefix
  bool is_required = true;  // exists in every version of the plugin
};

struct Plugin {
  std::string_view name;   // on the command line, and the source of its aggregates
  std::string_view title;  // for messages
  // By which it is found where its tables may not be read: a pattern (LIKE) of the names of its
  // options, and its folder among those of active plugins.
  std::string_view options, folder;
  std::span<const PluginTable> tables;
  std::span<const VoteQuery> votes;
  std::span<const TotalQuery> totals;
  std::span<const Leftover> leftovers;
  // Reads the facts other than the zone; nullptr: there are none. Errors: as db::Connection.
  void (*read_facts)(db::Connection& connection, PluginFacts& facts) = nullptr;
};

// All plugins, and the one with this name, or nullptr.
[[nodiscard]] std::span<const Plugin* const> plugins();
[[nodiscard]] const Plugin* plugin_named(std::string_view name);

// GRANT statements that let both accounts, or "account" alone, read the tables of "plugin". The
// statement for a missing table fails, which does no harm.
[[nodiscard]] std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin);
[[nodiscard]] std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin,
                                        const std::string& account);

// --- Functions for several plugins --------------------------------------------------------------

// Parse a time. unix_time() reads seconds since 1970; site_unix_time() reads the same shifted to
// the site's zone, as WordPress's current_time( 'timestamp' ) returns it; utc_time() reads a
// datetime in UTC, and site_time() one in the site's zone. Nothing for any other text and for times
// before 1971.
[[nodiscard]] std::optional<base::Time> unix_time(std::string_view text, const base::Zone&);
[[nodiscard]] std::optional<base::Time> site_unix_time(std::string_view text,
                                                       const base::Zone& site_zone);
[[nodiscard]] std::optional<base::Time> utc_time(std::string_view text, const base::Zone&);
[[nodiscard]] std::optional<base::Time> site_time(std::string_view text,
                                                  const base::Zone& site_zone);

// The longest text of a number. One more character is read, so that a longer text is refused and
// never needs more memory.
inline constexpr std::size_t kMaxNumber = 32;
inline constexpr std::size_t kMaxText = 255;  // of other texts; the rest is not read

// The most votes in a sum (as in transfer/row.cpp), so that sums of many objects do not overflow.
inline constexpr std::int64_t kMaxVotes = 1'000'000'000;

inline constexpr Reason kNoNumber = Reason("the value is not a number");
inline constexpr Reason kOutOfRange = Reason("the plugin does not allow this value");
inline constexpr Reason kNoSums = Reason("the sums contradict each other");

// Converts a value on a scale from "lowest" to "highest".
[[nodiscard]] tl::expected<VoteMeaning, Reason> scale_value(std::string_view value,
                                                            const model::Decimal& lowest,
                                                            const model::Decimal& highest);

// Converts "votes" votes on a scale up to "highest" with the sum "sum". The single values are
// unknown. They are assumed to be the two whole numbers next to their mean, which keeps the number
// of votes and the sum.
[[nodiscard]] tl::expected<TotalMeaning, Reason> scale_sums(std::int64_t votes, double sum,
                                                            double highest);

// Parse an integer or a float as written by PHP. Return nothing for 10^12 and above, so that
// calculations with several numbers do not overflow. No plugin counts so far.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
[[nodiscard]] std::optional<double> number(std::string_view text);

// --- The plugins, one file each ------------------------------------------------------------------

namespace ratepress {
extern const Plugin kPlugin;
}
namespace wp_postratings {
extern const Plugin kPlugin;
}
namespace kk_star_ratings {
extern const Plugin kPlugin;
}
namespace yasr {
extern const Plugin kPlugin;
}
namespace shuriken_reviews {
extern const Plugin kPlugin;
}
namespace wp_ulike {
extern const Plugin kPlugin;
}
namespace rest_likes {
extern const Plugin kPlugin;
}

}  // namespace imports
