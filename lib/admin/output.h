#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace admin {

// Prints a string that may contain untrusted input, for example from files, databases or requests.
// Makes the string printable with base::printable_lines() and adds a line feed.
void print_line(const std::string& text, std::FILE* out = stdout);

// Like print_line(), but wraps lines if "out" is a terminal.
void print_text(const std::string& text, std::FILE* out = stdout);

// Wraps "lines" at "width" characters. Indents continuation lines so that they align with the text
// after a number or table columns. A command after "run: " is never split across lines. Lines that
// begin with two spaces and a letter are commands and are not wrapped.
[[nodiscard]] std::string wrapped(std::string_view lines, std::size_t width);

// Prints "sentence" to standard error. "sentence" explains why a command's arguments are invalid.
// Returns kWrongArguments.
int refuse(const std::string& sentence);

// Writes what is buffered for standard output. Throws std::runtime_error if any output of this
// program could not be written, for example because the disk is full.
void flush_output();

// Returns an error whose message contains the file's path and the reason from errno.
[[nodiscard]] std::runtime_error file_error(const std::string& path);

// Reports progress on standard error. On a terminal, shows a progress bar. If standard error is not
// a terminal, prints a line for every 10% of the work. Must be used by only one thread.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Ends the progress bar's line.
  ~Progress();

  // Reports that "done" out of "all" units of work are complete. If "all" is an estimate, "done"
  // may exceed "all". If "all" is 0, the total is unknown and nothing is shown.
  void operator()(std::int64_t done, std::int64_t all);

 private:
  void show_bar(std::int64_t percent) const;
  [[nodiscard]] std::string time_left(std::int64_t done, std::int64_t all) const;

  const std::string what_;
  const bool is_terminal_;
  const base::Stopwatch stopwatch_;
  std::int64_t first_ = -1;  // the initial value of "done"
  std::int64_t shown_ = -1;  // per cent
  std::string left_;
};

}  // namespace admin
