#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "imports/find_plugins.h"
#include "imports/plugin.h"

namespace imports {

// The objects whose ids are greater than "after" and at most "upto".
struct ObjectRange {
  std::uint64_t after = 0;
  std::uint64_t upto = 0;

  bool operator==(const ObjectRange&) const = default;
};

// Reads a plugin's tables one range of objects at a time, so that all data about an object is read
// together. Not safe for concurrent use. All functions can throw the same exceptions as
// db::Connection. All functions throw DamagedTable if the server can read only part of a table, or
// if a table lacks a column.
class PluginReader {
 public:
  // All arguments must outlive the PluginReader.
  PluginReader(db::Connection& connection, const Plugin& plugin, const PluginTables& tables,
               const PluginContext& context)
      : connection_(connection), plugin_(plugin), tables_(tables), context_(context) {}

  // Returns the next range of objects that contains plugin data or the records of earlier imports
  // (imports/import_marks.h). A range contains either objects with a few thousand votes in total,
  // or a single object with more votes. Returns nothing after the last range.
  [[nodiscard]] std::optional<ObjectRange> next_range(std::uint64_t after);
  [[nodiscard]] std::uint64_t last_object();

  // Returns the number of votes with an invalid object id.
  [[nodiscard]] std::int64_t count_without_object();

  // Returns the logs that this database account cannot read, if the plugin has copied their votes
  // to a log that the account can read.
  [[nodiscard]] std::set<std::string_view> replaced_logs() const;

  // Passes the votes of each VoteQuery to "on_votes" in slices ordered by key, along with the
  // query's index.
  using OnVotes = std::function<void(std::size_t query, std::span<const PluginVote> votes)>;
  void for_votes(const ObjectRange& range, const OnVotes& on_votes);

  using OnTotal = std::function<void(const TotalQuery& query, const PluginTotal& total)>;
  void for_totals(const ObjectRange& range, const OnTotal& on_total);
  // Calls "on_skipped" with the reason and the number of rows that are never imported for this
  // reason.
  void for_skipped_rows(const std::function<void(Reason reason, std::int64_t count)>& on_skipped);

 private:
  struct Ids;
  // Calls "read" to execute "query". Throws DamagedTable if the server can read only part of the
  // table, or if the table lacks a column.
  template <typename Query>
  void reading(const Query& query, const std::function<void()>& read);
  [[nodiscard]] bool reads(const VoteQuery& query) const {
    return tables_.have(query.table, query.also);
  }
  [[nodiscard]] bool reads(const TotalQuery& query) const {
    return tables_.have(query.table, query.also) &&
           (query.applies == nullptr || query.applies(context_));
  }

  db::Connection& connection_;
  const Plugin& plugin_;
  const PluginTables& tables_;
  const PluginContext& context_;
};

}  // namespace imports
