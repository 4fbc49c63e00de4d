#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace setup {

// What an operator can correct. what() says how.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A step of the setup, or of its removal.
struct Step {
  std::vector<std::string> actions;  // what apply() does, a line each; empty: it is done already
  // May throw, and may be empty.
  std::function<void()> apply;
  std::function<void()> undo;  // reverts apply(), also if that threw half-way
  std::string remains = {};    // what undo() leaves behind, for the operator
};
using Steps = std::vector<Step>;

[[nodiscard]] std::vector<std::string> actions_of(const Steps& steps);

// Joins steps into one step, with these actions for the operator. It has nothing to do if they have
// nothing to do.
[[nodiscard]] Step as_one(const Steps& steps, std::vector<std::string> actions);

// Steps after which "reload" is called: when all are applied, and when all are undone. None if they
// have nothing to do.
[[nodiscard]] Steps with_reload(Steps steps, const std::function<void()>& reload);

// Applies the steps that have actions, in order. If one of them throws, or if SIGINT or SIGTERM
// arrives, that step and those before it are undone, the last one first, and the exception is
// thrown. These signals are blocked during each single step. "say" gets a sentence for each step
// that could not be undone, or not completely.
void apply(const Steps& steps, const std::function<void(const std::string&)>& say);

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
