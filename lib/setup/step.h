#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace setup {

// An error that an operator can correct, with an explanation for the operator in what().
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One step in setting up or removing a site. If a function returns a step, the function's comment
// describes what happens when the step is applied.
struct Step {
  // The descriptions of all actions that apply() performs. The list is empty if no action is
  // necessary.
  std::vector<std::string> actions;
  // Performs the actions, and may throw exceptions. "apply" may be an empty function.
  std::function<void()> apply;
  std::function<void()> undo;  // reverts apply(), even if apply() threw an exception halfway
  std::string remains = {};    // describes for the operator what undo() does not revert
};
using Steps = std::vector<Step>;

[[nodiscard]] std::vector<std::string> actions_of(const Steps& steps);

// Combines steps into one step with the descriptions "actions". If no step in "steps" has actions,
// the combined step has no actions.
[[nodiscard]] Step as_one(const Steps& steps, std::vector<std::string> actions);

// Returns "steps" followed by a step that calls the function "reload". If the steps are undone,
// calls "reload" again at the end. Returns no steps if no step in "steps" has actions.
[[nodiscard]] Steps with_reload(Steps steps, const std::function<void()>& reload);

// Applies all steps that have actions, in order. If a step throws an exception, undoes the current
// step and all previous steps in reverse order and then rethrows the exception. If SIGINT, SIGTERM
// or SIGHUP arrives, undoes all applied steps and throws setup::Error. Signals are blocked while a
// step runs. Calls "say" with a message for each step that could not be undone completely.
void apply(const Steps& steps, const std::function<void(const std::string&)>& say);

struct ProgramResult {
  int status = 0;      // the exit status as in a shell, or 127 if the program does not exist
  std::string output;  // the program's output, including standard error
};

// Runs a program without a shell and without input, and waits until the program exits. The
// arguments must not contain secrets, because every user on the host can see the arguments.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& words);

// Like run_program(), but throws setup::Error with the command and its output if the program fails.
void must_run(const std::vector<std::string>& words);

}  // namespace setup
