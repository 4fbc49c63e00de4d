#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"

namespace spdlog {

class logger;
}

namespace runtime {

enum class LogLevel { debug, info, warning, error };

[[nodiscard]] std::optional<LogLevel> log_level_named(std::string_view name);

// Returns the prefix that sets the priority of a line in the systemd journal (sd-daemon(3)), such
// as "<3>" for LogLevel::error. Returns an empty string if standard error is not connected to the
// journal.
[[nodiscard]] std::string_view journal_prefix(LogLevel level);

// Writes "lines" to standard error. If standard error is connected to the systemd journal, each
// line begins with the prefix for "level" (journal_prefix()).
void write_to_stderr(LogLevel level, std::string_view lines);

struct LogField {
  std::string_view name;
  std::string value;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  template <std::integral Number>
  LogField(std::string_view field, Number number) : name(field), value(std::to_string(number)) {}
};

// Writes one line for each event to standard error, in logfmt. If standard error is connected to
// the systemd journal, each line begins with the prefix for its level (journal_prefix()). Values
// are quoted and escaped if necessary, so untrusted input cannot create a forged line. Log fields
// never contain secrets or full IP addresses. The class is thread-safe. The following line is an
// example:
//
//   time=2026-11-21T05:00:00.123Z level=warning event=vote_connection_lost code=2013 attempt=1
class Log {
 public:
  explicit Log(LogLevel least);
  // Creates a log that writes to the same stream as "other" and adds the site name "site" to every
  // line. If "site" is empty, adds no site name.
  Log(const Log& other, std::string site) : logger_(other.logger_), site_(std::move(site)) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  // After this call, events below the level "least" are dropped.
  void set_least(LogLevel least);

  void write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields = {}) const;

  void debug(std::string_view event, std::initializer_list<LogField> fields = {}) const {
    write(LogLevel::debug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<LogField> fields = {}) const {
    write(LogLevel::info, event, fields);
  }
  void warning(std::string_view event, std::initializer_list<LogField> fields = {}) const {
    write(LogLevel::warning, event, fields);
  }
  void error(std::string_view event, std::initializer_list<LogField> fields = {}) const {
    write(LogLevel::error, event, fields);
  }

 private:
  std::shared_ptr<spdlog::logger> logger_;
  const std::string site_;
};

// Allows at most one log line per minute for an event that clients can trigger at will. The class
// is thread-safe.
class OnceAMinute {
 public:
  [[nodiscard]] bool passes(base::Time now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    std::int64_t last = last_;
    // Also allow a line if the clock has been set back by more than a minute.
    const bool is_due = second >= last + 60 || second < last - 60;
    return is_due && last_.compare_exchange_strong(last, second);
  }

 private:
  std::atomic<std::int64_t> last_{0};  // Unix seconds
};

// Combines repeated occurrences of a condition, such as a nearly full disk, into one episode. An
// episode begins when the condition first occurs, and ends when the condition has been absent for
// some time. Each episode needs only two log lines, even if the condition occurs many times. The
// class is not thread-safe.
class Episode {
 public:
  // An episode ends when the condition has been absent for at least "quiet".
  explicit Episode(std::chrono::milliseconds quiet) : quiet_(quiet) {}

  // Call note() whenever the condition occurs. Returns whether this occurrence begins a new
  // episode.
  [[nodiscard]] bool note() {
    const bool begins = !since_condition_;
    since_condition_.emplace();
    return begins;
  }

  // Call note_absence() whenever the condition is absent. Returns whether the episode ends now.
  [[nodiscard]] bool note_absence() {
    if (!since_condition_ || since_condition_->elapsed() < quiet_) return false;
    since_condition_.reset();
    return true;
  }

 private:
  const std::chrono::milliseconds quiet_;
  std::optional<base::Stopwatch> since_condition_;
};

}  // namespace runtime
