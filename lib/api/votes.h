#pragma once

#include "api/call.h"

namespace api {

Result cast_vote(const App& app, const Call& call);      // POST /rate
Result withdraw_vote(const App& app, const Call& call);  // DELETE /rate

// The client's error for a failed write.
[[nodiscard]] Error write_error(votes::WriteError error);

}  // namespace api
