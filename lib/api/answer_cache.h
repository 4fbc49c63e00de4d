#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "api/call.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace api {

// A cache of answers for some seconds, by request and rights. Holds at most kMaxAnswers, none
// larger than kMaxBody; evicts the oldest. Safe for concurrent use.
class AnswerCache {
 public:
  static constexpr std::size_t kMaxAnswers = 64;
  static constexpr std::size_t kMaxBody = 65536;
  static constexpr std::chrono::minutes kMaxDuration{5};  // of a request

  // The answer with this key if it was made less than "life" before "now", or, by a clock that has
  // been set back since, after it.
  [[nodiscard]] std::optional<Answer> find(const std::string& key, base::Time now,
                                           std::chrono::seconds life) const;

  // Stores an answer, unless a newer one is cached.
  void fill(const std::string& key, const Answer& answer, base::Time made_at);

 private:
  struct Entry {
    Answer answer;
    base::Time made_at;
  };

  mutable base::Mutex mutex_;
  std::map<std::string, Entry> answers_ GUARDED_BY(mutex_);
};

}  // namespace api
