#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analytics/materialized_lists.h"
#include "api/app.h"
#include "api/fields.h"
#include "db/migrations.h"
#include "handlers/handlers.h"
#include "imports/damaged_table.h"
#include "imports/find_plugins.h"
#include "imports/plugin.h"
#include "imports/plugin_import.h"
#include "imports/plugin_request.h"
#include "imports/plugin_voters.h"
#include "json/codec.h"

namespace handlers {
namespace {

using imports::FoundPlugin;
using imports::PluginImport;

// The time limit for one part of an import, which is much shorter than web server timeouts.
constexpr std::chrono::milliseconds kPartBudget{4000};

tl::expected<std::string, api::Error> key_for(const api::Core& core, const api::Call& call,
                                              db::Connection& connection, bool is_dry) {
  std::vector<std::string> keys;
  for (const identity::Keys& one : core.keys) keys.push_back(one.imports);
  auto key = imports::key_of_imports(connection, keys, is_dry);
  if (key) return *std::move(key);
  core.log.error("request_failed", {{"request", call.request.id}, {"error", key.error().text()}});
  return tl::unexpected(api::Error{api::ErrorCode::internal, std::move(key.error())});
}

void write_counts(json::Writer& json, const imports::PluginReport& report) {
  const transfer::MergeCounts& votes = report.ratings;
  const transfer::MergeCounts& sums = report.aggregates;
  json.key("votes").begin_object().key("read").integer(report.votes);
  json.key("anonymous").integer(report.anonymous).key("new").unsigned_integer(votes.added);
  json.key("changed").unsigned_integer(votes.changed).key("kept").unsigned_integer(votes.kept);
  json.key("folded").unsigned_integer(votes.too_old).end_object();
  json.key("sums").begin_object().key("objects").integer(report.objects);
  json.key("votes").integer(report.votes_in_sums).key("new").unsigned_integer(sums.added);
  json.key("changed").unsigned_integer(sums.changed).key("kept").unsigned_integer(sums.kept);
  json.key("removed").integer(report.emptied).end_object();
  json.key("refused").begin_array();
  for (const auto& [reason, refusals] : report.refused) {
    json.begin_object().key("reason").string(reason).key("count").integer(refusals.count);
    json.key("examples").begin_array();
    for (const std::string& example : refusals.examples) json.string(example);
    json.end_array().end_object();
  }
  json.end_array();
  json.key("withdrawn").integer(report.withdrawn).key("taken_back").integer(report.taken_back);
  json.key("different").integer(report.different).key("differences").begin_array();
  for (const imports::Difference& difference : report.differences) {
    json.begin_object().key("object").string(difference.object);
    json.key("plugin_votes").integer(difference.shown_votes);
    json.key("plugin_average").decimal(std::llround(difference.shown_average * 100), 2);
    json.key("votes").integer(difference.votes);
    json.key("average").decimal(std::llround(difference.average * 100), 2);
    json.key("reason").string(difference.why).end_object();
  }
  json.end_array();
}

// Returns the response for one part of the import. "done" is the fraction of objects already
// imported, from 0 to 1.
api::Answer part_answer(const PluginImport::Part& part, double done) {
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  write_counts(json, part.report);
  json.key("percent").integer(part.next ? static_cast<int>(99 * done) : 100).key("next");
  part.next ? json.string(std::to_string(*part.next)) : json.null();
  json.end_object().end_object();
  return answer;
}

// Returns the GRANT statements that allow ratingd's current database account to read the plugin's
// tables.
std::vector<std::string> missing_grants(db::Connection& connection, const imports::Plugin& plugin) {
  const auto account = connection.query("SELECT CURRENT_USER()").first(db::text_in);
  const store::GrantNames names{.database = connection.endpoint().schema,
                                .table_prefix = connection.table_prefix()};
  return db::statements_of(imports::plugin_grants(names, plugin, account.value_or("")));
}

void write_plugin(json::Writer& json, db::Connection& connection, const FoundPlugin& found) {
  json.begin_object().key("name").string(found.plugin->name);
  json.key("title").string(found.plugin->title);
  json.key("readable").boolean(found.tables.is_enough).key("grants").begin_array();
  if (!found.tables.is_enough) {
    for (const std::string& grant : missing_grants(connection, *found.plugin)) {
      json.string(grant + ";");
    }
  }
  json.end_array().key("damaged").begin_array();
  for (const auto& [table, error] : found.tables.damaged) {
    json.begin_object().key("table").string(connection.table_prefix() + std::string(table));
    json.key("error").string(error).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

api::Result list_plugins(const api::Core& core, const api::Call&) {
  return core.sessions.with_session([&](db::Connection& connection) -> api::Result {
    api::Answer answer;
    json::Writer json(answer.body);
    json.begin_object().key("success").boolean(true).key("data").begin_array();
    for (const FoundPlugin& found : imports::find_plugins(connection)) {
      write_plugin(json, connection, found);
    }
    json.end_array().end_object();
    return answer;
  });
}

api::Result import_plugin(const api::Core& core, const api::Reading& reading,
                          const api::Transfers& transfers, const api::Call& call) {
  api::Fields fields(call.parameters);
  const auto request = imports::read_plugin_request(fields, call.argument);
  if (request.plugin == nullptr) {
    return tl::unexpected(
        api::Error{api::ErrorCode::not_found, base::Message("There is no such plugin.")});
  }
  constexpr std::array<std::string_view, 2> kNames = {"dry_run", "after"};
  fields.reject_unknown(kNames);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  api::TransferSession session(transfers);
  db::Connection& connection = session.connection();
  const auto tables = imports::find_tables(connection, *request.plugin);
  if (!tables.is_enough) {
    return tl::unexpected(api::Error{api::ErrorCode::not_found,
                                     base::Message("The tables of this plugin cannot be read.")});
  }
  const auto key = key_for(core, call, connection, request.is_dry);
  if (!key) return tl::unexpected(key.error());

  PluginImport import(connection, *request.plugin,
                      {.users_table = transfers.users_table,
                       .voter_key = *key,
                       .now = call.request.received_at,
                       .facets = call.site.settings.facets,
                       .is_dry = request.is_dry});
  const auto answer_with_part = [&](const auto& note) {
    double done = 0;
    const PluginImport::Part part = import.run_part(
        tables, request.after, kPartBudget, [&](std::uint64_t object, std::uint64_t last) {
          done =
              static_cast<double>(object) / static_cast<double>(std::max<std::uint64_t>(last, 1));
        });
    note(part.report.ratings);
    return part_answer(part, done);
  };
  try {
    if (request.is_dry) return answer_with_part([](const auto&) {});
    const api::ChangeOfMany change(reading);
    return answer_with_part([&](const auto& ratings) {
      analytics::invalidate_lists(connection);
      core.log.info("plugin_votes_imported", {{"request", call.request.id},
                                              {"plugin", std::string(request.plugin->name)},
                                              {"new", ratings.added},
                                              {"changed", ratings.changed}});
    });
  } catch (const imports::DamagedTable& damaged) {
    // The import may have stored votes before it reached the damaged row.
    if (!request.is_dry) analytics::invalidate_lists(connection);
    return tl::unexpected(api::Error{api::ErrorCode::not_found, damaged.message});
  }
}

}  // namespace handlers
