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

// Returns the error for a body that is compressed or encoded in another way, or nothing if the body
// is not encoded.
[[nodiscard]] std::optional<Error> refuse_encoded_body(const http::Request& request);

// Reads fields and turns problems with them into an error for the client.
class Fields : public json::Fields {
 public:
  using json::Fields::Fields;

  // Returns the error that lists the missing parameters. If none are missing, returns the error
  // that lists the invalid ones, or nothing if all parameters are valid.
  [[nodiscard]] std::optional<Error> error() const;
};

// Returns the error for a path argument that is not an object id. The argument "text" was sent for
// the parameter "name".
[[nodiscard]] Error bad_object_id(std::string_view text, std::string_view name = "object_id");

}  // namespace api
