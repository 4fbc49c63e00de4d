#include "setup/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/joined.h"
#include "base/parse.h"
#include "setup/step.h"

namespace setup {
namespace {

// How the child is started: output into the pipe, no input, signals as if it were started by hand.
// In a process group of its own, so that an interrupt from the terminal does not end it half-way.
class Launch {
 public:
  explicit Launch(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  int spawn(pid_t& child, const std::string& program, std::vector<std::string> words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawn(&child, program.c_str(), &files_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// From PATH and the folders of administrators' programs.
std::optional<std::filesystem::path> find_program(const std::string& name) {
  // Safe: no thread changes the environment.
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

ProgramResult run_program(const std::vector<std::string>& words) {
  const auto program = find_program(words.front());
  if (!program) return {127, words.front() + " is not installed"};
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  const base::Descriptor output(ends[0]);
  pid_t child = 0;
  const int reason = Launch(ends[1]).spawn(child, program->string(), words);
  close(ends[1]);
  if (reason != 0) return {127, words.front() + ": " + std::strerror(reason)};
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
