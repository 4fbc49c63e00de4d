#pragma once

#include "admin/commands.h"
#include "json/fields.h"

namespace admin {

// Converts a command's flags to parameters of the HTTP API. For example, "--object 42" becomes the
// parameter `object_id`. Omits flags that select a site.
[[nodiscard]] json::Parameters parameters_of(const Invocation& call);

// Prints one line for each error in "fields", with the flag's name. Returns kWrongArguments.
int refuse(const Invocation& call, const json::Fields& fields);

}  // namespace admin
