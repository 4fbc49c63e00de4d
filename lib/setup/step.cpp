#include "setup/step.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/descriptor.h"
#include "base/text.h"
#include "runtime/blocked_signals.h"

namespace setup {
namespace {

std::string name_of(const Step& step) {
  const std::string& action = step.actions.front();
  return action.substr(0, action.find('\n'));
}

// Undoes the steps in reverse order. "is_complete" is true if the last step was applied completely.
void undo(std::span<const Step* const> done, bool is_complete,
          const std::function<void(const std::string&)>& say) {
  for (; !done.empty(); is_complete = true) {
    const Step& step = *done.back();
    done = done.first(done.size() - 1);
    try {
      if (step.undo) step.undo();
      if (!step.remains.empty()) {
        say((is_complete ? "This is not undone: " : "This may not be undone: ") + name_of(step) +
            ": " + step.remains + ".");
      }
    } catch (const std::exception& exception) {
      // If one step cannot be undone, still undo the remaining steps.
      say("This could not be undone: " + name_of(step) + ": " + exception.what());
    }
  }
}

// Executes the program in the child process after fork(). The program's output is written to the
// pipe. The program has no input and no blocked signals. The program runs in a separate process
// group, so that an interrupt from the terminal does not end the program.
[[noreturn]] void become(const std::string& program, const std::vector<char*>& words, int output) {
  constexpr std::string_view kFailed = "cannot be started";
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(program.c_str(), words.data());
  static_cast<void>(!write(STDERR_FILENO, kFailed.data(), kFailed.size()));
  _exit(127);
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Searches for a program in PATH and in the folders /usr/sbin and /sbin.
std::optional<std::filesystem::path> find_program(const std::string& name) {
  // getenv() is safe here, because no thread changes the environment.
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  const std::string folders = std::string(path == nullptr ? "" : path) + ":/usr/sbin:/sbin";
  for (std::string_view rest = folders; !rest.empty();) {
    const std::string_view folder = base::take_until(rest, ':');
    if (!folder.starts_with('/')) continue;
    const std::filesystem::path program = std::filesystem::path(folder) / name;
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

}  // namespace

Step as_one(const Steps& steps, std::vector<std::string> actions) {
  Steps needed;
  std::ranges::copy_if(steps, std::back_inserter(needed),
                       [](const Step& step) { return !step.actions.empty(); });
  if (needed.empty()) return {};
  const auto begun = std::make_shared<std::size_t>(0);
  return {std::move(actions),
          [=] {
            for (const Step& step : needed) {
              ++*begun;
              if (step.apply) step.apply();
            }
          },
          [=] {
            std::exception_ptr failure;
            for (; *begun > 0; --*begun) {
              const Step& step = needed[*begun - 1];
              try {
                if (step.undo) step.undo();
              } catch (const std::exception&) {
                failure = std::current_exception();  // the remaining steps can still be undone
              }
            }
            if (failure) std::rethrow_exception(failure);
          }};
}

Steps with_reload(Steps steps, const std::function<void()>& reload) {
  if (actions_of(steps).empty()) return {};
  steps.insert(steps.begin(), {.actions = {"reload"}, .apply = {}, .undo = reload});
  steps.push_back({.actions = {"reload"}, .apply = reload, .undo = {}});
  return steps;
}

std::vector<std::string> actions_of(const Steps& steps) {
  std::vector<std::string> actions;
  for (const Step& step : steps) {
    actions.insert(actions.end(), step.actions.begin(), step.actions.end());
  }
  return actions;
}

void apply(const Steps& steps, const std::function<void(const std::string&)>& say) {
  const runtime::BlockedSignals signals;
  std::vector<const Step*> done;
  bool is_complete = true;
  try {
    for (const Step& step : steps) {
      if (step.actions.empty()) continue;
      done.push_back(&step);
      is_complete = false;
      if (step.apply) step.apply();
      is_complete = true;
      if (signals.take()) throw Error("interrupted");
    }
  } catch (const std::exception&) {
    undo(done, is_complete, say);
    throw;
  }
}

ProgramResult run_program(const std::vector<std::string>& words) {
  const auto program = find_program(words.front());
  if (!program) return {127, words.front() + " is not installed"};
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  const base::Descriptor output(ends[0]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(program->string(), arguments, ends[1]);
  close(ends[1]);
  if (child < 0) throw std::runtime_error(std::strerror(errno));
  std::string text = base::read_all(output).value_or("");
  return {status_of(child), std::move(text)};
}

void must_run(const std::vector<std::string>& words) {
  const ProgramResult result = run_program(words);
  if (result.status == 0) return;
  throw Error(base::joined(words, " ") +
              " failed: " + std::string(base::trim_like_php(result.output)));
}

}  // namespace setup
