#pragma once

#include <map>
#include <string_view>
#include <tl/expected.hpp>

#include "api/errors.h"
#include "http/parse.h"
#include "http/request.h"
#include "json/codec.h"

namespace api {

// The named values of a request: what the body says, filled up by the query. Values of forms and
// queries are strings; of a name that comes twice there the last counts, but "name[]" and "name[0]"
// make an array, as in PHP. null counts as absent.
class Parameters {
 public:
  Parameters() = default;

  // Errors: body_too_large, unsupported_media_type, invalid_json, bad_encoding.
  [[nodiscard]] static tl::expected<Parameters, Error> read(const http::Request& request);
  // Those of the query alone.
  [[nodiscard]] static tl::expected<Parameters, Error> read_query(const http::Request& request);

  // nullptr if there is none.
  [[nodiscard]] const json::Value* find(std::string_view name) const;

  // All that find() finds, by name.
  [[nodiscard]] std::map<std::string_view, const json::Value*> all() const;

 private:
  void add(std::string_view name, json::Value value);
  void add_field(const http::Field& field);

  json::Value::Object values_;
};

}  // namespace api
