#include "admin/output.h"

#include <fmt/core.h>
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

}  // namespace

void print_line(const std::string& text, std::FILE* out) {
  const std::string lines = base::printable_lines(text) + "\n";
  if (out == stderr) return runtime::write_to_stderr(runtime::LogLevel::error, lines);
  std::fputs(lines.c_str(), out);
}

int refuse(const std::string& sentence) {
  print_line(sentence, stderr);
  return kWrongArguments;
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
    fmt::print(stderr, "{}: {} %\n", what_, percent);
  }
}

void Progress::show_bar(std::int64_t percent) const {
  const auto filled = static_cast<std::size_t>(percent * kWidth / 100);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  fmt::print(stderr, "\r{} [{}] {:>3} %{:<16}", what_, bar, percent, left_);
}

// Returns the remaining time at the speed so far, or an empty string while the speed is unreliable.
std::string Progress::time_left(std::int64_t done, std::int64_t all) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(stopwatch_.elapsed());
  if (seconds.count() < 3 || done <= first_ || done == all) return "";
  const std::int64_t left = seconds.count() * (all - done) / (done - first_);
  if (left < 120) return ", " + std::to_string(left) + " s left";
  return ", " + std::to_string(left / 60) + " min left";
}

}  // namespace admin
