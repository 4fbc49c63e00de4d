#pragma once

#include <memory>
#include <set>
#include <string>
#include <variant>

#include "api/app.h"
#include "api/call.h"
#include "api/errors.h"
#include "api/routes.h"
#include "base/clock.h"
#include "http/request.h"
#include "votes/vote_queue.h"

namespace dispatch {

// Serves one request. begin() returns the response or, for a vote, the vote itself, so that the
// caller can write the vote without blocking a thread. After the vote has been written, call
// finish() with the result.
class Serving {
 public:
  // "app" and "request" must outlive this object.
  Serving(const api::App& app, const http::Request& request);
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  ~Serving() = default;

  using Step = std::variant<http::Response, votes::VoteRequest>;

  // Returns the response or, if the request is a vote, the vote, which the caller must write.
  // Blocks only after the thread has handed over its leadership (runtime/leadership.h).
  [[nodiscard]] Step begin();

  // Returns the response to a vote. Does not block. "result" must be the result of the vote that
  // begin() returned.
  [[nodiscard]] http::Response finish(const votes::VoteQueue::WriteResult& result);

 private:
  // Returns the response to an OPTIONS request that is not a CORS preflight.
  [[nodiscard]] api::Result describe();
  [[nodiscard]] http::Response respond_with(api::Result result);
  void count_failed_vote(int status);

  const api::App& app_;
  const http::Request& request_;
  const base::Stopwatch stopwatch_;
  const std::shared_ptr<const store::SiteState> site_;
  const bool is_site_known_;
  const api::Match match_;
  const api::Route* const route_;
  api::Call call_;
  std::shared_ptr<const api::VoteStep> vote_;
  bool is_failure_counted_ = false;  // the queue has counted the failure
};

// Counts a request that is rejected before its route is looked up, and returns the response. Does
// not block.
[[nodiscard]] http::Response refuse(const api::App& app, const http::Request& request,
                                    const api::Error& error);

// Applies WordPress's `_fields` parameter to a JSON object. Returns the object with only the
// members named in "fields". Dots select members in objects ("stats.binary.total") and in all
// objects in an array ("data.object_id"). The "success" member is never removed. Other JSON values
// are returned unchanged. The running time is proportional to the sizes of "body" and "fields".
[[nodiscard]] std::string project(const std::string& body, const std::set<std::string>& fields);

}  // namespace dispatch
