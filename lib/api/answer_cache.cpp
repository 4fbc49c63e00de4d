#include "api/answer_cache.h"

#include <algorithm>

namespace api {

std::optional<Answer> AnswerCache::find(const std::string& key, base::Time now,
                                        std::chrono::seconds life) const {
  const base::MutexLock lock(mutex_);
  const auto found = answers_.find(key);
  if (found == answers_.end() || std::chrono::abs(now - found->second.made_at) >= life) {
    return std::nullopt;
  }
  return found->second.answer;
}

void AnswerCache::fill(const std::string& key, const Answer& answer, base::Time made_at) {
  if (answer.body.size() > kMaxBody) return;
  const base::MutexLock lock(mutex_);
  std::erase_if(answers_, [&](const auto& entry) {
    return entry.second.made_at - made_at > kMaxDuration;  // the clock was set back
  });
  const auto known = answers_.find(key);
  if (known != answers_.end() && known->second.made_at > made_at)
    return;  // another request has stored a newer response
  if (answers_.size() >= kMaxAnswers && known == answers_.end()) {
    answers_.erase(std::min_element(
        answers_.begin(), answers_.end(),
        [](const auto& a, const auto& b) { return a.second.made_at < b.second.made_at; }));
  }
  answers_.insert_or_assign(key, Entry{answer, made_at});
}

}  // namespace api
