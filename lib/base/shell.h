#pragma once

#include <string>

namespace base {

// A word for a command that an operator is shown, to be pasted: in quotes if it means anything to
// a shell.
[[nodiscard]] std::string shell_quoted(const std::string& word);

}  // namespace base
