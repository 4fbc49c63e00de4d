#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "api/call.h"

namespace api {

// The error after too many failed logins.
[[nodiscard]] Error too_many_logins(std::chrono::seconds wait);

// Whether the request's address is that of a monitor: this host, not forwarded by a proxy, or one
// of the configured networks. Requests from pages of foreign sites are never from a monitor,
// whatever their address.
[[nodiscard]] bool is_monitor_by_address(const App& app, const Call& call);

// The error for a requester without "capability"; nothing if they have it.
[[nodiscard]] std::optional<Error> refuse_without(const App& app,
                                                  const identity::Requester& requester,
                                                  std::string_view capability);

// The error for a requester who may not read analytics, by the setting analytics_access.
[[nodiscard]] std::optional<Error> refuse_analytics(const App& app, const Call& call);

// The same for data about single persons, which also needs list_users. All users may read data
// about themselves: "person" is the subject, 0 for all persons.
[[nodiscard]] std::optional<Error> refuse_persons(const App& app, const Call& call,
                                                  std::uint64_t person);

// Whether the requester may see names and ids of persons, and titles of unpublished content.
[[nodiscard]] bool sees_persons(const App& app, const Call& call);
[[nodiscard]] bool sees_unpublished(const App& app, const Call& call);

}  // namespace api
