#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "imports/plugin.h"
#include "imports/plugin_voters.h"
#include "transfer/bulk_ratings.h"

namespace imports {

// What was not taken over for one and the same reason.
struct Refusals {
  static constexpr std::size_t kMaxExamples = 3;

  std::int64_t count = 0;
  std::vector<std::string> examples;  // the first ones

  bool operator==(const Refusals&) const = default;
};

struct PluginReport {
  std::int64_t votes = 0;      // rows of single votes that were read
  std::int64_t anonymous = 0;  // of those that can be taken over
  transfer::MergeCounts ratings;
  std::int64_t objects = 0;          // that the plugin has sums of
  std::int64_t votes_in_sums = 0;    // in the balances that these become
  transfer::MergeCounts aggregates;  // compared with those of earlier imports
  std::int64_t emptied = 0;          // balances of earlier imports that the plugin knows no more
  std::map<Reason, Refusals> refused;

  bool operator==(const PluginReport&) const = default;
};

// Which of a plugin's tables can be read by this account.
struct PluginTables {
  std::set<std::string_view> readable;
  std::vector<std::string_view> missing;  // not there, or not to be read
  bool is_enough = false;                 // to import at all
};
[[nodiscard]] PluginTables find_tables(db::Connection& connection, const std::string& table_prefix,
                                       const Plugin& plugin);

// DESIGN. Takes a plugin's votes over, in slices by the plugin's primary key, while it and ratingd
// go on. A slice's rows are read, checked and turned into ratings, then merged: newer ones win, so
// that an import may be repeated after more votes came, or after it was interrupted. Sums become
// balances with the plugin's name as their source: set, not added. They count on the day on which
// the object was published, since nothing tells when the votes were cast, and stay on that day.
//
// A dry run does the same and stores nothing. To count what it would do it notes the time of each
// rating it has seen, some 60 bytes each: a real run uses the same memory however many there are.
//
// Of one import, used by one thread. Errors of all that talks to the database: as db::Connection.
class PluginImport {
 public:
  struct Settings {
    std::string table_prefix;
    std::string users_table;  // of the CMS
    std::string voter_key;    // key_of_imports()
    base::Time now;           // votes of later times are refused
    bool is_dry = false;
  };
  // Hears how far the import of a table has got: up to "row" of about "rows".
  using Progress =
      std::function<void(std::string_view table, std::uint64_t row, std::uint64_t rows)>;

  // "connection" and "plugin" must outlive this.
  PluginImport(db::Connection& connection, const Plugin& plugin, Settings settings);
  PluginImport(const PluginImport&) = delete;
  PluginImport& operator=(const PluginImport&) = delete;
  ~PluginImport();

  // REQUIRES: tables.is_enough; called once.
  PluginReport run(const PluginTables& tables, const Progress& progress);

 private:
  class Preview;
  using Ids = std::set<std::uint64_t>;
  struct Known {  // which the CMS has, of those that a slice names
    Ids users, posts, comments;
  };
  using Aggregates = std::map<model::Object, std::vector<rollups::Aggregate>>;

  [[nodiscard]] std::string sql(std::string_view text) const;
  std::uint64_t last_row(const VoteQuery& query);
  std::vector<PluginVote> read_slice(const VoteQuery& query, std::uint64_t after);
  Known look_up(std::span<const PluginVote> votes);
  Ids existing(const db::BulkStatement& find, const Ids& ids);
  void import_votes(const VoteQuery& query, const Progress& progress);
  void take(const VoteQuery& query, const PluginVote& vote, const Known& known,
            std::vector<transfer::StoredRating>& ratings);
  tl::expected<transfer::StoredRating, Reason> rating_of(const VoteQuery& query,
                                                         const PluginVote& vote,
                                                         const Known& known);
  model::VoterId voter_of(const VoteQuery& query, const PluginVote& vote, const Known& known) const;
  void store(std::vector<transfer::StoredRating> ratings);
  void import_totals(const TotalQuery& query);
  std::vector<PluginTotal> read_totals(const TotalQuery& query, std::uint64_t after);
  Aggregates earlier_aggregates(const TotalQuery& query, std::span<const PluginTotal> totals);
  void take(const TotalQuery& query, const PluginTotal& total,
            std::vector<rollups::Aggregate> earlier, std::vector<rollups::Aggregate>& aggregates,
            std::vector<rollups::Aggregate::Key>& emptied);
  void count_leftovers(const PluginTables& tables);
  void refuse(Reason reason, const std::string& example);

  db::Connection& connection_;
  const Plugin& plugin_;
  const Settings settings_;
  const PluginVoters voters_;
  const transfer::BulkRatings bulk_;
  const db::BulkStatement find_users_, find_posts_, find_comments_, find_aggregates_;
  base::Zone zone_;  // of the rollups' days
  PluginFacts facts_;
  std::unique_ptr<Preview> preview_;  // of a dry run
  PluginReport report_;
};

}  // namespace imports
