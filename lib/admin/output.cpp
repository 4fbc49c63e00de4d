#include "admin/output.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "admin/commands.h"
#include "base/text.h"
#include "runtime/log.h"

namespace admin {
namespace {

constexpr std::int64_t kWidth = 30;
constexpr std::int64_t kStep = 10;  // the progress between two lines, in percent

constexpr std::size_t kMaxLine = 100;  // longer lines are hard to read

// Returns the width to which text is wrapped, or 0 if "out" is not a terminal.
std::size_t width_of(std::FILE* out) {
  const int number = fileno(out);
  if (isatty(number) == 0) return 0;
  winsize size{};
  const bool is_known = ioctl(number, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::min<std::size_t>(size.ws_col, kMaxLine) : kMaxLine;
}

// Returns the column of the text that follows a number ("  1. ...") or table columns
// ("ok    database  ...").
std::size_t column_of_text(std::string_view line) {
  constexpr std::size_t kTableWidth = 24;  // the columns before the text are narrower
  const std::size_t gap = line.substr(0, kTableWidth).rfind("  ");
  const std::size_t start = gap == std::string_view::npos ? 0 : gap + 2;
  const std::size_t number = line.find_first_not_of("0123456789. ", start);
  return number == std::string_view::npos ? start : number;
}

// Returns whether a command in "line" ends at the position "at". A command extends to the end of
// the line, or to a ";", "," or "." followed by a space.
bool ends_command(std::string_view line, std::size_t at) {
  if (at == line.size()) return true;
  const bool is_mark = line[at] == ';' || line[at] == ',' || line[at] == '.';
  return is_mark && (at + 1 == line.size() || line[at + 1] == ' ');
}

// Removes and returns the first word in "line" or, if "is_command" is true, the command at the
// beginning of "line". Also removes the space after the word or command.
std::string_view take_part(std::string_view& line, bool is_command) {
  std::size_t end = 0;
  while (is_command && !ends_command(line, end)) ++end;
  end = std::min(line.find(' ', end), line.size());
  const std::string_view part = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return part;
}

std::string wrapped_line(std::string_view line, std::size_t width) {
  const std::size_t column = column_of_text(line);
  std::string result(line.substr(0, column));
  line.remove_prefix(column);
  std::size_t length = column;
  for (bool is_command = false, is_first = true; !line.empty(); is_first = false) {
    const std::string_view part = take_part(line, is_command);
    if (!is_first && length + 1 + part.size() > width) {
      result.append("\n").append(column, ' ');
      length = column;
    } else if (!is_first) {
      result += ' ';
      ++length;
    }
    result += part;
    length += part.size();
    is_command = part == "run:" || part == "Run:";
  }
  return result;
}

}  // namespace

void print_line(const std::string& text, std::FILE* out) {
  const std::string lines = base::printable_lines(text) + "\n";
  if (out == stderr) return runtime::write_to_stderr(runtime::LogLevel::error, lines);
  std::fputs(lines.c_str(), out);
}

void print_text(const std::string& text, std::FILE* out) {
  const std::size_t width = width_of(out);
  print_line(width == 0 ? text : wrapped(text, width), out);
}

std::string wrapped(std::string_view lines, std::size_t width) {
  std::string result;
  for (bool is_first = true; is_first || !lines.empty(); is_first = false) {
    const std::string_view line = base::take_until(lines, '\n');
    const bool is_command = line.size() > 2 && line.starts_with("  ") && base::is_letter(line[2]);
    result += is_first ? "" : "\n";
    result += line.size() <= width || is_command ? std::string(line) : wrapped_line(line, width);
  }
  return result;
}

int refuse(const std::string& sentence) {
  print_text(sentence, stderr);
  return kWrongArguments;
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw file_error("standard output");
  if (std::ferror(stdout) != 0) {
    throw std::runtime_error("standard output: some of the output could not be written");
  }
}

std::runtime_error file_error(const std::string& path) {
  return std::runtime_error(path + ": " + std::generic_category().message(errno));
}

Progress::Progress(std::string what)
    : what_(std::move(what)), is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_terminal_ && shown_ >= 0) std::fputc('\n', stderr);
}

void Progress::operator()(std::int64_t done, std::int64_t all) {
  if (all == 0) return;
  done = std::min(done, all);
  if (first_ < 0) first_ = done;
  const std::int64_t percent = done * 100 / all;
  left_ = time_left(done, all);
  if (is_terminal_) {
    shown_ = percent;
    show_bar(percent);
  } else if (shown_ < 0 || percent / kStep > shown_ / kStep) {
    shown_ = percent;
    std::fputs(fmt::format("{}: {} %\n", what_, percent).c_str(), stderr);
  }
}

void Progress::show_bar(std::int64_t percent) const {
  const auto filled = static_cast<std::size_t>(percent * kWidth / 100);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fputs(fmt::format("\r{} [{}] {:>3} %{:<16}", what_, bar, percent, left_).c_str(), stderr);
}

// Returns the remaining time, estimated from the speed so far. Returns an empty string while too
// little work has been done for a reliable estimate.
std::string Progress::time_left(std::int64_t done, std::int64_t all) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(stopwatch_.elapsed());
  if (seconds.count() < 3 || done <= first_ || done == all) return "";
  const std::int64_t left = seconds.count() * (all - done) / (done - first_);
  if (left < 120) return ", " + std::to_string(left) + " s left";
  return ", " + std::to_string(left / 60) + " min left";
}

}  // namespace admin
