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
  // Reads the parameters in the query and the body.
  // Errors: body_too_large, unsupported_media_type, invalid_json, bad_encoding, malformed_form,
  //         invalid_parameters.
  [[nodiscard]] static tl::expected<Parameters, Error> read(const http::Request& request);
  // Reads only the parameters in the query.
  [[nodiscard]] static tl::expected<Parameters, Error> read_query(const http::Request& request);
};

// Returns an error if the body is compressed or encoded in another way. Otherwise, returns nothing.
[[nodiscard]] std::optional<Error> refuse_encoded_body(const http::Request& request);

// Reads fields and turns problems with them into an error for the client.
class Fields : public json::Fields {
 public:
  using json::Fields::Fields;

  // If parameters are missing, returns an error that lists them. Otherwise, if parameters are
  // invalid, returns an error that lists them. Returns nothing if all parameters are valid.
  [[nodiscard]] std::optional<Error> error() const;
};

// Returns the error for a path argument that is not an object id. "text" is the argument for the
// parameter "name".
[[nodiscard]] Error bad_object_id(std::string_view text, std::string_view name = "object_id");

}  // namespace api
