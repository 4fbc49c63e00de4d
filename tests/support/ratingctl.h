#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "admin/commands.h"
#include "support/database.h"

namespace support {

// The output and the exit status of a ratingctl command.
struct Outcome {
  int status = 1;
  std::string out;
  std::string err;  // also has the text of an exception
};

inline Outcome run_ratingctl(const config::Config& config, const std::vector<std::string>& words,
                             const config::CommandFlags& flags = {}) {
  Outcome outcome;
  std::string failure;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  try {
    outcome.status = admin::run_command(config, words, flags);
  } catch (const config::UsageError& exception) {
    outcome.status = admin::kWrongArguments;
    failure = exception.what();
  } catch (const std::exception& exception) {
    failure = exception.what();
  }
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr() + failure;
  return outcome;
}

// Succeeds if "text" contains "part". The failure message includes the text.
inline ::testing::AssertionResult has(std::string_view text, std::string_view part) {
  if (text.find(part) != std::string_view::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "there is no \"" << part << "\" in: " << text;
}

}  // namespace support
