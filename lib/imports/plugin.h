#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
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

// Describes how other rating plugins store votes in the CMS's database, and converts these votes.
// The document docs/plugins.md explains the conversion to site owners and lists the sources.

// The reason why something is not imported. The reason is a phrase for the administrator and has
// static lifetime. String literals in because() and Reason() are collected for translation.
using Reason = std::string_view;
[[nodiscard]] inline tl::unexpected<Reason> because(Reason reason) {
  return tl::unexpected<Reason>(reason);
}

// A vote in the plugin's own format. A member is empty if the plugin does not store its value.
struct PluginVote {
  std::uint64_t row = 0;    // the row's key in the plugin's table
  std::string object_id;    // the object's id in ratingd
  std::string object_type;  // the object's type in ratingd
  std::string
      object_table;  // the CMS's table that must contain the object: "posts", "comments" or empty
  std::string user;  // a CMS user id, or the plugin's substitute for it; "0" is nobody
  std::string visitor;  // a string that distinguishes anonymous voters
  std::string kind;     // determines how "value" is read, if there are several kinds of votes
  std::string value;
  std::string rated_at, created_at;  // in the format of VoteQuery::read_time

  bool operator==(const PluginVote&) const = default;
};

// The number of votes and the average shown by the plugin for an object.
struct PluginTotal {
  std::string object_id;    // the object's id in ratingd
  std::string object_type;  // the object's type in ratingd
  std::string published;    // the time of publication in UTC, if known
  std::string votes, sum;
  std::string more_votes,
      more_sum;  // for plugins that store two numbers, from which a setting chooses

  bool operator==(const PluginTotal&) const = default;
};

// Information about the site that is needed to convert its votes.
struct PluginContext {
  base::Zone zone;  // the site's time zone
  // The lowest and the highest value of a vote, according to the plugin's settings on this site.
  model::Decimal lowest = model::decimal_of(0);
  model::Decimal highest = model::decimal_of(5);
  model::FacetNames facets = {};  // the site's facets
  std::string version = {};       // stored by the plugin; empty if none is stored
  // On objects of these types, the plugin counts identical votes by the same voter only once.
  std::set<std::string, std::less<>> counted_once = {};
  bool adds_old_sums = false;  // the plugin also adds the sums that an older version stored

  [[nodiscard]] bool is_before(std::string_view other_version) const;
};

struct VoteMeaning {
  model::Category category = model::Category::binary;
  model::Thousandths value = 0;
  double share = value / 1000.0;  // the value before it was rounded

  bool operator==(const VoteMeaning&) const = default;
};

// The number of votes and the sum of their values, as fractions of the highest value on the
// plugin's scale.
struct Figures {
  std::int64_t votes = 0;
  double sum = 0;

  bool operator==(const Figures&) const = default;
};

struct TotalMeaning {
  model::Category category = model::Category::binary;
  Figures figures;

  bool operator==(const TotalMeaning&) const = default;
};

// The parts of an SQL query for votes stored as rows by a plugin. PluginReader reads the votes on a
// range of objects in slices, ordered by "key" and "object_id".
//
// Strings are read up to a limit (kMaxNumber, kMaxText) because the tables may contain strings of
// any length.
struct VoteQuery {
  std::string_view table;      // without the prefix; the query is skipped if it is missing
  std::string_view also = {};  // another table that the query needs
  // A column of unsigned integers, which never change and are unique among the votes on the same
  // object. If a vote has no user or visitor, the value in this column identifies the voter.
  std::string_view key;
  // SQL expressions for the members of PluginVote.
  std::string_view object_id, object_type, object_table, user, visitor = "''", kind = "''", value,
                                                               rated_at, created_at = "''";
  std::string_view from;
  tl::expected<VoteMeaning, Reason> (*read)(const PluginVote& vote, const PluginContext& context);
  std::optional<base::Time> (*read_time)(std::string_view text, const base::Zone& site_zone);
  // If "is_of_addresses" is true, the "visitor" column should contain IP addresses or their hashes.
  // Any other string, such as a plugin's name, does not identify a voter.
  bool is_of_addresses = true;
  // If "has_copies" is true, the query may return copies of votes returned by earlier queries in
  // Plugin::votes.
  bool has_copies = false;
};

// The parts of an SQL query for the totals shown by a plugin. Between "from" and "group",
// PluginReader adds a condition for the range of objects.
struct TotalQuery {
  // The totals count all votes (Scope::all), or only votes that the plugin does not store as rows
  // (Scope::beside).
  enum class Scope { all, beside };

  std::string_view table;      // as in VoteQuery
  std::string_view also = {};  // as in VoteQuery
  std::string_view object_type;
  // SQL expressions for the members of PluginTotal. If "from" is empty and "table" is "postmeta" or
  // "commentmeta", "votes", "sum", "more_votes" and "more_sum" are meta keys instead. The query
  // then reads all posts or comments that have at least one of the meta keys. If a post or comment
  // has several values for a meta key, the value with the lowest meta_id is used, as in WordPress.
  std::string_view votes, sum = {}, more_votes = {}, more_sum = {};
  std::string_view object_id = {}, published = "''";
  std::string_view from = {};   // must contain WHERE
  std::string_view group = {};  // needed if "from" contains several rows per object
  tl::expected<TotalMeaning, Reason> (*read)(const PluginTotal& total,
                                             const PluginContext& context);
  // Returns whether the plugin version in "context" shows these totals. If "applies" is nullptr,
  // all versions show the totals.
  bool (*applies)(const PluginContext& context) = nullptr;
  Scope scope = Scope::all;
};

