#pragma once

#include "admin/commands.h"
#include "json/fields.h"

namespace admin {

// The flags of a command as parameters of the HTTP API, so that the same code reads both:
// "--object 42" is the parameter object_id.
[[nodiscard]] json::Parameters parameters_of(const Invocation& call);

// Prints the errors in "fields", each on a line and in terms of flags. Returns kWrongArguments.
int refuse(const Invocation& call, const json::Fields& fields);

}  // namespace admin
