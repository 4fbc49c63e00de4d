#include "base/timestamp.h"

#include <cstdint>

namespace base {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void append_padded(std::string& text, std::uint64_t number, std::size_t digits) {
  const std::size_t start = text.size();
  text.append(digits, '0');
  for (std::size_t i = start + digits; i > start; --i, number /= 10) {
    text[i - 1] = static_cast<char>('0' + number % 10);
  }
}

void append_date(std::string& text, Day day) {
  const std::chrono::year_month_day date(day);
  append_padded(text, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  text += '-';
  append_padded(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  append_padded(text, static_cast<unsigned>(date.day()), 2);
}

std::string to_text(Time time, char separator) {
  std::string text;
  text.reserve(26);
  const Day day = floor<days>(time);
  const std::chrono::hh_mm_ss clock(time - day);
  append_date(text, day);
  text += separator;
  append_padded(text, static_cast<std::uint64_t>(clock.hours().count()), 2);
  text += ':';
  append_padded(text, static_cast<std::uint64_t>(clock.minutes().count()), 2);
  text += ':';
  append_padded(text, static_cast<std::uint64_t>(clock.seconds().count()), 2);
  return text;
}

std::string to_exact_text(Time time, char separator) {
  std::string text = to_text(time, separator);
  text += '.';
  append_padded(text, static_cast<std::uint64_t>((time - floor<seconds>(time)).count()), 6);
  return text;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Removes a number with exactly "digits" digits, followed by the character "end", from the front of
// "text", and returns the number. Returns nothing if the number or the character is missing. If
// "end" is '\0', no character is expected after the number.
std::optional<int> take_number(std::string_view& text, std::size_t digits, char end = '\0') {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return end == '\0' || take(text, end) ? std::optional(number) : std::nullopt;
}

std::optional<Day> take_date(std::string_view& text) {
  const auto year = take_number(text, 4, '-');
  const auto month = take_number(text, 2, '-');
  const auto day = take_number(text, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Day(date);
}

std::optional<Time> from_text(std::string_view text, char separator) {
  const auto day = take_date(text);
  if (!day || !take(text, separator)) return std::nullopt;
  const auto hour = take_number(text, 2, ':');
  const auto minute = take_number(text, 2, ':');
  const auto second = take_number(text, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  std::int64_t fraction = 0;
  if (!text.empty()) {
    if (!take(text, '.') || text.empty() || text.size() > 6) return std::nullopt;
    const std::size_t digits = text.size();
    const auto number = take_number(text, digits);
    if (!number) return std::nullopt;
    fraction = *number;
    for (std::size_t i = digits; i < 6; ++i) fraction *= 10;
  }
  return *day + hours(*hour) + minutes(*minute) + seconds(*second) + microseconds(fraction);
}

}  // namespace

std::string to_rfc3339(Time time) { return to_text(time, 'T') + 'Z'; }

std::string to_exact_rfc3339(Time time) { return to_exact_text(time, 'T') + 'Z'; }

std::string to_datetime(Time time) { return to_exact_text(time, ' '); }

std::string to_date(Day day) {
  std::string text;
  append_date(text, day);
  return text;
}

std::optional<Time> from_rfc3339(std::string_view text) {
  if (!text.ends_with('Z')) return std::nullopt;
  text.remove_suffix(1);
  return from_text(text, 'T');
}

std::optional<Time> from_datetime(std::string_view text) { return from_text(text, ' '); }

std::optional<Day> from_date(std::string_view text) {
  const auto day = take_date(text);
  return text.empty() ? day : std::nullopt;
}

}  // namespace base
