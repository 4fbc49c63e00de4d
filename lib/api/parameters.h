#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/errors.h"
#include "http/parse.h"
#include "http/request.h"
#include "json/codec.h"

namespace api {

// The named values of a request: those of the body, then those of the query. Values of forms and
// queries are strings; "name[]" and "name[0]" make an array, as in PHP. If a name occurs several
// times in one source, the last value counts, except for list parameters, which have all values.
// null counts as absent.
class Parameters {
 public:
  Parameters() = default;

  // Errors: body_too_large, unsupported_media_type, invalid_json, bad_encoding.
  [[nodiscard]] static tl::expected<Parameters, Error> read(const http::Request& request);
  // The parameters of the query only.
  [[nodiscard]] static tl::expected<Parameters, Error> read_query(const http::Request& request);

  // nullptr if there is none.
  [[nodiscard]] const json::Value* find(std::string_view name) const;

  // As find(), for a list parameter: if the name occurs several times, as in "ids=1&ids=2" or
  // "ids=1&ids[]=2", an array of all values in order. For json::list_in().
  [[nodiscard]] std::optional<json::Value> find_list(std::string_view name) const;

  // All parameters that find() finds, by name.
  [[nodiscard]] std::map<std::string_view, const json::Value*> all() const;

 private:
  // The values of each name in the order in which they came.
  using Values = std::map<std::string, std::vector<json::Value>, std::less<>>;

  // Those of the body, else of the query; nullptr if there are none.
  [[nodiscard]] const std::vector<json::Value>* values_of(std::string_view name) const;

  Values query_, body_;
};

}  // namespace api
