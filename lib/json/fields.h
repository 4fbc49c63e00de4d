#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/zone.h"
#include "json/codec.h"
#include "model/decimal.h"
#include "model/facets.h"
#include "model/rating.h"
#include "model/text.h"

namespace json {

// An error in one parameter of a request.
struct FieldError {
  std::string field;
  std::string_view code;  // WordPress's code, a literal: rest_invalid_type, rest_out_of_bounds ...
  base::Message message;  // a sentence that says what is allowed
};

// The parameters of an HTTP request or of a command. If the body and the query contain a parameter
// with the same name, the value in the body takes precedence. Form fields, query parameters and
// command-line flags have string values. As in PHP, the values of "ids[]" and "ids[0]" are
// collected in an array "ids". If a parameter appears several times in the body or in the query,
// its last value is used. For list parameters, find_list() returns all values. A parameter whose
// value is null is treated as absent.
class Parameters {
 public:
  // Adds a parameter from the request body. Ignores null.
  void add(std::string_view name, Value value);
  // Adds a form field from the request body, or a query parameter. If the field's name has the form
  // "ids[]" or "ids[0]", appends the value to the array "ids".
  void add_field(std::string_view name, std::string_view value);
  void add_field_of_query(std::string_view name, std::string_view value);

  // Returns nullptr if the request does not contain the parameter.
  [[nodiscard]] const Value* find(std::string_view name) const;

  // Returns whether the value that find() returns comes from the request body.
  [[nodiscard]] bool is_in_body(std::string_view name) const;

  // Returns the value of a list parameter, for list_in(). If the parameter appears several times,
  // as in "ids=1&ids=2" or "ids=1&ids[]=2", returns an array of all values in their original order.
  [[nodiscard]] std::optional<Value> find_list(std::string_view name) const;

  // Returns all parameters in the request body, with the values that find() returns. The result is
  // indexed by parameter name.
  [[nodiscard]] std::map<std::string_view, const Value*> in_body() const;

  // Returns the names of all parameters in the body and in the query, without duplicates.
  [[nodiscard]] std::set<std::string_view> names() const;

 private:
  // All values of each parameter, in the order in which they were added.
  using Values = std::map<std::string, std::vector<Value>, std::less<>>;

  // Returns all values of parameter "name" from the request body. If the body does not contain the
  // parameter, returns the parameter's values from the query. If neither the body nor the query
  // contains the parameter, returns nullptr.
  [[nodiscard]] const std::vector<Value>* values_of(std::string_view name) const;

  Values query_, body_;
};

// WordPress's error code for a number that is out of range.
inline constexpr std::string_view kOutOfBounds = "rest_out_of_bounds";

// The first and the last day that a request may contain. The database also accepts the day before
// kFirstDay and the day after kLastDay, because a time zone conversion can move a time to an
// adjacent day.
inline constexpr base::Day kFirstDay = std::chrono::year(1000) / std::chrono::January / 2;
inline constexpr base::Day kLastDay = std::chrono::year(9999) / std::chrono::December / 30;

// Reads parameters of specific types. Collects the errors in all parameters, so that one response
// can report all errors. If a parameter is absent or invalid, functions such as number() and text()
// return nothing. After reading all values, check missing() and invalid().
class Fields {
 public:
  enum class Presence { required, optional };

  // "parameters" must outlive the Fields object.
  explicit Fields(const Parameters& parameters) : parameters_(parameters) {}

  std::optional<std::uint64_t> object_id(std::string_view name);
  // Returns the object type in lower case.
  std::optional<std::string> object_type(std::string_view name);
  // Accepts only the categories in "allowed".
  std::optional<model::Category> category(
      std::string_view name, Presence presence,
      std::span<const model::Category> allowed = model::kCategories);
  // Accepts a number, or a string that contains a number.
  std::optional<model::Decimal> number(std::string_view name, Presence presence);
  // string() accepts any string, and text() accepts strings within "limits".
  std::optional<std::string> string(std::string_view name, Presence presence);
  std::optional<std::string> text(std::string_view name, Presence presence,
                                  const model::TextLimits& limits);
  // Accepts true, false, 1 and 0, and also the strings "true", "false", "1" and "0", as WordPress
  // does.
  std::optional<bool> boolean(std::string_view name);
  // Accepts an integer from 1 to "maximum". If the parameter is absent or invalid, returns the
  // value of "absent".
  static constexpr std::int64_t kNoMaximum = 1'000'000'000'000;  // far from any overflow
  std::int64_t positive_integer(std::string_view name, std::int64_t maximum, std::int64_t absent);
  // Accepts up to 100 object ids and ignores duplicates. Returns an empty list for an optional
  // parameter that is absent or empty.
  std::vector<std::uint64_t> object_ids(std::string_view name,
                                        Presence presence = Presence::required);
  // Returns the listed facets that exist on the site, without duplicates. Ignores unknown names,
  // because a cached page may still send facets removed by the owner. Returns an error for a list
  // that contains none of the site's facets.
  std::vector<std::string> facets(std::string_view name, const model::FacetNames& of_site);
  // Returns the index of the parameter's value in "allowed".
  std::optional<int> choice(std::string_view name, std::span<const std::string_view> allowed);
  // Accepts a date such as "2026-11-21" between kFirstDay and kLastDay.
  std::optional<base::Day> date(std::string_view name);
  // Returns the items of a list parameter, as read by list_in(). Returns nothing if the list
  // parameter is absent.
  std::optional<std::vector<std::string>> list(std::string_view name);
  // Returns the parameter's value if the value is a string. Returns an empty string if the
  // parameter is absent or is not a string.
  [[nodiscard]] std::string_view words(std::string_view name) const;
  // Records an error if the required parameter "name" is absent.
  void require(std::string_view name) { find(name, Presence::required); }
  [[nodiscard]] bool has(std::string_view name) const { return parameters_.find(name) != nullptr; }

  // Adds an error if the request contains a parameter whose name is not in "allowed", and returns
  // whether there is such a parameter. Call this function if ignoring a misspelled filter would do
  // more than the sender meant. Ignores WordPress's own parameters, which are `rest_route` and all
  // names that begin with "_".
  bool reject_unknown(std::span<const std::string_view> allowed);

  // Adds an error. Only the first error for each parameter is reported.
  void reject(std::string_view name, std::string_view code, base::Message message);
  void reject(FieldError error) { reject(error.field, error.code, std::move(error.message)); }

  // missing() returns an error for each required parameter that is absent. invalid() returns errors
  // in parameter values.
  [[nodiscard]] const std::vector<FieldError>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<FieldError>& invalid() const { return invalid_; }

 private:
  const Value* find(std::string_view name, Presence presence);

  const Parameters& parameters_;
  std::vector<FieldError> missing_;
  std::vector<FieldError> invalid_;
};

// Returns the error message for an invalid object id in parameter "name".
[[nodiscard]] base::Message must_be_object_id(std::string_view name);

// Returns an error message such as "category must be one of binary, scale."
[[nodiscard]] base::Message must_be_one_of(std::string_view name,
                                           const std::vector<std::string>& allowed);

// Returns the error message for a parameter "name" that lists none of the site's facets.
[[nodiscard]] base::Message must_be_facets(std::string_view name, const model::FacetNames& of_site);

// Returns the error for an object that cannot have facets because a facet's type would be too long.
[[nodiscard]] FieldError type_too_long_for_facets();

// Parses an object id in a path. Accepts only digits, unlike Fields::object_id(), which also
// accepts "5.0".
[[nodiscard]] std::optional<std::uint64_t> parse_object_id(std::string_view text);

}  // namespace json
