#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "base/stopwatch.h"

namespace admin {

// Prints what may have untrusted input in it, of files, databases, their servers or requests: with
// base::printable_lines(), and a line feed.
void print_line(const std::string& text, std::FILE* out = stdout);

// Prints to standard error why the arguments of a command are invalid. Returns kWrongArguments.
int refuse(const std::string& sentence);

// The error for a file, with the reason in errno.
[[nodiscard]] std::runtime_error file_error(const std::string& path);

// Reports progress on standard error: a bar on a terminal, else a line for each tenth. Used by one
// thread.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Ends the line of the bar.
  ~Progress();

  // More than "all" may be done, if that is an estimate. Shows nothing while "all" is 0: unknown.
  void operator()(std::int64_t done, std::int64_t all);

 private:
  void show_bar(std::int64_t percent) const;
  [[nodiscard]] std::string time_left(std::int64_t done, std::int64_t all) const;

  const std::string what_;
  const bool is_terminal_;
  const base::Stopwatch stopwatch_;
  std::int64_t first_ = -1;  // what was done when it was made
  std::int64_t shown_ = -1;  // per cent
  std::string left_;
};

}  // namespace admin
