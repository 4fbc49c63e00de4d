#include "imports/plugin_request.h"

#include <cstdint>
#include <optional>

#include "base/message.h"
#include "base/parse.h"

namespace imports {
namespace {

std::optional<PluginImport::Position> parse_position(std::string_view text) {
  const auto query = base::parse_number<std::size_t>(base::take_until(text, '.'));
  const auto row = base::parse_number<std::uint64_t>(text);
  if (!query || !row) return std::nullopt;
  return PluginImport::Position{*query, *row};
}

}  // namespace

std::string to_text(const PluginImport::Position& position) {
  return std::to_string(position.query) + '.' + std::to_string(position.row);
}

std::size_t queries_of(const Plugin& plugin) {
  return plugin.votes.size() + plugin.totals.size();
}

PluginRequest read_plugin_request(json::Fields& fields, std::string_view name) {
  PluginRequest request;
  request.plugin = plugin_named(name);
  if (request.plugin == nullptr) return request;
  request.is_dry = fields.boolean("dry_run").value_or(false);
  if (const auto after = fields.string("after", json::Fields::Presence::optional)) {
    const auto begin = parse_position(*after);
    if (!begin || begin->query >= queries_of(*request.plugin)) {
      fields.reject("after", "rest_invalid_pattern",
                    base::Message("after must be what the answer before has as next."));
    }
    request.begin = begin.value_or(request.begin);
  }
  return request;
}

}  // namespace imports
