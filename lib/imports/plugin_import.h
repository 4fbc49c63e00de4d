#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/stopwatch.h"
#include "base/zone_history.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "imports/find_plugins.h"
#include "imports/plugin.h"
#include "imports/plugin_voters.h"
#include "transfer/merge_preview.h"
#include "transfer/rating_merge.h"
#include "transfer/rating_removal.h"

namespace imports {

// Rows that were refused for the same reason.
struct Refusals {
  static constexpr std::size_t kMaxExamples = 3;

  std::int64_t count = 0;
  std::vector<std::string> examples;  // the first ones

  bool operator==(const Refusals&) const = default;
};

struct PluginReport {
  std::int64_t votes = 0;      // rows of single votes that were read
  std::int64_t anonymous = 0;  // of the votes that can be imported
  transfer::MergeCounts ratings;
  std::int64_t objects = 0;          // for which the plugin has sums
  std::int64_t votes_in_sums = 0;    // in the aggregates made from them
  transfer::MergeCounts aggregates;  // compared with those of earlier imports
  std::int64_t emptied = 0;          // aggregates of earlier imports without a sum in the plugin
  std::map<Reason, Refusals> refused;

  bool operator==(const PluginReport&) const = default;
};

// DESIGN. Imports the votes of a plugin in slices by the plugin's primary key, while the plugin and
// ratingd are in use. The rows of a slice are read, checked, converted to ratings and merged. Newer
// ratings win, so an import may be repeated after more votes arrived or after it was interrupted.
// Sums become aggregates with the plugin's name as their source; they are set, not added. They
// count on the day on which the object was published, since the days of the votes are unknown, and
// stay on that day.
//
// A dry run does the same but stores nothing (transfer::MergePreview). The memory of a real run
// does not depend on the number of votes.
//
// One object per import or part of one, used by one thread. Errors of functions that use the
// database: as db::Connection.
class PluginImport {
 public:
  struct Settings {
    std::string users_table;        // of the CMS
    std::string voter_key;          // key_of_imports()
    base::Time now;                 // votes of later times are refused
    model::FacetNames facets = {};  // of the site
    bool is_dry = false;
  };
  // Called with the progress of a table: "row" of about "rows".
  using Progress =
      std::function<void(std::string_view table, std::uint64_t row, std::uint64_t rows)>;
  // Where a part of an import begins: after a row, or an object, of one of the plugin's queries,
  // votes first.
  struct Position {
    std::size_t query = 0;
    std::uint64_t row = 0;

    bool operator==(const Position&) const = default;
  };
  struct Part {
    PluginReport report;
    std::optional<Position> next;  // of the next part; nothing: this one was the last
  };

  // "connection" and "plugin" must outlive this.
  PluginImport(db::Connection& connection, const Plugin& plugin, Settings settings);
  PluginImport(const PluginImport&) = delete;
  PluginImport& operator=(const PluginImport&) = delete;
  ~PluginImport();

  // REQUIRES: tables.is_enough; called once. Errors: also db::Busy - another operation changes many
  // ratings; as transfer::require_full_activity().
  PluginReport run(const PluginTables& tables, const Progress& progress);

  // The same for a part: from "begin" until about "budget" is used up. Each part does something,
  // and another operation may run between two of them. The previews of two parts count a rating
  // twice that both have.
  Part run_part(const PluginTables& tables, Position begin, std::chrono::milliseconds budget,
                const Progress& progress);

 private:
  using Ids = std::set<std::uint64_t>;
  struct Known {  // the ids of a slice that exist in the CMS
    Ids users, posts, comments;
  };
  using Aggregates = std::map<model::Object, std::vector<rollups::Aggregate>>;

  std::uint64_t last_row(const VoteQuery& query);
  std::vector<PluginVote> read_slice(const VoteQuery& query, std::uint64_t after);
  Known look_up(std::span<const PluginVote> votes);
  Ids existing(std::string_view find, const Ids& ids);
  // Both continue after "row", move it, and return whether they reached the end.
  bool import_votes(const VoteQuery& query, std::uint64_t& row, const Progress& progress);
  bool import_totals(const TotalQuery& query, std::uint64_t& row);
  void import_vote(const VoteQuery& query, const PluginVote& vote, const Known& known,
                   std::vector<transfer::StoredRating>& ratings);
  tl::expected<transfer::StoredRating, Reason> rating_of(const VoteQuery& query,
                                                         const PluginVote& vote,
                                                         const Known& known);
  model::VoterId voter_of(const VoteQuery& query, const PluginVote& vote, const Known& known) const;
  void store(std::vector<transfer::StoredRating> ratings);
  std::vector<PluginTotal> read_totals(const TotalQuery& query, std::uint64_t after);
  Aggregates earlier_aggregates(const TotalQuery& query, std::span<const PluginTotal> totals);
  void import_total(const TotalQuery& query, const PluginTotal& total,
                    std::vector<rollups::Aggregate> earlier,
                    std::vector<rollups::Aggregate>& aggregates,
                    std::vector<rollups::Aggregate::Key>& emptied);
  void count_leftovers(const PluginTables& tables);
  void refuse(Reason reason, const std::string& example);

  db::Connection& connection_;
  const Plugin& plugin_;
  const Settings settings_;
  const PluginVoters voters_;
  const transfer::RatingMerge merge_;
  const transfer::RatingRemoval removal_;
  transfer::Slices slices_;
  transfer::MergeMemory memory_;
  const std::string find_users_;  // the beginning of a statement
  base::ZoneHistory zones_;       // of the rollups' days
  PluginFacts facts_;
  std::unique_ptr<transfer::MergePreview> preview_;  // of a dry run
  base::Stopwatch time_;
  std::chrono::milliseconds budget_ = std::chrono::milliseconds::max();
  PluginReport report_;
};

}  // namespace imports
