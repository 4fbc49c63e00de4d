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

// The parameters of an HTTP request.
class Parameters : public json::Parameters {
 public:
  // Errors: body_too_large, unsupported_media_type, invalid_json, bad_encoding, malformed_form,
  // invalid_parameters.
  [[nodiscard]] static tl::expected<Parameters, Error> read(const http::Request& request);
  // The parameters of the query only.
  [[nodiscard]] static tl::expected<Parameters, Error> read_query(const http::Request& request);
};

// The error for a body that is compressed, or encoded in another way.
[[nodiscard]] std::optional<Error> refuse_encoded_body(const http::Request& request);

// Fields whose errors are answered.
class Fields : public json::Fields {
 public:
  using json::Fields::Fields;

  // The missing parameters, or else the invalid ones; nothing if all are valid.
  [[nodiscard]] std::optional<Error> error() const;
};

// The error for a path argument that is not an object id.
[[nodiscard]] Error bad_object_id(std::string_view text, std::string_view name = "object_id");

}  // namespace api
