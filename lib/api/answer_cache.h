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

// A cache that keeps responses for a few seconds. The key contains the request and the requester's
// permissions. The cache contains at most kMaxAnswers responses. It stores no response whose body
// has more than kMaxBody bytes. When it is full, it evicts the oldest response. Safe for concurrent
// use.
class AnswerCache {
 public:
  static constexpr std::size_t kMaxAnswers = 64;
  static constexpr std::size_t kMaxBody = 65536;
  // The maximum time from a request to its response.
  static constexpr std::chrono::minutes kMaxDuration{5};

  // Returns the response with this key if its time and "now" differ by less than "life". The
  // response may be newer than "now", because another request may have stored it or the clock may
  // have been set back.
  [[nodiscard]] std::optional<Answer> find(const std::string& key, base::Time now,
                                           std::chrono::seconds life) const;

  // Stores a response that was made at "made_at", unless a newer response with this key is cached.
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
