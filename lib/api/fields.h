#pragma once

#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "api/errors.h"
#include "http/request.h"
#include "json/fields.h"

namespace api {

using json::kOutOfBounds;
using json::must_be_facets;
using json::must_be_one_of;
using json::parse_object_id;
using json::type_too_long_for_facets;

class Parameters : public json::Parameters {
 public:
  // Reads the parameters in the query and the body. If reading fails, returns one of the errors
  // body_too_large, unsupported_media_type, invalid_json, bad_encoding, malformed_form and
  // invalid_parameters.
  [[nodiscard]] static tl::expected<Parameters, Error> read(const http::Request& request);
  // Reads only the parameters in the query.
  [[nodiscard]] static tl::expected<Parameters, Error> read_query(const http::Request& request);
};

// Returns an error if the body has a content encoding, such as compression. Otherwise, returns
// nothing.
[[nodiscard]] std::optional<Error> refuse_encoded_body(const http::Request& request);

// Reads fields and reports missing and invalid fields to the client.
class Fields : public json::Fields {
 public:
  using json::Fields::Fields;

  // Returns an error that lists the missing parameters or, if no parameter is missing, the invalid
  // parameters. Returns nothing if all parameters are valid.
  [[nodiscard]] std::optional<Error> error() const;
};

// Returns the error for a path argument that is not an object id. "text" is the value of the path
// parameter "name".
[[nodiscard]] Error bad_object_id(std::string_view text, std::string_view name = "object_id");

}  // namespace api
