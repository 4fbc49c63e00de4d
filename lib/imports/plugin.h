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
#include "model/rating.h"
#include "store/grants.h"

namespace imports {

// What other rating plugins keep in the CMS's database, and what it means here. docs/plugins.md has
// it as tables, with the sources it is known from.
//
// In all SQL here {prefix} stands for the CMS's table prefix.

// A vote as a plugin keeps it; a text is empty where the plugin has nothing.
struct PluginVote {
  std::uint64_t row = 0;    // its key in the plugin's table
  std::string object_id;    // ours
  std::string object_type;  // ours
  std::string
      object_table;     // of the CMS, in which the object must be: "posts", "comments", or none
  std::string user;     // of the CMS, or what the plugin has in place of it; "0" is nobody
  std::string visitor;  // what tells an anonymous voter from others
  std::string kind;     // what decides how "value" is read, if not all votes are alike
  std::string value;
  std::string rated_at, created_at;  // as VoteQuery::read_time reads them

  bool operator==(const PluginVote&) const = default;
};

// What a plugin knows of an object's votes as sums.
struct PluginTotal {
  std::uint64_t object_id = 0;
  std::string published;                   // when the object was, in UTC, if that is known
  std::string votes, sum;                  // of all votes
  std::string votes_in_rows, sum_in_rows;  // of those that the plugin has rows of, too

  bool operator==(const PluginTotal&) const = default;
};

// What the site says that the rows do not.
struct PluginFacts {
  base::Zone zone;  // the site's
  // What the votes of this site's plugin can be.
  model::Decimal lowest = model::decimal_of(0);
  model::Decimal highest = model::decimal_of(5);
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

// Why something is not taken over: a sentence for people, which lives as long as the program.
using Reason = std::string_view;
[[nodiscard]] inline tl::unexpected<Reason> because(Reason reason) {
  return tl::unexpected<Reason>(reason);
}

// Votes that a plugin has rows of. A slice of them is
//
//   SELECT {key}, {columns} FROM {from} WHERE {key} > ? ORDER BY {key} LIMIT n
struct VoteQuery {
  std::string_view table;    // whose rows, without the prefix; none if the site does not have it
  std::string_view key;      // its primary key
  std::string_view columns;  // the members of PluginVote behind "row", in their order
  std::string_view from;
  tl::expected<VoteMeaning, Reason> (*read)(const PluginVote& vote, const PluginFacts& facts);
  std::optional<base::Time> (*read_time)(std::string_view text, const base::Zone& site_zone);
};

// Sums that a plugin keeps of posts or comments. A slice of them is
//
//   {select} ... > ? {group} LIMIT n
//
// and its columns are the members of PluginTotal.
struct TotalQuery {
  std::string_view table;  // as above
  std::string_view object_type;
  std::string_view select;  // up to the object's id, for "> ?"
  std::string_view group;   // in the order of the object's id
  tl::expected<TotalMeaning, Reason> (*read)(const PluginTotal& total, const PluginFacts& facts);
};

// What is counted, but never taken over.
struct Leftover {
  std::string_view table;  // as above
  std::string_view count;  // a query of one number
  Reason reason;
};

struct PluginTable {
  std::string_view name;  // without the prefix
  bool is_needed = true;  // by every version of the plugin
};

struct Plugin {
  std::string_view name;   // on the command line, and the source of its balances
  std::string_view title;  // for people
  std::span<const PluginTable> tables;
  std::span<const VoteQuery> votes;
  std::span<const TotalQuery> totals;
  std::span<const Leftover> leftovers;
  // Learns more than the zone, if there is more to know. Errors: as db::Connection.
  void (*read_facts)(db::Connection& connection, const std::string& table_prefix,
                     PluginFacts& facts) = nullptr;
};

// All that are known, and the one of that name, or nullptr.
[[nodiscard]] std::span<const Plugin* const> plugins();
[[nodiscard]] const Plugin* plugin_named(std::string_view name);

// Statements that let ratingctl's account read the tables of "plugin", for an import. One for a
// table that is not there fails, which does no harm.
[[nodiscard]] std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin);

// --- What plugins have in common -----------------------------------------------------------------

// A moment as text: seconds since 1970; the same of the site's clock, as WordPress's
// current_time( 'timestamp' ) has it; a datetime in UTC, or of the site's clock. Nothing for any
// other text and for a moment before 1971.
[[nodiscard]] std::optional<base::Time> unix_time(std::string_view text, const base::Zone&);
[[nodiscard]] std::optional<base::Time> site_unix_time(std::string_view text,
                                                       const base::Zone& site_zone);
[[nodiscard]] std::optional<base::Time> utc_time(std::string_view text, const base::Zone&);
[[nodiscard]] std::optional<base::Time> site_time(std::string_view text,
                                                  const base::Zone& site_zone);

inline constexpr Reason kNoNumber = "the value is not a number";
inline constexpr Reason kOutOfRange = "the value is none that the plugin lets be given";
inline constexpr Reason kNoSums = "the sums do not fit each other";

// A value on a scale up to "highest"; not below "lowest".
[[nodiscard]] tl::expected<VoteMeaning, Reason> scale_value(std::string_view value,
                                                            const model::Decimal& lowest,
                                                            const model::Decimal& highest);

// "votes" votes on a scale up to "highest" that add up to "sum". How they are spread is not known:
// they are taken to be the two whole numbers next to their mean, which keeps the number and the
// sum.
[[nodiscard]] tl::expected<TotalMeaning, Reason> scale_sums(std::int64_t votes, double sum,
                                                            double highest);

// What PHP wrote as an integer, or as a float.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
[[nodiscard]] std::optional<double> number(std::string_view text);

// --- The plugins, one file each ------------------------------------------------------------------

extern const Plugin kRatePress;
extern const Plugin kWpPostRatings;
extern const Plugin kKkStarRatings;
extern const Plugin kYasr;
extern const Plugin kShurikenReviews;
extern const Plugin kWpUlike;
extern const Plugin kRestLikes;

}  // namespace imports
