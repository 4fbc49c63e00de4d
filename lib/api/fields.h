#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/errors.h"
#include "api/parameters.h"
#include "base/zone.h"
#include "model/decimal.h"
#include "model/rating.h"
#include "model/text.h"

namespace api {

// Reads typed values out of parameters and gathers what is wrong with them, so that a client hears
// of all its mistakes at once. A reader returns nothing for what is absent or wrong; look at
// error() when all are read.
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
  std::optional<model::Decimal> number(std::string_view name, Presence presence);
  // Any text, and one that keeps to "limits".
  std::optional<std::string> string(std::string_view name, Presence presence);
  std::optional<std::string> text(std::string_view name, Presence presence,
                                  const model::TextLimits& limits);
  // true, false, 1, 0, or a text of one of them, as WordPress has it.
  std::optional<bool> boolean(std::string_view name);
  // From 1 to "maximum"; "absent" if it is not there.
  static constexpr std::int64_t kNoMaximum = 1'000'000'000'000;  // far from any overflow
  std::int64_t positive_integer(std::string_view name, std::int64_t maximum, std::int64_t absent);
  // Up to 100 object ids, duplicates once; none if an optional one is absent or empty.
  std::vector<std::uint64_t> object_ids(std::string_view name,
                                        Presence presence = Presence::required);
  // Which of "allowed" it is, from 0.
  std::optional<int> choice(std::string_view name, std::span<const std::string_view> allowed);
  // "2026-11-21", from "first" to "last".
  std::optional<base::Day> date(std::string_view name, base::Day first, base::Day last);
  // Whether there is any value, whatever it is.
  [[nodiscard]] bool has(std::string_view name) const { return parameters_.find(name) != nullptr; }

  // Of one name, the first counts.
  void reject(std::string_view name, std::string_view code, std::string message);

  // What is missing, or else what is invalid; nothing if all is well.
  [[nodiscard]] std::optional<Error> error() const;

 private:
  const json::Value* find(std::string_view name, Presence presence);

  const Parameters& parameters_;
  std::vector<FieldError> missing_;
  std::vector<FieldError> invalid_;
};

// "category must be one of binary, scale."
[[nodiscard]] std::string must_be_one_of(std::string_view name,
                                         const std::vector<std::string>& allowed);

// "text" as an object id, which is digits; for path arguments.
[[nodiscard]] std::optional<std::uint64_t> parse_object_id(std::string_view text);

// The error for a path argument that is no object id.
[[nodiscard]] Error bad_object_id(std::string_view text, std::string_view name = "object_id");

}  // namespace api
