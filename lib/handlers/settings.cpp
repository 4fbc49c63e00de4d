#include "model/settings.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "handlers/handlers.h"
#include "json/codec.h"
#include "openapi/setting_schemas.h"
#include "store/settings_store.h"
#include "store/template_store.h"

namespace handlers {
namespace {

using model::Setting;
using model::SettingType;

// Writes the titles of the setting and of its choices. User interfaces show titles instead of
// names.
void write_titles(json::Writer& json, const Setting& setting) {
  json.key("title").string(setting.title).key("group").string(setting.group);
  json.key("advanced").boolean(setting.is_advanced);
  if (!setting.keywords.empty()) json.key("keywords").string(setting.keywords);
  if (setting.choices.empty()) return;
  json.key("enum_titles").begin_object();
  for (const model::Choice& choice : setting.choices) json.key(choice.name).string(choice.title);
  json.end_object();
}

void write_groups(json::Writer& json) {
  json.key("groups").begin_array();
  for (const model::SettingGroup& group : model::setting_groups()) {
    json.begin_object().key("name").string(group.name).key("title").string(group.title);
    json.end_object();
  }
  json.end_array();
}

// Writes the schema for a setting with its titles and its group.
void write_schema(json::Writer& json, const Setting& setting, bool is_fixed) {
  json.begin_object();
  openapi::write_allowed(json, setting);
  if (is_fixed) json.key("readOnly").boolean(true);
  json.key("default")
      .raw(openapi::default_of(setting))
      .key("description")
      .string(setting.description);
  write_titles(json, setting);
  json.end_object();
}

// Version 0.2 clients read the "problems" member, and later clients read the "problem_details"
// member.
void write_problems(json::Writer& json, const std::vector<store::SettingProblem>& problems) {
  if (problems.empty()) return;
  json.key("problems").begin_array();
  for (const auto& problem : problems) json.string(problem.message.text());
  json.end_array().key("problem_details").begin_array();
  for (const auto& [name, message] : problems) {
    json.begin_object().key("setting").string(name).key("message").string(message.text());
    api::write_pattern(json, message);
    json.end_object();
  }
  json.end_array();
}

// A network enforces some settings for all its sites. In the "network" scope, a setting that the
// network does not enforce is null.
enum class Scope { site, network };

api::Answer settings_answer(const store::StoredSettings& stored,
                            const store::TemplateChoices& templates, Scope scope) {
  const auto is_fixed = [&](const Setting& setting) {
    return stored.fixed.contains(std::string(setting.name));
  };
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  for (const Setting& setting : model::all_settings()) {
    json.key(setting.name);
    if (scope == Scope::network && !is_fixed(setting)) {
      json.null();
    } else {
      store::write_setting_value(json, setting.get(stored.settings));
    }
  }
  json.end_object().key("meta").begin_object().key("schema").begin_object();
  for (const Setting& setting : model::all_settings()) {
    json.key(setting.name);
    write_schema(json, templates.of(setting), scope == Scope::site && is_fixed(setting));
  }
  json.end_object();
  write_groups(json);
  write_problems(json, stored.problems);
  json.end_object().end_object();
  return answer;
}

using Values = store::NamedValues;

// Returns the members of the given parameter, or nothing if the parameter is not a JSON object.
std::optional<Values> members_of(const api::Parameters& parameters, std::string_view name) {
  const json::Value* value = parameters.find(name);
  const auto* object = value == nullptr ? nullptr : std::get_if<json::Value::Object>(&value->data);
  if (object == nullptr) return std::nullopt;
  Values members;
  for (const auto& [key, member] : *object) members.emplace(key, member);
  return members;
}

// Returns the settings in a request. The settings are inside "data" or "settings", or at the top
// level of the body. At the top level, names that start with "_" are WordPress's own parameters,
// such as `_locale`.
Values named_values(const api::Parameters& parameters) {
  for (const std::string_view name : {"data", "settings"}) {
    if (auto members = members_of(parameters, name)) {
      std::erase_if(*members, [](const auto& member) { return member.second.is_null(); });
      return *std::move(members);
    }
  }
  Values values;
  for (const auto& [name, value] : parameters.in_body()) {
    if (name.starts_with('_')) continue;
    const Setting* setting = model::find_setting(name);
    const bool is_list = setting != nullptr && setting->type == SettingType::list;
    values.emplace(name, is_list ? *parameters.find_list(name) : *value);
  }
  return values;
}

tl::expected<store::SettingRequest, api::Error> read_request(const Values& named) {
  auto request = store::read_setting_request(named);
  if (request) return *std::move(request);
  return tl::unexpected(
      api::Error{.code = api::ErrorCode::invalid_parameters, .fields = std::move(request.error())});
}

// Logs the names of changed settings, if there are any. The logged names begin with "prefix".
void log_changes(const api::Core& core, const api::Call& call,
                 const store::RequestedChanges& changes, std::string_view prefix = "") {
  if (changes.empty()) return;
  std::string names;
  for (const auto& [name, value] : changes) {
    names.append(names.empty() ? "" : ",").append(prefix).append(name);
  }
  core.log.info("settings_changed", {{"request", call.request.id}, {"names", names}});
}

tl::unexpected<api::Error> not_for_all_sites() {
  return tl::unexpected(api::Error{api::ErrorCode::not_for_all_sites});
}

tl::unexpected<api::Error> missing_data() {
  return tl::unexpected(
      api::Error{.code = api::ErrorCode::missing_parameters, .fields = {{"data", {}, {}}}});
}

tl::unexpected<api::Error> refused(const store::RefusedChange& change) {
  return tl::unexpected(api::Error{.code = api::ErrorCode::invalid_parameters,
                                   .fields = {store::error_of(change.name, change.refusal)}});
}

}  // namespace

api::Result read_settings(const api::Core& core, const api::Call&) {
  return core.sessions.with_session([&](db::Connection& connection) {
    const store::TemplateChoices templates(connection);
    return settings_answer(store::load_settings(connection, templates), templates, Scope::site);
  });
}

api::Result change_settings(const api::Core& core, const api::Call& call) {
  const auto request = read_request(named_values(call.parameters));
  if (!request) return tl::unexpected(request.error());
  return core.sessions.with_session([&](db::Connection& connection) -> api::Result {
    const store::TemplateChoices templates(connection);
    auto stored = store::change_settings(connection, store::values_of(request->changes), templates);
    if (!stored) return refused(stored.error());
    log_changes(core, call, request->changes);
    std::ranges::copy(request->ignored, std::back_inserter(stored->problems));
    return settings_answer(*stored, templates, Scope::site);
  });
}

api::Result read_network_settings(const api::Core& core, const api::Call&) {
  return core.sessions.with_session([](db::Connection& connection) -> api::Result {
    if (!connection.endpoint().is_of_first_site()) return not_for_all_sites();
    return settings_answer(store::load_fixed_settings(connection), {}, Scope::network);
  });
}

api::Result change_network_settings(const api::Core& core, const api::Call& call) {
  return core.sessions.with_session([&](db::Connection& connection) -> api::Result {
    if (!connection.endpoint().is_of_first_site()) return not_for_all_sites();
    // At the top level, a member with the value null counts as absent (api::Parameters).
    const auto named = members_of(call.parameters, "data");
    if (!named) return missing_data();
    const auto request = read_request(*named);
    if (!request) return tl::unexpected(request.error());
    auto stored = store::fix_settings(connection, request->changes);
    if (!stored) return refused(stored.error());
    log_changes(core, call, request->changes, store::kFixed);
    std::ranges::copy(request->ignored, std::back_inserter(stored->problems));
    return settings_answer(*stored, {}, Scope::network);
  });
}

}  // namespace handlers
