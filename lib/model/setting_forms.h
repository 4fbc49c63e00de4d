#pragma once

#include "model/setting.h"

namespace model {

// The forms of the texts in settings.
extern const TextForm kObjectType, kFacetName, kNetwork, kAgent, kOrigin, kSlug;

}  // namespace model
