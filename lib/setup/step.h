#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace setup {

// An error that an operator can correct. what() explains how.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A step in the setup or its removal. A function that returns a step changes nothing itself. Its
// comment says what apply() does, and after "Undo" what undo() does.
struct Step {
  // What apply() does, one action per line; empty if there is nothing to do.
  std::vector<std::string> actions;
  // May throw and may be empty.
  std::function<void()> apply;
  std::function<void()> undo;  // reverts apply(), even if apply() has thrown half-way
  std::string remains = {};    // tells the operator what undo() leaves behind
};
using Steps = std::vector<Step>;

[[nodiscard]] std::vector<std::string> actions_of(const Steps& steps);

// Joins steps into one step that shows these actions to the operator. If "steps" have nothing to
// do, the new step has nothing to do either.
[[nodiscard]] Step as_one(const Steps& steps, std::vector<std::string> actions);

// Returns "steps" followed by a step that calls "reload". "reload" is also called after all steps
// have been undone. Returns no steps if "steps" have nothing to do.
[[nodiscard]] Steps with_reload(Steps steps, const std::function<void()>& reload);

// Applies the steps that have actions, in order. If a step throws, or if SIGINT or SIGTERM arrives,
// undoes this step and then the previous steps in reverse order, and throws the exception. The
// signals are blocked while a step runs. Calls "say" with a sentence for each step that could not
// be undone completely.
void apply(const Steps& steps, const std::function<void(const std::string&)>& say);

struct ProgramResult {
  int status = 0;      // the status as in a shell; 127 if the program does not exist
  std::string output;  // the program's output, including standard error
};

// Runs a program to its end, without a shell and without input. REQUIRES: the arguments contain no
// secret, because every user on the host can see them.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& words);

// Does the same as run_program() for a program that must succeed. Errors: Error if the program
// fails. what() contains the command and its output.
void must_run(const std::vector<std::string>& words);

}  // namespace setup
