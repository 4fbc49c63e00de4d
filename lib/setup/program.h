#pragma once

#include <string>
#include <vector>

namespace setup {

struct ProgramResult {
  int status = 0;      // as a shell shows it; 127: there is no such program
  std::string output;  // what it wrote, standard error included
};

// Runs a program to its end, without a shell and without input. REQUIRES: no secret in the
// arguments, as every user of the host can see them.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& words);

// As run_program(). Errors: Error - it failed; what() has the command and its output.
void must_run(const std::vector<std::string>& words);

}  // namespace setup
