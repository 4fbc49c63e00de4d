#pragma once

#include <chrono>
#include <optional>

#include "api/call.h"

namespace api {

// The error after too many failed logins.
[[nodiscard]] Error too_many_logins(std::chrono::seconds wait);

// Whether the request's address is that of a monitor: this host, not forwarded by a proxy, or one
// of the configured networks. Requests from pages of foreign sites are never from a monitor,
// whatever their address.
[[nodiscard]] bool is_monitor_by_address(const App& app, const Call& call);

// The error for a requester without "right"; nothing if they have it.
[[nodiscard]] std::optional<Error> refuse_without(const identity::Requester& requester,
                                                  model::Right right);

// Whether the requester may read analytics, by the setting analytics_access.
[[nodiscard]] bool may_read_analytics(const Call& call);

// The error for a requester who may not read analytics, by the setting analytics_access.
[[nodiscard]] std::optional<Error> refuse_analytics(const Call& call);

// The same for data about single persons, which also needs the right to see persons. All users may
// read data about themselves: "person" is the subject, 0 for all persons.
[[nodiscard]] std::optional<Error> refuse_persons(const Call& call, std::uint64_t person);

}  // namespace api
