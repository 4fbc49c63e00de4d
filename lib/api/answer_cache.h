#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/call.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace api {

// Answers that may be given again for some seconds, by what was asked and with which rights. At
// most kMaxAnswers, none over kMaxBody: the oldest makes room. Safe for concurrent use.
class AnswerCache {
 public:
  static constexpr std::size_t kMaxAnswers = 64;
  static constexpr std::size_t kMaxBody = 65536;

  // What was kept after "since"; nothing if there is none.
  [[nodiscard]] std::optional<Answer> find(const std::string& key, base::Time since) const;

  // Unless there is one that was made later.
  void keep(const std::string& key, const Answer& answer, base::Time made_at);

 private:
  struct Materialized {
    Answer answer;
    base::Time made_at;
  };

  mutable base::Mutex mutex_;
  std::map<std::string, Materialized> answers_ GUARDED_BY(mutex_);
};

}  // namespace api
