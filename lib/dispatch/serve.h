#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <variant>

#include "api/app.h"
#include "api/call.h"
#include "api/errors.h"
#include "api/routes.h"
#include "base/stopwatch.h"
#include "http/request.h"
#include "votes/vote_queue.h"

namespace dispatch {

// A request on its way to its response. A vote takes two steps, since no thread waits while it is
// written: begin() returns it, and finish() is called with its outcome. Any other request is
// answered by begin().
//
// Used by one thread at a time. No function throws.
class Serving {
 public:
  // Both must outlive this object.
  Serving(const api::App& app, const http::Request& request);
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  ~Serving() = default;

  using Step = std::variant<http::Response, votes::VoteRequest>;

  // The response, or the vote that is to be written first. Unless the calling thread hands its
  // leadership over (runtime/leadership.h), nothing in it blocks.
  [[nodiscard]] Step begin();

  // The response to a vote. REQUIRES: begin() has returned one. Does not block.
  [[nodiscard]] http::Response finish(const votes::VoteQueue::WriteResult& outcome);

 private:
  // The answer to OPTIONS that is no CORS preflight.
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
  bool is_failure_counted_ = false;  // by the queue
};

// The response to a request that no route answers, counted as such. Does not block.
[[nodiscard]] http::Response refuse(const api::App& app, const http::Request& request,
                                    const api::Error& error);

// The most names that _fields may have.
inline constexpr std::size_t kMaxFieldNames = 100;

// Applies WordPress's parameter _fields to a JSON object: keeps the members named in "fields", in
// which dots select members of objects ("stats.binary.total") and of all objects of an array
// ("data.object_id"). "success" is always kept. Other JSON values are returned unchanged. Takes
// time in proportion to "body", and to "fields".
[[nodiscard]] std::string project(const std::string& body, const std::set<std::string>& fields);

}  // namespace dispatch
