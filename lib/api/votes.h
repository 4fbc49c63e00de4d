#pragma once

#include "api/call.h"

namespace api {

Result cast_vote(const App& app, const Call& call);      // POST /rate
Result withdraw_vote(const App& app, const Call& call);  // DELETE /rate

// The voter a request without a cookie still leads to by its fingerprint; for what takes votes
// back.
[[nodiscard]] std::optional<model::VoterId> voter_to_act_on(const App& app, const Call& call);

// What a failed write is to the client.
[[nodiscard]] Error write_error(store::WriteError error);

}  // namespace api
