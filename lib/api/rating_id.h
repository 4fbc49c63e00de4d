#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/fields.h"
#include "base/message.h"
#include "model/rating.h"

namespace api {

// The identifier of a rating, for those who may see persons: "42/post/binary/7". Types have no
// slash.
[[nodiscard]] std::string rating_id(const model::RatingKey& key);

// The ratings of a list parameter; none if it is absent. "message" says what its items are.
[[nodiscard]] std::vector<model::RatingKey> read_rating_ids(Fields& fields, std::string_view name,
                                                            base::Message message);

}  // namespace api
