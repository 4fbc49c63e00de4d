#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "api/app.h"
#include "api/call.h"
#include "api/errors.h"
#include "cms/cms.h"
#include "model/rating.h"

namespace handlers {

// A vote, as specified by the request parameters.
struct Vote {
  // The facets' names and values. If a facet has no value, the vote withdraws the facet's rating.
  using Facets = std::vector<std::pair<std::string, std::optional<model::Thousandths>>>;

  model::Object object;
  model::Object parent;                   // the object that has the facet, or the object itself
  std::optional<cms::ObjectState> state;  // the state of "parent", if a rule needed it
  model::Category category = model::Category::binary;
  std::optional<model::Thousandths> value;  // empty if only facets are rated
  Facets facets;
  std::string reason;  // the reason for the value; empty if there is none
};

// Reads the vote from a POST /rate request. Returns an error if the request's parameters are
// invalid. Can throw the same exceptions as db::Pool.
[[nodiscard]] tl::expected<Vote, api::Error> read_vote(const api::Core& core,
                                                       const api::Call& call);

// Reads the vote that a DELETE /rate request withdraws. Returns an error if the request's
// parameters are invalid.
[[nodiscard]] tl::expected<Vote, api::Error> read_withdrawal(const api::Call& call);

// Returns whether the voter may add a reason to the vote. Reasons are accepted for an object
// itself, but not for its facets. Reasons are not accepted from voters who are recognized only by
// their network, because other people in the network could read the reason.
[[nodiscard]] bool may_have_reason(const api::Call& call, const Vote& vote);

// Returns whether the `object_check` setting allows a rating for the object. An object with an
// internal type counts as published only if the `enabled_object_types` setting contains its type.
// Can throw the same exceptions as db::Pool.
[[nodiscard]] bool may_be_rated(const api::Core& core, const api::Call& call, const Vote& vote);

}  // namespace handlers
