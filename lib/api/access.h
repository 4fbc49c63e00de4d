#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "api/call.h"

namespace api {

// What logins wait for after too many failed ones.
[[nodiscard]] Error too_many_logins(std::chrono::seconds wait);

// Whether a request may see how the service is, by where it comes from: from this host, and not
// passed on by a proxy, or from one of the configured networks; but from no page of a foreign site,
// whoever's browser has it open.
[[nodiscard]] bool is_monitor_by_address(const App& app, const Call& call);

// Why the requester may not do what needs "capability"; nothing if they may.
[[nodiscard]] std::optional<Error> refuse_without(const App& app,
                                                  const identity::Requester& requester,
                                                  std::string_view capability);

// Why the requester may not read analytics, by the setting analytics_access.
[[nodiscard]] std::optional<Error> refuse_analytics(const App& app, const Call& call);

// The same for what tells of single persons, which needs list_users besides. Everybody may read
// what is about themselves: "person" is whom it is about, 0 for all.
[[nodiscard]] std::optional<Error> refuse_persons(const App& app, const Call& call,
                                                  std::uint64_t person);

// Whether names and ids of persons may be shown, and titles of what is not published.
[[nodiscard]] bool sees_persons(const App& app, const Call& call);
[[nodiscard]] bool sees_unpublished(const App& app, const Call& call);

}  // namespace api
