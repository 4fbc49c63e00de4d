#pragma once

#include "model/setting.h"

namespace model {

// The formats for string settings.
extern const TextForm kObjectType, kFacetName, kNetwork, kAgent, kOrigin, kHeaderName, kSlug;

// The names of the request headers that ratingd reads itself, in CORS format.
inline constexpr std::string_view kOwnRequestHeaders =
    "Authorization, Content-Type, Content-Disposition, Content-MD5, If-None-Match, "
    "X-Requested-With, X-WP-Nonce, X-HTTP-Method-Override, X-Ratingd-Device, X-Ratingd-Ticket";

}  // namespace model
