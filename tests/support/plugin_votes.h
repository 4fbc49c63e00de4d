#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "imports/plugin_import.h"
#include "store/grants.h"
#include "support/tests_folder.h"
#include "support/voting.h"
#include "transfer/clean.h"

namespace support {

using Lines = std::vector<std::string>;

// Imports plugin fixtures with a database account whose privileges come from "ratingctl grants
// --from".
class PluginVotes : public Voting {
 protected:
  using Plugin = imports::Plugin;
  using PluginReport = imports::PluginReport;
  using Refusals = imports::Refusals;

  PluginVotes() { load("site"); }

  // Loads the fixture "name" into the database.
  void load(const std::string& name) {
    const std::string text = text_in_tests("imports/plugins/" + name + ".sql");
    for (const std::string& statement : db::statements_of(text)) owner_.execute(statement);
  }
  void load_with_privileges(const Plugin& plugin) {
    load(std::string(plugin.name));
    grant(plugin);
  }
  void grant(const Plugin& plugin) {
    for (const auto& statement :
         db::statements_of(imports::plugin_grants(database_.names(), plugin))) {
      try {
        owner_.execute(statement);
      } catch (const db::Failure& failure) {
        EXPECT_EQ(failure.code(), 1146) << failure.what();  // the table does not exist
      }
    }
  }

  db::Endpoint ratingctl() const {
    db::Endpoint endpoint = database_.endpoint();
    const std::string& account = database_.names().ratingctl;
    endpoint.user = account.substr(0, account.find('@'));
    return endpoint;
  }
  imports::PluginImport::Settings settings(bool is_dry = false) const {
    return {.users_table = kPrefix + "users",
            .voter_key = "key",
            .now = now_,
            .facets = facets_,
            .is_dry = is_dry};
  }
  PluginReport import(const Plugin& plugin, bool is_dry = false) {
    db::Connection connection(ratingctl());
    const auto tables = imports::find_tables(connection, plugin);
    EXPECT_TRUE(tables.is_enough);
    imports::PluginImport import(connection, plugin, settings(is_dry));
    return import.run(tables, progress_);
  }
  // Performs a dry run and two imports. Expects that the dry run stores nothing and reports the
  // same counts as the first import, and that the second import finds nothing new.
  PluginReport import_thrice(const Plugin& plugin) {
    const PluginReport dry = import(plugin, true);
    EXPECT_EQ(everything(), Lines());
    PluginReport first = import(plugin);
    EXPECT_EQ(dry, first);
    expect_verified();
    const Lines stored = everything();
    const PluginReport second = import(plugin);
    EXPECT_EQ(second.ratings, transfer::MergeCounts{.kept = all(first.ratings)});
    EXPECT_EQ(second.aggregates, transfer::MergeCounts{.kept = all(first.aggregates)});
    EXPECT_EQ(second.refused, first.refused);
    EXPECT_EQ(everything(), stored);
    expect_verified();
    return first;
  }
  static std::size_t all(const transfer::MergeCounts& counts) {
    return counts.added + counts.changed + counts.kept + counts.too_old;
  }

  Lines lines(const std::string& query) {
    Lines result;
    for (db::Rows row = owner_.query(query); row.next();) result.push_back(row.text(1));
    return result;
  }
  Lines everything() {
    Lines all = ratings();
    for (const Lines& more : {aggregates(), active_voters()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  // Returns a line such as "post 1 scale 7 800 2026-01-10 12:00:00" for each rating. A line
  // contains the object, the category, the voter, the value and the time.
  Lines ratings() {
    return lines(
        "SELECT CONCAT_WS(' ', object_type, object_id, ELT(category + 1, 'binary', 'bipolar',"
        " 'scale'), IF(voter < 1 << 63, voter, 'anonymous'), value, CAST(rated_at AS DATETIME(0)))"
        " AS line FROM wp_ratingd_votes ORDER BY line");
  }
  // Returns a line such as "post 1 scale 2025-01-01 yasr 8600: 7 x 8, 3 x 10" for each aggregate. A
  // line ends with the sum and the bins that are not empty.
  Lines aggregates() {
    std::string bins;
    for (int i = 0; i < 11; ++i) {
      const std::string bin = "bin" + std::to_string(i);
      bins += ", IF(" + bin + " = 0, NULL, CONCAT(" + bin + ", ' x " + std::to_string(i) + "'))";
    }
    return lines(
        "SELECT CONCAT(CONCAT_WS(' ', object_type, object_id, ELT(category + 1, 'binary',"
        " 'bipolar', 'scale'), day, source, sum), ': ', CONCAT_WS(', '" +
        bins + ")) AS line FROM wp_ratingd_balances ORDER BY line");
  }
  Lines active_voters() {
    return lines("SELECT CONCAT_WS(' ', voter, last_day) FROM wp_ratingd_voters ORDER BY voter");
  }
  std::int64_t anonymous_voters() {
    return number("SELECT COUNT(DISTINCT voter) FROM wp_ratingd_votes WHERE voter >= 1 << 63");
  }

  base::Time now_ = kNoon;
  model::FacetNames facets_;
  db::Connection owner_{database_.owner()};
  imports::PluginImport::Progress progress_ = [](std::uint64_t, std::uint64_t) {};
};

}  // namespace support
