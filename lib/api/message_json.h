#pragma once

#include "base/message.h"
#include "json/codec.h"

namespace api {

// The members "pattern" and "values" of an open object, if "message" has values: what a client
// needs to show it in another language.
void write_pattern(json::Writer& json, const base::Message& message);

}  // namespace api
