#include "runtime/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace runtime {
namespace {

struct Level {
  std::string_view name;
  spdlog::level::level_enum of_library;
  std::string_view journal_prefix;
};
// The properties of each log level, in the order of the enum LogLevel.
constexpr auto kLevels = std::to_array<Level>({{"debug", spdlog::level::debug, "<7>"},
                                               {"info", spdlog::level::info, "<6>"},
                                               {"warning", spdlog::level::warn, "<4>"},
                                               {"error", spdlog::level::err, "<3>"}});

spdlog::level::level_enum spdlog_level(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)].of_library;
}

// Returns whether standard error is the stream that systemd has connected to the journal. The
// environment variable JOURNAL_STREAM contains the device and inode numbers of the stream that
// systemd connected (systemd.exec(5)). JOURNAL_STREAM remains set even if this program's standard
// error is redirected to a file.
bool is_stderr_journal() {
  // Calling getenv() is safe here, because no thread changes environment variables.
  const char* const stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe)
  struct stat status {};
  if (stream == nullptr || fstat(STDERR_FILENO, &status) != 0) return false;
  return stream == std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

// Writes the prefix for the level of a log line, so that the systemd journal knows the line's
// priority (journal_prefix()).
class JournalPrefix : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const auto* const level = std::ranges::find(kLevels, message.level, &Level::of_library);
    if (level == kLevels.end()) return;
    line.append(level->journal_prefix.data(),
                level->journal_prefix.data() + level->journal_prefix.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JournalPrefix>();
  }
};

std::unique_ptr<spdlog::formatter> line_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  std::string pattern = "time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v";
  if (is_stderr_journal()) {
    formatter->add_flag<JournalPrefix>('*');
    pattern.insert(0, "%*");
  }
  formatter->set_pattern(pattern);
  return formatter;
}

// Returns whether "c" is printable ASCII. Bytes outside printable ASCII may be part of invalid
// UTF-8 or of terminal control sequences.
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
      line += base::to_hex({&c, 1});
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

std::string_view journal_prefix(LogLevel level) {
  return is_stderr_journal() ? kLevels[static_cast<std::size_t>(level)].journal_prefix : "";
}

void write_to_stderr(LogLevel level, std::string_view lines) {
  const std::string_view prefix = journal_prefix(level);
  std::string text;
  while (!lines.empty()) text.append(prefix).append(base::take_until(lines, '\n')).append("\n");
  std::fputs(text.c_str(), stderr);
}

Log::Log(LogLevel least)
    : logger_(std::make_shared<spdlog::logger>("ratingd",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_formatter(line_formatter());
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

}  // namespace runtime
