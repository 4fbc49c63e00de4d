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

// A cache that stores responses for a few seconds. The key contains the request and the requester's
// permissions. The cache contains at most kMaxAnswers responses. When the cache is full, it evicts
// the oldest response. Responses with bodies larger than kMaxBody bytes are not cached. Safe for
// concurrent use.
class AnswerCache {
 public:
  static constexpr std::size_t kMaxAnswers = 64;
  static constexpr std::size_t kMaxBody = 65536;
  // The maximum duration of a request. If the time of a cached response is more than kMaxDuration
  // after the time of a new response, the clock must have been set back, so the cached response is
  // removed.
  static constexpr std::chrono::minutes kMaxDuration{5};

  // Returns the cached response for "key" if the response's time and "now" differ by less than
  // "life". The response may be newer than "now" if another request has stored the response or the
  // clock was set back.
  [[nodiscard]] std::optional<Answer> find(const std::string& key, base::Time now,
                                           std::chrono::seconds life) const;

  // Stores a response that was created at "made_at", unless a newer response with the same key is
  // cached.
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
