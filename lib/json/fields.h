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

// What is wrong with a named value.
struct FieldError {
  std::string field;
  std::string_view code;  // of WordPress: rest_invalid_type, rest_out_of_bounds ...; a literal
  base::Message message;  // a sentence that says what is allowed
};

// The named values of a request, from HTTP or from the command line: those of the body, then those
// of the query. Values of forms, queries and flags are strings; "name[]" and "name[0]" make an
// array, as in PHP. If a name occurs several times in one source, the last value counts, except for
// list parameters, whose values are all kept. null counts as absent.
class Parameters {
 public:
  // Adds a value to the body. null is ignored.
  void add(std::string_view name, Value value);
  // Adds a field of a form in the body, or of a query. "name[]" adds to the array of this name.
  void add_field(std::string_view name, std::string_view value);
  void add_field_of_query(std::string_view name, std::string_view value);

  // nullptr if there is none.
  [[nodiscard]] const Value* find(std::string_view name) const;

  // Returns whether find() returns a value of the body.
  [[nodiscard]] bool is_in_body(std::string_view name) const;

  // As find(), for list parameters, which list_in() reads. If the name occurs several times, as in
  // "ids=1&ids=2" or "ids=1&ids[]=2", returns an array of all values in order.
  [[nodiscard]] std::optional<Value> find_list(std::string_view name) const;

  // Returns the values of the body that find() returns, by name.
  [[nodiscard]] std::map<std::string_view, const Value*> in_body() const;

 private:
  // The values of each name in the order in which they came.
  using Values = std::map<std::string, std::vector<Value>, std::less<>>;

  // Returns the values in the body, or else the values in the query; nullptr if there are none.
  [[nodiscard]] const std::vector<Value>* values_of(std::string_view name) const;

  Values query_, body_;
};

// WordPress's code for a number that is not in its range.
inline constexpr std::string_view kOutOfBounds = "rest_out_of_bounds";

// The range of the database's dates and times, with room before and after.
inline constexpr base::Day kFirstDay = std::chrono::year(1000) / std::chrono::January / 2;
inline constexpr base::Day kLastDay = std::chrono::year(9999) / std::chrono::December / 30;

// Reads typed values from parameters and collects all errors, so that a client gets all errors at
// once. A reader returns nothing for an absent or invalid value; check missing() and invalid()
// after reading all.
class Fields {
 public:
  enum class Presence { required, optional };

  // "parameters" must outlive the reader.
  explicit Fields(const Parameters& parameters) : parameters_(parameters) {}

  std::optional<std::uint64_t> object_id(std::string_view name);
  // Lower-cased.
  std::optional<std::string> object_type(std::string_view name);
  // One of "allowed".
  std::optional<model::Category> category(
      std::string_view name, Presence presence,
      std::span<const model::Category> allowed = model::kCategories);
  // A number, or a string of one.
  std::optional<model::Decimal> number(std::string_view name, Presence presence);
  // Any text, or text within "limits".
  std::optional<std::string> string(std::string_view name, Presence presence);
  std::optional<std::string> text(std::string_view name, Presence presence,
                                  const model::TextLimits& limits);
  // true, false, 1, 0, or one of these as a string, as in WordPress.
  std::optional<bool> boolean(std::string_view name);
  // From 1 to "maximum"; "absent" is the default.
  static constexpr std::int64_t kNoMaximum = 1'000'000'000'000;  // far from any overflow
  std::int64_t positive_integer(std::string_view name, std::int64_t maximum, std::int64_t absent);
  // Up to 100 object ids, each once. Empty if an optional parameter is absent or empty.
  std::vector<std::uint64_t> object_ids(std::string_view name,
                                        Presence presence = Presence::required);
  // Returns names of facets of the site, each once, or nothing if the parameter is absent. Ignores
  // names that the site does not have, because the owner may have removed them while a page was
  // cached. Rejects a list if the site has none of its names.
  std::vector<std::string> facets(std::string_view name, const model::FacetNames& of_site);
  // The index in "allowed".
  std::optional<int> choice(std::string_view name, std::span<const std::string_view> allowed);
  // "2026-11-21", from kFirstDay to kLastDay.
  std::optional<base::Day> date(std::string_view name);
  // The items of a list (list_in()); nothing if it is absent.
  std::optional<std::vector<std::string>> list(std::string_view name);
  // The text of a value; empty if the value is absent or not a text.
  [[nodiscard]] std::string_view words(std::string_view name) const;
  // Counts the parameter as missing if it is absent.
  void require(std::string_view name) { find(name, Presence::required); }
  [[nodiscard]] bool has(std::string_view name) const { return parameters_.find(name) != nullptr; }

  // Adds an error. The first error of a name is reported.
  void reject(std::string_view name, std::string_view code, base::Message message);
  void reject(FieldError error) { reject(error.field, error.code, std::move(error.message)); }

  // The required parameters that are absent, and the errors of other parameters.
  [[nodiscard]] const std::vector<FieldError>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<FieldError>& invalid() const { return invalid_; }

 private:
  const Value* find(std::string_view name, Presence presence);

  const Parameters& parameters_;
  std::vector<FieldError> missing_;
  std::vector<FieldError> invalid_;
};

// What an object id must be.
[[nodiscard]] base::Message must_be_object_id(std::string_view name);

// "category must be one of binary, scale."
[[nodiscard]] base::Message must_be_one_of(std::string_view name,
                                           const std::vector<std::string>& allowed);

// The error for names that are not facets of the site.
[[nodiscard]] base::Message must_be_facets(std::string_view name, const model::FacetNames& of_site);

// The error for facets of an object whose type is too long for them.
[[nodiscard]] FieldError type_too_long_for_facets();

// Parses an object id in a path. Only digits are accepted, and not the decimals that object_id()
// accepts.
[[nodiscard]] std::optional<std::uint64_t> parse_object_id(std::string_view text);

}  // namespace json
