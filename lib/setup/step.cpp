#include "setup/step.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <span>

#include "base/blocked_signals.h"

namespace setup {
namespace {

std::string name_of(const Step& step) {
  const std::string& action = step.actions.front();
  return action.substr(0, action.find('\n'));
}

// "is_complete": whether the last one of "done" is.
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
      // The others can still be undone.
      say("This could not be undone: " + name_of(step) + ": " + exception.what());
    }
  }
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
                failure = std::current_exception();  // the others can still be undone
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
  const base::BlockedSignals signals;
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

}  // namespace setup
