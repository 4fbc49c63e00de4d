#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
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

// An error in a named value.
struct FieldError {
  std::string field;
  std::string_view code;  // WordPress's code, a literal: rest_invalid_type, rest_out_of_bounds ...
  base::Message message;  // a sentence that says what is allowed
};

// The named values in a request, from HTTP or from the command line. A value in the body has
// precedence over a value with the same name in the query. Values from forms, queries and flags are
// strings. Values with the names "name[]" and "name[0]" are added to an array, as in PHP. If a name
// occurs several times in the body or in the query, the last value counts. If the parameter is a
// list, all values count (find_list()). A value of null counts as absent.
class Parameters {
 public:
  // Adds a value to the body. Ignores null.
  void add(std::string_view name, Value value);
  // Adds a field from a form in the body, or from the query. The field "name[]" is added to the
  // array "name".
  void add_field(std::string_view name, std::string_view value);
  void add_field_of_query(std::string_view name, std::string_view value);

  // Returns nullptr if there is no value.
  [[nodiscard]] const Value* find(std::string_view name) const;

  // Returns whether the value that find() returns is in the body.
  [[nodiscard]] bool is_in_body(std::string_view name) const;

  // Does the same as find() for a list parameter, which list_in() can read. If the name occurs
  // several times, as in "ids=1&ids=2" or "ids=1&ids[]=2", returns an array of all values in order.
  [[nodiscard]] std::optional<Value> find_list(std::string_view name) const;

  // Returns the values in the body that find() can return. The map's keys are the names of the
  // values.
  [[nodiscard]] std::map<std::string_view, const Value*> in_body() const;

 private:
  // The values for each name, in order of arrival.
  using Values = std::map<std::string, std::vector<Value>, std::less<>>;

  // Returns the values with this name from the body. If the body has no such values, returns the
  // values with this name from the query. If the query has no such values either, returns nullptr.
  [[nodiscard]] const std::vector<Value>* values_of(std::string_view name) const;

  Values query_, body_;
};

// WordPress's error code for a number that is out of range.
inline constexpr std::string_view kOutOfBounds = "rest_out_of_bounds";

// The range of the database's dates and times, without the first and the last day. So times that
// are shifted by a time zone's offset remain within the database's range.
inline constexpr base::Day kFirstDay = std::chrono::year(1000) / std::chrono::January / 2;
inline constexpr base::Day kLastDay = std::chrono::year(9999) / std::chrono::December / 30;

// Reads typed values from parameters. Collects all errors, so that a client receives all errors at
// once. The functions that read values return nothing if the value is absent or invalid. Check
// missing() and invalid() after reading all values.
class Fields {
 public:
  enum class Presence { required, optional };

  // "parameters" must outlive this object.
  explicit Fields(const Parameters& parameters) : parameters_(parameters) {}

  std::optional<std::uint64_t> object_id(std::string_view name);
  // Returns the type in lower case.
  std::optional<std::string> object_type(std::string_view name);
  // Accepts the categories in "allowed".
  std::optional<model::Category> category(
      std::string_view name, Presence presence,
      std::span<const model::Category> allowed = model::kCategories);
  // Accepts a number, or a string that contains a number.
  std::optional<model::Decimal> number(std::string_view name, Presence presence);
  // The function string() accepts any string, and the function text() accepts a string within
  // "limits".
  std::optional<std::string> string(std::string_view name, Presence presence);
  std::optional<std::string> text(std::string_view name, Presence presence,
                                  const model::TextLimits& limits);
  // Accepts true, false, 1 and 0, also as strings, as in WordPress.
  std::optional<bool> boolean(std::string_view name);
  // Accepts an integer from 1 to "maximum". Returns the value "absent" if the parameter is absent
  // or invalid.
  static constexpr std::int64_t kNoMaximum = 1'000'000'000'000;  // far from any overflow
  std::int64_t positive_integer(std::string_view name, std::int64_t maximum, std::int64_t absent);
  // Accepts up to 100 object ids and removes duplicates. Returns an empty list if an optional
  // parameter is absent or empty.
  std::vector<std::uint64_t> object_ids(std::string_view name,
                                        Presence presence = Presence::required);
  // Returns the site's facets that the parameter names, without duplicates. Returns nothing if the
  // parameter is absent. Ignores names that the site does not have, because the owner may have
  // removed these facets while a page was cached. Rejects a list that contains none of the site's
  // facets.
  std::vector<std::string> facets(std::string_view name, const model::FacetNames& of_site);
  // Returns the index of the value in "allowed".
  std::optional<int> choice(std::string_view name, std::span<const std::string_view> allowed);
  // Accepts a date such as "2026-11-21", from kFirstDay to kLastDay.
  std::optional<base::Day> date(std::string_view name);
  // Returns the items in a list, as read by list_in(). Returns nothing if the list is absent.
  std::optional<std::vector<std::string>> list(std::string_view name);
  // Returns the value if it is a string. Returns an empty string if the value is absent or has
  // another type.
  [[nodiscard]] std::string_view words(std::string_view name) const;
  // Counts the parameter as missing if it is absent.
  void require(std::string_view name) { find(name, Presence::required); }
  [[nodiscard]] bool has(std::string_view name) const { return parameters_.find(name) != nullptr; }

  // Adds an error. Only the first error for each name is reported.
  void reject(std::string_view name, std::string_view code, base::Message message);
  void reject(FieldError error) { reject(error.field, error.code, std::move(error.message)); }

  // The function missing() returns the required parameters that are absent. The function invalid()
  // returns all other errors.
  [[nodiscard]] const std::vector<FieldError>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<FieldError>& invalid() const { return invalid_; }

 private:
  const Value* find(std::string_view name, Presence presence);

  const Parameters& parameters_;
  std::vector<FieldError> missing_;
  std::vector<FieldError> invalid_;
};

// Returns the message for an invalid object id.
[[nodiscard]] base::Message must_be_object_id(std::string_view name);

// Returns a message such as "category must be one of binary, scale." for "name" and "allowed".
[[nodiscard]] base::Message must_be_one_of(std::string_view name,
                                           const std::vector<std::string>& allowed);

// Returns the message for names that are not facets on the site.
[[nodiscard]] base::Message must_be_facets(std::string_view name, const model::FacetNames& of_site);

// Returns the error for an object whose type is too long to have these facets.
[[nodiscard]] FieldError type_too_long_for_facets();

// Parses an object id in a path. Accepts digits only, unlike object_id(), which also accepts "5.0".
[[nodiscard]] std::optional<std::uint64_t> parse_object_id(std::string_view text);

}  // namespace json
