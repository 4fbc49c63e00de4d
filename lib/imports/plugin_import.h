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

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "imports/find_plugins.h"
#include "imports/import_marks.h"
#include "imports/known_ids.h"
#include "imports/object_votes.h"
#include "imports/plugin.h"
#include "imports/plugin_reader.h"
#include "imports/plugin_voters.h"
#include "transfer/merge_preview.h"
#include "transfer/rating_merge.h"
#include "transfer/rating_removal.h"

namespace imports {

// The number of rows rejected for one reason, with examples.
struct Refusals {
  static constexpr std::size_t kMaxExamples = 3;

  std::int64_t count = 0;
  std::vector<std::string> examples;  // the first of these rows

  bool operator==(const Refusals&) const = default;
};

// Describes an object whose number of votes or average in ratingd differs from the figures shown by
// the plugin.
struct Difference {
  std::string object;
  std::int64_t shown_votes = 0;  // shown by the plugin
  double shown_average = 0;
  std::int64_t votes = 0;  // imported by ratingd
  double average = 0;
  Reason why;

  bool operator==(const Difference&) const = default;
};

struct PluginReport {
  static constexpr std::size_t kMaxDifferences = 100;

  std::int64_t votes = 0;      // rows with individual votes that were read
  std::int64_t anonymous = 0;  // how many of the votes that can be imported are anonymous
  transfer::MergeCounts ratings;
  std::int64_t withdrawn = 0;  // ratings that were withdrawn or erased since they were imported
  // The number of ratings that this import removed, because version 0.3 had stored them for strings
  // that do not identify a voter.
  std::int64_t taken_back = 0;
  std::int64_t objects = 0;          // objects with aggregates
  std::int64_t votes_in_sums = 0;    // votes that become part of aggregates
  transfer::MergeCounts aggregates;  // compared with the aggregates from earlier imports
  std::int64_t emptied = 0;          // aggregates from earlier imports that are no longer needed
  std::map<Reason, Refusals> refused;
  std::int64_t different = 0;           // the number of objects with a difference
  std::vector<Difference> differences;  // contains at most kMaxDifferences differences

  bool operator==(const PluginReport&) const = default;
};

// DESIGN. Imports a plugin's votes in ranges of objects (PluginReader). The plugin and ratingd
// remain in use during the import. For each object, ObjectVotes decides which rows of the plugin's
// tables become ratings and which are counted in sums. A newer rating replaces an older rating, so
// an import may be repeated after an interruption, or after more votes have arrived.
//
// Sums become aggregates. The source of an aggregate is the plugin's name, with the ":dated" suffix
// if the days of the votes are known. If the days are unknown, the votes are counted on the day on
// which the object was published. Later imports keep this day even if the object's publication date
// changes. One transaction replaces all aggregates of an object. The aggregates depend only on the
// plugin's tables, not on the ratings in ratingd.
//
// For each object, the import stores marks, which record the votes that it has read
// (import_marks.h). If a mark shows that a vote was imported earlier and its rating no longer
// exists, the rating was withdrawn or erased, and the vote is not imported again. If the plugin has
// fewer votes than at the last import, the plugin has deleted votes, and the object's aggregates do
// not change. The aggregates do not change either if a merge has moved them to or from another
// object (transfer/import_records.h).
//
// A dry run makes the same decisions but stores nothing (transfer::MergePreview). The memory
// required for a real run depends only on the maximum number of votes on one object.
//
// Create a separate PluginImport for each import or part of an import. Not safe for concurrent use.
// Functions that use the database can throw DamagedTable and the same exceptions as db::Connection.
// If DamagedTable is thrown, the votes in earlier ranges remain stored, but no vote in the
// unreadable range is stored.
class PluginImport {
 public:
  // An aggregate's source has this suffix if the days of the votes are known.
  static constexpr std::string_view kDated = ":dated";

  struct Settings {
    std::string users_table;        // the CMS's table of users
    std::string voter_key;          // the result of key_of_imports()
    base::Time now;                 // later votes are refused
    model::FacetNames facets = {};  // the site's facets
    bool is_dry = false;
  };
  // A callback that receives the id of the most recently finished object and the id of the last
  // object.
  using Progress = std::function<void(std::uint64_t object, std::uint64_t last)>;
  struct Part {
    PluginReport report;
    std::optional<std::uint64_t> next;  // the last object in this part; empty if no part is left
  };