// A query that counts rows that ratingd never imports.
struct SkippedRows {
  std::string_view table;  // as in VoteQuery
  std::string_view count;  // a query that returns a number
  Reason reason;
  // If "applies" is nullptr, the query is executed for every plugin version.
  bool (*applies)(const PluginContext& context) = nullptr;
};

struct PluginTable {
  std::string_view name;    // without the prefix
  bool is_required = true;  // every version of the plugin has this table
};

struct Plugin {
  std::string_view name;   // used on the command line and as the source of its aggregates
  std::string_view title;  // the plugin's name in messages
  // "options" is a LIKE pattern for the names of the plugin's options in the CMS, and "folder" is
  // the plugin's folder in the CMS's list of active plugins. With "options" and "folder", ratingd
  // can recognize a plugin whose tables ratingd may not read.
  std::string_view options, folder;
  std::span<const PluginTable> tables;
  std::span<const VoteQuery> votes;
  std::span<const TotalQuery> totals;
  std::span<const SkippedRows> skipped_rows;
  // Sets all members of "context" except the time zone. If "read_context" is nullptr, the plugin
  // needs no context other than the time zone. Can throw the same exceptions as db::Connection.
  void (*read_context)(db::Connection& connection, PluginContext& context) = nullptr;
  // If "shows_sums_only" is true, the plugin shows only stored sums, so it shows no votes for an
  // object without stored sums.
  bool shows_sums_only = false;
  // The plugin may round down a stored sum by up to this many steps of its scale.
  double rounding = 0;
};

// The function plugins() returns all supported plugins. The function plugin_named() returns the
// plugin named "name", or nullptr.
[[nodiscard]] std::span<const Plugin* const> plugins();
[[nodiscard]] const Plugin* plugin_named(std::string_view name);

// Return GRANT statements that allow reading the tables of "plugin". If "account" is omitted, the
// statements are for both of ratingd's database accounts. If a table does not exist, only the GRANT
// statement for this table fails.
[[nodiscard]] std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin);
[[nodiscard]] std::string plugin_grants(const store::GrantNames& names, const Plugin& plugin,
                                        const std::string& account);

// --- Functions for several plugins --------------------------------------------------------------

// Parse a time. The function unix_time() reads seconds since 1970. The function site_unix_time()
// reads a Unix time to which the site's UTC offset was added, like the result of WordPress's
// current_time( 'timestamp' ). The function utc_time() reads a datetime in UTC, and the function
// site_time() reads a datetime in the site's time zone. Each parser returns nothing if "text" has
// the wrong format or the time is before 1971.
[[nodiscard]] std::optional<base::Time> unix_time(std::string_view text, const base::Zone&);
[[nodiscard]] std::optional<base::Time> site_unix_time(std::string_view text,
                                                       const base::Zone& site_zone);
[[nodiscard]] std::optional<base::Time> utc_time(std::string_view text, const base::Zone&);
[[nodiscard]] std::optional<base::Time> site_time(std::string_view text,
                                                  const base::Zone& site_zone);

// The maximum length of a number. Queries return up to kMaxNumber + 1 characters, so that a longer
// number is detected and rejected.
inline constexpr std::size_t kMaxNumber = 32;
// The maximum length of other strings. If a string is longer than kMaxText characters, the rest is
// not read.
inline constexpr std::size_t kMaxText = 255;

// The maximum number of votes in a sum. The limit prevents integer overflow when votes are summed.
// The same limit applies in transfer/row.cpp.
inline constexpr std::int64_t kMaxVotes = 1'000'000'000;

inline constexpr Reason kNoNumber = Reason("the value is not a number");
inline constexpr Reason kOutOfRange = Reason("the plugin does not allow this value");
inline constexpr Reason kNoFigures = Reason();  // not reported, because there is nothing to compare
inline constexpr Reason kNoSums = Reason("the totals contradict each other");

// Converts a vote on a scale from "lowest" to "highest" to a fraction of "highest".
[[nodiscard]] tl::expected<VoteMeaning, Reason> scale_value(std::string_view value,
                                                            const model::Decimal& lowest,
                                                            const model::Decimal& highest);

// Converts the number of votes and their sum, on a scale whose highest value is "highest", to
// Figures. "votes" and "sum" must be results of php_number() or php_integer().
[[nodiscard]] tl::expected<TotalMeaning, Reason> scale_figures(std::optional<double> votes,
                                                               std::optional<double> sum,
                                                               double highest);

// Converts "figures" to totals with the same number of votes and the same sum. The values of the
// individual votes are unknown. Assumes that each vote has one of the two values nearest to the
// mean on a scale with "steps" steps.
[[nodiscard]] tl::expected<model::Totals, Reason> sums_of(model::Category category,
                                                          const Figures& figures, double steps);

// Converts a string to a number in the same way as PHP. Reads only the number at the beginning, so
// "13,5" is 13, and "1e3" is 1000. Returns nothing if "text" does not begin with a number, if
// "text" is longer than kMaxNumber characters, or if the number is too large.
[[nodiscard]] std::optional<double> php_number(std::string_view text);
// Like php_number(), but drops the fraction, as PHP's (int) cast does.
[[nodiscard]] std::optional<double> php_integer(std::string_view text);

// Convert a whole string to an integer or a floating-point number. Numbers of 10^12 or more are
// rejected, so that sums and products of several numbers do not overflow. No rating plugin stores
// numbers of 10^12 or more.
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
namespace rate_my_post {
extern const Plugin kPlugin;
}
namespace site_reviews {
extern const Plugin kPlugin;
}

}  // namespace imports
