#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "json/codec.h"
#include "json/fields.h"
#include "model/settings.h"
#include "store/settings_store.h"

// Reads requests to change settings, from the members in an HTTP request or from a command line.
namespace store {

// New values, by setting name. Null means that the network no longer enforces the setting.
using NamedValues = std::map<std::string_view, json::Value>;

struct SettingRequest {
  FixedChanges changes;
  std::vector<SettingProblem> ignored;  // about retired settings, whose values have no effect
};

// Returns the request, or an error for each invalid value.
[[nodiscard]] tl::expected<SettingRequest, std::vector<json::FieldError>> read_setting_request(
    const NamedValues& named);

// Returns the values in "changes". REQUIRES: no value was null.
[[nodiscard]] SettingChanges values_of(const FixedChanges& changes);

// Returns the error for a name that no setting has.
[[nodiscard]] json::FieldError unknown_setting(std::string_view name);

// Returns the error for a value that is refused.
[[nodiscard]] json::FieldError error_of(std::string_view name, const model::Refusal& refusal);

}  // namespace store