  // "connection" and "plugin" must outlive the PluginImport.
  PluginImport(db::Connection& connection, const Plugin& plugin, Settings settings);
  PluginImport(const PluginImport&) = delete;
  PluginImport& operator=(const PluginImport&) = delete;
  ~PluginImport();

  // Imports all votes. All required tables must be readable ("tables.is_enough"), and run() must be
  // the first call on this object. Can also throw the exceptions of
  // transfer::require_full_activity(), and db::Busy if another operation is changing many ratings.
  PluginReport run(const PluginTables& tables, const Progress& progress);

  // Like run(), but imports only some of the votes. Starts after the object with the id "after",
  // and runs for approximately the time "budget". Each call imports at least one range. Other
  // operations may run between calls.
  Part run_part(const PluginTables& tables, std::uint64_t after, std::chrono::milliseconds budget,
                const Progress& progress);

 private:
  struct ObjectState;
  struct Voter;
  struct Change {  // a change to one object's aggregates and marks
    std::vector<rollups::Aggregate::Key> earlier;
    std::vector<rollups::Aggregate> aggregates;
    ImportMarks marks;
  };
  using Objects = std::map<model::Object, ObjectState>;
  using Stored = std::map<model::RatingKey, model::OwnRating>;

  void import_range(PluginReader& reader, const ObjectRange& range);
  void read_vote(std::size_t query, const PluginVote& vote, const KnownIds& known,
                 Objects& objects);
  void note_row(const VoteQuery& query, const PluginVote& vote, const model::Object& object,
                ObjectState& state);
  [[nodiscard]] tl::expected<model::Object, Reason> object_of(const PluginVote& vote,
                                                              const KnownIds& known) const;
  void note_gone(const VoteQuery& query, const PluginVote& vote, Objects& objects);
  Voter voter_of(const VoteQuery& query, const PluginVote& vote, const KnownIds& known) const;
  void read_total(const TotalQuery& query, const PluginTotal& total, Objects& objects);
  void finish(const model::Object& object, ObjectState& state);
  void compare(const model::Object& object, ObjectState& state);
  ObjectVotes& votes_of(const model::Object& object, model::Category category, ObjectState& state);
  void keep_aggregates(const model::Object& object, const ObjectState& state, Reason why);
  void add_ratings(const model::Object& object, model::Category category, const ObjectVotes& votes);
  [[nodiscard]] bool was_read(const model::Object& object, const CountedVote& vote) const;
  void note_difference(const model::Object& object, model::Category category, const Figures& shown,
                       const Figures& imported, Reason why);
  [[nodiscard]] std::vector<rollups::Aggregate> aggregates_of(const model::Object& object,
                                                              const ObjectState& state) const;
  void count_aggregates(const Change& change, const std::vector<rollups::Aggregate>& earlier);
  void read_earlier_aggregates(const ObjectRange& range, Objects& objects);
  Stored stored_ratings(const std::set<model::RatingKey>& keys);
  void take_back_marks();
  void drop_withdrawn();
  void store_ratings();
  void store_aggregates();
  void refuse(Reason reason, const std::string& example);

  db::Connection& connection_;
  const Plugin& plugin_;
  const Settings settings_;
  const PluginVoters voters_;
  const transfer::RatingMerge merge_;
  const transfer::RatingRemoval removal_;
  transfer::Slices slices_;
  transfer::MergeMemory memory_;
  base::ZoneHistory zones_;  // time zones of the rollups' days
  PluginContext context_;
  double steps_;                                     // the number of steps in the plugin's scale
  std::unique_ptr<transfer::MergePreview> preview_;  // used only by a dry run
  PluginReport report_;
  std::set<std::string_view> replaced_logs_;  // see PluginReader::replaced_logs()

  // The members below contain data for the current range of objects.
  ImportMarks marks_;
  std::vector<transfer::StoredRating> ratings_;
  std::set<model::RatingKey> known_;  // keys of "ratings_" that an earlier import has read
  // Ratings that version 0.3 may have stored for strings that do not identify a voter. The import
  // removes these ratings.
  std::map<model::RatingKey, std::vector<model::OwnRating>> marked_;
  std::vector<Change> changes_;  // each change is for one object
};

}  // namespace imports
