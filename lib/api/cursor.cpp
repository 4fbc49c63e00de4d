#include "api/cursor.h"

#include <utility>

#include "base/parse.h"

namespace api {
namespace {

// Years 1000 ... 9999 in microseconds from 1970.
constexpr std::int64_t kEarliest = -30'610'224'000'000'000;
constexpr std::int64_t kLatest = 253'402'300'799'999'999;
constexpr std::int64_t kMaxSeconds = 1'000'000'000;

// Reads a number and the dot after it.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  if (text.find('.') == std::string_view::npos) return std::nullopt;
  return base::parse_number<Number>(base::take_until(text, '.'));
}

}  // namespace

std::string write_cursor(const analytics::Cursor& cursor) {
  return std::to_string(cursor.rated_at.time_since_epoch().count()) + "." +
         std::to_string(cursor.object.id) + "." +
         std::to_string(static_cast<int>(cursor.category)) + "." + std::to_string(cursor.passed) +
         "." + cursor.object.type;
}

std::optional<analytics::Cursor> read_cursor(std::string_view text) {
  const auto rated_at = take_number<std::int64_t>(text);
  const auto id = rated_at ? take_number<std::uint64_t>(text) : std::nullopt;
  const auto category = id ? take_number<int>(text) : std::nullopt;
  const auto passed = category ? take_number<std::int64_t>(text) : std::nullopt;
  auto type = passed ? model::parse_object_type(text) : std::nullopt;
  if (!type || *rated_at < kEarliest || *rated_at > kLatest || *id > model::kMaxObjectId ||
      *category < 0 || *category > 2 || *passed < 0 || *passed > kMaxSeconds) {
    return std::nullopt;
  }
  return analytics::Cursor{base::Time(std::chrono::microseconds(*rated_at)),
                           {*id, *std::move(type)},
                           static_cast<model::Category>(*category),
                           *passed};
}

}  // namespace api
