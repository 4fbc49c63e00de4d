#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace base {
namespace {

struct Level {
  std::string_view name;
  spdlog::level::level_enum of_library;
};
// In the order of LogLevel.
constexpr auto kLevels = std::to_array<Level>({{"debug", spdlog::level::debug},
                                               {"info", spdlog::level::info},
                                               {"warning", spdlog::level::warn},
                                               {"error", spdlog::level::err}});

spdlog::level::level_enum spdlog_level(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)].of_library;
}

// ASCII only: other bytes may be invalid UTF-8 or control characters of a terminal.
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

bool is_plain(char c) { return is_printable(c) && c != ' ' && c != '"' && c != '\\' && c != '='; }

void append_value(std::string& line, std::string_view value) {
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (!is_printable(c)) {
      line += "\\x";
      line += to_hex({&c, 1});
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

std::optional<LogLevel> log_level_named(std::string_view name) {
  const auto* const found = std::ranges::find(kLevels, name, &Level::name);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevels.begin());
}

Log::Log(LogLevel least)
    : logger_(std::make_shared<spdlog::logger>("ratingd",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      "time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc));
  logger_->set_level(spdlog_level(least));
}

Log::~Log() = default;

void Log::set_least(LogLevel least) { logger_->set_level(spdlog_level(least)); }

void Log::write(LogLevel level, std::string_view event,
                std::initializer_list<LogField> fields) const {
  if (!logger_->should_log(spdlog_level(level))) return;
  std::string line = "event=";
  line += event;
  const auto append = [&](std::string_view name, std::string_view value) {
    line.append(" ").append(name).append("=");
    append_value(line, value);
  };
  if (!site_.empty()) append("site", site_);
  for (const LogField& field : fields) append(field.name, field.value);
  logger_->log(spdlog_level(level), line);
}

}  // namespace base
